//! What runs beside a model: a deterministic automaton over its letters, with numbered states.

use crate::model::Letter;
use trueline_base::interner::Id;

/// What follows a letter. States are bare numbers where they are fields of words, as everywhere but in the monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After<S = u32> {
    /// The automaton is in this state.
    At(S),
    /// It has no answer to the letter: a violation, as the automaton numbers them.
    Violation(u32),
}

/// A deterministic automaton over the letters of threads. Its answers depend on its arguments alone.
pub trait Monitor {
    /// Why it cannot go on at all.
    type Halt;

    /// Its states.
    type State: Id;

    /// Whether all letters are the same to it.
    fn blind(&self) -> bool {
        false
    }

    /// The state before everything.
    fn initial(&mut self) -> Result<Self::State, Self::Halt>;

    /// The state after a letter of a thread.
    fn after(
        &mut self,
        at: Self::State,
        thread: usize,
        letter: Letter,
    ) -> Result<After<Self::State>, Self::Halt>;

    /// The state after an exchange of threads: thread `by[q]` stands at place `q`; symbols of the model stand behind the
    /// threads.
    fn permute(&mut self, at: Self::State, by: &[u8]) -> Self::State;

    /// A state that stands for all that exchanges within groups of neighbouring places lead to, from the first place up to, but
    /// not including, the second. Two states that such an exchange leads between have the same one.
    fn least(&mut self, at: Self::State, groups: &[(usize, usize)]) -> Self::State;

    /// Whether every violation that can follow the second state can follow the first, as early. True only if that is
    /// certain: it is asked for where states above others are left out.
    fn below(&mut self, smaller: Self::State, larger: Self::State) -> Result<bool, Self::Halt> {
        Ok(smaller.number() == larger.number())
    }

    /// How many states it has.
    fn len(&self) -> usize;

    /// Whether it has none yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory in use.
    fn bytes(&self) -> u64;
}

/// Accepts everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Always;

impl Monitor for Always {
    type Halt = std::convert::Infallible;
    type State = u32;

    fn blind(&self) -> bool {
        true
    }

    fn initial(&mut self) -> Result<u32, Self::Halt> {
        Ok(0)
    }

    fn after(&mut self, at: u32, _: usize, _: Letter) -> Result<After, Self::Halt> {
        Ok(After::At(at))
    }

    fn permute(&mut self, at: u32, _: &[u8]) -> u32 {
        at
    }

    fn least(&mut self, at: u32, _: &[(usize, usize)]) -> u32 {
        at
    }

    fn len(&self) -> usize {
        1
    }

    fn bytes(&self) -> u64 {
        0
    }
}
