//! The tests of the language, in one binary.

mod common;
mod diagnostics;
mod fmt;
mod fmt_random;
mod names;
mod relaxed;
mod sources;
mod syntax;
mod syntax_entry;
mod syntax_limits;
mod syntax_mutation;
