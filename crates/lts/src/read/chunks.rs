//! Aldebaran text read by several threads: each takes some lines, one puts the results in order.
//!
//! Invariant: transitions, label numbers and the first fault are those of reading line by line,
//! whatever the number of threads.

use super::error::{Fault, ReadError};
use super::lines::{Chunk, Lines, too_long};
use super::{Collector, Header, Options, aut, label};
use crate::labels::Labels;
use crate::system::{LabelId, StateId};
use std::io::Read;

/// What stands in a chunk, up to the first fault.
struct Parsed {
    /// Labels with numbers of their own, by first occurrence.
    labels: Labels,
    transitions: Vec<(StateId, LabelId, StateId)>,
    fault: Option<ReadError>,
}

/// Reads the lines after the header with so many threads.
pub(super) fn read<R: Read>(
    lines: &mut Lines<R>,
    header: Header,
    options: &Options,
    jobs: usize,
    collector: &mut Collector<'_>,
) -> Result<(), ReadError> {
    loop {
        let mut chunks = Vec::new();
        let mut failed = None;
        while chunks.len() < jobs && failed.is_none() {
            match lines.chunk() {
                Ok(Some(chunk)) => chunks.push(chunk),
                Ok(None) => break,
                Err(error) => failed = Some(error),
            }
        }
        let Some((first, others)) = chunks.split_first() else { return failed.map_or(Ok(()), Err) };
        let parsed = std::thread::scope(|scope| {
            let spawned: Vec<_> =
                others.iter().map(|chunk| scope.spawn(move || parse(chunk, &header, options))).collect();
            let mut all = vec![parse(first, &header, options)];
            all.extend(spawned.into_iter().map(|thread| match thread.join() {
                Ok(parsed) => parsed,
                Err(panic) => std::panic::resume_unwind(panic),
            }));
            all
        });
        for (chunk, parsed) in chunks.iter().zip(parsed) {
            collect(chunk, parsed, collector)?;
        }
        if let Some(error) = failed {
            return Err(error);
        }
    }
}

/// The lines of a chunk that are not blank, with their numbers.
fn numbered(chunk: &Chunk) -> impl Iterator<Item = (u64, &[u8])> {
    let text = chunk.text.strip_suffix(b"\n").unwrap_or(&chunk.text);
    let mut rest = Some(text);
    let lines = std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr(b'\n', text);
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    });
    (chunk.before + 1..)
        .zip(lines)
        .filter(|(_, line)| !line.trim_ascii().is_empty() || too_long(line.len()).is_some())
}

fn parse(chunk: &Chunk, header: &Header, options: &Options) -> Parsed {
    let mut parsed = Parsed { labels: Labels::new(), transitions: Vec::new(), fault: None };
    for (number, line) in numbered(chunk) {
        let step = match too_long(line.len()) {
            Some(column) => Err((column, Fault::LongLabel)),
            None => aut::transition(line.strip_suffix(b"\r").unwrap_or(line), header),
        };
        match step {
            Ok(step) => {
                let label = label(&mut parsed.labels, &options.tau, step.label);
                parsed.transitions.push((step.source, label, step.target));
            }
            Err((column, fault)) => {
                parsed.fault = Some(ReadError { line: number, column, fault });
                break;
            }
        }
    }
    parsed
}

fn collect(chunk: &Chunk, parsed: Parsed, collector: &mut Collector<'_>) -> Result<(), ReadError> {
    let labels = &mut collector.builder.labels;
    let map: Vec<LabelId> = parsed.labels.iter().map(|(id, name)| labels.join(id, name)).collect();
    for (i, (source, label, target)) in parsed.transitions.into_iter().enumerate() {
        if let Err(fault) = collector.add(source, map[label.index()], target) {
            let line = numbered(chunk).nth(i).map_or(chunk.before, |(number, _)| number);
            return Err(ReadError { line, column: 1, fault });
        }
    }
    parsed.fault.map_or(Ok(()), Err)
}
