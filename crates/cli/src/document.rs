//! Prints the documents of `--json` besides verdicts: what a command did, or why it did nothing.

use serde::Serialize;
use trueline_report::Problem;
use trueline_report::document::{CommandDocument, Done, Refused};

use crate::args::Common;
use crate::exit::Exit;

/// What a command says about itself.
#[derive(Clone, Copy)]
pub struct Document<'a, C> {
    command: C,
    common: &'a Common,
}

impl<'a, C: Serialize + Copy> Document<'a, C> {
    /// Of this command.
    pub fn of(command: C, common: &'a Common) -> Document<'a, C> {
        Document { command, common }
    }

    /// Says why there is nothing else to say: on standard error, or as a document.
    pub fn refuse(&self, file: &str, message: &str, exit: Exit) -> Exit {
        match self.common.json {
            true => self.problems(vec![Problem::of_file(file, message)]),
            false => eprintln!("error: {message}"),
        }
        exit
    }

    /// Prints what is wrong, as a document.
    pub fn problems(&self, diagnostics: Vec<Problem>) {
        print!("{}", Refused::new(self.command, diagnostics).write());
    }
}

/// Prints what a command did, with what is worth knowing about files.
pub fn print(done: Done, diagnostics: Vec<Problem>) {
    print!("{}", CommandDocument::new(done, diagnostics).write());
}
