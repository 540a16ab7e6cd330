//! `trueline show --essential`: the silent steps that remain in the quotient of an object.

use std::collections::BTreeMap;
use std::fmt::Write;
use trueline_base::words::{number, plural};
use trueline_check::quotient::{Essential, essential};
use trueline_check::{MAX_THREADS, NoSystem};
use trueline_lang::compile::Task;
use trueline_replay::statement;
use trueline_report::document::{EssentialStep, EssentialSteps};

use crate::args::Common;
use crate::terminal::{ProgressLine, cancel_on_interrupt, limits};

/// What is said of an object, as text and as data.
pub struct ToldSteps {
    pub text: String,
    pub data: EssentialSteps,
}

/// The essential steps of a check's object under its client, or why they cannot be told.
pub fn tell(task: &Task, source: &str, common: &Common) -> Result<ToldSteps, String> {
    let cancel = cancel_on_interrupt();
    let limits = limits(common, None, &cancel);
    let mut progress = ProgressLine::new(task.title(), common, limits.memory);
    let found = essential(&task.machine, &limits, &mut progress);
    progress.clear();
    match found {
        Ok(found) => Ok(told(task, source, &found)),
        Err(NoSystem::Stopped(stop)) => Err(format!("{stop} before all states were found")),
        Err(NoSystem::Finding { finding, thread }) => Err(format!(
            "thread {} {}: `trueline check` shows how; there is no transition system before that is repaired",
            thread + 1,
            finding.sentence()
        )),
        Err(NoSystem::TooManyThreads) => {
            Err(format!("transition systems are for at most {MAX_THREADS} threads"))
        }
        Err(NoSystem::SpecificationFinding { .. } | NoSystem::Requires(_)) => {
            unreachable!("there is no specification here")
        }
    }
}

fn told(task: &Task, source: &str, found: &Essential) -> ToldSteps {
    let ops = &task.machine.object.ops;
    // Several accesses of a statement stand on one line.
    let mut lines: BTreeMap<(u16, u32, String), (u64, u64)> = BTreeMap::new();
    for ((op, pc), (all, kept)) in &found.steps {
        let span = ops[op.0 as usize].routine.code[*pc as usize].span;
        let (line, text) = statement(source, span);
        let entry = lines.entry((op.0, line, text)).or_default();
        *entry = (entry.0 + all, entry.1 + kept);
    }
    let mut text = format!(
        "{}: {}, {} modulo branching bisimulation\n",
        task.title(),
        plural(found.states as u64, "state", "states"),
        plural(found.classes as u64, "class", "classes")
    );
    text += "silent steps that lead to another class, and how many transitions of them do:\n";
    let essential = || lines.iter().filter(|(_, (_, kept))| *kept > 0);
    let width = essential().map(|((_, _, text), _)| text.chars().count()).max().unwrap_or(0);
    for (at, op) in ops.iter().enumerate() {
        for ((_, line, statement), (all, kept)) in essential().filter(|((op, ..), _)| *op as usize == at) {
            let _ = writeln!(
                text,
                "  {}  {line:>4}  {statement:<width$}  {} of {}",
                op.name,
                number(*kept),
                number(*all)
            );
        }
    }
    if essential().next().is_none() {
        text += "  none\n";
    }
    let step = |((op, line, statement), (all, kept)): ((u16, u32, String), (u64, u64))| EssentialStep {
        operation: ops[op as usize].name.clone(),
        line,
        statement,
        transitions: all,
        essential: kept,
    };
    let steps = lines.into_iter().map(step).collect();
    let data = EssentialSteps { object: task.title(), states: found.states, classes: found.classes, steps };
    ToldSteps { text, data }
}
