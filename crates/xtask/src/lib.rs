//! Development tasks: mutants, fuzzing, soak runs, benchmarks. The library part is what tests use.
#![forbid(unsafe_code)]

pub mod mutants;
