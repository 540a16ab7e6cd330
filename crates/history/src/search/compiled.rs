//! Many searches over parts of one history: states, outcomes and equal operations are found once.

use std::borrow::Cow;

use trueline_base::Meter;

use super::instance::{Interval, Item, Shape, classified};
use super::jit::run;
use super::machine::{Chosen, Typed};
use super::{Control, SearchAnswer};
use crate::spec::Spec;

/// The operations of a history, ready to be searched in parts.
pub struct Compiled<'a, S: Spec> {
    spec: &'a S,
    ops: &'a [S::Op],
    meter: &'a Meter,
    machine: Typed<'a, S>,
    items: Vec<Item>,
}

impl<'a, S: Spec> Compiled<'a, S> {
    /// From all operations.
    pub fn new(spec: &'a S, ops: &'a [S::Op], meter: &'a Meter) -> Compiled<'a, S> {
        let items = classified(ops, |op| spec.hints().observes(op));
        Compiled { spec, ops, meter, machine: Typed::new(spec, Cow::Borrowed(ops), meter), items }
    }

    /// A number that is the same for equal operations that change something.
    pub fn class(&self, op: usize) -> u32 {
        self.items[op].class
    }

    /// Whether an operation changes nothing.
    pub fn observes(&self, op: usize) -> bool {
        self.items[op].observes()
    }

    /// Looks for an order of these operations in these spans, where the free ones may take effect at any time, any
    /// number of times. Items are numbered as they are given, free operations from there on.
    pub fn search(
        &mut self,
        ops: impl Iterator<Item = (usize, Interval)>,
        free: &[usize],
        control: &mut Control<'_>,
    ) -> SearchAnswer<S::State> {
        let (mut ops, spans): (Vec<u32>, Vec<Interval>) = ops.map(|(op, span)| (op as u32, span)).unzip();
        let classes = ops.iter().map(|op| &self.items[*op as usize]).map(|i| (i.class, i.observes()));
        let shape = Shape::of(classes, &spans);
        ops.extend(free.iter().map(|op| *op as u32));
        if self.machine.forgets() {
            // Fewer operations tell fewer states apart.
            let own: Vec<S::Op> = ops.iter().map(|op| self.ops[*op as usize].clone()).collect();
            let mut machine = Typed::new(self.spec, own.into(), self.meter);
            let answer = run(&shape, free.len() as u32, &mut machine, control);
            return answer.with_states(|state| machine.state(state).clone());
        }
        let mut machine = Chosen { machine: &mut self.machine, ops: &ops };
        let answer = run(&shape, free.len() as u32, &mut machine, control);
        answer.with_states(|state| self.machine.state(state).clone())
    }
}
