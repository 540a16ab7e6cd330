//! Development tasks: mutants, fuzzing, soak runs, benchmarks. The library part is what tests use.
#![forbid(unsafe_code)]

pub mod fuzz;
pub mod mutants;
pub mod random;
