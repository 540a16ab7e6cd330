//! `trueline history convert LOG --to FORMAT`

use std::fs::File;
use std::io::{BufWriter, Write, stdout};

use trueline_history::write::{WriteError, write};

use super::{ConvertArgs, read_log};
use crate::exit::Exit;

/// Writes a history in another format.
pub(super) fn run(args: &ConvertArgs) -> Exit {
    match convert(args) {
        Ok(()) => Exit::Expected,
        Err(message) => {
            eprintln!("error: {message}");
            Exit::Input
        }
    }
}

fn convert(args: &ConvertArgs) -> Result<(), String> {
    let reading = read_log(&args.log, &args.read, None)?;
    let spec = args.read.spec.as_deref().or(reading.spec.as_deref());
    // Everything is written before the file is touched: a history that cannot be expressed leaves none behind.
    let mut out = Vec::new();
    write(&reading.history, args.to, spec, &mut out)
        .map_err(|e: WriteError| format!("{}: {e}", args.log.display()))?;
    let written = match &args.output {
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
    })
}
