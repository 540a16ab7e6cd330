//! Why a command has no answer, as a document.

use serde::Serialize;

use super::{Problem, VERSION, pretty};

/// A command that has no answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Refused<C> {
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub version: u32,
    /// The command that refuses.
    pub command: C,
    /// Why.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub diagnostics: Vec<Problem>,
}

impl<C: Serialize> Refused<C> {
    /// The document for these reasons.
    pub fn new(command: C, diagnostics: Vec<Problem>) -> Refused<C> {
        Refused { version: VERSION, command, diagnostics }
    }

    /// As text.
    pub fn write(&self) -> String {
        pretty(self)
    }
}
