//! The tests of reports, in one binary.

mod schemas;
mod text;
