//! `cargo xtask …`
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use trueline_xtask::{
    bench_explore, bench_history, bench_lts, bench_papers, bench_quotients, bench_real, bench_recorder,
    bench_round_up, fuzz, mutants, soak_engine, soak_history, soak_lts, soak_progress, soak_real,
};

/// Development tasks.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Mutates the models of a family and says what becomes of each mutant
    Mutants {
        /// A folder below models/, a file such as queue/ms_queue.tl, or nothing for all
        family: Option<String>,
        /// Rewrite crates/xtask/mutants/FAMILY.txt (whole families only)
        #[arg(long)]
        write: bool,
    },
    /// Feeds mutated models to the parts of the tool that read them
    Fuzz {
        /// parse, format, types, check, client, trace, history-FORMAT; nothing for all
        target: Option<String>,
        /// Seconds per target
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Where to begin
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Measures against peers and papers: `bench explore`, `bench papers`, `bench quotients [--large] [--svg FILE]`, `bench lts [FILE.aut …]`, `bench lts --huge [TRANSITIONS]`, `bench history [--alone]`, `bench recorder`, `bench real`, `bench round-up`
    Bench {
        /// What to measure
        what: String,
        /// What it is to do
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Long runs against the naive twins: `soak engine`, `soak progress`, `soak lts`, `soak mutants`, `soak history`, `soak real`
    Soak {
        /// What to check
        what: String,
        /// How many random systems, histories or programs
        #[arg(long, default_value_t = 100_000)]
        seeds: u64,
        /// Of histories, one condition only: linearizable, quiescent, sequential, quasi, regular; of progress, one family; of engine, models
        /// whose name contains it
        #[arg(long)]
        only: Option<String>,
        /// Seconds per property, for `soak engine`
        #[arg(long, default_value_t = 60.0)]
        seconds: f64,
    },
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match Cli::parse().task {
        Task::Mutants { family, write } => mutants::command(&root, family.as_deref(), write),
        Task::Fuzz { target, seconds, seed } => {
            fuzz::command(&root, target.as_deref(), Duration::from_secs(seconds), seed)
        }
        Task::Bench { what, words } if what == "lts" => bench_lts::command(&root, &words),
        Task::Bench { what, words } if what == "explore" => bench_explore::command(&root, &words),
        Task::Bench { what, words } if what == "papers" => bench_papers::command(&root, &words),
        Task::Bench { what, words } if what == "quotients" => bench_quotients::command(&root, &words),
        Task::Bench { what, words } if what == "history" => bench_history::command(&root, &words),
        Task::Bench { what, .. } if what == "recorder" => bench_recorder::command(),
        Task::Bench { what, .. } if what == "real" => bench_real::command(&root),
        Task::Bench { what, .. } if what == "round-up" => bench_round_up::command(&root),
        Task::Soak { what, only, seconds, .. } if what == "engine" => {
            soak_engine::command(&root, Duration::from_secs_f64(seconds), only.as_deref())
        }
        Task::Soak { what, only, .. } if what == "progress" => soak_progress::command(&root, only.as_deref()),
        Task::Soak { what, .. } if what == "mutants" => mutants::command(&root, None, false),
        Task::Soak { what, seeds, only, .. } if what == "history" => {
            soak_history::command(seeds, only.as_deref())
        }
        Task::Soak { what, seeds, .. } if what == "real" => soak_real::command(&root, seeds),
        Task::Soak { what, seeds, .. } if what == "lts" => soak_lts::command(&root, seeds),
        Task::Bench { what, .. } | Task::Soak { what, .. } => {
            eprintln!(
                "there is no `{what}` to measure or check; known: bench explore, bench papers, bench quotients, bench lts, bench history, bench recorder, bench real, bench round-up, soak engine, soak progress, soak lts, soak mutants, soak history, soak real"
            );
            ExitCode::from(64)
        }
    }
}
