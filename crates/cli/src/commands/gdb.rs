//! `trueline replay TRACE --gdb`: the failure in the debugger, which stops at each of its steps.

use std::process::Command;

use trueline_base::Meter;
use trueline_report::document::CommandName;
use trueline_run::debugger::session;
use trueline_run::replay::ReplayFile;

use super::test::refuse;
use crate::args::Common;
use crate::commands::history::find_spec;
use crate::document::Document;
use crate::exit::Exit;
use crate::terminal;

/// Starts gdb, and waits for its end.
pub fn run(file: &ReplayFile, common: &Common) -> Exit {
    if common.json {
        return Document::of(CommandName::Replay, common).refuse(
            "",
            "--gdb and --json exclude each other",
            Exit::Usage,
        );
    }
    let meter = Meter::start(terminal::limits(common, None, &terminal::cancel_on_interrupt()));
    let session = match session(file, find_spec, &meter) {
        Ok(session) => session,
        Err(refusal) => return refuse(Document::of(CommandName::Replay, common), &file.source, refusal),
    };
    println!(
        "{}   {} at {}: gdb stops at {} steps, `continue` goes on to the next",
        file.source, file.scenario, file.level, session.stops
    );
    let status =
        Command::new("gdb").arg("-q").arg("-x").arg(&session.commands).arg(&session.program).status();
    match status {
        Ok(_) => Exit::Expected,
        Err(e) => {
            let why = format!("gdb cannot be started: {e}");
            Document::of(CommandName::Replay, common).refuse("", &why, Exit::Input)
        }
    }
}
