//! The engine against an enumeration of all executions, on whatever object a text describes.

use trueline_base::{Limits, Silent};
use trueline_check::naive::{self, ExecutionSize, enumerate};
use trueline_check::{Counterexample, Verdict, Why, check};
use trueline_lang::compile::{Model, Ops, Overrides, Task, Values};
use trueline_lang::ir::{Machine, Module};
use trueline_lang::question::Question;

/// Moves that an enumeration may take.
const MOST: u64 = 4_000;

/// Small clients: threads and operations of each.
const CLIENTS: [(u32, u32); 3] = [(2, 1), (2, 2), (3, 1)];

/// Asks both about every check of the model under small clients. The number of answers compared, or a difference.
pub fn agree(model: &Model) -> Result<u32, String> {
    let mut compared = 0;
    for index in 0..model.checks() {
        for (threads, ops) in CLIENTS {
            let overrides = Overrides {
                threads: Some(threads),
                ops: Some(Ops::Count(ops)),
                values: Some(Values::Count(1)),
                ..Overrides::default()
            };
            // Checks with roles have clients of their own.
            let Ok(task) = model.instantiate(index, &overrides) else { break };
            let found = compare(&task).map_err(|e| format!("check {}, {threads} x {ops}: {e}", index + 1))?;
            compared += found;
            if found == 0 {
                break;
            }
        }
    }
    Ok(compared)
}

fn compare(task: &Task) -> Result<u32, String> {
    let machine = &task.machine;
    let spec = task.specification();
    let Some(truth) = enumerate(machine, spec, MOST) else { return Ok(0) };
    let mut compared = 1;
    let safe = check(machine, &Question::Safe, &Limits::default(), &mut Silent).verdict;
    match (&safe, truth.finding) {
        // The enumeration does not follow an execution beyond a violation of the specification.
        (Verdict::Fails(_), None) if truth.violation.is_some() => {}
        (Verdict::Fails(found), Some(least)) if truth.violation.is_none() => same_size(found, least)?,
        (Verdict::Fails(_), Some(_)) | (Verdict::Holds(()), None) => {}
        (verdict, truth) => return Err(format!("safe: {verdict:?}, enumerated: {truth:?}")),
    }
    if let Some(spec) = spec {
        compared += 1;
        linearizable(machine, spec, truth.violation, truth.finding.is_some())?;
    }
    Ok(compared)
}

fn linearizable(
    machine: &Machine,
    spec: &Module,
    truth: Option<ExecutionSize>,
    unsafe_: bool,
) -> Result<(), String> {
    let question = Question::linearizable(spec);
    match (check(machine, &question, &Limits::default(), &mut Silent).verdict, truth) {
        (Verdict::Unknown(Why::SpecificationFinding { .. }), _) => Ok(()),
        (Verdict::Fails(found), Some(least)) => same_size(&found, least),
        (Verdict::Holds(()), None) if !unsafe_ => Ok(()),
        (Verdict::Unknown(Why::Finding { .. }), None) if unsafe_ => Ok(()),
        (verdict, truth) => Err(format!("linearizable: {verdict:?}, enumerated: {truth:?}")),
    }
}

fn same_size(found: &Counterexample, least: ExecutionSize) -> Result<(), String> {
    let size = naive::size(&found.evidence.prefix);
    match size == least {
        true => Ok(()),
        false => Err(format!("the counterexample has size {size:?}, the least is {least:?}")),
    }
}
