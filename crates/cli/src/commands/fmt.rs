//! `trueline fmt FILE…`

use std::path::{Path, PathBuf};

use trueline_report::Problem;
use trueline_report::document::{CommandName, Done, Formatted};

use crate::args::Common;
use crate::document::{self, Document};
use crate::exit::Exit;
use crate::files;

/// Formats models in place, or says which would change. Standard input is formatted to standard output.
pub fn run(paths: &[PathBuf], check: bool, common: &Common) -> Exit {
    let document = Document::of(CommandName::Fmt, common);
    let all = match files::models(paths) {
        Ok(all) => all,
        Err(message) => return document.refuse("", &message, Exit::Input),
    };
    let mut run = Run { check, common, files: Vec::new(), diagnostics: Vec::new() };
    let exit = all.iter().fold(Exit::Expected, |exit, path| exit.and(run.one(path)));
    if common.json {
        document::print(Done::Fmt { files: run.files }, run.diagnostics);
    }
    exit
}

struct Run<'a> {
    check: bool,
    common: &'a Common,
    /// For `--json`.
    files: Vec<Formatted>,
    diagnostics: Vec<Problem>,
}

impl Run<'_> {
    fn one(&mut self, path: &Path) -> Exit {
        let shown = path.display().to_string();
        let text = match files::read_text(path) {
            Ok(text) => text,
            Err(message) => return self.trouble(&shown, &message),
        };
        let formatted = match trueline_lang::fmt::format(&text) {
            Ok(formatted) => formatted,
            Err(problems) if self.common.json => {
                self.diagnostics.extend(problems.iter().map(|d| Problem::new(&shown, &text, d)));
                return Exit::Input;
            }
            Err(problems) => {
                crate::terminal::diagnostics(&shown, &text, &problems, self.common);
                return Exit::Input;
            }
        };
        if crate::gallery::is_named(path) && !self.check {
            let message =
                format!("{shown} is built in; `trueline show {shown} > FILE.tl` makes a file of it");
            return self.trouble(&shown, &message);
        }
        let changed = formatted != text;
        let stdin = files::is_standard_input(path);
        if self.common.json {
            let text = stdin.then(|| formatted.clone());
            self.files.push(Formatted { file: shown.clone(), changed, text });
        } else if stdin && !self.check {
            print!("{formatted}");
        }
        match (changed, self.check) {
            (false, _) => Exit::Expected,
            (true, true) => {
                self.say(&format!("{shown} would change"));
                Exit::Unexpected
            }
            (true, false) if stdin => Exit::Expected,
            (true, false) => match std::fs::write(path, formatted) {
                Ok(()) => {
                    if !self.common.quiet {
                        self.say(&format!("formatted {shown}"));
                    }
                    Exit::Expected
                }
                Err(e) => self.trouble(&shown, &format!("{shown}: {e}")),
            },
        }
    }

    fn say(&self, line: &str) {
        if !self.common.json {
            println!("{line}");
        }
    }

    fn trouble(&mut self, path: &str, message: &str) -> Exit {
        match self.common.json {
            true => self.diagnostics.push(Problem::of_file(path, message)),
            false => eprintln!("error: {message}"),
        }
        Exit::Input
    }
}
