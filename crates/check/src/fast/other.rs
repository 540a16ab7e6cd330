//! Any automaton over labels beside the fast state space: another object, or closed sets of a specification.

use super::letters::{Letters, Seen};
use crate::monitor::{Halt, LabelMonitor, Reaction, SetId};
use trueline_base::{Meter, Violation};
use trueline_space::{After, Letter, Monitor};

/// An automaton over labels, fed with letters. Threads are not exchanged beside it.
pub(super) struct ByLabels<'m> {
    automaton: Box<dyn LabelMonitor + 'm>,
    letters: Letters,
    meter: Meter,
    violations: Vec<Violation>,
}

impl<'m> ByLabels<'m> {
    pub fn new(automaton: Box<dyn LabelMonitor + 'm>, letters: Letters, meter: Meter) -> ByLabels<'m> {
        ByLabels { automaton, letters, meter, violations: Vec::new() }
    }

    /// Whether the operation of a thread can take effect in no configuration, and has in none.
    pub fn must_wait(&self, at: SetId, thread: usize) -> bool {
        self.automaton.must_wait(at, thread)
    }

    /// The violation with this number.
    pub fn violation(&self, code: u32) -> Violation {
        self.violations[code as usize]
    }

    /// The same, if there are so many.
    pub fn known_violation(&self, code: u32) -> Option<Violation> {
        self.violations.get(code as usize).copied()
    }
}

impl Monitor for ByLabels<'_> {
    type Halt = Halt;
    type State = SetId;

    fn initial(&mut self) -> Result<SetId, Halt> {
        self.automaton.initial(&self.meter)
    }

    fn after(&mut self, mut at: SetId, thread: usize, letter: Letter) -> Result<After<SetId>, Halt> {
        for seen in self.letters.get(letter) {
            let points = match seen {
                Seen::Step { points, .. } => points,
                _ => 0,
            };
            let letter = self.automaton.letter(seen.label(thread as u8), thread as u8, points);
            match self.automaton.next(at, letter, &self.meter)? {
                Reaction::At(next) => at = next,
                Reaction::Violation(violation) => {
                    let known = self.violations.iter().position(|v| *v == violation);
                    let code = known.unwrap_or(self.violations.len());
                    if known.is_none() {
                        self.violations.push(violation);
                    }
                    return Ok(After::Violation(code as u32));
                }
            }
        }
        Ok(After::At(at))
    }

    fn permute(&mut self, at: SetId, by: &[u8]) -> SetId {
        assert!(by.iter().enumerate().all(|(q, t)| q == *t as usize), "threads are not exchanged here");
        at
    }

    fn least(&mut self, at: SetId, _: &[(usize, usize)]) -> SetId {
        at
    }

    fn below(&mut self, smaller: SetId, larger: SetId) -> Result<bool, Halt> {
        Ok(self.automaton.below(smaller, larger))
    }

    fn len(&self) -> usize {
        self.automaton.len() as usize
    }

    fn bytes(&self) -> u64 {
        self.automaton.bytes()
    }
}
