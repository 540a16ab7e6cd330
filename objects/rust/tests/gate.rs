//! A gate with `park` and `unpark`.
use objects::gate::Gate;

trueline::object! {
    new: Gate::default(),
    fn open(gate) { gate.open() }
    fn pass(gate) { gate.pass() }
}
