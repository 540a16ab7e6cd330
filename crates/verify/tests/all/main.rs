//! The tests of whole checks, in one binary.

mod answers;
mod comfort;
mod common;
