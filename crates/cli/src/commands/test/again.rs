//! `trueline replay` of a trace of real code.

use trueline_base::Meter;
use trueline_report::document::{CommandName, Done, ReplayOutcome, Replayed};
use trueline_report::render_trace;
use trueline_run::replay::{Again, ReplayFile, replay};

use super::refuse;
use crate::args::Common;
use crate::commands::check::style;
use crate::commands::history::find_spec;
use crate::document::{self, Document};
use crate::exit::Exit;
use crate::terminal;

/// Plays a trace again.
pub fn replay_again(file: &ReplayFile, common: &Common) -> Exit {
    let meter = Meter::start(terminal::limits(common, None, &terminal::cancel_on_interrupt()));
    let outcome = match replay(file, find_spec, &meter) {
        Ok(Again::Fails(trace)) => ReplayOutcome::fails(*trace),
        Ok(Again::Passes(how)) => ReplayOutcome::passes(how),
        Ok(Again::Departs(how)) => {
            let message = format!("{}: the code no longer makes these steps: {how}", file.source);
            return Document::of(CommandName::Replay, common).refuse(&file.source, &message, Exit::Input);
        }
        Err(refusal) => return refuse(Document::of(CommandName::Replay, common), &file.source, refusal),
    };
    let exit = match &outcome {
        ReplayOutcome::Fails { .. } => Exit::Unexpected,
        ReplayOutcome::Passes { .. } => Exit::Expected,
    };
    match outcome {
        outcome if common.json => {
            let told = Replayed::Code { file: file.source.clone(), outcome };
            document::print(Done::Replay(told), Vec::new());
        }
        ReplayOutcome::Fails { story, .. } => {
            let word = file.failure.word().replace('_', " ");
            println!("FAILS  {word}   {}   {} at {}\n", file.source, file.scenario, file.level);
            print!("{}", render_trace(&story, &style(common)));
        }
        ReplayOutcome::Passes { why, .. } => {
            println!("this execution no longer fails: {why}");
            println!("next   trueline test {}", file.source);
        }
    }
    exit
}
