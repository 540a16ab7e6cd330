//! Whole transition systems from the fast state space.

use super::beside::Beside;
use super::letters::{Letters, Seen};
use super::reduce::Reductions;
use super::steps::{Steps, finding};
use crate::canonical::forgotten;
use crate::generate::{Refusal, Sink};
use crate::label::Label;
use std::collections::HashSet;
use trueline_base::{Limits, Meter, Observer};
use trueline_lang::ir::Machine;
use trueline_space::{Answer, Edge, End, Explored, Found, MAX_THREADS, Space, Visit, explore};

/// Explores the implementation alone and hands every transition to `sink`, as `generate` does; none where this engine
/// cannot.
pub(crate) fn generate(
    machine: &Machine,
    limits: &Limits,
    observer: &mut dyn Observer,
    sink: &mut Sink<'_>,
) -> Option<Result<u32, Refusal>> {
    if machine.threads.len() > MAX_THREADS || forgotten::possible(&machine.object) {
        return None;
    }
    let model = Steps::new(machine, None, false, false, None, Reductions::HEAP);
    let letters = model.letters.clone();
    let mut space = Space::new(model, Beside::Nothing);
    let starts = match space.starts() {
        Ok(starts) => starts.into_iter().flatten().collect::<HashSet<_>>().len() as u32,
        Err(halt) => return Some(Err(halt.into())),
    };
    // With several beginnings, state 0 stands before them all.
    let shift = (starts > 1) as u32;
    if shift == 1 {
        (0..starts).for_each(|id| sink(0, Label::Tau, id + 1));
    }
    let mut writer = Writer { sink, letters, seen: Vec::new(), shift, refusal: None };
    let meter = Meter::start(limits.clone());
    let Explored { search, answer } = explore(&mut space, &meter, observer, &mut writer);
    Some(match (answer, writer.refusal) {
        (Answer::Complete | Answer::Enough, None) => Ok(search.states.len() as u32 + shift),
        (Answer::Complete | Answer::Enough, Some(refusal)) => Err(refusal),
        (Answer::Stopped(stop), _) => Err(stop.into()),
        (Answer::Halted(halt), _) => Err(halt.into()),
    })
}

struct Writer<'s, 'a> {
    sink: &'s mut Sink<'a>,
    letters: Letters,
    /// The letters met so far.
    seen: Vec<Vec<Seen>>,
    shift: u32,
    refusal: Option<Refusal>,
}

impl Visit for Writer<'_, '_> {
    fn edge(&mut self, from: u32, edge: &Edge, to: u32) {
        while self.seen.len() <= edge.letter as usize {
            self.seen.push(self.letters.get(self.seen.len() as u32));
        }
        let seen = &self.seen[edge.letter as usize];
        let label = seen.first().map_or(Label::Tau, |seen| seen.label(edge.thread));
        (self.sink)(from + self.shift, label, to + self.shift);
    }

    fn end(&mut self, found: Found) -> bool {
        let End::Model(code) = found.end else { unreachable!("nothing runs beside it") };
        let (first, finding) = finding(code);
        let thread = found.from.map_or(first, |_| found.thread);
        self.refusal = self.refusal.or(Some(Refusal::Finding { finding, thread }));
        false
    }
}
