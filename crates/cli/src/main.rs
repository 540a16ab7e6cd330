//! The command line of Trueline. Results on standard output, progress and diagnostics on standard error.
#![forbid(unsafe_code)]

// First, because its macros are for all that follow.
#[macro_use]
mod output;

mod advice;
mod annotate;
mod args;
mod commands;
mod exit;
mod files;
mod panic;
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

fn run(cli: Cli) -> Exit {
    let common = &cli.common;
    let one_worker = !matches!(cli.command, Command::History(_) | Command::Lts(_) | Command::Test(_));
    if one_worker && common.jobs.is_some_and(|n| n != 1) {
        eprintln!("error: --jobs is not available yet: the engine has one worker");
        return Exit::Input;
    }
    match &cli.command {
        Command::Check(args) => commands::check::run(args, common),
        Command::New { name, template } => commands::new::run(name, *template, common),
        Command::Show(args) => commands::show::run(args, common),
        Command::Fmt { files, check } => commands::fmt::run(files, *check, common),
        Command::Explain { word } => commands::explain::run(word, common),
        Command::Completions { shell } => commands::completions::completions(*shell),
        Command::Man { command, into } => commands::completions::man(command, into.as_deref()),
        Command::Lts(args) => commands::lts::run(args, common),
        Command::Replay { trace } => commands::replay::run(trace, common),
        Command::Test(args) => commands::test::run(args, common),
        Command::History(command) => commands::history::run(command, common),
    }
}
