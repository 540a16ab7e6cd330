//! A queue with a mutex.
use objects::locked::Queue;

trueline::object! {
    spec: "queue",
    new: Queue::default(),
    fn enq(queue, value: i64) { queue.enq(value) }
    fn deq(queue) -> Option<i64> { queue.try_deq() }
}
