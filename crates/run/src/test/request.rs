//! What is to be tested, and how.

use std::path::PathBuf;

use trueline_history::Condition;
use trueline_history::check::{Asked, named};

use crate::bounded::Which;
use crate::generate::Sizes;
use crate::search::Settings;

/// What is to be tested, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The source file.
    pub source: PathBuf,
    /// The compiler, when it is not the first of clang and gcc.
    pub compiler: Option<String>,
    /// Optimisation levels, such as `-O0`.
    pub levels: Vec<String>,
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// One scenario instead of those that are made, as text.
    pub scenario: Option<String>,
    /// How large scenarios get.
    pub sizes: Sizes,
    /// What is asked of histories.
    pub condition: Condition,
    /// The specification, when it is not that of the file.
    pub spec: Option<String>,
    /// How a specification is found by its name.
    pub find: Find,
    /// Another implementation whose sequential behaviours are the specification.
    pub against: Option<PathBuf>,
    /// How scenarios are run.
    pub settings: Settings,
    /// Whether data races are no findings.
    pub allow_races: bool,
    /// Some interleavings instead of all executions.
    pub only: Option<Which>,
    /// Whether to go on after a failure, to every other one.
    pub all: bool,
}

/// Finds a specification, or says why it cannot.
pub type Find = fn(&str) -> Result<Box<dyn Asked>, String>;

/// The ready-made specifications.
pub fn ready_made(name: &str) -> Result<Box<dyn Asked>, String> {
    named(name).map_err(|e| e.to_string())
}
