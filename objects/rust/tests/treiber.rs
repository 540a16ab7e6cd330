//! Treiber's stack.
use objects::treiber::Stack;

trueline::object! {
    spec: "stack",
    new: Stack::default(),
    fn push(stack, value: i64) { stack.push(value) }
    fn pop(stack) -> Option<i64> { stack.pop() }
}
