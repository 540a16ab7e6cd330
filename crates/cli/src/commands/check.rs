//! `trueline check`

use trueline_check::{Decision, Question};
use trueline_lang::compile;

use crate::args::{CheckArgs, Common};
use crate::exit::Exit;
use crate::files;
use crate::terminal;

/// Decides all checks of the files.
pub fn run(args: &CheckArgs, common: &Common) -> Exit {
    let cancel = terminal::cancel_on_interrupt();
    let mut exit = Exit::Expected;
    for path in files::models(&args.files).unwrap() {
        let source = files::read(&path).unwrap();
        for index in 0..source.model.checks() {
            let overrides = args.overrides.to_overrides(args.property.clone());
            let task = match source.model.instantiate(index, &overrides) {
                Ok(task) => task,
                Err(compile::Refusal::Model(p)) => {
                    terminal::diagnostics(&source.path, source.model.source(), &p, common);
                    exit = exit.and(Exit::Input);
                    continue;
                }
                Err(e) => {
                    eprintln!("{e:?}");
                    return Exit::Usage;
                }
            };
            for asked in &task.asked {
                let question = match &asked.question {
                    compile::Question::Safe => Question::Safe,
                    compile::Question::Linearizable { spec } => {
                        Question::Linearizable { spec, points: !args.no_points }
                    }
                    compile::Question::Refines { other } => Question::Refines(other),
                    compile::Question::Invariant { routine } => Question::Invariant(routine),
                    compile::Question::LeakFree => Question::LeakFree,
                    compile::Question::Unavailable { what } => {
                        println!("{what} not available yet");
                        continue;
                    }
                };
                let limits = terminal::limits(common, args.states, &cancel);
                let start = std::time::Instant::now();
                let mut progress =
                    terminal::Progress::new(format!("{} {}", task.object, asked.name), common, limits.memory);
                let outcome = trueline_check::check(&task.machine, question, &limits, &mut progress);
                drop(progress);
                let word = match &outcome.decision {
                    Decision::Holds => "HOLDS".to_string(),
                    Decision::Fails(c) => format!("FAILS {:?} minimal {}", c.failure, c.minimal),
                    Decision::Unknown(why) => format!("UNKNOWN {why:?}").chars().take(200).collect(),
                };
                let ok = match (&outcome.decision, asked.expect) {
                    (Decision::Holds, compile::Expectation::Holds) => "",
                    (
                        Decision::Fails(_),
                        compile::Expectation::Fails | compile::Expectation::FailsWith(_),
                    ) => "",
                    _ => "   <<<<<< UNEXPECTED",
                };
                let line = asked.span.line_column(source.model.source()).0;
                println!(
                    "{}:{line} {} {} {word} states {} transitions {} {:.2}s{ok}",
                    source.path,
                    task.object,
                    asked.name,
                    outcome.states,
                    outcome.transitions,
                    start.elapsed().as_secs_f64()
                );
            }
        }
    }
    exit
}
