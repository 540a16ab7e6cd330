//! The tests of the engines, in one binary.

mod arguments;
mod common;
mod constructs;
mod counts;
mod fast;
mod keep;
mod main_thread;
mod meaning;
mod orders;
mod progress;
mod questions;
mod quotients;
mod random;
mod random_points;
mod unshare;
mod verdicts;
