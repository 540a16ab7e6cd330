//! A queue whose removal looks at the front and takes it in two steps. A barrier between the steps makes two
//! threads look at the same element, so every run fails, and says why.
//!
//! `cargo run -p trueline-history --example planted_bug`

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Barrier, Mutex};

use trueline_base::{Limits, Meter, Silent};
use trueline_history::recorder::Recording;
use trueline_history::spec::{Container, Discipline};
use trueline_history::{Failure, History, Options, Verdict, check};

struct Queue {
    items: Mutex<VecDeque<i64>>,
    between: Barrier,
}

impl Queue {
    fn enq(&self, value: i64) {
        self.items.lock().unwrap().push_back(value);
    }

    fn deq(&self) -> Option<i64> {
        let front = self.items.lock().unwrap().front().copied();
        self.between.wait();
        self.items.lock().unwrap().pop_front();
        front
    }
}

/// What three threads did.
pub fn record() -> History {
    let queue = Queue { items: Mutex::default(), between: Barrier::new(2) };
    let recording = Recording::new();
    let mut first = recording.recorder();
    for value in [1, 2] {
        first.record("enq", value, || queue.enq(value));
    }
    drop(first);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            let (queue, mut recorder) = (&queue, recording.recorder());
            threads.spawn(move || recorder.record("deq", (), || queue.deq()));
        }
    });
    recording.finish()
}

/// Why it cannot be explained by a queue.
pub fn judge(history: &History) -> Box<Failure> {
    let spec = Container::new(Discipline::Fifo);
    let meter = Meter::start(Limits::default());
    let report =
        check(&spec, history, &Options::default(), &meter, &mut Silent).expect("a queue's operations");
    match report.verdict {
        Verdict::Fails(failure) => failure,
        other => panic!("the bug was not found: {other:?}"),
    }
}

/// The failure in words.
pub fn tell(history: &History, failure: &Failure) -> String {
    let mut text = format!("FAILS  linearizable   queue\n\n  {}\n\n", failure.sentence);
    for reason in &failure.reasons {
        let op = history.op(reason.operation);
        let _ =
            writeln!(text, "  thread {}  {:<12} {}", op.process, history.show(reason.operation), reason.text);
    }
    for partial in &failure.partials {
        let order: Vec<String> = partial.order.iter().map(|id| history.show(*id)).collect();
        let expected = partial.expected.as_deref().unwrap_or("cannot follow");
        let _ =
            writeln!(text, "\n  after {}: {} {expected}", order.join("; "), history.show(partial.blocked));
    }
    text
}

#[allow(dead_code, reason = "a test runs the parts")]
fn main() {
    let history = record();
    print!("{}", tell(&history, &judge(&history)));
}
