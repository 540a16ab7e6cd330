//! Specifications and invariants: code that runs at once.

use super::exec::{Extent, WayEnd, run};
use super::{Phase, State};
use crate::ir::{Machine, Module, OpId, Routine};
use trueline_base::Value;
use trueline_base::verdict::Finding;

fn alone(shared: Vec<Value>) -> State {
    State { shared, heap: Vec::new(), threads: Vec::new() }
}

/// The initial states of a specification, without repetitions.
pub fn spec_initial(spec: &Module) -> Vec<Result<Vec<Value>, Finding>> {
    let from = (alone(spec.shared.clone()), vec![Value::Unit; spec.init.slots.len()], 0);
    let mut found = Vec::new();
    for passage in run(spec, &spec.init, from, 0, Extent::Whole).ways {
        let way = match passage.end {
            WayEnd::Finding(finding) => Err(finding),
            _ => Ok(passage.state.shared),
        };
        if !found.contains(&way) {
            found.push(way);
        }
    }
    found
}

/// What one operation of a specification can do in a state: the new state and the result, without
/// repetitions. Nothing when the operation waits.
pub fn spec_step(
    spec: &Module,
    state: &[Value],
    thread: u8,
    op: OpId,
    args: &[Value],
) -> Vec<Result<(Vec<Value>, Value), Finding>> {
    let op = &spec.ops[op.0 as usize];
    let mut frame = vec![Value::Unit; op.routine.slots.len()];
    for ((slot, _), arg) in op.params.iter().zip(args) {
        frame[slot.0 as usize] = arg.clone();
    }
    let mut found = Vec::new();
    let from = (alone(state.to_vec()), frame, 0);
    for passage in run(spec, &op.routine, from, thread, Extent::Whole).ways {
        let way = match passage.end {
            WayEnd::Return(value) => Ok((passage.state.shared, value)),
            WayEnd::Finding(finding) => Err(finding),
            WayEnd::Stop(_) => unreachable!("an operation of a specification has no stop"),
        };
        if !found.contains(&way) {
            found.push(way);
        }
    }
    found
}

/// Whether a routine that computes a condition over the cells answers true in this state. With
/// choices, whether it does in every way.
pub fn eval_invariant(machine: &Machine, routine: &Routine, state: &State) -> Result<bool, Finding> {
    let frame = vec![Value::Unit; routine.slots.len().max(machine.object.persistent.len())];
    debug_assert!(state.threads.iter().all(|t| t.phase == Phase::Idle || t.persistent.is_empty()));
    let passages = run(&machine.object, routine, (state.clone(), frame, 0), 0, Extent::Whole);
    let mut holds = true;
    for passage in passages.ways {
        match passage.end {
            WayEnd::Finding(finding) => return Err(finding),
            WayEnd::Return(Value::Bool(answer)) => holds &= answer,
            other => panic!("an invariant ended in {other:?}"),
        }
    }
    Ok(holds)
}
