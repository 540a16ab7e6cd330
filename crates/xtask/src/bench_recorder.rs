//! `cargo xtask bench recorder`: what recording an event costs, beside the obvious ways to do it.
//!
//! Every thread records the same number of operations that do nothing, so only the recording is measured. The
//! peers, in the same run: one vector behind a mutex that all threads push into, a vector per thread with
//! time stamps, and a bare time stamp that is thrown away.

use std::process::ExitCode;
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

use trueline_history::Datum;
use trueline_history::recorder::Recording;

/// Operations per thread; each is two events.
const OPERATIONS: usize = 200_000;
/// Runs of each way; the best and the middle one are shown.
const RUNS: usize = 15;

/// The longest that a thread took, when all start at once.
fn measure(threads: usize, work: impl Fn(&Barrier) -> Duration + Sync) -> Duration {
    let barrier = Barrier::new(threads);
    let longest = Mutex::new(Duration::ZERO);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let took = work(&barrier);
                let mut longest = longest.lock().expect("no thread panics");
                *longest = took.max(*longest);
            });
        }
    });
    longest.into_inner().expect("no thread panics")
}

fn timed(barrier: &Barrier, mut each: impl FnMut(i64)) -> Duration {
    barrier.wait();
    let start = Instant::now();
    for i in 0..OPERATIONS as i64 {
        each(i);
    }
    start.elapsed()
}

fn ours(threads: usize) -> Duration {
    let recording = Recording::new();
    let took = measure(threads, |barrier| {
        let mut recorder = recording.recorder_for(OPERATIONS);
        timed(barrier, |i| {
            recorder.call("enq", i);
            recorder.ret(());
        })
    });
    assert_eq!(recording.finish().ops.len(), threads * OPERATIONS);
    took
}

/// What the peers push: what a history needs, as the recorder does.
type Event = (u64, &'static str, Datum);

fn mutex(threads: usize) -> Duration {
    let log: Mutex<Vec<Event>> = Mutex::new(Vec::with_capacity(2 * threads * OPERATIONS));
    let took = measure(threads, |barrier| {
        timed(barrier, |i| {
            log.lock().expect("no thread panics").push((1, "enq", Datum::from(i)));
            log.lock().expect("no thread panics").push((1, "", Datum::Nil));
        })
    });
    assert_eq!(log.lock().expect("no thread panics").len(), 2 * threads * OPERATIONS);
    took
}

fn stamps(threads: usize) -> Duration {
    measure(threads, |barrier| {
        let mut log: Vec<(Instant, Event)> = Vec::with_capacity(2 * OPERATIONS);
        let took = timed(barrier, |i| {
            log.push((Instant::now(), (1, "enq", Datum::from(i))));
            log.push((Instant::now(), (1, "", Datum::Nil)));
        });
        assert_eq!(std::hint::black_box(log).len(), 2 * OPERATIONS);
        took
    })
}

fn bare(threads: usize) -> Duration {
    measure(threads, |barrier| {
        timed(barrier, |_| {
            std::hint::black_box(Instant::now());
            std::hint::black_box(Instant::now());
        })
    })
}

/// Prints the table.
pub fn command() -> ExitCode {
    type Way = (&'static str, fn(usize) -> Duration);
    let ways: [Way; 4] = [
        ("Recorder::call, ret", ours),
        ("Mutex<Vec>", mutex),
        ("Vec and Instant::now()", stamps),
        ("Instant::now() alone", bare),
    ];
    println!("{OPERATIONS} operations per thread, {RUNS} runs; nanoseconds per event of one thread\n");
    println!("{:<24} {:>8} {:>8} {:>8} {:>18}", "", "threads", "best", "middle", "middle / recorder");
    for threads in [1, 2, 4] {
        let mut times = [const { Vec::new() }; 4];
        // The ways take turns, so that a busy machine disturbs all of them alike.
        for _ in 0..RUNS {
            for (list, (_, way)) in times.iter_mut().zip(&ways) {
                list.push(way(threads));
            }
        }
        let per_event = times.map(|mut list| {
            list.sort_unstable();
            [list[0], list[RUNS / 2]].map(|d| d.as_secs_f64() * 1e9 / (2 * OPERATIONS) as f64)
        });
        for ((name, _), [best, middle]) in ways.iter().zip(per_event) {
            println!("{name:<24} {threads:>8} {best:>8.1} {middle:>8.1} {:>18.2}", middle / per_event[0][1]);
        }
    }
    ExitCode::SUCCESS
}
