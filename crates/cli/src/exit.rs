//! Exit codes: the contract with scripts. A command whose reader has closed the pipe ends with 141, as if by SIGPIPE.

use trueline_verify::{Decided, Standing};

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything is as expected.
    Expected,
    /// Something fails that should hold, or holds where a failure is expected.
    Unexpected,
    /// A limit prevented an answer.
    Unknown,
    /// The input cannot be read or has errors.
    Input,
    /// The command line makes no sense.
    Usage,
    /// A bug: a verdict that could not be confirmed.
    Internal,
}

impl From<&Decided> for Exit {
    fn from(decided: &Decided) -> Exit {
        match decided.standing {
            Standing::Decided if decided.answer.as_expected => Exit::Expected,
            Standing::Decided => Exit::Unexpected,
            Standing::Unknown | Standing::Stopped(_) => Exit::Unknown,
            Standing::Unavailable => Exit::Input,
            Standing::Internal(_) => Exit::Internal,
        }
    }
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Expected => 0,
            Exit::Unexpected => 1,
            Exit::Unknown => 2,
            Exit::Input => 3,
            Exit::Usage => 64,
            Exit::Internal => 70,
        }
    }

    /// The more serious of two: the first of 70, 64, 3, 1, 2, 0.
    pub fn and(self, other: Exit) -> Exit {
        let rank = |exit: Exit| match exit {
            Exit::Internal => 5,
            Exit::Usage => 4,
            Exit::Input => 3,
            Exit::Unexpected => 2,
            Exit::Unknown => 1,
            Exit::Expected => 0,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}
