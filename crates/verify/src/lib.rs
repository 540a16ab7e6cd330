//! Asks, searches, confirms and answers: what the command line and the tests call.
//!
//! A [`Verifier`] decides the properties of one check, one after the other. Nothing that it answers with `fails` has
//! not been confirmed by `replay`. It knows neither the command line nor the terminal: limits and an observer go in,
//! an answer comes out.
#![forbid(unsafe_code)]

mod answer;
mod compare;
mod coverage;
mod engine;
mod verifier;

pub use compare::{Compared, compare};
pub use engine::{Engine, search};
pub use verifier::{Decided, Options, Verifier};
