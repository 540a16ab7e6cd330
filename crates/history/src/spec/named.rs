//! Specifications by name, as the command line and the logs give them.

use std::fmt;

use super::{
    Bank, Container, Counter, Deque, Discipline, GrowSet, Kv, Lock, Multiset, QuasiQueue, Register,
    Semaphore, Set, Txn,
};
use crate::ask::Asked;
use crate::datum::Datum;

/// No specification has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSpec {
    /// What was asked for.
    pub name: String,
    /// Why it is not known.
    pub why: String,
}

impl fmt::Display for UnknownSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}; known are {}", self.name, self.why, NAMES.join(", "))
    }
}

impl std::error::Error for UnknownSpec {}

/// The names that [`named`] knows, besides `Quasi(Queue, deq: K)` and `OutOfOrder(Queue, deq: K)`.
pub const NAMES: [&str; 18] = [
    "register",
    "cas-register",
    "kv",
    "queue",
    "stack",
    "priority-queue",
    "max-priority-queue",
    "deque",
    "bag",
    "set",
    "grow-set",
    "multiset",
    "counter",
    "lock",
    "mutex",
    "semaphore",
    "bank",
    "txn",
];

/// The specification of a name such as `queue`, `register(0)` or `Quasi(Queue, deq: 2)`.
pub fn named(name: &str) -> Result<Box<dyn Asked>, UnknownSpec> {
    let fail = |why: &str| Err(UnknownSpec { name: name.to_string(), why: why.to_string() });
    let (head, arguments) = match name.trim().split_once('(') {
        None => (name.trim(), None),
        Some((head, rest)) => match rest.trim_end().strip_suffix(')') {
            Some(arguments) => (head.trim(), Some(arguments.trim())),
            None => return fail("`)` is missing"),
        },
    };
    let plain: String =
        head.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect::<String>().to_lowercase();
    if arguments.is_some()
        && !matches!(
            plain.as_str(),
            "quasi" | "outoforder" | "register" | "casregister" | "counter" | "semaphore"
        )
    {
        return fail("it takes no arguments");
    }
    let initial = arguments.map_or(Datum::Nil, value);
    Ok(match plain.as_str() {
        "register" => Box::new(Register { initial, cas: false }),
        "casregister" => Box::new(Register { initial, cas: true }),
        "kv" | "map" => Box::new(Kv),
        "queue" | "fifo" => Box::new(Container::new(Discipline::Fifo)),
        "stack" => Box::new(Container::new(Discipline::Lifo)),
        "priorityqueue" | "pq" => Box::new(Container::new(Discipline::Min)),
        "maxpriorityqueue" => Box::new(Container::new(Discipline::Max)),
        "bag" => Box::new(Container::new(Discipline::Any)),
        "set" => Box::new(Set),
        "multiset" => Box::new(Multiset),
        "lock" => Box::new(Lock),
        "mutex" => Box::new(Semaphore::MUTEX),
        "semaphore" => match initial {
            Datum::Nil => Box::new(Semaphore { initial: 0, most: None }),
            Datum::Int(n) if n >= 0 => Box::new(Semaphore { initial: n as u64, most: None }),
            _ => return fail("its permits at the start are no number from 0"),
        },
        "deque" => Box::new(Deque),
        "growset" => Box::new(GrowSet),
        "bank" => Box::new(Bank),
        "txn" | "multiregister" | "listappend" | "rwregister" => Box::new(Txn),
        "counter" => match initial {
            Datum::Nil => Box::new(Counter { initial: 0 }),
            Datum::Int(initial) => Box::new(Counter { initial }),
            _ => return fail("its initial value is no number"),
        },
        "quasi" | "outoforder" => {
            let Some((base, factor)) = arguments.and_then(|a| a.split_once(',')) else {
                return fail("it needs an object and a factor, as in `Quasi(Queue, deq: 2)`");
            };
            let Some(factor) = factor.split(':').next_back().and_then(|k| k.trim().parse::<u32>().ok())
            else {
                return fail("the factor is no number");
            };
            let discipline = match base.trim().to_lowercase().as_str() {
                "queue" => Discipline::Fifo,
                "stack" => Discipline::Lifo,
                "priorityqueue" | "priority-queue" => Discipline::Min,
                _ => return fail("it is for Queue, Stack and PriorityQueue"),
            };
            match (plain.as_str(), discipline) {
                ("quasi", Discipline::Fifo) => Box::new(QuasiQueue { factor }),
                ("quasi", _) => return fail("Quasi is for Queue; Stack and PriorityQueue have OutOfOrder"),
                _ => Box::new(Container { discipline, slack: factor }),
            }
        }
        _ => return fail("no specification has this name"),
    })
}

fn value(text: &str) -> Datum {
    match text {
        "nil" | "" => Datum::Nil,
        "true" => Datum::Bool(true),
        "false" => Datum::Bool(false),
        _ => text.parse().map_or_else(|_| Datum::text(text.trim_matches('"')), Datum::Int),
    }
}
