//! Histories made up from a seed: executions of an object by clients, with every operation taking effect at a
//! point of its interval, and optionally one result spoiled afterwards. For tests and benchmarks.

use std::collections::{BTreeSet, VecDeque};

use trueline_base::random;

use crate::build::Builder;
use crate::datum::Datum;
use crate::history::History;

/// Random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    source: random::Random,
    /// What comes instead, where that is given.
    given: Option<std::vec::IntoIter<u64>>,
}

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Random {
        let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
        Random { source: random::Random::new(seed), given: None }
    }

    /// Given numbers, and then zeros: what is made of them becomes smaller and simpler with them, so that a library for
    /// property tests can shrink it.
    pub fn given(numbers: Vec<u64>) -> Random {
        Random { source: random::Random::new(0), given: Some(numbers.into_iter()) }
    }

    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "an endless source is no iterator to its users")]
    pub fn next(&mut self) -> u64 {
        match &mut self.given {
            Some(given) => given.next().unwrap_or(0),
            None => self.source.bits(),
        }
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// An object that clients use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// `enq`, `deq`.
    Queue,
    /// `push`, `pop`.
    Stack,
    /// `insert`, `poll`, the smallest first.
    PriorityQueue,
    /// `insert`, `remove`, `contains`.
    Set,
    /// `read`, `write`.
    Register,
    /// `put`, `get` on keys.
    Kv,
    /// `faa`, `read`.
    Counter,
}

/// What to make up.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The object.
    pub object: ObjectKind,
    /// Number of operations.
    pub operations: usize,
    /// Number of clients.
    pub clients: usize,
    /// Values to choose from; 0: every inserted or written value is new.
    pub values: usize,
    /// One operation in so many never returns; 0: all return.
    pub crashes: usize,
    /// Whether one result is spoiled.
    pub spoiled: bool,
    /// The seed.
    pub seed: u64,
}

#[derive(Default)]
struct Real {
    items: VecDeque<i64>,
    sorted: BTreeSet<(i64, usize)>,
    register: Datum,
    map: std::collections::HashMap<i64, i64>,
    count: i64,
}

#[derive(Clone)]
struct Doing {
    name: &'static str,
    key: Option<i64>,
    input: Datum,
    result: Option<Datum>,
}

/// Makes up a history. Without spoiling it is linearizable.
pub fn history(plan: &Plan) -> History {
    let mut random = Random::new(plan.seed);
    let mut builder = Builder::new();
    let mut clients: Vec<(i64, Option<Doing>)> = (0..plan.clients as i64).map(|p| (p, None)).collect();
    let (mut started, mut next_process, mut next_value) = (0, plan.clients as i64, 0i64);
    let mut real = Real::default();
    loop {
        let c = random.below(clients.len());
        let (process, doing) = &mut clients[c];
        match doing {
            None if started < plan.operations => {
                started += 1;
                next_value += 1;
                let value = if plan.values == 0 { next_value } else { 1 + random.below(plan.values) as i64 };
                let d = begin(plan.object, &mut random, value, next_value);
                let key = d.key.map(Datum::Int);
                builder.call(0, *process, d.name, key, d.input.clone()).expect("the client is idle");
                *doing = Some(d);
            }
            None => {
                if clients.iter().all(|(_, d)| d.is_none()) {
                    break;
                }
            }
            Some(d) if d.result.is_none() => {
                if plan.crashes > 0 && random.one_in(plan.crashes) {
                    // Half of the crashed operations took effect.
                    if random.one_in(2) {
                        effect(plan.object, &mut real, d);
                    }
                    builder.unknown(0, *process).expect("it is open");
                    *process = next_process;
                    next_process += 1;
                    *doing = None;
                } else {
                    d.result = Some(effect(plan.object, &mut real, d));
                }
            }
            Some(d) => {
                builder.ret(0, *process, d.result.take()).expect("it is open");
                *doing = None;
            }
        }
    }
    let mut history = builder.finish();
    if plan.spoiled {
        spoil(&mut history, &mut random);
    }
    history
}

fn begin(object: ObjectKind, random: &mut Random, value: i64, fresh: i64) -> Doing {
    let insert = random.one_in(2);
    let v = Datum::Int(value);
    let (name, key, input) = match (object, insert) {
        (ObjectKind::Queue, true) => ("enq", None, v),
        (ObjectKind::Queue, false) => ("deq", None, Datum::Nil),
        (ObjectKind::Stack, true) => ("push", None, v),
        (ObjectKind::Stack, false) => ("pop", None, Datum::Nil),
        (ObjectKind::PriorityQueue, true) => ("insert", None, v),
        (ObjectKind::PriorityQueue, false) => ("poll", None, Datum::Nil),
        (ObjectKind::Set, true) => ("insert", None, v),
        (ObjectKind::Set, false) => {
            let near = (value - random.below(8) as i64).max(1);
            (if random.one_in(2) { "remove" } else { "contains" }, None, Datum::Int(near))
        }
        (ObjectKind::Register, true) => ("write", None, v),
        (ObjectKind::Register, false) => ("read", None, Datum::Nil),
        (ObjectKind::Kv, true) => ("put", Some(random.below(16) as i64), Datum::Int(fresh)),
        (ObjectKind::Kv, false) => ("get", Some(random.below(16) as i64), Datum::Nil),
        (ObjectKind::Counter, true) => ("faa", None, Datum::Int(1)),
        (ObjectKind::Counter, false) => ("read", None, Datum::Nil),
    };
    Doing { name, key, input, result: None }
}

fn effect(object: ObjectKind, real: &mut Real, d: &Doing) -> Datum {
    let value = d.input.as_int().unwrap_or(0);
    match (object, d.name) {
        (ObjectKind::Queue | ObjectKind::Stack, "enq" | "push") => {
            real.items.push_back(value);
            Datum::Nil
        }
        (ObjectKind::Queue, _) => real.items.pop_front().into(),
        (ObjectKind::Stack, _) => real.items.pop_back().into(),
        (ObjectKind::PriorityQueue, "insert") => {
            // Equal values are told apart by when they came.
            real.sorted.insert((value, real.count as usize));
            real.count += 1;
            Datum::Nil
        }
        (ObjectKind::PriorityQueue, _) => real.sorted.pop_first().map(|(v, _)| v).into(),
        (ObjectKind::Set, "insert") => real.sorted.insert((value, 0)).into(),
        (ObjectKind::Set, "remove") => real.sorted.remove(&(value, 0)).into(),
        (ObjectKind::Set, _) => real.sorted.contains(&(value, 0)).into(),
        (ObjectKind::Register, "write") => {
            real.register = d.input.clone();
            Datum::Nil
        }
        (ObjectKind::Register, _) => real.register.clone(),
        (ObjectKind::Kv, "put") => {
            real.map.insert(d.key.unwrap_or(0), value);
            Datum::Nil
        }
        (ObjectKind::Kv, _) => real.map.get(&d.key.unwrap_or(0)).copied().into(),
        (ObjectKind::Counter, "faa") => {
            real.count += 1;
            Datum::Int(real.count - 1)
        }
        (ObjectKind::Counter, _) => Datum::Int(real.count),
    }
}

/// Exchanges two results of operations of one name, if there are two.
fn spoil(history: &mut History, random: &mut Random) {
    for _ in 0..64 {
        if history.ops.is_empty() {
            return;
        }
        let (a, b) = (random.below(history.ops.len()), random.below(history.ops.len()));
        let key = |i: usize| history.keys.get(i);
        let same = history.ops[a].name == history.ops[b].name && key(a) == key(b);
        let (x, y) = (history.ops[a].output, history.ops[b].output);
        if same && x.is_some() && y.is_some() && x != y {
            (history.ops[a].output, history.ops[b].output) = (y, x);
            return;
        }
    }
}
