//! The tests of the replay, in one binary.

mod cycles;
mod executions;
mod lost_update;
mod points;
mod stories;
