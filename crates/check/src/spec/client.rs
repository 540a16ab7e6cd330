//! A specification under a client, as a transition system.

use super::{Code, SequentialSpec, SpecState, ThreadStatus};
use crate::generate::{NoSystem, Numbered, Sink, number};
use crate::label::Label;
use crate::machine::{evaluate, resolve_tests};
use trueline_base::{Interner, Limits, Meter, Observer, Value, ids};
use trueline_lang::ir::{Machine, Module, NodeId, OpId, Script, ScriptNode, Slot};

ids! {
    /// A state of the specification under its client.
    struct WholeId;
}

/// The specification's state and, per thread, the progress of its operation and its place in the script.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Whole {
    state: SpecState,
    threads: Vec<Client>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Client {
    /// As in configurations.
    code: Code,
    /// The operation, while the thread is inside one.
    op: OpId,
    node: NodeId,
    /// The variable that takes the result.
    into: Option<Slot>,
    script: Vec<Value>,
}

/// The states found so far.
struct Specification<'m, 'a> {
    machine: &'m Machine,
    object: SequentialSpec<'m>,
    wholes: Interner<Whole, WholeId>,
    meter: &'a Meter,
}

impl Numbered for Specification<'_, '_> {
    type Halt = NoSystem;

    fn len(&self) -> usize {
        self.wholes.len()
    }

    fn bytes(&self) -> u64 {
        self.wholes.bytes() + self.object.bytes()
    }

    fn expand(&mut self, id: u32, give: &mut dyn FnMut(Label<'_>, u32)) -> Result<(), NoSystem> {
        let Specification { machine, object, wholes, meter } = self;
        let id = WholeId(id);
        (0..machine.threads.len()).try_for_each(|t| {
            expand(machine, object, wholes, meter, id, t, &mut |label, to| give(label, to.0))
        })
    }
}

pub(crate) fn generate(
    machine: &Machine,
    spec: &Module,
    limits: &Limits,
    observer: &mut dyn Observer,
    sink: &mut Sink<'_>,
) -> Result<u32, NoSystem> {
    let meter = Meter::start(limits.clone());
    let mut object = SequentialSpec::new(spec, machine);
    let mut wholes: Interner<Whole, WholeId> = Interner::default();
    let threads: Vec<Client> = (machine.threads.iter().enumerate())
        .map(|(t, thread)| {
            let script = vec![Value::Unit; thread.script.variables.len()];
            let node = resolve_tests(machine, t, Script::START, &script);
            Client { code: Code::IDLE, op: OpId(0), node, into: None, script }
        })
        .collect();
    for state in object.initial(&meter)? {
        intern(&mut wholes, Whole { state, threads: threads.clone() });
    }
    number(&mut Specification { machine, object, wholes, meter: &meter }, &meter, observer, sink)
}

fn intern(wholes: &mut Interner<Whole, WholeId>, whole: Whole) -> WholeId {
    let (id, new) = wholes.intern(&whole, || whole.clone());
    if new {
        let variables: usize = whole.threads.iter().map(|c| c.script.len()).sum();
        let clients = whole.threads.len() * std::mem::size_of::<Client>();
        wholes.owns(clients + variables * std::mem::size_of::<Value>());
    }
    id
}

/// Whether the turn of an idle thread has come, where a main thread acts before and after the others.
fn may_call(machine: &Machine, whole: &Whole, t: usize) -> bool {
    let Some(main) = machine.main else { return true };
    let first = main.thread as usize;
    let second = |client: &Client| client.code == Code::IDLE && client.node >= main.after;
    if t != first {
        return second(&whole.threads[first]);
    }
    let done = |(t, client): (usize, &Client)| {
        let node = machine.threads[t].script.node(client.node);
        t == first || client.code == Code::IDLE && *node == ScriptNode::Done
    };
    !second(&whole.threads[t]) || whole.threads.iter().enumerate().all(done)
}

fn expand(
    machine: &Machine,
    object: &mut SequentialSpec<'_>,
    wholes: &mut Interner<Whole, WholeId>,
    meter: &Meter,
    id: WholeId,
    t: usize,
    give: &mut dyn FnMut(Label<'_>, WholeId),
) -> Result<(), NoSystem> {
    let from = wholes.get(id).clone();
    let client = &from.threads[t];
    let thread = t as u8;
    match client.code.status() {
        ThreadStatus::Idle => {
            let ScriptNode::Call(alternatives) = machine.threads[t].script.node(client.node) else {
                return Ok(());
            };
            if !may_call(machine, &from, t) {
                return Ok(());
            }
            for alternative in alternatives {
                let op = alternative.op;
                if machine.object.ops[op.0 as usize].requires.is_some() {
                    return Err(NoSystem::Requires(op));
                }
                let refused = |finding| NoSystem::Finding { finding, thread };
                let args = evaluate(&alternative.args, &client.script, thread).map_err(refused)?;
                let mut to = from.clone();
                let mine = &mut to.threads[t];
                mine.code = Code::pending(object.call(op, &args));
                mine.op = op;
                mine.node = alternative.next;
                mine.into = alternative.result;
                give(Label::Call { thread, op, args: &args }, intern(wholes, to));
            }
        }
        ThreadStatus::Pending(call) => {
            for (state, value) in object.effects(from.state, thread, call, meter)?.iter() {
                let mut to = from.clone();
                to.state = *state;
                to.threads[t].code = Code::linearized(*value);
                give(Label::Tau, intern(wholes, to));
            }
        }
        ThreadStatus::Linearized(value) => {
            let value = object.value_of(value).clone();
            let mut to = from.clone();
            let mine = &mut to.threads[t];
            if let Some(variable) = mine.into {
                mine.script[variable.0 as usize] = value.clone();
            }
            mine.node = resolve_tests(machine, t, mine.node, &mine.script);
            (mine.code, mine.op, mine.into) = (Code::IDLE, OpId(0), None);
            give(Label::Return { thread, op: client.op, value: &value }, intern(wholes, to));
        }
    }
    Ok(())
}
