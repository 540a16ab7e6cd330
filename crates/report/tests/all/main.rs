//! The tests of reports, in one binary.

mod text;
