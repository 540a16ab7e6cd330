//! crossbeam's bounded queue.
trueline::object! {
    new: crossbeam_queue::ArrayQueue::<i64>::new(2),
    fn push(queue, value: i64) -> bool { queue.push(value).is_ok() }
    fn pop(queue) -> Option<i64> { queue.pop() }
}
