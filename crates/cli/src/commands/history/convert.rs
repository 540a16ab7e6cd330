//! `trueline history convert LOG --to FORMAT`

use std::fs::File;
use std::io::{BufWriter, Write, stdout};

use trueline_history::write::{WriteError, write};
use trueline_report::document::{CommandName, Done};

use super::{HistoryConvertArgs, read_log};
use crate::args::Common;
use crate::document::{self, Document};
use crate::exit::Exit;

/// Writes a history in another format.
pub(super) fn run(args: &HistoryConvertArgs, common: &Common) -> Exit {
    let document = Document::of(CommandName::HistoryConvert, common);
    match convert(args, common.json) {
        Ok(text) => {
            if common.json {
                let output = args.output.as_ref().map(|path| path.display().to_string());
                document::print(Done::HistoryConvert { text, output }, Vec::new());
            }
            Exit::Expected
        }
        Err(message) => document.refuse("", &message, Exit::Input),
    }
}

/// Writes the history; gives it instead where it is to be part of a document.
fn convert(args: &HistoryConvertArgs, keep: bool) -> Result<Option<String>, String> {
    let reading = read_log(&args.log, &args.read, None)?;
    let spec = args.read.spec.as_deref().or(reading.spec.as_deref());
    // Everything is written before the file is touched: a history that cannot be expressed leaves none behind.
    let mut out = Vec::new();
    write(&reading.history, args.to, spec, &mut out).map_err(|e: WriteError| {
        let advice = if matches!(e, WriteError::Object(_)) { "; give one with --spec" } else { "" };
        format!("{}: {e}{advice}", args.log.display())
    })?;
    let written = match &args.output {
        None if keep => return Ok(Some(String::from_utf8_lossy(&out).into_owned())),
        None => {
            crate::output::give(stdout().lock().write_all(&out));
            Ok(())
        }
        Some(path) => File::create(path)
            .map(BufWriter::new)
            .and_then(|mut f| f.write_all(&out).and_then(|()| f.flush())),
    };
    written.map_err(|e| match &args.output {
        Some(path) => format!("{}: {e}", path.display()),
        None => e.to_string(),
    })?;
    Ok(None)
}
