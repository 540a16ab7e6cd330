//! States and transitions as searches see them: numbers of parts, where moves lead, who can move.

use super::MAX_THREADS;
use crate::model::Letter;

/// A state: numbers of its parts and of the monitor's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The global part.
    pub global: u32,
    /// The monitor's state.
    pub beside: u32,
    /// The threads' parts; those beyond the threads are 0.
    pub locals: [u32; MAX_THREADS],
}

/// A transition.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Who moves.
    pub thread: u8,
    /// What is seen of it.
    pub letter: Letter,
    /// Where it leads.
    pub to: Reached,
}

/// Where a transition leads: to a state, in the form that is at hand, or to the end of the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached<S = Node> {
    /// To a state.
    At(S),
    /// To no state.
    End(End),
}

impl<S> Reached<S> {
    /// The state, if there is one.
    #[inline]
    pub fn state(self) -> Option<S> {
        match self {
            Reached::At(state) => Some(state),
            Reached::End(_) => None,
        }
    }

    /// The same with the state by reference.
    pub fn as_ref(&self) -> Reached<&S> {
        match self {
            Reached::At(state) => Reached::At(state),
            Reached::End(end) => Reached::End(*end),
        }
    }

    /// The same with the state in another form.
    #[inline]
    pub fn map<T>(self, form: impl FnOnce(S) -> T) -> Reached<T> {
        match self {
            Reached::At(state) => Reached::At(form(state)),
            Reached::End(end) => Reached::End(end),
        }
    }
}

/// What ends an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The model ends it, with the model's number of the reason.
    Model(u32),
    /// The monitor has no answer, with the monitor's number of the violation.
    Monitor(u32),
}

/// Whether the threads of a state can move: bits of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Those that have a move.
    pub enabled: u16,
    /// Those that have a move and may come to wait without one.
    pub maybe: u16,
    /// Those that wait for others.
    pub blocked: u16,
    /// Those all of whose ways are left out of consideration.
    pub discarded: u16,
}

impl Standing {
    /// Whether every thread that has something to do waits for others, or may come to, without a move of anybody.
    pub fn dead_end(self) -> bool {
        self.enabled | self.discarded == 0 && self.blocked | self.maybe != 0
    }
}
