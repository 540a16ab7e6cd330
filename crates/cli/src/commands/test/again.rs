//! `trueline replay` of a trace of real code.

use serde_json::json;
use trueline_base::Meter;
use trueline_report::render_trace;
use trueline_run::replay::{Again, ReplayFile, replay};

use super::refuse;
use crate::args::Common;
use crate::commands::check::style;
use crate::commands::history::find_spec;
use crate::document::Document;
use crate::exit::Exit;
use crate::terminal;

/// Plays a trace again.
pub fn replay_again(file: &ReplayFile, common: &Common) -> Exit {
    let meter = Meter::start(terminal::limits(common, None, &terminal::cancel_on_interrupt()));
    let (fails, why, story) = match replay(file, find_spec, &meter) {
        Ok(Again::Fails(trace)) => (true, None, Some(trace)),
        Ok(Again::Passes(how)) => (false, Some(how), None),
        Ok(Again::Departs(how)) => {
            let message = format!("{}: the code no longer makes these steps: {how}", file.source);
            return Document::of("replay", common).refuse(&file.source, &message, Exit::Input);
        }
        Err(refusal) => return refuse("replay", &file.source, refusal, common),
    };
    if common.json {
        let shown = json!({ "fails": fails, "file": file.source, "why": why, "story": story });
        Document::of("replay", common).print(shown, &[]);
    } else if let Some(trace) = &story {
        let word = file.failure.replace('_', " ");
        println!("FAILS  {word}   {}   {} at {}\n", file.source, file.scenario, file.level);
        print!("{}", render_trace(trace, &style(common)));
    } else {
        println!("this execution no longer fails: {}", why.unwrap_or_default());
        println!("next   trueline test {}", file.source);
    }
    if fails { Exit::Unexpected } else { Exit::Expected }
}
