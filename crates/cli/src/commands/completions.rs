//! `trueline completions SHELL` and `trueline man`: what other programs read about the command line.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::Exit;

/// Prints the completions of a shell.
pub fn completions(shell: Shell) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "trueline", &mut text);
    print!("{}", String::from_utf8_lossy(&text));
    Exit::Expected
}

/// Prints the page about a command, the whole one without a name; or writes all pages into a folder.
pub fn man(command: &[String], into: Option<&Path>) -> Exit {
    let mut cli = Cli::command().disable_help_subcommand(true);
    cli.build();
    if let Some(folder) = into {
        let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(cli, folder));
        return match written {
            Ok(()) => Exit::Expected,
            Err(e) => {
                eprintln!("error: {}: {e}", folder.display());
                Exit::Input
            }
        };
    }
    let mut page = &cli;
    for word in command {
        match page.find_subcommand(word) {
            Some(found) => page = found,
            None => {
                let known: Vec<&str> = page.get_subcommands().map(|c| c.get_name()).collect();
                eprintln!("error: there is no command `{word}`; there are {}", known.join(", "));
                return Exit::Usage;
            }
        }
    }
    let mut text = Vec::new();
    match clap_mangen::Man::new(page.clone()).render(&mut text) {
        Ok(()) => {
            print!("{}", String::from_utf8_lossy(&text));
            Exit::Expected
        }
        Err(e) => {
            eprintln!("error: {e}");
            Exit::Input
        }
    }
}
