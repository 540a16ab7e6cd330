//! Exit codes: the contract with scripts. A command whose reader has closed the pipe ends with 141, as if by SIGPIPE.

use trueline_base::Verdict;
use trueline_base::answer::{Answer, Cause};

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

impl From<&Answer> for Exit {
    fn from(answer: &Answer) -> Exit {
        let doubt = match &answer.verdict {
            Verdict::Holds(_) | Verdict::Fails(_) if answer.as_expected => return Exit::Expected,
            Verdict::Holds(_) | Verdict::Fails(_) => return Exit::Unexpected,
            Verdict::Unknown(doubt) => doubt,
        };
        match doubt.cause {
            Cause::Limit(_) | Cause::Question => Exit::Unknown,
            Cause::Unavailable => Exit::Input,
            Cause::Internal(_) => Exit::Internal,
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
