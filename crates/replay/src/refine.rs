//! Whether another machine has the same visible trace: its states after each call and return,
//! as sets.

use crate::canonical::canonical;
use crate::run::Run;
use std::collections::{BTreeSet, HashSet};
use trueline_base::{Value, Watch};
use trueline_lang::interp::{self, ObservableEvent, State};
use trueline_lang::ir::{Machine, show_call, show_return};

/// States that a closure may hold before the search is given up.
const MOST: usize = 1_000_000;

/// A call or return as both machines show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    /// The thread, from 0.
    pub thread: u8,
    /// The operation's name.
    pub name: String,
    /// The arguments of a call.
    pub args: Option<Vec<Value>>,
    /// The result of a return.
    pub value: Option<Value>,
}

/// How the other machine follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Following {
    /// It has the whole trace.
    Throughout,
    /// It has no state for this move; what this thread could do there instead, as text.
    Until(usize, Vec<String>),
    /// It has too many states to say.
    Unknown,
}

fn visible(machine: &Machine, thread: u8, event: &ObservableEvent) -> Option<Visible> {
    let name = |op: trueline_lang::ir::OpId| machine.object.ops[op.0 as usize].name.clone();
    match event {
        ObservableEvent::Silent => None,
        ObservableEvent::Call { op, args } => {
            Some(Visible { thread, name: name(*op), args: Some(args.clone()), value: None })
        }
        ObservableEvent::Return { op, value } => {
            Some(Visible { thread, name: name(*op), args: None, value: Some(value.clone()) })
        }
    }
}

/// Follows the calls and returns of an execution in another machine.
pub fn follow(machine: &Machine, run: &Run, other: &Machine, watch: &mut Watch) -> Following {
    let states = interp::initial(other).into_iter().filter_map(|(_, result)| result.ok());
    let mut now: HashSet<State> = states.map(|s| canonical(&other.object, &s)).collect();
    for (index, taken) in run.taken.iter().enumerate() {
        let Some(wanted) = visible(machine, taken.thread, &taken.way.event) else {
            continue;
        };
        let Some(all) = closure(other, now, watch) else {
            return Following::Unknown;
        };
        let mut after = HashSet::new();
        let mut instead = BTreeSet::new();
        for state in &all {
            for way in interp::moves(other, state, taken.thread).ways {
                let (Some(seen), Ok(next)) = (visible(other, taken.thread, &way.event), &way.result) else {
                    continue;
                };
                if seen == wanted {
                    after.insert(canonical(&other.object, next));
                } else {
                    instead.insert(match &way.event {
                        ObservableEvent::Return { op, value } => show_return(&other.object, *op, value),
                        ObservableEvent::Call { op, args } => show_call(&other.object, *op, args),
                        ObservableEvent::Silent => continue,
                    });
                }
            }
        }
        if after.is_empty() {
            return Following::Until(index, instead.into_iter().collect());
        }
        now = after;
    }
    Following::Throughout
}

/// Everything that silent moves lead to; none when that is too much.
fn closure(machine: &Machine, from: HashSet<State>, watch: &mut Watch) -> Option<HashSet<State>> {
    let mut open: Vec<State> = from.iter().cloned().collect();
    let mut found = from;
    while let Some(state) = open.pop() {
        for thread in 0..machine.threads.len() as u8 {
            for way in interp::moves(machine, &state, thread).ways {
                if way.event != ObservableEvent::Silent {
                    continue;
                }
                if let Ok(next) = way.result {
                    let next = canonical(&machine.object, &next);
                    if found.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        if found.len() > MOST || !watch.goes_on(|| 0) {
            return None;
        }
    }
    Some(found)
}
