//! Numbers of a specification by what they count, and what a configuration says of a thread in one of them.

use std::marker::PhantomData;
use trueline_base::ids;
use trueline_base::interner::Id;

ids! {
    /// A state of the specification.
    pub(crate) struct SpecState;
    /// A call: an operation with its arguments.
    pub(crate) struct SpecCall;
    /// A result.
    pub(crate) struct SpecValue;
}

/// A thread of a configuration. It is 0 when idle, odd when an operation is pending, which is then known by a `P`,
/// and even when it is linearized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(crate) struct ThreadCode<P>(u32, PhantomData<P>);

/// The same, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadStatus<P> {
    Idle,
    Pending(P),
    Linearized(SpecValue),
}

impl<P: Id> ThreadCode<P> {
    pub const IDLE: ThreadCode<P> = ThreadCode(0, PhantomData);

    /// The code that is this number.
    #[inline]
    pub fn of(number: u32) -> ThreadCode<P> {
        ThreadCode(number, PhantomData)
    }

    #[inline]
    pub fn pending(what: P) -> ThreadCode<P> {
        ThreadCode(2 * what.number() + 1, PhantomData)
    }

    #[inline]
    pub fn linearized(value: SpecValue) -> ThreadCode<P> {
        ThreadCode(2 * value.0 + 2, PhantomData)
    }

    /// As a number.
    #[inline]
    pub fn number(self) -> u32 {
        self.0
    }

    /// What is pending.
    #[inline]
    pub fn is_pending(self) -> Option<P> {
        (self.0 % 2 == 1).then(|| P::of(self.0 / 2))
    }

    #[inline]
    pub fn status(self) -> ThreadStatus<P> {
        match (self.0, self.is_pending()) {
            (0, _) => ThreadStatus::Idle,
            (_, Some(what)) => ThreadStatus::Pending(what),
            (code, None) => ThreadStatus::Linearized(SpecValue(code / 2 - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_say_what_they_were_made_of() {
        type Code = ThreadCode<SpecCall>;
        assert_eq!(Code::IDLE.status(), ThreadStatus::Idle);
        for n in [0, 1, 7, 1 << 20] {
            let (pending, linearized) = (Code::pending(SpecCall(n)), Code::linearized(SpecValue(n)));
            assert_eq!(pending.status(), ThreadStatus::Pending(SpecCall(n)));
            assert_eq!(linearized.status(), ThreadStatus::Linearized(SpecValue(n)));
            assert_eq!((pending.is_pending(), linearized.is_pending()), (Some(SpecCall(n)), None));
            assert_eq!(Code::of(linearized.number()), linearized);
        }
    }
}
