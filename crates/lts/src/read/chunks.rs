//! Aldebaran text read by several threads: each takes some lines, one puts the results in order.
//!
//! Invariant: transitions, label numbers and the first fault are those of reading line by line,
//! whatever the number of threads.

use super::error::{Fault, ReadError};
use super::lines::{Block, Lines, too_long};
use super::scan::{Scanner, Sink};
use super::{Collector, Header, Options, Step, label};
use crate::labels::Labels;
use crate::system::LabelId;
use std::io::Read;

const CHUNK: usize = 1 << 20;

/// What stands in a chunk, up to the first fault.
struct Parsed<'a> {
    tau: &'a [String],
    /// Labels with numbers of their own, by first occurrence.
    labels: Labels,
    steps: Vec<Step>,
    fault: Option<ReadError>,
}

impl Sink for Parsed<'_> {
    fn label(&mut self, name: &str) -> LabelId {
        label(&mut self.labels, self.tau, name)
    }

    fn add(&mut self, step: Step) -> Result<(), Fault> {
        self.steps.push(step);
        Ok(())
    }
}

/// Whole lines and how many stand before them.
struct Chunk {
    text: Vec<u8>,
    before: u64,
}

impl Chunk {
    fn block(&self) -> Block<'_> {
        Block { text: &self.text, before: self.before }
    }
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
            match lines.block(CHUNK) {
                Ok(Some(block)) => chunks.push(Chunk { text: block.text.to_vec(), before: block.before }),
                Ok(None) => break,
                Err(error) => failed = Some(error),
            }
        }
        let Some((first, others)) = chunks.split_first() else { return failed.map_or(Ok(()), Err) };
        let parsed = std::thread::scope(|scope| {
            let spawned: Vec<_> =
                others.iter().map(|chunk| scope.spawn(move || parse(chunk, header, options))).collect();
            let mut all = vec![parse(first, header, options)];
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

fn parse<'a>(chunk: &Chunk, header: Header, options: &'a Options) -> Parsed<'a> {
    let mut parsed = Parsed { tau: &options.tau, labels: Labels::new(), steps: Vec::new(), fault: None };
    parsed.fault = Scanner::new(header).scan(chunk.block(), &mut parsed).err();
    parsed
}

fn collect(chunk: &Chunk, parsed: Parsed<'_>, collector: &mut Collector<'_>) -> Result<(), ReadError> {
    let labels = &mut collector.builder.labels;
    let map: Vec<LabelId> = parsed.labels.iter().map(|(id, name)| labels.join(id, name)).collect();
    for (i, step) in parsed.steps.into_iter().enumerate() {
        let label = map[step.label.index()];
        if let Err(fault) = collector.add(Step { label, ..step }) {
            let mut lines = chunk.block().lines();
            let mut steps = lines
                .by_ref()
                .filter(|(_, line)| !line.trim_ascii().is_empty() || too_long(line.len()).is_some());
            let line = steps.nth(i).map_or(chunk.before, |(number, _)| number);
            return Err(ReadError { line, column: 1, fault });
        }
    }
    parsed.fault.map_or(Ok(()), Err)
}
