//! Development tasks: mutants, fuzzing, soak runs, benchmarks. The library part is what tests use.
#![forbid(unsafe_code)]

mod agree;
pub mod bench_explore;
pub mod bench_history;
pub mod bench_lts;
mod bench_lts_huge;
mod bench_lts_rows;
pub mod bench_papers;
pub mod bench_quotients;
pub mod bench_real;
pub mod bench_recorder;
pub mod bench_round_up;
mod by_hand;
pub mod fuzz;
mod fuzz_history;
pub mod mutants;
pub mod objects;
pub mod soak_engine;
pub mod soak_history;
pub mod soak_lts;
mod soak_lts_rows;
pub mod soak_progress;
pub mod soak_real;
mod usage;
