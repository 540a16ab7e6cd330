//! The tests of histories, in one binary.

mod browser;
mod common;
mod conditions;
mod examples;
mod exhaustive;
mod explain;
mod follow;
mod formats;
mod limits;
mod orders;
mod random;
mod read;
mod repeated;
mod round_up;
mod series;
mod specs;
mod transactions;
