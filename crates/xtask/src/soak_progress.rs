//! Progress of the shipped models, and of their mutants, against the definitions on the reference interpreter.
//!
//! Whatever a check asks, each property of progress is asked as well: with all reductions, with canonical heaps alone, and of
//! the naive twin, where its graph is small enough. Counterexamples are confirmed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use trueline_base::{Limits, Meter, Silent};
use trueline_check::fast::{self, Reductions};
use trueline_check::{Verdict, Why};
use trueline_lang::ir::Machine;
use trueline_lang::question::{Progress, Question};
use trueline_replay::endless::completes;
use trueline_replay::{Case, Source, confirm_within};

use crate::mutants::{families, mutants_of, subjects};

/// States of the twin at most.
const MOST: usize = 2000;
/// States of a search at most.
const STATES: u64 = 2_000_000;

const ALL: [(&str, Progress); 5] = [
    ("lock_free", Progress::LockFree),
    ("wait_free", Progress::WaitFree(None)),
    ("obstruction_free", Progress::ObstructionFree),
    ("deadlock_free", Progress::DeadlockFree),
    ("starvation_free", Progress::StarvationFree),
];

/// Compares all, or one family; prints a row for each.
pub fn command(root: &Path, only: Option<&str>) -> ExitCode {
    println!(
        "| family | objects and mutants | properties | against the definitions | hold | fail | not known | differ |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut wrong = Vec::new();
    for family in families(root).into_iter().filter(|family| only.is_none_or(|only| only == family)) {
        let mut tally = BTreeMap::new();
        let mut machines = 0;
        for subject in subjects(root, &family) {
            let text = subject.model.source();
            let mut all = vec![(format!("{}#{}", subject.file, subject.check), subject.task.machine.clone())];
            all.extend(mutants_of(&subject).into_iter().map(|mutant| (mutant.key, mutant.machine)));
            for (key, machine) in all {
                machines += 1;
                for (name, progress) in ALL {
                    let spec = subject.task.specification().filter(|_| progress.fair());
                    let spec = spec.filter(|spec| spec.can_wait()).cloned().map(std::sync::Arc::new);
                    let question = Question::Progress { progress, spec };
                    match compare(&machine, &question, text) {
                        Ok(words) => words.into_iter().for_each(|word| *tally.entry(word).or_insert(0) += 1),
                        Err(why) => {
                            *tally.entry("differ").or_insert(0) += 1;
                            wrong.push(format!("{key} {name}: {why}"));
                        }
                    }
                }
            }
        }
        let of = |word: &str| tally.get(word).copied().unwrap_or(0);
        let (twin, holds, fails, unknown) = (of("twin"), of("holds"), of("fails"), of("unknown"));
        println!(
            "| {family} | {machines} | {} | {twin} | {holds} | {fails} | {unknown} | {} |",
            machines * ALL.len(),
            of("differ")
        );
    }
    wrong.iter().for_each(|line| println!("{line}"));
    println!("\n{} differences", wrong.len());
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What all say, and whether the twin was among them.
fn compare(machine: &Machine, question: &Question, text: &str) -> Result<Vec<&'static str>, String> {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let mut said: Option<&'static str> = None;
    let mut whole = true;
    for reductions in [Reductions::ALL, Reductions::HEAP] {
        let outcome = fast::decide(machine, question, reductions, &limits, &mut Silent);
        let word = match outcome.verdict {
            Verdict::Holds(()) | Verdict::Unknown(Why::ClientEnds) => "holds",
            Verdict::Fails(found) => {
                let source = Source { path: "model.tl", text };
                let case = Case { machine, question, violation: found.violation, source };
                confirm_within(&case, &found.evidence, &Meter::start(Limits::default()))
                    .map_err(|why| format!("not confirmed: {why}"))?;
                "fails"
            }
            Verdict::Unknown(Why::Finding { .. } | Why::Unexplained) => {
                whole = false;
                "holds"
            }
            Verdict::Unknown(_) => "unknown",
        };
        match said {
            Some(before) if before != word && before != "unknown" && word != "unknown" => {
                return Err(format!("{before} with all reductions, {word} with canonical heaps alone"));
            }
            Some("unknown") | None => said = Some(word),
            Some(_) => {}
        }
    }
    let mut words = vec![if whole { said.unwrap_or("unknown") } else { "unknown" }];
    let Question::Progress { progress, spec } = question else { unreachable!("it is about progress") };
    if let Ok((completes, _)) = completes(machine, *progress, spec.as_deref(), MOST) {
        let truth = if completes { "holds" } else { "fails" };
        match said {
            Some(word) if word != truth && word != "unknown" => {
                return Err(format!("{word}, by the definitions {truth}"));
            }
            _ => words.push("twin"),
        }
    }
    Ok(words)
}
