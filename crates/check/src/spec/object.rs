//! A specification as a sequential object: states, calls and results by number, each operation run once per state.

use super::code::{SpecCall, SpecState, SpecValue};
use crate::canonical::has_reference;
use crate::machine::run::{Context, Extent, Log, RunEnd};
use crate::machine::state::{State, Thread};
use crate::machine::ways::Ways;
use crate::monitor::Halt;
use hashbrown::HashMap;
use std::rc::Rc;
use trueline_base::verdict::Finding;
use trueline_base::{Interner, Meter, Value, Watch, ids};
use trueline_lang::ir::{Machine, Module, OpId};

ids! {
    /// Arguments of one operation.
    struct ArgumentsId;
}

/// What an operation can do in a state: the states and results, without repetition; empty while it waits.
pub(crate) type Effects = Rc<[(SpecState, SpecValue)]>;

/// A specification for the operations of one machine.
pub(crate) struct SequentialSpec<'m> {
    spec: &'m Module,
    /// The specification's operation for each operation of the machine.
    ops: Vec<OpId>,
    states: Interner<Vec<Value>, SpecState>,
    values: Interner<Value, SpecValue>,
    arguments: Vec<Interner<Vec<Value>, ArgumentsId>>,
    /// Operation of the machine, and arguments of each call, by number.
    calls: Interner<(OpId, ArgumentsId), SpecCall>,
    effects: HashMap<(SpecState, u8, SpecCall), Effects, foldhash::fast::FixedState>,
    effect_bytes: u64,
    threads: usize,
    ways: Ways,
    log: Log,
}

impl<'m> SequentialSpec<'m> {
    /// Pairs the operations by name.
    pub fn new(spec: &'m Module, machine: &Machine) -> SequentialSpec<'m> {
        let find = |name: &str| {
            let found = spec.ops.iter().position(|op| op.name == name);
            OpId(found.unwrap_or_else(|| panic!("{} has no operation {name}", spec.name)) as u16)
        };
        SequentialSpec {
            spec,
            ops: machine.object.ops.iter().map(|op| find(&op.name)).collect(),
            states: Interner::default(),
            values: Interner::default(),
            arguments: machine.object.ops.iter().map(|_| Interner::default()).collect(),
            calls: Interner::default(),
            effects: HashMap::default(),
            effect_bytes: 0,
            threads: machine.threads.len(),
            ways: Ways::default(),
            log: Log::default(),
        }
    }

    /// The number of a result.
    pub fn value(&mut self, value: &Value) -> SpecValue {
        let (id, new) = self.values.intern(value, || value.clone());
        assert!(!new || !has_reference(value), "operations do not pass references");
        id
    }

    /// The result with this number.
    pub fn value_of(&self, id: SpecValue) -> &Value {
        self.values.get(id)
    }

    /// The number of a call; `op` is the machine's.
    pub fn call(&mut self, op: OpId, args: &[Value]) -> SpecCall {
        let (within, new) = self.arguments[op.0 as usize].intern(args, || args.to_vec());
        assert!(!new || !args.iter().any(has_reference), "operations do not pass references");
        self.calls.insert((op, within), |_| 0).0
    }

    /// The machine's operation of a call, and its arguments.
    pub fn arguments(&self, call: SpecCall) -> (OpId, Vec<Value>) {
        let (op, within) = *self.calls.get(call);
        (op, self.arguments[op.0 as usize].get(within).clone())
    }

    /// The cells of a state.
    pub fn cells(&self, state: SpecState) -> &Vec<Value> {
        self.states.get(state)
    }

    /// The number of a state.
    pub fn state(&mut self, cells: Vec<Value>) -> SpecState {
        let size = cells.iter().map(size_of_value).sum::<usize>();
        let (id, new) = self.states.intern(&cells, || cells.clone());
        if new {
            self.states.owns(size);
        }
        id
    }

    /// The machine's operation of a call.
    pub fn op_of(&self, call: SpecCall) -> OpId {
        self.calls.get(call).0
    }

    /// The states after `init`.
    pub fn initial(&mut self, meter: &Meter) -> Result<Vec<SpecState>, Halt> {
        let found = self.run(&self.spec.shared.clone(), None, 0, &[], meter)?;
        let mut states: Vec<SpecState> = found.into_iter().map(|(state, _)| state).collect();
        states.sort_unstable();
        states.dedup();
        Ok(states)
    }

    /// What a call of a thread can do in a state.
    pub fn effects(
        &mut self,
        state: SpecState,
        thread: u8,
        call: SpecCall,
        meter: &Meter,
    ) -> Result<Effects, Halt> {
        if let Some(known) = self.effects.get(&(state, thread, call)) {
            return Ok(known.clone());
        }
        let (op, args) = self.arguments(call);
        let spec_op = self.ops[op.0 as usize];
        let cells = self.states.get(state).clone();
        let mut found = self.run(&cells, Some(spec_op), thread, &args, meter)?;
        found.sort_unstable();
        found.dedup();
        self.effect_bytes += 48 + 8 * found.len() as u64;
        let found: Effects = found.into();
        self.effects.insert((state, thread, call), found.clone());
        Ok(found)
    }

    fn run(
        &mut self,
        cells: &[Value],
        op: Option<OpId>,
        me: u8,
        args: &[Value],
        meter: &Meter,
    ) -> Result<Vec<(SpecState, SpecValue)>, Halt> {
        let spec = self.spec;
        let fails = |finding| Err(Halt::Specification { op, finding });
        let mut watch = Watch::new(meter);
        let routine = op.map_or(&spec.init, |op| &spec.ops[op.0 as usize].routine);
        let context = Context { module: spec, me };
        let mut ways = std::mem::take(&mut self.ways);
        let mut found = Vec::new();
        ways.begin();
        loop {
            let mut state = State { shared: cells.to_vec(), ..State::default() };
            state.threads.resize_with(self.threads, Thread::default);
            let mut frame = vec![Value::Unit; routine.slots.len()];
            if let Some(op) = op {
                let params = &spec.ops[op.0 as usize].params;
                for ((slot, _), value) in params.iter().zip(args) {
                    frame[slot.0 as usize] = value.clone();
                }
            }
            match context.run(routine, Extent::Whole, 0, &mut state, &mut frame, &mut ways, &mut self.log) {
                RunEnd::Returned(value) => {
                    let id = self.state(state.shared);
                    let value = self.value(&value);
                    found.push((id, value));
                }
                RunEnd::Blocked | RunEnd::Discarded => {}
                RunEnd::Finding(finding) => return fails(finding),
                RunEnd::Endless => return fails(Finding::Endless),
                RunEnd::Stop(_) => unreachable!("a whole routine does not stop"),
            }
            watch.goes_on(|| self.bytes());
            watch.result()?;
            if !ways.advance() {
                break;
            }
        }
        self.ways = ways;
        Ok(found)
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        let arguments: u64 = self.arguments.iter().map(Interner::bytes).sum();
        self.states.bytes() + self.values.bytes() + arguments + self.calls.bytes() + self.effect_bytes
    }
}

fn size_of_value(value: &Value) -> usize {
    std::mem::size_of::<Value>() + value.children().map(size_of_value).sum::<usize>()
}
