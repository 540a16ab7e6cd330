//! What the command line changes in a check, and why a check cannot be built.

use trueline_base::Diagnostic;

/// How many operations a thread performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ops {
    /// At most so many.
    Count(u32),
    /// Any number.
    Forever,
}

/// What the command line changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--threads N`
    pub threads: Option<u32>,
    /// `--ops K`
    pub ops: Option<Ops>,
    /// `--values N`; `Some(None)` for `--values tid`.
    pub values: Option<Option<u32>>,
    /// `--set NAME=VALUE`
    pub set: Vec<(String, String)>,
    /// `--role NAME=N`
    pub roles: Vec<(String, u32)>,
    /// `--client "enq(1); deq() || deq()"`
    pub client: Option<String>,
    /// `--property linearizable,safe`
    pub properties: Option<Vec<String>>,
    /// `--spec NAME`
    pub spec: Option<String>,
}

/// Why a check cannot be built.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The file has errors.
    Model(Vec<Diagnostic>),
    /// An argument of the command line has errors; spans are in its text.
    Argument {
        /// The flag.
        flag: &'static str,
        /// Its text.
        text: String,
        /// What is wrong.
        problems: Vec<Diagnostic>,
    },
    /// The flags do not fit the check.
    Usage(String),
    /// The flags are for checks without roles, and this one has some.
    Roles(String),
    /// There is no such check.
    NoCheck,
}
