//! An execution under a weak memory model as its record shows it: the second opinion on what the explorer says.
//!
//! Events, values and happens-before come from the log of a run and from what its plan says of reads. The order of the
//! writes of a location is that of the run; those that memory did not keep are tried at every place. What the axioms then
//! do not forbid is an execution of the program.

use std::collections::HashMap;

use crate::axioms::{Candidate, Event, EventKind};
use crate::log::{AccessKind, Action, Op, Record, Run};
use crate::order::order_of;
use crate::player::{From, Source};
use crate::story::field;

/// Orders of writes that are tried.
const MOST_ORDERS: usize = 2000;

/// A run as events.
#[derive(Debug, Default)]
pub struct Witness {
    candidate: Candidate,
    /// The access of each event, with its thread.
    accesses: Vec<Option<(usize, Action)>>,
    /// Writes that memory did not keep.
    dropped: Vec<usize>,
    /// For each operation the events of its thread before its return, and its call.
    returned: HashMap<(usize, usize), usize>,
    called: HashMap<(usize, usize), usize>,
    /// The step of each event.
    steps: Vec<usize>,
}

/// What is known of a location while a run is read.
#[derive(Default)]
struct Place {
    number: usize,
    /// The last write that memory keeps.
    last: Option<usize>,
}

impl Witness {
    /// Reads a run. `start` says where the unit of an access begins.
    pub fn of(run: &Run, sources: &[Source], start: impl Fn(&Action) -> u64) -> Result<Witness, String> {
        let mut witness = Witness::default();
        let mut places: HashMap<(bool, u64), Place> = HashMap::new();
        let mut values: Vec<u128> = Vec::new();
        let mut step = 0usize;
        for record in run.records() {
            match record {
                Record::Fence(thread, order) if thread > 0 => {
                    witness.push(thread, EventKind::Fence, 0, order, false, None, step);
                    values.push(0);
                }
                Record::Call(thread, index) if thread > 0 => {
                    witness.called.insert((thread, index), witness.candidate.events.len());
                    step += 1;
                }
                Record::Return(thread, index, ..) if thread > 0 => {
                    witness.returned.insert((thread, index), witness.candidate.events.len());
                    step += 1;
                }
                Record::Access { thread, action, old, new, part, .. } if thread > 0 => {
                    step += usize::from(!part);
                    let now = step - 1;
                    let from = if action.kind.of_player() { action.address } else { start(&action) };
                    let (before, after) = (field(&action, old, from), field(&action, new, from));
                    let (reads, stores) = does(&action, before);
                    let order = order_of(&action, stores);
                    let count = places.len();
                    let place = places.entry((action.kind.of_player(), action.address)).or_default();
                    if place.number == 0 {
                        place.number = count + 1;
                    }
                    let told = sources.get(now).copied().unwrap_or_default();
                    let loc = place.number - 1;
                    if reads {
                        let rf = match told.from {
                            _ if action.kind == AccessKind::Wake => (0..values.len()).rev().find(|e| {
                                let event = &witness.candidate.events[*e];
                                event.kind == EventKind::Write && event.loc == loc && values[*e] == before
                            }),
                            From::Memory => place.last,
                            From::Initial => None,
                            From::Step(from) => {
                                let made = |e: &usize| {
                                    witness.steps[*e] == from as usize
                                        && witness.candidate.events[*e].kind == EventKind::Write
                                        && witness.candidate.events[*e].loc == loc
                                };
                                Some((0..values.len()).find(made).ok_or("a read sees no write")?)
                            }
                        };
                        if rf.is_some_and(|w| values[w] != before) {
                            return Err(format!("step {} does not read what it is to read", now + 1));
                        }
                        witness.push(thread, EventKind::Read, loc, order, false, Some(action), now);
                        let at = values.len();
                        witness.candidate.rf[at] = rf;
                        values.push(before);
                    }
                    if stores {
                        let at = values.len();
                        witness.push(thread, EventKind::Write, loc, order, reads, Some(action), now);
                        values.push(after);
                        match told.dropped {
                            true => witness.dropped.push(at),
                            false => place.last = Some(at),
                        }
                    }
                }
                _ => {}
            }
        }
        witness.candidate.mo = vec![Vec::new(); places.len()];
        for (at, event) in witness.candidate.events.iter().enumerate() {
            if event.kind == EventKind::Write && !witness.dropped.contains(&at) {
                witness.candidate.mo[event.loc].push(at);
            }
        }
        Ok(witness)
    }

    #[allow(clippy::too_many_arguments)]
    fn push(
        &mut self,
        thread: usize,
        kind: EventKind,
        loc: usize,
        order: u8,
        update: bool,
        action: Option<Action>,
        step: usize,
    ) {
        self.candidate.events.push(Event { thread, kind, loc, order, update });
        self.candidate.rf.push(None);
        self.accesses.push(action.map(|a| (thread, a)));
        self.steps.push(step);
    }

    /// A client makes the end of one operation happen before the beginning of another; both by thread and number.
    pub fn order(&mut self, first: (usize, usize), second: (usize, usize)) {
        let (Some(end), Some(begin)) = (self.returned.get(&first), self.called.get(&second)) else { return };
        let of = |thread: usize, range: std::ops::Range<usize>| {
            let events = &self.candidate.events;
            range.filter(|e| events[*e].thread == thread).collect::<Vec<_>>()
        };
        let (earlier, later) = (of(first.0, 0..*end), of(second.0, *begin..self.steps.len()));
        for a in &earlier {
            self.candidate.client.extend(later.iter().map(|b| (*a, *b)));
        }
    }

    /// Whether the axioms allow it, with some order of the writes that memory did not keep.
    pub fn allowed(&self) -> Result<(), String> {
        let mut left = MOST_ORDERS;
        match place(&mut self.candidate.clone(), &self.dropped, &mut left) {
            true => Ok(()),
            false if left == 0 => Err("too many orders of writes to look at".into()),
            false => Err("the axioms of C11 forbid it".into()),
        }
    }

    /// Whether the call of one operation happens before the return of another; both by thread and number.
    pub fn happens(&self, first: (usize, usize), second: (usize, usize)) -> bool {
        let (Some(begin), Some(end)) = (self.called.get(&first), self.returned.get(&second)) else {
            return true;
        };
        let events = &self.candidate.events;
        let hb = self.candidate.hb();
        (*begin..events.len())
            .filter(|e| events[*e].thread == first.0)
            .any(|earlier| (0..*end).any(|later| events[later].thread == second.0 && hb.has(earlier, later)))
    }

    /// Two accesses that race, with their threads.
    pub fn race(&self) -> Option<((usize, Action), (usize, Action))> {
        let (first, second) = self.candidate.race()?;
        Some((self.accesses[first]?, self.accesses[second]?))
    }
}

/// Places the writes that memory did not keep, and asks the axioms.
fn place(candidate: &mut Candidate, dropped: &[usize], left: &mut usize) -> bool {
    let Some((&write, rest)) = dropped.split_first() else {
        *left = left.saturating_sub(1);
        return *left > 0 && candidate.violates().is_none();
    };
    let loc = candidate.events[write].loc;
    for at in 0..=candidate.mo[loc].len() {
        candidate.mo[loc].insert(at, write);
        if place(candidate, rest, left) {
            return true;
        }
        candidate.mo[loc].remove(at);
    }
    false
}

/// Whether an access reads and whether it stores, by what was there.
fn does(action: &Action, before: u128) -> (bool, bool) {
    match action.kind {
        AccessKind::Load | AccessKind::Read | AccessKind::Wake => (true, false),
        AccessKind::Store | AccessKind::Write | AccessKind::Free | AccessKind::Reuse | AccessKind::Unlock => {
            (false, true)
        }
        AccessKind::Update => (true, action.op != Op::Compare || before == action.a),
        AccessKind::Lock | AccessKind::TryLock => (true, before == 0),
        AccessKind::Wait | AccessKind::Notify => (true, true),
    }
}
