//! The queue of Michael and Scott, with hazard pointers.
use objects::ms_queue::Queue;

trueline::object! {
    spec: "queue",
    new: Queue::default(),
    fn enq(queue, value: i64) { queue.enq(value) }
    fn deq(queue) -> Option<i64> { queue.deq() }
}
