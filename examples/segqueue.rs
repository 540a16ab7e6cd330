//! Tests `crossbeam_queue::SegQueue` with real threads: record, check, get the verdict as data.
//!
//! The first operations of every round meet at a barrier, so that all threads are in the queue at the same time, and
//! others give the processor away in their middle, so that they overlap even on a machine with one core.
//!
//! `cargo run -p trueline-history --example segqueue`

use std::sync::Barrier;

use crossbeam_queue::SegQueue;
use trueline_base::{Limits, Meter, Silent};
use trueline_history::recorder::Recording;
use trueline_history::spec::{Container, Discipline};
use trueline_history::{History, Options, Report, check};

const THREADS: u64 = 4;
const ROUNDS: u64 = 500;
/// Operations of a thread in a round.
const OPERATIONS: u64 = 6;

/// What the threads did.
pub fn record() -> History {
    let queue = SegQueue::new();
    let recording = Recording::new();
    let round_starts = Barrier::new(THREADS as usize);
    std::thread::scope(|threads| {
        for thread in 0..THREADS {
            let (queue, round_starts) = (&queue, &round_starts);
            let mut recorder = recording.recorder_for((ROUNDS * OPERATIONS) as usize);
            threads.spawn(move || {
                for round in 0..ROUNDS {
                    for i in 0..OPERATIONS / 2 {
                        // Distinct values let the queue monitor decide in near-linear time.
                        let value = (thread * ROUNDS + round) * OPERATIONS + i;
                        let pause = |now: bool| now.then(std::thread::yield_now);
                        recorder.record("enq", value, || {
                            if i == 0 {
                                round_starts.wait();
                            }
                            pause((thread + round + i) % 3 == 0);
                            queue.push(value);
                            pause((thread + round + i) % 3 == 1);
                        });
                        recorder.record("deq", (), || {
                            pause((thread + i) % 2 == 0);
                            let taken = queue.pop();
                            pause((thread + i) % 2 == 1);
                            taken
                        });
                    }
                }
            });
        }
    });
    recording.finish()
}

/// Whether it can be explained by a queue.
pub fn judge(history: &History) -> Report {
    let meter = Meter::start(Limits::default());
    let queue = Container::new(Discipline::Fifo);
    check(&queue, history, &Options::default(), &meter, &mut Silent).expect("a queue's operations")
}

/// How many operations overlap another. Without overlaps a test of a concurrent object says little.
pub fn overlapping(history: &History) -> usize {
    // The operations are in the order of their calls. One overlaps an earlier one that is still open at its call,
    // or a later one that is called before its return.
    let mut latest = None;
    let mut count = 0;
    for (i, op) in history.ops.iter().enumerate() {
        let earlier = latest.is_some_and(|ret| op.call < ret);
        let later = history.ops.get(i + 1).is_some_and(|next| next.call < op.ret);
        count += usize::from(earlier || later);
        latest = latest.max(Some(op.ret));
    }
    count
}

#[allow(dead_code, reason = "a test runs the parts")]
fn main() {
    let history = record();
    let report = judge(&history);
    let (engine, _) = report.engines[0];
    println!(
        "SegQueue: {} linearizable, decided by the {}\n{} operations, {} of them overlapping others, at most {} open at once",
        report.verdict.word(),
        engine.name(),
        report.operations,
        overlapping(&history),
        history.concurrency(),
    );
    assert!(report.verdict.holds());
}
