//! A queue with a mutex and a condition variable, at which consumers wait.
use objects::locked::Queue;

trueline::object! {
    new: Queue::default(),
    fn enq(queue, value: i64) { queue.enq(value) }
    fn deq(queue) -> i64 { queue.deq() }
}
