//! Why a question about systems has no answer.

use trueline_base::{Stop, Verdict};

/// No answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// A limit was reached first.
    Stopped(Stop),
    /// The evidence did not pass its own check: a bug in this crate, never a verdict.
    Unconfirmed(Unconfirmed),
}

/// Evidence that a second evaluation does not confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unconfirmed {
    /// What was claimed and what came out.
    pub what: String,
}

impl From<Stop> for NoAnswer {
    fn from(stop: Stop) -> NoAnswer {
        NoAnswer::Stopped(stop)
    }
}

impl From<Unconfirmed> for NoAnswer {
    fn from(unconfirmed: Unconfirmed) -> NoAnswer {
        NoAnswer::Unconfirmed(unconfirmed)
    }
}

/// A limit leaves a question open, which is an answer; evidence that was not confirmed is none.
pub(crate) fn settled<H, F>(
    answer: Result<Verdict<H, F, Stop>, NoAnswer>,
) -> Result<Verdict<H, F, Stop>, Unconfirmed> {
    match answer {
        Ok(verdict) => Ok(verdict),
        Err(NoAnswer::Stopped(stop)) => Ok(Verdict::Unknown(stop)),
        Err(NoAnswer::Unconfirmed(unconfirmed)) => Err(unconfirmed),
    }
}

impl std::fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the evidence could not be confirmed: {}", self.what)
    }
}

impl std::error::Error for Unconfirmed {}

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoAnswer::Stopped(stop) => stop.fmt(f),
            NoAnswer::Unconfirmed(unconfirmed) => unconfirmed.fmt(f),
        }
    }
}

impl std::error::Error for NoAnswer {}
