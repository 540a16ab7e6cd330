//! Explores Treiber's stack and the queue of Michael and Scott with loom or shuttle, for `cargo xtask bench real`.
//!
//! `loom treiber 2x2 60` runs two threads of two operations for at most 60 s, and prints the number of executions, CPU
//! seconds, and whether that was all. Threads call `push; pop` or `enq; deq`, as the scenarios of the benchmark do; 3x1
//! are two that put something in and one that takes something out. The objects are those of `objects/rust`, but that
//! nodes are never freed.

/// The two objects over the atomics of a tool.
macro_rules! objects {
    ($name:ident, $tool:ident) => {
        mod $name {
            use std::ptr::null_mut;
            use $tool::sync::Arc;
            use $tool::sync::atomic::{AtomicPtr, Ordering::SeqCst};
            use $tool::thread;

            /// What the tests call.
            pub trait Object: Send + Sync + 'static {
                fn new() -> Self;
                fn put(&self, value: i64);
                fn take(&self) -> Option<i64>;
            }

            struct Below {
                value: i64,
                next: *mut Below,
            }

            /// Treiber's stack.
            pub struct Stack {
                top: AtomicPtr<Below>,
            }

            impl Object for Stack {
                fn new() -> Stack {
                    Stack { top: AtomicPtr::new(null_mut()) }
                }

                fn put(&self, value: i64) {
                    let node = Box::into_raw(Box::new(Below { value, next: null_mut() }));
                    loop {
                        let top = self.top.load(SeqCst);
                        // SAFETY: nobody else knows the node yet.
                        unsafe { (*node).next = top };
                        if self.top.compare_exchange(top, node, SeqCst, SeqCst).is_ok() {
                            return;
                        }
                    }
                }

                fn take(&self) -> Option<i64> {
                    loop {
                        let top = self.top.load(SeqCst);
                        if top.is_null() {
                            return None;
                        }
                        // SAFETY: nodes are never freed, and do not change once they are on the stack.
                        let (next, value) = unsafe { ((*top).next, (*top).value) };
                        if self.top.compare_exchange(top, next, SeqCst, SeqCst).is_ok() {
                            return Some(value);
                        }
                    }
                }
            }

            struct Node {
                value: i64,
                next: AtomicPtr<Node>,
            }

            /// The queue of Michael and Scott.
            pub struct Queue {
                head: AtomicPtr<Node>,
                tail: AtomicPtr<Node>,
            }

            fn node(value: i64) -> *mut Node {
                Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(null_mut()) }))
            }

            impl Object for Queue {
                fn new() -> Queue {
                    let dummy = node(0);
                    Queue { head: AtomicPtr::new(dummy), tail: AtomicPtr::new(dummy) }
                }

                fn put(&self, value: i64) {
                    let node = node(value);
                    loop {
                        let last = self.tail.load(SeqCst);
                        // SAFETY: nodes are never freed.
                        let next = unsafe { (*last).next.load(SeqCst) };
                        if self.tail.load(SeqCst) != last {
                            continue;
                        }
                        if next.is_null() {
                            // SAFETY: as above.
                            let linked = unsafe { (*last).next.compare_exchange(next, node, SeqCst, SeqCst) };
                            if linked.is_ok() {
                                let _ = self.tail.compare_exchange(last, node, SeqCst, SeqCst);
                                return;
                            }
                        } else {
                            let _ = self.tail.compare_exchange(last, next, SeqCst, SeqCst);
                        }
                    }
                }

                fn take(&self) -> Option<i64> {
                    loop {
                        let first = self.head.load(SeqCst);
                        let last = self.tail.load(SeqCst);
                        // SAFETY: nodes are never freed.
                        let next = unsafe { (*first).next.load(SeqCst) };
                        if self.head.load(SeqCst) != first {
                            continue;
                        }
                        if first == last {
                            if next.is_null() {
                                return None;
                            }
                            let _ = self.tail.compare_exchange(last, next, SeqCst, SeqCst);
                        } else {
                            // SAFETY: as above; `next` is not null, since `first` is not the last.
                            let value = unsafe { (*next).value };
                            if self.head.compare_exchange(first, next, SeqCst, SeqCst).is_ok() {
                                return Some(value);
                            }
                        }
                    }
                }
            }

            /// One execution of a test.
            pub fn run<T: Object>(test: &str) {
                let object = Arc::new(T::new());
                let threads: Vec<_> = (1..=if test.starts_with('3') { 3 } else { 2 })
                    .map(|me| {
                        let (object, both) = (object.clone(), test.ends_with('2'));
                        thread::spawn(move || {
                            if both || me < 3 {
                                object.put(me);
                            }
                            if both || me == 3 {
                                object.take();
                            }
                        })
                    })
                    .collect();
                for thread in threads {
                    thread.join().expect("no operation panics");
                }
            }
        }
    };
}

objects!(on_loom, loom);
objects!(on_shuttle, shuttle);

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// CPU seconds of this process.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = rest.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [tool, object, test, seconds] = &words[..] else {
        eprintln!("usage: loom|shuttle treiber|ms 2x2|3x1|3x2 SECONDS");
        std::process::exit(64);
    };
    let limit = Duration::from_secs(seconds.parse().unwrap_or(60));
    let count = Arc::new(AtomicU64::new(0));
    let (counted, test, stack) = (count.clone(), test.clone(), object == "treiber");
    let (start, before) = (Instant::now(), cpu());
    if tool == "loom" {
        let mut model = loom::model::Builder::new();
        (model.max_duration, model.max_branches) = (Some(limit), 100_000);
        model.check(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            if stack { on_loom::run::<on_loom::Stack>(&test) } else { on_loom::run::<on_loom::Queue>(&test) }
        });
    } else {
        let mut config = shuttle::Config::new();
        config.max_time = Some(limit);
        let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
        shuttle::Runner::new(scheduler, config).run(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            if stack {
                on_shuttle::run::<on_shuttle::Stack>(&test)
            } else {
                on_shuttle::run::<on_shuttle::Queue>(&test)
            }
        });
    }
    let all = start.elapsed() < limit;
    println!("{} {:.3} {all}", count.load(Ordering::Relaxed), cpu() - before);
}
