//! Sequential consistency by memoised search over positions per process.
//!
//! Lamport, IEEE TC 1979. Real time does not count, so the window of `search::jit` does not apply and a
//! configuration is the vector of positions, one per process, with the state. Cost: O(s (n/p)^p)
//! configurations for p processes. Claim: exact. Oracle: `naive::sequential`.

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::machine::{SpecMachine, Typed};
use super::{Control, SearchAnswer, SearchResult};
use crate::spec::Spec;

struct Frame {
    positions: Box<[u32]>,
    state: u32,
    process: u32,
    item: u32,
    base: u32,
}

/// One operation of a process: its number, the operation, and whether it may be left out.
pub type ProcessOperation<O> = (u32, O, bool);

/// Looks for an order that keeps each process's own order and that the specification accepts.
pub fn sequential<S: Spec>(
    spec: &S,
    processes: &[Vec<ProcessOperation<S::Op>>],
    control: &mut Control<'_>,
) -> SearchAnswer<S::State> {
    let ops: Vec<S::Op> = processes.iter().flatten().map(|(_, op, _)| op.clone()).collect();
    let mut machine = Typed::new(spec, ops.into(), control.meter);
    let mut at = 0;
    let numbered: Vec<Vec<(u32, u32, bool)>> = processes
        .iter()
        .map(|steps| {
            let steps = steps.iter().map(|(item, _, optional)| {
                at += 1;
                (*item, at - 1, *optional)
            });
            steps.collect()
        })
        .collect();
    let answer = run(&numbered, &mut machine, control);
    answer.with_states(|state| machine.state(state).clone())
}

fn run(
    processes: &[Vec<(u32, u32, bool)>],
    machine: &mut dyn SpecMachine,
    control: &mut Control<'_>,
) -> SearchAnswer<u32> {
    let mut seen: HashSet<(Box<[u32]>, u32), FixedState> = HashSet::with_hasher(FixedState::default());
    let start: Box<[u32]> = vec![0; processes.len()].into();
    let initial = machine.initial();
    seen.insert((start.clone(), initial));
    let mut outcomes: Vec<(u32, u32)> = Vec::new();
    let mut states: Vec<u32> = Vec::new();
    let mut stack = vec![Frame { positions: start, state: initial, process: 0, item: u32::MAX, base: 0 }];
    let mut configurations = 0u64;
    let mut bytes = 0;
    // What is left of every process may be left out.
    let complete = |positions: &[u32]| {
        processes
            .iter()
            .zip(positions)
            .all(|(ops, at)| ops[*at as usize..].iter().all(|(_, _, optional)| *optional))
    };
    let mut furthest = 0;
    let found = loop {
        let Some(frame) = stack.last_mut() else { break SearchResult::Impossible };
        if frame.process == 0 && outcomes.len() == frame.base as usize {
            furthest = furthest.max(frame.positions.iter().sum());
            if complete(&frame.positions) {
                break SearchResult::Order(stack.iter().map(|f| f.item).filter(|i| *i != u32::MAX).collect());
            }
        }
        if outcomes.len() > frame.base as usize {
            let (process, state) = outcomes.pop().expect("above the base");
            let at = frame.positions[process as usize];
            let item = processes[process as usize][at as usize].0;
            let mut positions = frame.positions.clone();
            positions[process as usize] += 1;
            if seen.len() == seen.capacity() {
                // The table is about to double, and both are there while it does.
                let larger = 2 * 25 * seen.capacity() as u64;
                if let Err(stop) = control.meter.check(bytes + larger, configurations) {
                    break SearchResult::Stopped(stop);
                }
            }
            if seen.insert((positions.clone(), state)) {
                configurations += 1;
                if configurations.is_multiple_of(1024) || configurations >= control.cap {
                    let each = (32 + 4 * processes.len()) as u64;
                    bytes = machine.bytes() + each * (seen.capacity() + stack.capacity()) as u64;
                    let depth = stack.len() as u64;
                    if let Err(stop) = control.tick(depth, configurations, depth, bytes) {
                        break SearchResult::Stopped(stop);
                    }
                }
                stack.push(Frame { positions, state, process: 0, item, base: outcomes.len() as u32 });
            }
        } else if (frame.process as usize) < processes.len() {
            let process = frame.process;
            frame.process += 1;
            let Some(&(_, op, _)) =
                processes[process as usize].get(frame.positions[process as usize] as usize)
            else {
                continue;
            };
            states.clear();
            if let Err(stop) = machine.step(frame.state, op, bytes, configurations, &mut states) {
                break SearchResult::Stopped(stop);
            }
            outcomes.extend(states.iter().map(|state| (process, *state)));
        } else {
            stack.pop();
        }
    };
    SearchAnswer { found, configurations, bytes, furthest, partials: Vec::new() }
}
