//! What is noted of a space while it is explored: the first violation, the first finding, dead ends.

use super::concrete::{Fast, into_dead_end};
use super::steps::{BROKEN, LOST};
use super::unshare::SHARED_AGAIN;
use crate::outcome::DeadEnds;
use std::collections::HashSet;
use std::io::{self, Read, Write};
use trueline_space::{End, Found, Letter, MAX_THREADS, Node, Search, Standing, View, Visit, wire};

/// Notes the first violation, the first finding, and dead ends.
#[derive(Default)]
pub(super) struct Judge {
    safe: bool,
    pub violation: Option<Found>,
    pub finding: Option<Found>,
    dead_ends: u64,
    dead_end: Option<u32>,
    /// Whether nobody has anything left to do in some state.
    finished: bool,
    /// Global part, local part and number of threads that wait in dead ends.
    waiting: HashSet<(u32, u32, u8)>,
}

impl Judge {
    /// With `safe`, a finding is a violation.
    pub fn new(safe: bool) -> Judge {
        Judge { safe, ..Judge::default() }
    }

    /// Whether the search ended because a struct that had left shared memory came back.
    pub fn shared_again(&self) -> bool {
        self.violation.is_some_and(|found| found.end == End::Model(SHARED_AGAIN))
    }

    pub fn dead_ends(&self, space: &mut Fast<'_>, search: &Search) -> DeadEnds {
        let mut dead_ends =
            DeadEnds { states: self.dead_ends, finished: self.finished, ..DeadEnds::default() };
        for (global, local, thread) in &self.waiting {
            let (model, globals, locals) = space.model_and_parts();
            let view = View { global: globals.get(*global), local: locals.get(*local) };
            dead_ends.places.extend(model.waits(view, *thread as usize));
        }
        dead_ends.shortest = self.dead_end.and_then(|id| {
            let way = search.way(space, id).ok()?;
            into_dead_end(space, &way).ok()
        });
        dead_ends
    }
}

impl Visit for Judge {
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        debug_assert!(self.violation.is_none(), "what was found ends the search");
        wire::put_list(out, self.finding.iter(), |out, found| {
            let End::Model(code) = found.end else { unreachable!("findings are the model's") };
            let numbers = [found.from.map_or(0, |from| from as u64 + 1), found.thread as u64];
            numbers.into_iter().try_for_each(|number| wire::put(out, number))?;
            wire::put(out, (found.letter.0 as u64) << 32 | code as u64)
        })?;
        wire::put(out, self.dead_ends)?;
        wire::put(out, self.dead_end.map_or(0, |id| id as u64 + 1))?;
        wire::put(out, self.finished as u64)?;
        wire::put_list(out, self.waiting.iter(), |out, (global, local, thread)| {
            wire::put(out, (*global as u64) << 32 | *local as u64)?;
            wire::put(out, *thread as u64)
        })
    }

    fn load(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let optional = |number: u64| number.checked_sub(1).map(|id| id as u32);
        let mut found = wire::get_list(input, |input| {
            let from = optional(wire::get(input)?);
            let thread = wire::get_small(input)?;
            let both = wire::get(input)?;
            Ok(Found { from, thread, letter: Letter((both >> 32) as u32), end: End::Model(both as u32) })
        })?;
        self.finding = found.pop();
        self.dead_ends = wire::get(input)?;
        self.dead_end = optional(wire::get(input)?);
        self.finished = wire::get(input)? != 0;
        let waiting = wire::get_list(input, |input| {
            let both = wire::get(input)?;
            Ok(((both >> 32) as u32, both as u32, wire::get_small(input)?))
        })?;
        self.waiting = waiting.into_iter().collect();
        Ok(())
    }

    fn state(&mut self, id: u32, node: &dyn Fn() -> Node, standing: Standing) {
        self.finished |= standing == Standing::default();
        if !standing.dead_end() {
            return;
        }
        self.dead_ends += 1;
        self.dead_end = self.dead_end.or(Some(id));
        let waits = standing.blocked | standing.maybe;
        let node = node();
        let threads = (0..MAX_THREADS).filter(|t| waits >> t & 1 == 1);
        self.waiting.extend(threads.map(|t| (node.global, node.locals[t], t as u8)));
    }

    fn edges(&self) -> bool {
        false
    }

    fn end(&mut self, found: Found) -> bool {
        let finding = matches!(found.end, End::Model(code) if ![BROKEN, LOST, SHARED_AGAIN].contains(&code));
        if finding && !self.safe {
            self.finding = self.finding.or(Some(found));
            return false;
        }
        self.violation = Some(found);
        true
    }
}
