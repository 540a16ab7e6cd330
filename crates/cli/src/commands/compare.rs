//! `trueline check --compare`: the same answers by several searches, side by side.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use trueline_base::Diagnostic;
use trueline_check::fast::{Order, Reductions};
use trueline_lang::compile::Refusal;
use trueline_lang::question::Question;
use trueline_report::document::{CommandName, Done};
use trueline_report::{Comparison, Problem, Searched, plot_comparisons, render_comparison};
use trueline_verify::compare;

use crate::advice;
use crate::args::{CheckArgs, Common};
use crate::document::{self, Document};
use crate::exit::Exit;
use crate::files;
use crate::terminal;

/// Compares the searches for every property of the files.
pub fn run(args: &CheckArgs, common: &Common, cancel: &Arc<AtomicBool>) -> Exit {
    let paths = match files::models(&args.files) {
        Ok(paths) => paths,
        Err(message) => return Document::of(CommandName::Compare, common).refuse("", &message, Exit::Input),
    };
    let order = match Reductions::parse_order(&args.por) {
        Ok(order) => order,
        Err(message) => {
            return Document::of(CommandName::Compare, common).refuse(
                "",
                &format!("--por: {message}"),
                Exit::Usage,
            );
        }
    };
    let start = Instant::now();
    let mut run = Run { args, common, order, cancel, start, all: Vec::new(), diagnostics: Vec::new() };
    let mut exit = Exit::Expected;
    for path in &paths {
        exit = exit.and(run.file(path));
    }
    let Run { all, diagnostics, .. } = run;
    if common.json {
        document::print(Done::Compare { comparisons: all.clone() }, diagnostics);
    }
    if let Some(path) = &args.svg
        && let Err(e) = std::fs::write(path, plot_comparisons(&all))
    {
        eprintln!("error: {}: {e}", path.display());
        return Exit::Input;
    }
    exit
}

struct Run<'a> {
    args: &'a CheckArgs,
    common: &'a Common,
    /// Which orders of steps are left out.
    order: Order,
    cancel: &'a Arc<AtomicBool>,
    /// When the command began: `--time` is for all of it.
    start: Instant,
    all: Vec<Comparison>,
    /// For `--json`.
    diagnostics: Vec<Problem>,
}

impl Run<'_> {
    fn file(&mut self, path: &Path) -> Exit {
        let (args, common) = (self.args, self.common);
        let source = match files::read(path) {
            Ok(source) => source,
            Err(message) => return self.trouble(&path.display().to_string(), &message, Exit::Input),
        };
        let problems = source.model.diagnose();
        if problems.iter().any(Diagnostic::is_error) {
            self.diagnostics.extend(terminal::problems(&source, &problems, common));
            return Exit::Input;
        }
        let mut exit = Exit::Expected;
        for index in 0..source.model.checks() {
            let task = match source.model.instantiate(index, &args.to_overrides()) {
                Ok(task) => task,
                Err(Refusal::Roles) if index + 1 < source.model.checks() || !self.all.is_empty() => {
                    continue;
                }
                Err(Refusal::Usage(misuse)) => {
                    let message = format!("{}: {}", source.path, advice::misuse(&misuse));
                    return self.trouble(&source.path, &message, Exit::Usage);
                }
                Err(Refusal::Roles) => {
                    let message = format!("{}: {}", source.path, advice::ROLES);
                    return self.trouble(&source.path, &message, Exit::Usage);
                }
                Err(Refusal::Argument { argument, text, problems }) => {
                    let flag = advice::flag(argument);
                    self.diagnostics.extend(terminal::argument(flag, &text, &problems, common));
                    return Exit::Usage;
                }
                Err(Refusal::Model(problems)) => {
                    self.diagnostics.extend(terminal::problems(&source, &problems, common));
                    exit = exit.and(Exit::Input);
                    continue;
                }
                Err(Refusal::NoCheck) => continue,
            };
            for asked in task.asked.iter().filter(|asked| !matches!(asked.question, Question::Unavailable)) {
                let title = format!("{} {}", task.title(), asked.name);
                let mut limits = terminal::limits(common, args.states, self.cancel);
                limits.time = limits.time.map(|time| time.saturating_sub(self.start.elapsed()));
                let mut progress = terminal::ProgressLine::new(title.clone(), common, limits.memory);
                let question = match args.no_points {
                    true => asked.question.without_points(),
                    false => asked.question.clone(),
                };
                let rows = compare(&task.machine, &question, self.order, &limits, &mut progress);
                drop(progress);
                // A difference between decided answers is an error of ours, and the worst.
                let decided: Vec<String> =
                    rows.iter().map(|row| row.verdict()).filter(|v| v == "holds" || v == "fails").collect();
                if decided.windows(2).any(|pair| pair[0] != pair[1]) {
                    eprintln!(
                        "internal error: the searches for `{title}` disagree; please report this with the model"
                    );
                    exit = exit.and(Exit::Internal);
                }
                if decided.len() < rows.len() {
                    exit = exit.and(Exit::Unknown);
                }
                let searched = rows.iter().map(|row| Searched {
                    name: row.name.clone(),
                    verdict: row.verdict(),
                    states: row.outcome.states,
                    transitions: row.outcome.transitions,
                    seconds: row.seconds,
                    bytes: row.outcome.bytes,
                });
                let comparison = Comparison { title, rows: searched.collect() };
                if !common.json {
                    println!("{}", render_comparison(&comparison));
                }
                self.all.push(comparison);
            }
        }
        exit
    }

    fn trouble(&mut self, file: &str, message: &str, exit: Exit) -> Exit {
        match self.common.json {
            true => self.diagnostics.push(Problem::of_file(file, message)),
            false => eprintln!("error: {message}"),
        }
        exit
    }
}
