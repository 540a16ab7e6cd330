//! `trueline completions SHELL` and `trueline man`: what other programs read about the command line.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use trueline_report::document::{CommandName, Done};

use crate::args::{Cli, Common};
use crate::document::{self, Document};
use crate::exit::Exit;

/// Prints the completions of a shell.
pub fn completions(shell: Shell, common: &Common) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "trueline", &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    match common.json {
        true => document::print(Done::Completions { text }, Vec::new()),
        false => print!("{text}"),
    }
    Exit::Expected
}

/// Prints the page about a command, the whole one without a name; or writes all pages into a folder.
pub fn man(command: &[String], into: Option<&Path>, common: &Common) -> Exit {
    let document = Document::of(CommandName::Man, common);
    let mut cli = Cli::command().disable_help_subcommand(true);
    cli.build();
    if let Some(folder) = into {
        let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(cli, folder));
        return match written {
            Ok(()) => {
                if common.json {
                    let folder = Some(folder.display().to_string());
                    document::print(Done::Man { text: None, folder }, Vec::new());
                }
                Exit::Expected
            }
            Err(e) => {
                let shown = folder.display().to_string();
                document.refuse(&shown, &format!("{shown}: {e}"), Exit::Input)
            }
        };
    }
    let mut page = &cli;
    for word in command {
        match page.find_subcommand(word) {
            Some(found) => page = found,
            None => {
                let known: Vec<&str> = page.get_subcommands().map(|c| c.get_name()).collect();
                let message = format!("there is no command `{word}`; there are {}", known.join(", "));
                return document.refuse("", &message, Exit::Usage);
            }
        }
    }
    let mut text = Vec::new();
    match clap_mangen::Man::new(page.clone()).render(&mut text) {
        Ok(()) => {
            let text = String::from_utf8_lossy(&text).into_owned();
            match common.json {
                true => document::print(Done::Man { text: Some(text), folder: None }, Vec::new()),
                false => print!("{text}"),
            }
            Exit::Expected
        }
        Err(e) => document.refuse("", &e.to_string(), Exit::Input),
    }
}
