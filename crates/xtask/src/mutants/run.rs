//! What becomes of a mutant: under the check's own client, then under larger ones.

use trueline_base::{Limits, Silent};
use trueline_check::Verdict;
use trueline_lang::compile::{Expectation, Ops, Overrides, Task};
use trueline_lang::ir::Machine;
use trueline_lang::question::Question;

use super::{Fate, Mutant, MutantEntry, Reasons, Subject};

/// How far a mutant is pursued. States, not seconds: outcomes do not depend on the machine.
pub struct Budget {
    /// States under the check's own client.
    pub own: u64,
    /// States under each larger client; 0 for none.
    pub larger: u64,
}

impl Budget {
    /// What `cargo xtask mutants` spends.
    pub fn full() -> Budget {
        Budget { own: 300_000, larger: 60_000 }
    }
}

/// States under a client that `reasons.txt` names.
const NAMED: u64 = 5_000_000;

/// The outcome of a mutant.
pub fn entry(subject: &Subject, mutant: &Mutant, budget: &Budget, reasons: &Reasons) -> MutantEntry {
    let (found, states) = decide(&subject.task, &mutant.machine, budget.own);
    let outcome = match (found, reasons.client(&mutant.key), reasons.check(&mutant.key)) {
        (Some(by), ..) => Some(Fate::Refuted { by, client: String::new() }),
        // Somebody has thought of a client: it must do.
        (None, Some(client), _) => named(subject, mutant, client),
        (None, None, Some(check)) => other(subject, mutant, check - 1, NAMED),
        (None, None, None) => others(subject, mutant, budget).or_else(|| larger(subject, mutant, budget)),
    };
    let outcome = outcome.unwrap_or(Fate::Survives);
    MutantEntry { key: mutant.key.clone(), outcome, states }
}

/// The first property that the machine violates, and the states that this took.
pub fn decide(task: &Task, machine: &Machine, states: u64) -> (Option<String>, u64) {
    let mut used = 0;
    // Findings come first: they are cheap and what a user would see.
    let (mut asked, rest): (Vec<_>, Vec<_>) =
        task.asked.iter().partition(|a| matches!(a.question, Question::Safe));
    asked.extend(rest);
    for asked in asked {
        let limits = Limits { states: Some(states), ..Limits::default() };
        let outcome = trueline_check::decide(machine, &asked.question.without_points(), &limits, &mut Silent);
        used += outcome.states;
        if matches!(outcome.verdict, Verdict::Fails(_)) {
            return (Some(asked.name.clone()), used);
        }
    }
    (None, used)
}

/// The same damage under a client that `reasons.txt` names.
fn named(subject: &Subject, mutant: &Mutant, client: &str) -> Option<Fate> {
    let overrides = Overrides { client: Some(client.to_string()), ..Overrides::default() };
    let task = subject.model.instantiate(subject.check - 1, &overrides).ok()?;
    let mut machine = task.machine.clone();
    (mutant.apply)(&mut machine);
    let (by, _) = decide(&task, &machine, NAMED);
    Some(Fate::Refuted { by: by?, client: format!("--client \"{client}\"") })
}

/// The same damage under the clients of the file's other checks of the same code.
fn others(subject: &Subject, mutant: &Mutant, budget: &Budget) -> Option<Fate> {
    let mut checks = (0..subject.model.checks()).filter(|i| i + 1 != subject.check);
    checks.find_map(|index| other(subject, mutant, index, budget.own))
}

/// The same damage under the client of one other check, if it is one of the same code.
fn other(subject: &Subject, mutant: &Mutant, index: usize, states: u64) -> Option<Fate> {
    let lengths =
        |machine: &Machine| machine.object.ops.iter().map(|o| o.routine.code.len()).collect::<Vec<_>>();
    let task = subject.model.instantiate(index, &Overrides::default()).ok()?;
    let same = task.object == subject.task.object
        && lengths(&task.machine) == lengths(&subject.task.machine)
        && task.asked.iter().all(|a| a.expect == Expectation::Holds);
    if !same {
        return None;
    }
    let mut machine = task.machine.clone();
    (mutant.apply)(&mut machine);
    let (by, _) = decide(&task, &machine, states);
    Some(Fate::Refuted { by: by?, client: format!("the client of check {}", index + 1) })
}

/// The same damage under more operations, more threads, both.
fn larger(subject: &Subject, mutant: &Mutant, budget: &Budget) -> Option<Fate> {
    if budget.larger == 0 || subject.task.ops.is_none() {
        return None;
    }
    let threads = subject.task.machine.threads.len() as u32;
    let ops = subject.task.ops?;
    for (threads, ops) in [(threads, ops + 1), (threads + 1, ops), (threads + 1, ops.max(2) - 1)] {
        let overrides =
            Overrides { threads: Some(threads), ops: Some(Ops::Count(ops)), ..Overrides::default() };
        let Ok(task) = subject.model.instantiate(subject.check - 1, &overrides) else { continue };
        let mut machine = task.machine.clone();
        (mutant.apply)(&mut machine);
        if let (Some(by), _) = decide(&task, &machine, budget.larger) {
            return Some(Fate::Refuted { by, client: format!("--threads {threads} --ops {ops}") });
        }
    }
    None
}
