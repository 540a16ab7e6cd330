//! Tests `crossbeam_queue::SegQueue` with real threads: record, then check.
//!
//! `cargo run -p trueline-history --example segqueue`

use crossbeam_queue::SegQueue;
use trueline_base::{Limits, Meter, Silent};
use trueline_history::recorder::Recording;
use trueline_history::spec::{Container, Discipline};
use trueline_history::{Options, Verdict, check};

fn main() {
    let queue = SegQueue::new();
    let recording = Recording::new();
    std::thread::scope(|threads| {
        for thread in 0..4u64 {
            let (queue, mut recorder) = (&queue, recording.recorder());
            threads.spawn(move || {
                for i in 0..5_000 {
                    // Distinct values let the queue monitor decide in near-linear time.
                    let value = thread * 1_000_000 + i;
                    recorder.record("enq", value, || queue.push(value));
                    recorder.record("deq", (), || queue.pop());
                }
            });
        }
    });
    let history = recording.finish();
    let spec = Container::new(Discipline::Fifo);
    let meter = Meter::start(Limits::default());
    let report =
        check(&spec, &history, &Options::default(), &meter, &mut Silent).expect("a queue's operations");
    let (engine, _) = report.engines[0];
    println!(
        "SegQueue: {} linearizable ({} operations, at most {} open at once, {})",
        report.verdict.word(),
        report.operations,
        history.concurrency(),
        engine.name()
    );
    assert!(matches!(report.verdict, Verdict::Holds { .. }));
}
