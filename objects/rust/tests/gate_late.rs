//! A gate whose waiter looks before it tells who it is.
use objects::gate::Gate;

trueline::object! {
    new: Gate::late(),
    fn open(gate) { gate.open() }
    fn pass(gate) { gate.pass() }
}
