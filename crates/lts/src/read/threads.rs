//! Scanning in several threads.
//!
//! One thread reads blocks of lines and hands them to the others in turn; what they find is
//! collected in the order of the input, where labels get their numbers.
//! Invariant: what is read and every fault are those of one thread. Oracle: one thread, in
//! `tests/all/jobs.rs`.

use super::error::{ReadError, ReadFault};
use super::lines::{Block, Lines, Taken};
use super::scan::{Scanner, Sink};
use super::{Collector, Step, label};
use crate::labels::Labels;
use crate::system::LabelId;
use std::collections::VecDeque;
use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;

/// For each thread so many blocks may be under way.
const UNDER_WAY: usize = 3;
/// More threads would wait for the one that collects.
const MOST: usize = 4;

/// Collects all transitions, found by so many threads besides this one.
pub(super) fn scan<R: Read>(
    lines: &mut Lines<R>,
    collector: &mut Collector<'_>,
    threads: usize,
) -> Result<(), ReadError> {
    let threads = threads.min(MOST);
    std::thread::scope(|scope| {
        let mut workers: Vec<Worker> = (0..threads).map(|_| Worker::start(scope, collector)).collect();
        let mut under_way: VecDeque<usize> = VecDeque::new();
        let mut turns = (0..threads).cycle();
        let mut spare: Vec<Job> = Vec::new();
        let mut end = None;
        loop {
            // An input that keeps us waiting must not keep a fault waiting that was found before.
            let most = |lines: &Lines<R>| if lines.plenty() { UNDER_WAY * threads } else { 1 };
            while end.is_none() && under_way.len() < most(lines) {
                let mut job = spare.pop().unwrap_or_default();
                let number = lines.number();
                match lines.take_block(job.block) {
                    Ok(Some(block)) => {
                        job.block = block;
                        under_way.extend(turns.next().filter(|&turn| workers[turn].jobs.send(job).is_ok()));
                    }
                    Ok(None) => end = Some(Ok(())),
                    Err(e) => end = Some(Err(ReadError { line: e.line - number, ..e })),
                }
            }
            let Some(turn) = under_way.pop_front() else { break };
            // A worker that is gone has panicked, which ends the scope.
            let Ok(job) = workers[turn].done.recv() else { break };
            workers[turn].bytes = job.bytes;
            collector.beside = workers.iter().map(|worker| worker.bytes).sum();
            let read = job.collect(&mut workers[turn].labels, lines.number(), collector)?;
            lines.count(read);
            spare.push(job);
        }
        end.unwrap_or(Ok(())).map_err(|e| ReadError { line: e.line + lines.number(), ..e })
    })
}

/// A block of lines and what stands in it.
#[derive(Default)]
struct Job {
    block: Taken,
    /// With the labels of the worker.
    steps: Vec<Step>,
    /// Labels that the worker had not met before.
    names: Vec<Box<str>>,
    /// What the labels of the worker take.
    bytes: u64,
    lines: u64,
    /// Behind the steps; its line is counted from the start of the block.
    fault: Option<ReadError>,
}

impl Job {
    /// Collects the steps; `labels` are those of the worker, by its numbers. Says how many lines
    /// there are.
    fn collect(
        &self,
        labels: &mut Vec<LabelId>,
        before: u64,
        collector: &mut Collector<'_>,
    ) -> Result<u64, ReadError> {
        labels.extend(self.names.iter().map(|name| collector.label(name)));
        for (i, step) in self.steps.iter().enumerate() {
            let step = Step { label: labels[step.label.index()], ..*step };
            let at = |fault| ReadError { line: before + self.line_of(i), column: 1, fault };
            collector.add(step).map_err(at)?;
        }
        match &self.fault {
            None => Ok(self.lines),
            Some(fault) => Err(ReadError { line: before + fault.line, ..fault.clone() }),
        }
    }

    /// The line of a step, from 1.
    fn line_of(&self, step: usize) -> u64 {
        let lines = self.block.text().split(|&byte| byte == b'\n');
        let mut with_steps = (1..).zip(lines).filter(|(_, line)| !line.trim_ascii().is_empty());
        with_steps.nth(step).map_or(1, |(number, _)| number)
    }
}

/// The ends of the channels of a thread, and the numbers that its labels have here.
struct Worker {
    jobs: Sender<Job>,
    done: Receiver<Job>,
    labels: Vec<LabelId>,
    /// What its own labels take.
    bytes: u64,
}

impl Worker {
    fn start<'scope, 'a: 'scope>(scope: &'scope Scope<'scope, '_>, collector: &Collector<'a>) -> Worker {
        let (jobs, to_do) = channel();
        let (send, done) = channel();
        let (scanner, tau) = (Scanner::new(collector.header), collector.tau);
        scope.spawn(move || work(scanner, tau, &to_do, &send));
        Worker { jobs, done, labels: vec![LabelId::TAU], bytes: 0 }
    }
}

/// Scans blocks until there are no more or nobody listens.
fn work(mut scanner: Scanner, tau: &[String], jobs: &Receiver<Job>, done: &Sender<Job>) {
    let mut labels = Labels::new();
    for mut job in jobs {
        let known = labels.len();
        job.steps.clear();
        let block = Block { text: job.block.text(), before: 0 };
        let mut found = Found { tau, labels: &mut labels, steps: &mut job.steps };
        (job.lines, job.fault) = match scanner.scan(block, &mut found) {
            Ok(lines) => (lines, None),
            Err(fault) => (0, Some(fault)),
        };
        job.names = labels.iter().skip(known).map(|(_, name)| name.into()).collect();
        job.bytes = labels.bytes();
        if done.send(job).is_err() {
            return;
        }
    }
}

struct Found<'a> {
    tau: &'a [String],
    labels: &'a mut Labels,
    steps: &'a mut Vec<Step>,
}

impl Sink for Found<'_> {
    fn label(&mut self, name: &str) -> LabelId {
        label(name, self.tau, self.labels)
    }

    #[inline]
    fn add(&mut self, step: Step) -> Result<(), ReadFault> {
        self.steps.push(step);
        Ok(())
    }
}
