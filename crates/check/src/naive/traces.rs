//! Visible traces, one by one.

use std::collections::BTreeSet;
use trueline_base::Value;
use trueline_lang::interp::{self, ObservableEvent, State};
use trueline_lang::ir::Machine;

/// A call or return: the thread, the operation's name, the arguments of a call, the result of a return.
pub type Visible = (u8, String, Option<Vec<Value>>, Option<Value>);

/// Every visible trace of a machine, prefixes included. None when there are more than `most` moves in all, or an
/// execution has more than 500.
pub fn traces(machine: &Machine, most: u64) -> Option<BTreeSet<Vec<Visible>>> {
    let mut walk = Walk { machine, left: most, path: Vec::new(), found: BTreeSet::new() };
    for (_, start) in interp::initial(machine) {
        if let Ok(state) = start {
            walk.found.insert(Vec::new());
            walk.extend(&state, &mut Vec::new())?;
        }
    }
    Some(walk.found)
}

struct Walk<'a> {
    machine: &'a Machine,
    left: u64,
    path: Vec<State>,
    found: BTreeSet<Vec<Visible>>,
}

impl Walk<'_> {
    fn extend(&mut self, state: &State, trace: &mut Vec<Visible>) -> Option<()> {
        if self.path.contains(state) {
            return Some(());
        }
        if self.path.len() == super::DEEPEST {
            return None;
        }
        self.path.push(state.clone());
        let name = |op: trueline_lang::ir::OpId| self.machine.object.ops[op.0 as usize].name.clone();
        for thread in 0..self.machine.threads.len() as u8 {
            for way in interp::moves(self.machine, state, thread).ways {
                self.left = self.left.checked_sub(1)?;
                let Ok(next) = way.result else { continue };
                let visible = match way.event {
                    ObservableEvent::Silent => None,
                    ObservableEvent::Call { op, args } => Some((thread, name(op), Some(args), None)),
                    ObservableEvent::Return { op, value } => Some((thread, name(op), None, Some(value))),
                };
                let seen = trace.len();
                trace.extend(visible);
                if trace.len() > seen {
                    self.found.insert(trace.clone());
                }
                self.extend(&next, trace)?;
                trace.truncate(seen);
            }
        }
        self.path.pop();
        Some(())
    }
}
