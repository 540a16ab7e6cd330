//! The tests of real code, in one binary.

mod bounded;
mod common;
mod counts;
mod dpor;
mod findings;
mod interpreter;
mod libraries;
mod litmus;
mod own_main;
mod random;
mod recall;
mod round_up;
mod rust;
mod traps;
mod twins;
mod unseen;
mod waiting;
mod weak;
mod workers;
