//! `cargo xtask soak real --seeds N`: N random programs of real code for each compiler and memory model, by the tests that
//! compare some of them every time.

use std::path::Path;
use std::process::{Command, ExitCode};

/// Runs the tests with so many programs.
pub fn command(root: &Path, programs: u64) -> ExitCode {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["test", "-p", "trueline-run", "--test", "all", "--", "--nocapture", "random::", "weak::"])
        .env("TRUELINE_RANDOM_PROGRAMS", programs.to_string())
        .status();
    match status {
        Ok(status) if status.success() => {
            println!("{programs} random programs per compiler and memory model: no difference");
            ExitCode::SUCCESS
        }
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo cannot be started: {error}");
            ExitCode::from(70)
        }
    }
}
