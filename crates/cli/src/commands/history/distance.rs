//! `trueline history distance LOG`

use trueline_base::Meter;
use trueline_history::check::Distance;
use trueline_report::document::{CommandName, Done};

use super::{DistanceArgs, Wanted, located, read_log, wanted};
use crate::args::Common;
use crate::document::{self, Document};
use crate::exit::Exit;
use crate::terminal;

/// Finds the smallest factor.
pub(super) fn run(args: &DistanceArgs, common: &Common) -> Exit {
    let cancel = terminal::cancel_on_interrupt();
    let limits = terminal::limits(common, None, &cancel);
    let document = Document::of(CommandName::HistoryDistance, common);
    let fail = |message: String, exit: Exit| document.refuse("", &message, exit);
    let reading = match read_log(&args.log, &args.read, limits.memory) {
        Ok(reading) => reading,
        Err(message) => return fail(message, Exit::Input),
    };
    let (spec, name) = match wanted(&args.read, reading.spec.as_deref(), Some(&reading.history)) {
        Ok(Wanted::Native(name)) => (Wanted::Native(name.clone()), name),
        Ok(Wanted::Model(_)) => return fail("distance is not for .tl specifications".into(), Exit::Usage),
        Err((message, exit)) => return fail(message, exit),
    };
    let mut progress = terminal::ProgressLine::new(args.log.display().to_string(), common, limits.memory);
    let meter = Meter::start(limits);
    let asked = match spec.asked() {
        Ok(asked) => asked,
        Err((message, exit)) => return fail(message, exit),
    };
    let history = match asked.expanded(&reading.history) {
        Ok(series) => series.unwrap_or(reading.history),
        Err(problem) => return fail(located(&args.log, &problem), Exit::Input),
    };
    let found = match asked.distance(&history, args.operation.as_deref(), &meter, &mut progress) {
        Err(problem) => return fail(located(&args.log, &problem), Exit::Input),
        Ok(found) => found,
    };
    progress.clear();
    let what = args.operation.as_ref().map_or("quasi=".to_string(), |o| format!("quasi={o}:"));
    let (exit, sentence, least, at_least) = match found {
        Distance::Exactly(k) => {
            (Exit::Expected, format!("{what}{k} holds, and no smaller factor does"), Some(k), Some(k))
        }
        Distance::Never => (
            Exit::Unexpected,
            "no factor helps: no order of these operations is legal".to_string(),
            None,
            None,
        ),
        Distance::AtLeast(k, stop) => (
            Exit::Unknown,
            format!("{what}{k} is not decided, {stop}; no smaller factor holds"),
            None,
            Some(k),
        ),
    };
    if common.json {
        let (file, operation) = (args.log.display().to_string(), args.operation.clone());
        let done = Done::HistoryDistance { file, spec: name, operation, distance: least, at_least, sentence };
        document::print(done, Vec::new());
    } else {
        println!("{}: {sentence}", args.log.display());
    }
    exit
}
