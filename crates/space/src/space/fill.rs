//! What a look-up misses, computed by the model or the monitor and remembered.

use super::*;

impl<M: Model, B: Monitor> Space<M, B> {
    /// Computes what was missed, unless that is done.
    pub(crate) fn learn(&mut self, miss: Miss) -> Result<(), B::Halt> {
        if self.memo.knows(&miss) { Ok(()) } else { self.fill(miss) }
    }

    /// Computes what was missed.
    pub(crate) fn fill(&mut self, miss: Miss) -> Result<(), B::Halt> {
        let memo = &mut self.memo;
        match miss {
            Miss::Moves { node, thread } => self.fill_moves(&node, thread),
            Miss::Settled { raw, thread, holders } => {
                let holders = &holders[..memo.threads];
                let outcome = match self.model.settle(raw, thread, holders) {
                    Next::Parts { global, local, rename } => {
                        let (global, local) =
                            (memo.globals.intern(&global).0, memo.intern_local(&self.model, &local));
                        memo.note_rename(&self.model, rename);
                        Settled::Parts(Successor { global, local, rename })
                    }
                    Next::Whole => Settled::Whole,
                };
                memo.settle(raw, holders, outcome);
            }
            Miss::Whole { node, thread } => self.fill_whole(&node, thread),
            Miss::Renamed { local, rename } => {
                let bytes = self.model.rename(memo.locals.get(local), rename);
                let after = memo.intern_local(&self.model, &bytes);
                memo.renamed.set((rename as u64) << 32 | local as u64, after as u64);
            }
            Miss::After { beside, thread, letter } => {
                let mut monitor = RecordedMonitor { monitor: &mut self.beside, record: &mut self.record };
                let value = match monitor.after(beside, thread, letter)? {
                    After::At(next) => next as u64,
                    After::Violation(code) => VIOLATION | code as u64,
                };
                memo.after.set(memo.after_key(beside, thread, letter), value);
            }
            Miss::Symmetry(miss) => {
                let monitor = RecordedMonitor { monitor: &mut self.beside, record: &mut self.record };
                crate::symmetry::fill(memo, &mut self.model, monitor, miss);
            }
        }
        Ok(())
    }

    fn fill_moves(&mut self, node: &Node, thread: usize) {
        let memo = &mut self.memo;
        let local = node.locals[thread];
        let view = View { global: memo.globals.get(node.global), local: memo.locals.get(local) };
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        let enabled = self.model.moves(view, thread, &mut moves);
        let permuting = memo.symmetry == Symmetry::Permuting;
        if permuting || memo.order != Order::Full {
            let place = memo.accesses.len() as u32;
            memo.steps.push(InternedMove { letter: Letter(place), key: NO_KEY, to: Reach::Whole });
            memo.accesses.push(self.model.accesses());
        }
        let first = memo.steps.len();
        for made in moves.drain(..) {
            let to = match made.to {
                To::Parts { global, local, rename } => {
                    memo.note_rename(&self.model, rename);
                    let global = global.map_or(SAME, |global| memo.globals.intern(&global).0);
                    let local = memo.intern_local(&self.model, &local);
                    Reach::Parts(Successor { global, local, rename })
                }
                To::Held(held) => {
                    let len = memo.alone.len().max(held.raw as usize + 1);
                    memo.alone.resize(len, None);
                    Reach::Held { raw: held.raw, things: held.things }
                }
                To::Whole => Reach::Whole,
                To::End(code) => Reach::End(code),
            };
            memo.steps.push(InternedMove { letter: made.letter, key: NO_KEY, to });
        }
        self.moves = moves;
        if permuting {
            self.note_keys(first, node.global, local, thread);
        }
        let memo = &mut self.memo;
        let special = memo.note_changes(first, (node.global, local));
        let value = memo::run_number(first..memo.steps.len(), special, enabled);
        memo.moves[memo.classes[thread]].set((node.global as u64) << 32 | local as u64, value);
    }

    /// Notes the keys of a thread before and after each step of a run.
    fn note_keys(&mut self, first: usize, global: u32, local: u32, thread: usize) {
        self.memo.steps[first - 1].key = self.key(global, local, thread);
        for at in first..self.memo.steps.len() {
            if let Reach::Parts(outcome) = self.memo.steps[at].to {
                self.memo.steps[at].key = self.key(outcome.global_or(global), outcome.local, thread);
            }
        }
    }

    fn key(&mut self, global: u32, local: u32, thread: usize) -> u32 {
        loop {
            if let Some(key) = self.memo.key(global, local, thread) {
                return key as u32;
            }
            let miss = crate::symmetry::Miss::Key { global, local, thread };
            let monitor = RecordedMonitor { monitor: &mut self.beside, record: &mut self.record };
            crate::symmetry::fill(&mut self.memo, &mut self.model, monitor, miss);
        }
    }

    pub(crate) fn fill_whole(&mut self, node: &Node, thread: usize) {
        let memo = &mut self.memo;
        let locals: Vec<&[u8]> = node.locals[..memo.threads].iter().map(|l| memo.locals.get(*l)).collect();
        let whole = Whole { global: memo.globals.get(node.global), locals: &locals };
        let mut steps = Vec::new();
        for made in self.model.whole(whole, thread) {
            self.wholes += 1;
            let to = made.to.map(|(global, locals)| {
                let global = memo.globals.intern(&global).0;
                let mut node = Node { global, beside: 0, locals: [0; MAX_THREADS] };
                for (place, local) in node.locals.iter_mut().zip(&locals) {
                    *place = memo.intern_local(&self.model, local);
                }
                node
            });
            steps.push((made.letter, to));
        }
        let node = Node { beside: 0, ..*node };
        memo.whole.insert((node, thread as u8), steps);
    }
}
