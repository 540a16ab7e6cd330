//! The command line of Trueline. Results on standard output, progress and diagnostics on standard error.
#![forbid(unsafe_code)]

// First, because its macros are for all that follow.
#[macro_use]
mod output;

mod advice;
mod annotate;
mod args;
mod checkpoint;
mod commands;
mod document;
mod exit;
mod files;
mod gallery;
mod panic;
mod spill;
mod terminal;
mod unpack;
mod watch;

use clap::Parser;

use args::{Cli, Command};
use exit::Exit;

fn main() -> std::process::ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Asking for help or the version is no mistake.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Expected };
            let _ = error.print();
            return exit.code().into();
        }
    };
    panic::guarded(|| run(cli)).code().into()
}

fn run(mut cli: Cli) -> Exit {
    // Only some commands have several workers; what they share knows how many.
    cli.common.jobs = match &cli.command {
        Command::Check(args) => args.jobs.jobs,
        Command::History { jobs, .. } => jobs.jobs,
        Command::Lts(args) => args.jobs.jobs,
        Command::Test(args) => args.jobs.jobs,
        _ => None,
    };
    let common = &cli.common;
    match &cli.command {
        Command::Check(args) => commands::check::run(args, common),
        Command::New { name, template } => commands::new::run(name, *template, common),
        Command::Show(args) => commands::show::run(args, common),
        Command::Models { family, markdown } => commands::models::run(family.as_deref(), *markdown, common),
        Command::Fmt { files, check } => commands::fmt::run(files, *check, common),
        Command::Explain { word } => commands::explain::run(word, common),
        Command::Completions { shell } => commands::completions::completions(*shell, common),
        Command::Man { command, into } => commands::completions::man(command, into.as_deref(), common),
        Command::Lts(args) => commands::lts::run(args, common),
        Command::Replay { trace, gdb } => commands::replay::run(trace, *gdb, common),
        Command::Test(args) => commands::test::run(args, common),
        Command::History { command, .. } => commands::history::run(command, common),
    }
}
