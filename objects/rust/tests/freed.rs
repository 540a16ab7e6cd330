//! Treiber's stack with a `pop` that frees the node at once.
use objects::freed::Stack;

trueline::object! {
    spec: "stack",
    new: Stack::default(),
    fn push(stack, value: i64) { stack.push(value) }
    fn pop(stack) -> Option<i64> { stack.pop() }
}
