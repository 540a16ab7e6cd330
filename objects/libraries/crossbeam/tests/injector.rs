//! crossbeam's queue that work is stolen from.
use crossbeam_deque::{Injector, Steal};

trueline::object! {
    spec: "queue",
    new: Injector::<i64>::new(),
    fn enq(queue, value: i64) { queue.push(value) }
    fn deq(queue) -> Option<i64> {
        loop {
            match queue.steal() {
                Steal::Success(value) => break Some(value),
                Steal::Empty => break None,
                Steal::Retry => {}
            }
        }
    }
}
