//! A generator of a set of configurations: a state of the specification and a code per thread.

use crate::spec::{SpecCall, SpecState, SpecValue, ThreadCode};
use trueline_base::ids;

ids! {
    /// A pending call, by number.
    pub(super) struct PendingId;
}

/// A call, with the results that it may have observed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pending {
    pub call: SpecCall,
    /// Ascending.
    pub observed: Vec<SpecValue>,
}

/// What a row says of a thread.
pub(super) type Code = ThreadCode<PendingId>;

/// The state, then one code per thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Generator(Vec<u32>);

impl Generator {
    /// The memory of a row of so many threads, without itself.
    pub fn owns(threads: usize) -> usize {
        4 * (threads + 1)
    }

    /// A state with these codes.
    pub fn new(state: SpecState, codes: impl IntoIterator<Item = Code>) -> Generator {
        Generator(std::iter::once(state.0).chain(codes.into_iter().map(Code::number)).collect())
    }

    #[inline]
    pub fn state(&self) -> SpecState {
        SpecState(self.0[0])
    }

    #[inline]
    pub fn code(&self, thread: usize) -> Code {
        Code::of(self.0[thread + 1])
    }

    pub fn codes(&self) -> impl Iterator<Item = Code> {
        self.0[1..].iter().map(|code| Code::of(*code))
    }

    #[inline]
    pub fn set(&mut self, thread: usize, code: Code) {
        self.0[thread + 1] = code.number();
    }

    /// The same after an operation of a thread has taken effect.
    pub fn linearized(&self, state: SpecState, thread: usize, value: SpecValue) -> Generator {
        let mut next = self.clone();
        next.0[0] = state.0;
        next.set(thread, Code::linearized(value));
        next
    }
}
