//! Why a question about systems has no answer.

use trueline_base::{Stop, Verdict};

/// No answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
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

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stopped(stop)
    }
}

impl From<Unconfirmed> for Failure {
    fn from(unconfirmed: Unconfirmed) -> Failure {
        Failure::Unconfirmed(unconfirmed)
    }
}

/// A limit leaves a question open, which is an answer; evidence that was not confirmed is none.
pub(crate) fn settled<H, F>(
    answer: Result<Verdict<H, F, Stop>, Failure>,
) -> Result<Verdict<H, F, Stop>, Unconfirmed> {
    match answer {
        Ok(verdict) => Ok(verdict),
        Err(Failure::Stopped(stop)) => Ok(Verdict::Unknown(stop)),
        Err(Failure::Unconfirmed(unconfirmed)) => Err(unconfirmed),
    }
}

impl std::fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the evidence could not be confirmed: {}", self.what)
    }
}

impl std::error::Error for Unconfirmed {}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Stopped(stop) => stop.fmt(f),
            Failure::Unconfirmed(unconfirmed) => unconfirmed.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}
