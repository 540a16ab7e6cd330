//! What is changed in a check, and why a check cannot be built.

use trueline_base::{Diagnostic, SourceId};

use super::uses;

/// How many operations a thread performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ops {
    /// At most so many.
    Count(u32),
    /// Any number.
    Forever,
}

/// How many values there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// So many.
    Count(u32),
    /// The numbers of the threads.
    Tid,
}

/// What is changed in a check, as a command line does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// How many threads there are.
    pub threads: Option<u32>,
    /// How many operations each thread performs.
    pub ops: Option<Ops>,
    /// How many values there are.
    pub values: Option<Values>,
    /// Parameters with their values, as texts.
    pub set: Vec<(String, String)>,
    /// Roles with the number of threads that have them.
    pub roles: Vec<(String, u32)>,
    /// The client, such as `enq(1); deq() || deq()`.
    pub client: Option<String>,
    /// The properties to decide.
    pub properties: Option<Vec<String>>,
    /// The specification.
    pub spec: Option<String>,
}

/// A text that is given beside the model. Spans know it by its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The client.
    Client,
    /// The name of the specification.
    Spec,
    /// The value of a parameter, by its place.
    Set(usize),
}

/// The text of the ready-made specifications.
pub(crate) const PRELUDE: SourceId = SourceId(1);

impl Argument {
    /// What spans in it say.
    pub fn source(self) -> SourceId {
        match self {
            Argument::Client => SourceId(2),
            Argument::Spec => SourceId(3),
            Argument::Set(at) => SourceId(4 + at.min(1000) as u16),
        }
    }

    /// The argument that a span is about.
    pub fn of(source: SourceId) -> Option<Argument> {
        match source.0 {
            0 | 1 => None,
            _ if uses::place(source).is_some() => None,
            2 => Some(Argument::Client),
            3 => Some(Argument::Spec),
            at => Some(Argument::Set(usize::from(at) - 4)),
        }
    }
}

impl Overrides {
    /// The text of an argument.
    pub fn text(&self, argument: Argument) -> &str {
        let text = match argument {
            Argument::Client => self.client.as_deref(),
            Argument::Spec => self.spec.as_deref(),
            Argument::Set(at) => self.set.get(at).map(|(_, text)| text.as_str()),
        };
        text.unwrap_or_default()
    }
}

/// Why a check cannot be built.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The file has errors.
    Model(Vec<Diagnostic>),
    /// An argument has errors; spans are in its text.
    Argument {
        /// Which.
        argument: Argument,
        /// Its text.
        text: String,
        /// What is wrong.
        problems: Vec<Diagnostic>,
    },
    /// The changes do not fit the check.
    Usage(Misuse),
    /// The changes are for checks without roles, and this one has some.
    Roles,
    /// There is no such check.
    NoCheck,
}

/// Changes that do not fit a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// A client says what each thread does: numbers of threads, operations and roles do not apply.
    ClientAndNumbers,
    /// So many threads are not possible.
    Threads {
        /// How many.
        threads: u32,
        /// How many there may be.
        most: u32,
    },
    /// The check has no such role.
    NoRole {
        /// The object that is checked.
        object: String,
        /// The role.
        role: String,
    },
    /// The file has no such parameter.
    NoParameter {
        /// The parameter.
        name: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// There is no such property.
    NoProperty {
        /// The property.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A text names no specification.
    NoSpecification(String),
}

impl Refusal {
    /// What is wrong, by the text that it is wrong with: an argument that has errors is to blame, not the file.
    pub(super) fn of(problems: Vec<Diagnostic>, overrides: &Overrides) -> Refusal {
        let Some(argument) = problems.iter().find_map(|d| Argument::of(d.span.source)) else {
            return Refusal::Model(problems);
        };
        let source = argument.source();
        let mut problems: Vec<Diagnostic> =
            problems.into_iter().filter(|d| d.span.source == source).collect();
        for problem in &mut problems {
            problem.labels.retain(|label| label.span.source == source);
        }
        Refusal::Argument { argument, text: overrides.text(argument).to_string(), problems }
    }
}
