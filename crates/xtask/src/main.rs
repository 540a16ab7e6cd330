//! `cargo xtask …`
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use trueline_xtask::mutants;

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
        /// A folder below models/, or nothing for all
        family: Option<String>,
        /// Rewrite crates/xtask/mutants/FAMILY.txt
        #[arg(long)]
        write: bool,
    },
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match Cli::parse().task {
        Task::Mutants { family, write } => mutants::command(&root, family.as_deref(), write),
    }
}
