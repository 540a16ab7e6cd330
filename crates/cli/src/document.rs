//! The documents of `--json` besides verdicts: what a command did, or why it did nothing.
//!
//! `schemas/commands.json` describes them. All have a version, the command and diagnostics.

use serde_json::{Value, json};
use trueline_report::Problem;

use crate::args::Common;
use crate::exit::Exit;

/// What a command says about itself.
#[derive(Clone, Copy)]
pub struct Document<'a> {
    command: &'a str,
    common: &'a Common,
}

impl<'a> Document<'a> {
    /// Of this command.
    pub fn of(command: &'a str, common: &'a Common) -> Document<'a> {
        Document { command, common }
    }

    /// Prints what there is to say, with what is worth knowing about files.
    pub fn print(&self, fields: Value, diagnostics: &[Problem]) {
        let mut document = json!({ "version": 1, "command": self.command, "diagnostics": diagnostics });
        if let (Value::Object(document), Value::Object(fields)) = (&mut document, fields) {
            document.extend(fields);
        }
        println!("{document:#}");
    }

    /// Says why there is nothing else to say: on standard error, or as a document.
    pub fn refuse(&self, file: &str, message: &str, exit: Exit) -> Exit {
        match self.common.json {
            true => self.print(json!({}), &[Problem::of_file(file, message)]),
            false => eprintln!("error: {message}"),
        }
        exit
    }
}
