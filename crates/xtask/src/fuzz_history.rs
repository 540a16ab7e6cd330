//! Fuzzing of the readers of recorded histories: damaged logs give a history or an error with a line, never a panic.
//!
//! The quick readers of plain lines and the full ones must agree, errors included.
//! A log that is read is written as JSON lines and read again, which must give the same history, and is checked
//! under a small limit.

use std::time::Duration;

use trueline_base::{Limits, Meter, Silent};
use trueline_history::Options as CheckOptions;
use trueline_history::check::named;
use trueline_history::generate::{ObjectKind, Plan, history};
use trueline_history::read::{Format, Options, Problem, Reading, read_bytes, read_in_full};
use trueline_history::write::write;

use crate::fuzz::FuzzStage;
use trueline_base::random::Random;

/// Pieces that mean something in some format.
const POOL: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "\\",
    "#",
    "#_",
    ":",
    ";",
    "\n",
    "\t",
    " ",
    ",",
    "-1",
    "0",
    "9223372036854775808",
    "nil",
    ":invoke",
    ":ok",
    ":fail",
    ":info",
    "\"type\"",
    "\"call\"",
    "\"return\"",
    "null",
    "1.5",
    "é",
];

/// A log in a format with some damage.
pub fn damaged(format: Format, random: &mut Random) -> String {
    let object = match format {
        Format::Kv => ObjectKind::Kv,
        Format::Etcd => ObjectKind::Register,
        Format::Fastlin => ObjectKind::Stack,
        _ => *random.pick(&[
            ObjectKind::Queue,
            ObjectKind::Stack,
            ObjectKind::Register,
            ObjectKind::Set,
            ObjectKind::Counter,
        ]),
    };
    let crashes = if matches!(format, Format::Fastlin | Format::Fptlin) { 0 } else { 6 };
    let made = history(&Plan {
        object,
        operations: 1 + random.index(6),
        clients: 1 + random.index(3),
        values: 3,
        crashes,
        spoiled: false,
        seed: random.index(1 << 30) as u64,
    });
    let mut bytes = Vec::new();
    // What a format cannot express is cut off there.
    let _ = write(&made, format, Some("stack"), &mut bytes);
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    for _ in 0..random.index(4) {
        let places: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        let Some(&at) = places.get(random.index(places.len().max(1))) else { break };
        match random.index(6) {
            0 => drop(text.remove(at)),
            1 | 2 => text.insert_str(at, POOL[random.index(POOL.len())]),
            3 => text.truncate(at),
            _ => {
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                let (a, b) = (random.index(lines.len()), random.index(lines.len()));
                if random.index(2) == 0 {
                    lines.swap(a, b)
                } else {
                    lines.insert(a, lines[b])
                }
                text = lines.concat();
            }
        }
    }
    text
}

/// Whether two readers found the same history, or the same mistake on the same line.
fn same_reading(a: &Result<Reading, Problem>, b: &Result<Reading, Problem>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            (a.format, &a.spec, &a.remarks) == (b.format, &b.spec, &b.remarks) && a.history == b.history
        }
        (Err(a), Err(b)) => a == b,
        _ => false,
    }
}

/// Reads one log; an error is a bug.
pub fn try_log(format: Format, input: &str) -> Result<FuzzStage, String> {
    let lines = input.matches('\n').count() as u32 + 1;
    let mut reached = FuzzStage::Text;
    for format in [Some(format), None] {
        for independent in [false, true] {
            let options = Options { format, independent, max_bytes: None };
            let read = read_bytes(input.as_bytes(), &options);
            if !same_reading(&read, &read_in_full(input.as_bytes(), &options)) {
                return Err("the quick readers and the full ones disagree".into());
            }
            let history = match read {
                Ok(reading) => reading.history,
                Err(p) if p.line > lines || p.message.is_empty() => {
                    return Err(format!("no such line: {p:?}"));
                }
                Err(_) => continue,
            };
            reached = FuzzStage::Tree;
            let mut written = Vec::new();
            write(&history.compacted(), Format::Json, None, &mut written).map_err(|e| e.to_string())?;
            let again = read_bytes(&written, &Options { format: Some(Format::Json), ..Options::default() })
                .map_err(|p| format!("what was written is not read: {p}"))?
                .history;
            let same = |a: &trueline_history::History| a.ids().map(|id| a.show(id)).collect::<Vec<_>>();
            if same(&again) != same(&history) {
                return Err("what was written is read as something else".into());
            }
            let limits =
                Limits { time: Some(Duration::from_secs(5)), states: Some(20_000), ..Limits::default() };
            for spec in ["stack", "cas-register", "kv", "set"] {
                let spec = named(spec).map_err(|e| e.to_string())?;
                let meter = Meter::start(limits.clone());
                if spec.check(&history, &CheckOptions::default(), &meter, &mut Silent).is_ok() {
                    reached = FuzzStage::Types;
                }
            }
        }
    }
    Ok(reached)
}
