//! The moves of a thread, by executing it.

use super::{BROKEN, Steps, end};
use crate::fast::letters::Seen;
use crate::fast::moves::moves;
use crate::fast::recall::{Effect, Executed};
use crate::fast::unshare::SHARED_AGAIN;
use trueline_base::Value;
use trueline_lang::ir::Memory;
use trueline_space::{Enabled, Letter, Model, Move, To, View};

impl Steps<'_> {
    /// Every move of a thread; what is the same in other states is taken in, to be recalled.
    pub(super) fn execute(&mut self, at: View<'_>, thread: usize, out: &mut Vec<Move>) -> Enabled {
        let (mut state, reached, before) = self.decode(at.global, &[(thread, at.local)]);
        if !self.holds(&state) {
            out.push(Move { letter: Letter::SILENT, to: To::End(BROKEN) });
            return Enabled::Yes;
        }
        if self.machine.object.memory != Memory::Gc && self.machine.threads.len() > 1 {
            // Somebody else may hold what no shared cell reaches: `new` may offer it.
            let other = (thread + 1) % self.machine.threads.len();
            let held = (reached..before).filter(|a| !state.heap.heads[*a as usize].forgotten);
            state.threads[other].script = held.map(Value::Ref).collect();
        }
        let global = |a: u32| a < before;
        let made = moves(&mut self.explorer, self.together, &state, thread, &global, &mut self.spare);
        if made.rewrites {
            self.scratch = state;
            out.push(Move { letter: Letter::SILENT, to: To::End(SHARED_AGAIN) });
            return Enabled::Yes;
        }
        let returns = matches!(&made.made[..], [one] if matches!(one.seen[..], [Seen::Return { .. }]));
        self.passage.clear();
        let mut effects = self.recall.as_ref().map(|_| Vec::new());
        let follow = self.canon.unshare && self.footprints.is_some();
        for one in made.made {
            let letter = self.letters.number(&one.seen);
            if let (true, Ok(to)) = (follow, &one.to) {
                self.passage.keep(to, &made.touched.writes, before);
            }
            effects = effects.and_then(|mut all| {
                all.push(match &one.to {
                    Ok(to) => Effect::between(&state, to, &made.touched, before, self.canon.fresh)?,
                    Err(_) => Effect::default(),
                });
                Some(all)
            });
            let to = match one.to {
                Ok(state) => self.reached(state, thread, before as usize, at.global),
                Err(found) => To::End(end(thread, found)),
            };
            out.push(Move { letter, to });
        }
        self.note_accesses(&state, thread, before, &made.touched, returns);
        self.scratch = state;
        let enabled = match out.is_empty() {
            false if !made.waits.is_empty() => Enabled::Maybe,
            false => Enabled::Yes,
            true if made.done => Enabled::Done,
            true if made.waits.is_empty() => Enabled::Discarded,
            true => Enabled::Blocked,
        };
        if let (Some(effects), Ok(())) = (effects, self.explorer.goes_on()) {
            let (class, touched) = (self.class(thread), &made.touched);
            let accesses = self.footprints.as_ref().map(|_| self.accesses);
            let executed = Executed { class, touched, before, enabled, moves: out, effects, accesses };
            self.recall.iter_mut().for_each(|recall| recall.note(at, &executed));
        }
        enabled
    }
}
