//! crossbeam's unbounded queue.
trueline::object! {
    spec: "queue",
    new: crossbeam_queue::SegQueue::<i64>::new(),
    fn enq(queue, value: i64) { queue.push(value) }
    fn deq(queue) -> Option<i64> { queue.pop() }
}
