//! The tests of transition systems, in one binary.

mod common;
mod exhaustive;
mod jobs;
mod merc;
mod metamorphic;
mod reader;
mod twins;
