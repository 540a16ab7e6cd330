//! The space without reductions, in which a smallest counterexample is looked for.

use super::concrete::Fast;
use super::steps::{self, BROKEN, LOST};
use crate::minimise::{Minimisable, MoveKind, Successor};
use crate::monitor::Halt;
use std::cell::Cell;
use trueline_base::{Meter, Violation};
use trueline_space::{Edge, End, Model, Node, Reached, States};

/// The space without reductions, for the search of a smallest counterexample.
pub(super) struct Bare<'q> {
    pub space: Fast<'q>,
    /// Whether a finding is a violation.
    pub safe: bool,
    pub meter: Meter,
    /// Bytes in use elsewhere.
    pub held: u64,
    /// The states met, which are known by their numbers.
    pub states: States,
    edges: Vec<Edge>,
    ids: Vec<u32>,
    /// The most that the search over these states had in use.
    most: Cell<u64>,
}

impl<'q> Bare<'q> {
    /// No state is met yet.
    pub fn new(space: Fast<'q>, safe: bool, meter: Meter, held: u64) -> Bare<'q> {
        let states = States::new(space.model.threads());
        Bare { space, safe, meter, held, states, edges: Vec::new(), ids: Vec::new(), most: Cell::new(0) }
    }

    /// Memory in use, with the most that the search itself had.
    pub fn bytes(&self) -> u64 {
        self.most.get() + self.states.bytes() + self.space.bytes() + self.space.model.bytes()
    }

    /// How the space numbers a violation.
    pub fn end(&self, violation: Violation) -> Option<End> {
        match violation {
            Violation::Finding { thread, finding } => Some(End::Model(steps::end(thread as usize, finding))),
            Violation::Leak => Some(End::Model(LOST)),
            other => (0..8).map(End::Monitor).find(|end| match end {
                End::Monitor(code) => self.space.beside.known_violation(*code) == Some(other),
                End::Model(_) => false,
            }),
        }
    }

    /// Numbers states; what there was in `ids` is lost.
    fn number<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>) {
        let (globals, locals, sets) = self.space.sizes();
        self.states.reserve(globals, locals, sets);
        self.states.insert(nodes, &mut self.ids);
    }
}

impl Minimisable for Bare<'_> {
    type State = u32;

    fn threads(&self) -> usize {
        self.space.model.threads()
    }

    fn starts(&mut self) -> Result<Vec<u32>, Halt> {
        let starts: Vec<Node> = self.space.starts()?.into_iter().filter_map(Reached::state).collect();
        self.number(starts.iter());
        Ok(self.ids.clone())
    }

    fn moves(
        &mut self,
        from: u32,
        members: &[usize],
        visit: &mut dyn FnMut(u8, MoveKind, Successor<u32>),
    ) -> Result<(), Halt> {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        let from = self.states.get(from as usize);
        self.space.moves(&from, members.iter().fold(0, |set, t| set | 1 << t), &mut edges)?;
        self.space.model.explorer.goes_on()?;
        self.number(edges.iter().filter_map(|edge| edge.to.as_ref().state()));
        let mut ids = self.ids.iter();
        for edge in &edges {
            let kind = self.space.model.letters.kind(edge.letter);
            let reached = match edge.to {
                Reached::At(_) => Successor::State(*ids.next().expect("every state has a number")),
                Reached::End(End::Monitor(code)) => Successor::Violation(self.space.beside.violation(code)),
                Reached::End(End::Model(BROKEN)) => Successor::Violation(Violation::Invariant),
                Reached::End(End::Model(LOST)) => Successor::Violation(Violation::Leak),
                Reached::End(End::Model(code)) if self.safe => {
                    let finding = steps::finding(code).1;
                    Successor::Violation(Violation::Finding { thread: edge.thread, finding })
                }
                Reached::End(End::Model(_)) => Successor::Finding,
            };
            visit(edge.thread, kind, reached);
        }
        self.edges = edges;
        Ok(())
    }

    fn within_limits(&self, bytes: u64, nodes: u64) -> Result<(), Halt> {
        self.most.set(self.most.get().max(bytes));
        Ok(self.meter.check(self.held + self.bytes(), nodes)?)
    }
}
