//! How a question was decided, and with what: one type for models, histories and transition systems.

use serde::{Deserialize, Serialize};

/// An answer with what belongs to it: what shows that it holds, what shows that it fails, or why nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict<H, F, U> {
    /// It holds.
    Holds(H),
    /// It does not.
    Fails(F),
    /// Nobody knows.
    Unknown(U),
}

impl<H, F, U> Verdict<H, F, U> {
    /// Which of the three it is.
    pub fn decision(&self) -> Decision {
        match self {
            Verdict::Holds(_) => Decision::Holds,
            Verdict::Fails(_) => Decision::Fails,
            Verdict::Unknown(_) => Decision::Unknown,
        }
    }

    /// Whether it is `Holds`.
    pub fn holds(&self) -> bool {
        self.decision() == Decision::Holds
    }

    /// Whether it is `Fails`.
    pub fn fails(&self) -> bool {
        self.decision() == Decision::Fails
    }

    /// `holds`, `fails` or `unknown`.
    pub fn word(&self) -> &'static str {
        self.decision().word()
    }

    /// The same verdict with what belongs to it by reference.
    pub fn as_ref(&self) -> Verdict<&H, &F, &U> {
        match self {
            Verdict::Holds(held) => Verdict::Holds(held),
            Verdict::Fails(failure) => Verdict::Fails(failure),
            Verdict::Unknown(why) => Verdict::Unknown(why),
        }
    }

    /// The same verdict with what belongs to it in other words.
    pub fn map<H2, F2, U2>(
        self,
        holds: impl FnOnce(H) -> H2,
        fails: impl FnOnce(F) -> F2,
        unknown: impl FnOnce(U) -> U2,
    ) -> Verdict<H2, F2, U2> {
        match self {
            Verdict::Holds(held) => Verdict::Holds(holds(held)),
            Verdict::Fails(failure) => Verdict::Fails(fails(failure)),
            Verdict::Unknown(why) => Verdict::Unknown(unknown(why)),
        }
    }

    /// What shows that it fails, if it does.
    pub fn failure(&self) -> Option<&F> {
        match self {
            Verdict::Fails(failure) => Some(failure),
            Verdict::Holds(_) | Verdict::Unknown(_) => None,
        }
    }
}

/// How a question was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Decision {
    Holds,
    Fails,
    Unknown,
}

impl Decision {
    /// `holds`, `fails` or `unknown`.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Holds => "holds",
            Decision::Fails => "fails",
            Decision::Unknown => "unknown",
        }
    }
}

/// What can go wrong inside an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Finding {
    Null,
    None,
    Range,
    Overflow,
    Bounds,
    Assert,
    UseAfterFree,
    DoubleFree,
    Lock,
    Requires,
    Endless,
    /// A `match` without an arm for the value.
    NoMatch,
    /// A `choose` from an empty range.
    NoChoice,
}

impl Finding {
    /// All of them.
    pub const ALL: [Finding; 13] = [
        Finding::Null,
        Finding::None,
        Finding::Range,
        Finding::Overflow,
        Finding::Bounds,
        Finding::Assert,
        Finding::UseAfterFree,
        Finding::DoubleFree,
        Finding::Lock,
        Finding::Requires,
        Finding::Endless,
        Finding::NoMatch,
        Finding::NoChoice,
    ];

    /// The word for it in `expect fails(…)` and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Finding::Null => "null",
            Finding::None => "none",
            Finding::Range => "range",
            Finding::Overflow => "overflow",
            Finding::Bounds => "bounds",
            Finding::Assert => "assert",
            Finding::UseAfterFree => "use_after_free",
            Finding::DoubleFree => "double_free",
            Finding::Lock => "lock",
            Finding::Requires => "requires",
            Finding::Endless => "endless",
            Finding::NoMatch => "no_match",
            Finding::NoChoice => "no_choice",
        }
    }

    /// What happened, as the predicate of a sentence about an operation.
    pub fn sentence(self) -> &'static str {
        match self {
            Finding::Null => "follows a null reference",
            Finding::None => "uses none as a value",
            Finding::Range => "stores a number outside its range",
            Finding::Overflow => "computes a number beyond 32 bits or divides by zero",
            Finding::Bounds => "uses an index out of bounds",
            Finding::Assert => "breaks an assertion",
            Finding::UseAfterFree => "touches memory that was freed",
            Finding::DoubleFree => "frees memory that was freed already",
            Finding::Lock => "unlocks a lock that it does not hold",
            Finding::Requires => "is called although its `requires` does not hold",
            Finding::Endless => "runs for ever within one step",
            Finding::NoMatch => "meets a value for which `match` has no arm",
            Finding::NoChoice => "has nothing to choose from",
        }
    }
}
