//! `history-peers PEER SPEC LOG`: decides a log of complete operations with a checker of the registry and prints the
//! verdict and the seconds that deciding took. Exit 1: the peer has no such object.

use std::collections::BTreeMap;
use std::time::Instant;

use porcupine_rs::{Model, Operation, check_operations};
use stateright::semantics::{ConsistencyTester, LinearizabilityTester, SequentialSpec};
use todc_utils::linearizability::WGLChecker;
use todc_utils::linearizability::history::{Action, History as TodcHistory};
use todc_utils::specifications::Specification;
use trueline_history::read::{Options, read};
use trueline_history::{Datum, History, OpId, Output};

const QUEUE: u8 = 0;
const STACK: u8 = 1;
const PRIORITY: u8 = 2;
const REGISTER: u8 = 3;

/// Puts a value in (or writes it), or takes one out (or reads it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Op {
    put: bool,
    value: Option<i64>,
}

/// The sequential object; the state of a register is at most one value.
fn step<const OBJECT: u8>(state: &[i64], op: &Op) -> (bool, Vec<i64>) {
    let mut next = state.to_vec();
    let fits = match (OBJECT, op.put) {
        (REGISTER, true) => {
            next = op.value.into_iter().collect();
            true
        }
        (REGISTER, false) => state.first().copied() == op.value,
        (PRIORITY, true) => {
            let v = op.value.unwrap_or_default();
            next.insert(state.partition_point(|x| *x <= v), v);
            true
        }
        (_, true) => {
            next.extend(op.value);
            true
        }
        (STACK, false) => next.pop() == op.value,
        (_, false) => {
            let first = state.first().copied();
            if first.is_some() {
                next.remove(0);
            }
            first == op.value
        }
    };
    if fits { (true, next) } else { (false, state.to_vec()) }
}

#[derive(Clone, Debug)]
struct Object<const OBJECT: u8>;

impl<const OBJECT: u8> Model for Object<OBJECT> {
    type State = Vec<i64>;
    type Op = Op;
    type Metadata = ();

    fn init() -> Vec<i64> {
        Vec::new()
    }

    fn step(state: &Vec<i64>, op: &Op) -> (bool, Vec<i64>) {
        step::<OBJECT>(state, op)
    }
}

impl<const OBJECT: u8> Specification for Object<OBJECT> {
    type State = Vec<i64>;
    type Operation = Op;

    fn init() -> Vec<i64> {
        Vec::new()
    }

    fn apply(op: &Op, state: &Vec<i64>) -> (bool, Vec<i64>) {
        step::<OBJECT>(state, op)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Reference<const OBJECT: u8>(Vec<i64>);

impl<const OBJECT: u8> SequentialSpec for Reference<OBJECT> {
    type Op = Option<i64>;
    type Ret = Option<i64>;

    fn invoke(&mut self, op: &Option<i64>) -> Option<i64> {
        if op.is_some() {
            self.0 = step::<OBJECT>(&self.0, &Op { put: true, value: *op }).1;
            return None;
        }
        let found = match OBJECT {
            STACK => self.0.last().copied(),
            _ => self.0.first().copied(),
        };
        self.0 = step::<OBJECT>(&self.0, &Op { put: false, value: found }).1;
        found
    }
}

fn ops(history: &History) -> Option<Vec<Op>> {
    let one = |id| {
        let Output::Known(output) = history.output(id) else { return None };
        let input = history.input(id);
        let put = input != Datum::Nil;
        Some(Op { put, value: if put { input.as_int() } else { output.as_int() } })
    };
    history.ids().map(one).collect()
}

/// What is done to a text.
#[derive(Clone, Debug)]
enum TextOp {
    Get(Option<String>),
    Put(String),
    Append(String),
}

/// The text of one key, empty at the start.
#[derive(Clone, Debug)]
struct Text;

impl Model for Text {
    type State = String;
    type Op = TextOp;
    type Metadata = ();

    fn init() -> String {
        String::new()
    }

    fn step(state: &String, op: &TextOp) -> (bool, String) {
        match op {
            TextOp::Get(seen) => (seen.as_ref().is_none_or(|seen| seen == state), state.clone()),
            TextOp::Put(text) => (true, text.clone()),
            TextOp::Append(text) => (true, format!("{state}{text}")),
        }
    }
}

/// Every key as a text of its own; what never returned ends with the log, and nobody knows what it answered.
fn texts(peer: &str, history: &History) -> Option<(bool, f64)> {
    let mut keys: BTreeMap<Datum, Vec<Operation<Text>>> = BTreeMap::new();
    for id in history.ids() {
        let (op, text) = (history.op(id), |d: &Datum| d.as_str().map(str::to_string));
        let action = match (history.name(op), history.output(id)) {
            ("get", Output::Known(seen)) => TextOp::Get(text(&seen)),
            ("get", _) => TextOp::Get(None),
            ("put", _) => TextOp::Put(text(&history.input(id))?),
            ("append", _) => TextOp::Append(text(&history.input(id))?),
            _ => return None,
        };
        keys.entry(history.key(id)?).or_default().push(Operation {
            client_id: Some(op.process as u32),
            call_time: i64::from(op.call),
            return_time: i64::from(op.ret),
            op: action,
            metadata: None,
        });
    }
    let start = Instant::now();
    let holds = keys.values().all(|ops| check_operations(ops));
    (peer == "porcupine-rs").then(|| (holds, start.elapsed().as_secs_f64()))
}

/// Every key as a register of its own.
fn by_key(peer: &str, history: &History) -> Option<(bool, f64)> {
    let mut keys: BTreeMap<Datum, Vec<OpId>> = BTreeMap::new();
    for id in history.ids() {
        keys.entry(history.key(id)?).or_default().push(id);
    }
    let mut all = (true, 0.0);
    for ids in keys.values() {
        let (holds, seconds) = decide::<REGISTER>(peer, &history.restricted(ids))?;
        all = (all.0 && holds, all.1 + seconds);
    }
    Some(all)
}

fn decide<const OBJECT: u8>(peer: &str, history: &History) -> Option<(bool, f64)> {
    let ops = ops(history)?;
    let mut ends: Vec<(u32, bool, usize)> = Vec::new();
    for (i, op) in history.ops.iter().enumerate() {
        ends.push((op.call, false, i));
        ends.push((op.ret, true, i));
    }
    ends.sort_unstable();
    match peer {
        "porcupine-rs" => {
            let list: Vec<Operation<Object<OBJECT>>> = history
                .ops
                .iter()
                .zip(&ops)
                .map(|(h, op)| Operation {
                    client_id: Some(h.process as u32),
                    call_time: i64::from(h.call),
                    return_time: i64::from(h.ret),
                    op: *op,
                    metadata: None,
                })
                .collect();
            let start = Instant::now();
            Some((check_operations(&list), start.elapsed().as_secs_f64()))
        }
        "todc-utils" => {
            let actions = ends.iter().map(|(_, ret, i)| {
                let process = history.ops[*i].process as usize;
                (process, if *ret { Action::Response(ops[*i]) } else { Action::Call(ops[*i]) })
            });
            let list = TodcHistory::from_actions(actions.collect());
            let start = Instant::now();
            Some((WGLChecker::<Object<OBJECT>>::is_linearizable(list), start.elapsed().as_secs_f64()))
        }
        "stateright" => {
            let mut tester = LinearizabilityTester::new(Reference::<OBJECT>::default());
            for (_, ret, i) in &ends {
                let (process, op) = (history.ops[*i].process, ops[*i]);
                if *ret {
                    tester.on_return(process, if op.put { None } else { op.value }).ok()?;
                } else {
                    tester.on_invoke(process, op.value.filter(|_| op.put)).ok()?;
                }
            }
            let start = Instant::now();
            Some((tester.is_consistent(), start.elapsed().as_secs_f64()))
        }
        _ => None,
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, peer, spec, log] = words.as_slice() else {
        eprintln!("usage: history-peers porcupine-rs|todc-utils|stateright SPEC LOG");
        std::process::exit(64);
    };
    let file = std::fs::File::open(log).expect("the log");
    let history = read(file, &Options::default()).expect("a history").history;
    let answer = match spec.as_str() {
        "queue" => decide::<QUEUE>(peer, &history),
        "stack" => decide::<STACK>(peer, &history),
        "priority-queue" => decide::<PRIORITY>(peer, &history),
        "register" => decide::<REGISTER>(peer, &history),
        "kv" if history.names.iter().any(|n| n == "append") => texts(peer, &history),
        "kv" => by_key(peer, &history),
        _ => None,
    };
    match answer {
        Some((holds, seconds)) => println!("{seconds:.3} s ({})", if holds { "holds" } else { "fails" }),
        None => std::process::exit(1),
    }
}
