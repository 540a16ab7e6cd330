//! Whole transition systems from the fast state space.

use super::beside::Beside;
use super::concrete::{self, Fast};
use super::letters::{Letters, Seen};
use super::reduce::Reductions;
use super::steps::{Steps, finding};
use crate::coverage::Coverage;
use crate::generate::{Collected, NoSystem, Sink};
use crate::label::Label;
use crate::monitor::Halt;
use std::collections::HashSet;
use trueline_base::{Limits, Meter, Observer, Stop};
use trueline_lang::ir::{Machine, OpId, Pc, Schedule};
use trueline_lts::{Lts, StateId};
use trueline_space::{
    Answer, Edge, End, Explored, Found, Letter, MAX_THREADS, Model, Node, Reached, Search, Space, Visit,
    explore,
};

/// States looked at between two looks at the limits.
const ROUND: usize = 1 << 16;

/// The transition system of a machine, which remembers where its states come from.
pub struct MachineSystem<'m> {
    /// The system.
    pub lts: Lts,
    space: Fast<'m>,
    search: Search,
    /// States that stand before the beginnings.
    shift: u32,
}

impl<'m> MachineSystem<'m> {
    /// Explores the implementation alone, heaps canonical, dead locals cleared.
    pub fn of(
        machine: &'m Machine,
        limits: &Limits,
        observer: &mut dyn Observer,
    ) -> Result<MachineSystem<'m>, NoSystem> {
        let mut collected = Collected::of(&machine.object);
        let mut sink = |from: u32, label: Label<'_>, to: u32| collected.add(from, label, to);
        let (space, search, shift) = walk(machine, limits, observer, &mut sink)?;
        let lts = collected.system(search.states.len() as u32 + shift);
        Ok(MachineSystem { lts, space, search, shift })
    }

    /// An execution along these states, which begin with the initial one.
    pub fn schedule(&mut self, path: &[StateId]) -> Result<Schedule, Stop> {
        let nodes = path.iter().filter(|state| state.0 >= self.shift);
        let mut way: Vec<Node> =
            nodes.map(|state| self.search.states.get((state.0 - self.shift) as usize)).collect();
        if way.is_empty() {
            way.push(self.search.states.get(0));
        }
        match concrete::schedule(&mut self.space, &way, None, None) {
            Ok((schedule, _)) => Ok(schedule),
            Err(Halt::Stop(stop)) => Err(stop),
            Err(Halt::Specification { .. }) => unreachable!("there is no specification"),
        }
    }

    /// Calls `visit` for every silent transition: where it begins and ends, the operation and the instruction at which
    /// its thread stands.
    pub fn silent(
        &mut self,
        meter: &Meter,
        visit: &mut dyn FnMut(StateId, StateId, OpId, Pc),
    ) -> Result<(), Stop> {
        let threads = ((1u64 << self.space.model.threads()) - 1) as u32;
        let mut edges = Vec::new();
        for id in 0..self.search.states.len() {
            if id % ROUND == ROUND - 1 {
                meter.check_beyond(0)?;
            }
            let node = self.search.states.get(id);
            edges.clear();
            if self.space.moves(&node, threads, &mut edges).is_err() {
                unreachable!("there is no specification");
            }
            for edge in edges.iter().filter(|edge| edge.letter == Letter::SILENT) {
                let Reached::At(to) = edge.to else { continue };
                let to = self.search.states.find(&to).expect("every state was found");
                let (model, _, locals) = self.space.model_and_parts();
                let (_, op, pc) = model.stands(locals.get(node.locals[edge.thread as usize]));
                visit(StateId(id as u32 + self.shift), StateId(to + self.shift), op, pc);
            }
        }
        Ok(())
    }

    /// What was executed.
    pub fn coverage(&self) -> &Coverage {
        &self.space.model.explorer.coverage
    }

    /// Whether an `assume` left out executions.
    pub fn assumed(&self) -> bool {
        self.space.model.explorer.assumed
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        self.lts.bytes() + self.search.states.bytes() + self.space.bytes() + self.space.model.bytes()
    }
}

/// Explores the implementation alone and hands every transition to `sink`, as `generate` of the crate does.
pub(crate) fn generate(
    machine: &Machine,
    limits: &Limits,
    observer: &mut dyn Observer,
    sink: &mut Sink<'_>,
) -> Result<u32, NoSystem> {
    let (_, search, shift) = walk(machine, limits, observer, sink)?;
    Ok(search.states.len() as u32 + shift)
}

fn walk<'m>(
    machine: &'m Machine,
    limits: &Limits,
    observer: &mut dyn Observer,
    sink: &mut Sink<'_>,
) -> Result<(Fast<'m>, Search, u32), NoSystem> {
    if machine.threads.len() > MAX_THREADS {
        return Err(NoSystem::TooManyThreads);
    }
    let model = Steps::new(machine, None, false, false, None, Reductions::HEAP);
    let letters = model.letters.clone();
    let mut space = Space::new(model, Beside::Nothing);
    let starts = space.starts()?.into_iter().filter_map(Reached::state).collect::<HashSet<_>>().len() as u32;
    // With several beginnings, state 0 stands before them all.
    let shift = (starts > 1) as u32;
    if shift == 1 {
        (0..starts).for_each(|id| sink(0, Label::Tau, id + 1));
    }
    let mut writer = Writer { sink, letters, seen: Vec::new(), shift, refusal: None };
    let meter = Meter::start(limits.clone());
    let Explored { search, answer } = explore(&mut space, &meter, observer, &mut writer);
    match (answer, writer.refusal) {
        (Answer::Complete | Answer::Enough, None) => Ok((space, search, shift)),
        (Answer::Complete | Answer::Enough, Some(refusal)) => Err(refusal),
        (Answer::Stopped(stop), _) => Err(stop.into()),
        (Answer::Halted(halt), _) => Err(halt.into()),
    }
}

struct Writer<'s, 'a> {
    sink: &'s mut Sink<'a>,
    letters: Letters,
    /// The letters met so far.
    seen: Vec<Vec<Seen>>,
    shift: u32,
    refusal: Option<NoSystem>,
}

impl Visit for Writer<'_, '_> {
    fn edge(&mut self, from: u32, edge: &Edge, to: u32) {
        while self.seen.len() <= edge.letter.0 as usize {
            self.seen.push(self.letters.get(Letter(self.seen.len() as u32)));
        }
        let seen = &self.seen[edge.letter.0 as usize];
        let label = seen.first().map_or(Label::Tau, |seen| seen.label(edge.thread));
        (self.sink)(from + self.shift, label, to + self.shift);
    }

    fn end(&mut self, found: Found) -> bool {
        let End::Model(code) = found.end else { unreachable!("nothing runs beside it") };
        let (first, finding) = finding(code);
        let thread = found.from.map_or(first, |_| found.thread);
        self.refusal = self.refusal.or(Some(NoSystem::Finding { finding, thread }));
        false
    }
}
