//! A queue over an array that loses values.
use objects::bounded::Queue;

trueline::object! {
    new: Queue::default(),
    fn enq(queue, value: i64) -> bool { queue.enq(value) }
    fn deq(queue) -> Option<i64> { queue.deq() }
}
