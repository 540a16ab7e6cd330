//! Queues, stacks, priority queues and bags, also those that may answer out of order.

use super::{AnySpec, Hints, Monitored, Next, QuasiQueue, Ran, Spec, any, contents};
use crate::datum::Datum;
use crate::history::Call;

/// Which element leaves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Discipline {
    /// The oldest: a queue.
    Fifo,
    /// The youngest: a stack.
    Lifo,
    /// The smallest: a priority queue.
    Min,
    /// The largest: a priority queue.
    Max,
    /// Any: a bag.
    Any,
}

/// One operation on a container.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ContainerOp {
    /// Puts a value in.
    Insert(Datum),
    /// Takes this value out.
    Remove(Datum),
    /// Finds nothing to take out.
    RemoveEmpty,
    /// Takes out what is to leave first, or finds nothing; the result is not known.
    RemoveAny,
    /// Takes something out; which is not known.
    RemoveSome,
    /// Sees this value as the one to leave first.
    Peek(Datum),
    /// Sees that there is nothing.
    PeekEmpty,
    /// Sees something; the result is not known.
    PeekAny,
}

/// A queue, stack, priority queue or bag. With `slack` k a removal may take any of the k + 1 elements that
/// would leave first (k-out-of-order: Henzinger, Kirsch, Payer, Sezgin, Sokolova, POPL 2013).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Container {
    /// Which element leaves first.
    pub discipline: Discipline,
    /// How many elements a removal may pass over; a bag has no order, and it means nothing there.
    pub slack: u32,
}

impl Container {
    /// A strict container.
    pub fn new(discipline: Discipline) -> Container {
        Container { discipline, slack: if discipline == Discipline::Any { u32::MAX } else { 0 } }
    }

    /// The positions from which a removal may take, nearest to leaving first.
    fn window(&self, len: usize) -> impl Iterator<Item = usize> + use<> {
        let count = match self.discipline {
            Discipline::Any => len,
            _ => len.min((self.slack as usize).saturating_add(1)),
        };
        let back = matches!(self.discipline, Discipline::Lifo | Discipline::Max);
        (0..count).map(move |i| if back { len - 1 - i } else { i })
    }

    fn without(state: &[Datum], at: usize) -> Vec<Datum> {
        let mut next = Vec::with_capacity(state.len() - 1);
        next.extend_from_slice(&state[..at]);
        next.extend_from_slice(&state[at + 1..]);
        next
    }

    fn remove(&self, state: &[Datum], value: Option<&Datum>, next: &mut Next<'_, Vec<Datum>>) {
        let mut last: Option<&Datum> = None;
        for i in self.window(state.len()) {
            if !next.working() {
                return;
            }
            // Neighbours that are equal leave the same behind.
            if value.is_none_or(|v| *v == state[i]) && last != Some(&state[i]) {
                next.push(Container::without(state, i));
            }
            last = Some(&state[i]);
        }
    }
}

/// The operation that a name of any of the formats means.
pub(super) fn decode(object: &str, call: &Call<'_>) -> Result<ContainerOp, String> {
    let empty = |d: &Datum| d.is_empty_answer();
    match call.name {
        "enq" | "enqueue" | "push" | "insert" | "add" | "offer" | "put" => {
            if call.output == Some(&Datum::Bool(false)) {
                return Err(format!("`{}` answered false, but a {object} is never full", call.name));
            }
            if empty(call.input) {
                return Err(format!(
                    "`{}` puts in `{}`, which as an answer says that the {object} is empty",
                    call.name, call.input
                ));
            }
            Ok(ContainerOp::Insert(call.input.clone()))
        }
        "deq" | "dequeue" | "pop" | "remove" | "poll" | "take" | "delete_min" | "deqMin" | "extract" => {
            Ok(match call.output {
                None => ContainerOp::RemoveAny,
                Some(d) if empty(d) => ContainerOp::RemoveEmpty,
                Some(d) => ContainerOp::Remove(d.clone()),
            })
        }
        "peek" | "front" | "top" | "min" | "max" => Ok(match call.output {
            None => ContainerOp::PeekAny,
            Some(d) if empty(d) => ContainerOp::PeekEmpty,
            Some(d) => ContainerOp::Peek(d.clone()),
        }),
        other => Err(format!("a {object} has no operation `{other}`")),
    }
}

/// Jepsen's `drain` takes out one element after the other.
pub(super) fn series(name: &str) -> Option<&'static str> {
    (name == "drain").then_some("dequeue")
}

pub(super) fn groups(ops: &[&ContainerOp]) -> Vec<Option<Datum>> {
    ops.iter()
        .map(|op| match op {
            ContainerOp::Insert(v) | ContainerOp::Remove(v) | ContainerOp::Peek(v) => Some(v.clone()),
            _ => None,
        })
        .collect()
}

/// What a programmer would see. A relaxed container has no words for a wrong order.
pub(super) fn sentence(
    discipline: Discipline,
    relaxed: bool,
    ops: &[&ContainerOp],
    all: &[&ContainerOp],
) -> Option<String> {
    let count = |wanted: &ContainerOp| all.iter().filter(|o| **o == wanted).count();
    for op in ops {
        if let ContainerOp::Remove(v) | ContainerOp::Peek(v) = op {
            match (count(&ContainerOp::Insert(v.clone())), count(&ContainerOp::Remove(v.clone()))) {
                (0, _) => return Some(format!("{v} comes out, but nobody put it in")),
                (1, taken) if taken > 1 => {
                    return Some(format!("{v} comes out {taken} times, but was put in once"));
                }
                (put, taken) if taken > put => {
                    return Some(format!("{v} comes out {taken} times, but was put in {put} times"));
                }
                _ => {}
            }
        }
    }
    let mut values: Vec<&Datum> = Vec::new();
    for op in ops {
        if let ContainerOp::Insert(v) = op
            && !values.contains(&v)
        {
            values.push(v);
        }
    }
    if ops.iter().any(|o| matches!(o, ContainerOp::RemoveEmpty | ContainerOp::PeekEmpty)) {
        return Some(match values.as_slice() {
            [v] => format!("the object is found empty while {v} is in it"),
            _ => "the object is found empty although at each moment some value is in it".into(),
        });
    }
    let removed = ops.iter().find_map(|o| match o {
        ContainerOp::Remove(v) if !values.contains(&v) => Some(v),
        _ => None,
    });
    let list = values.iter().map(|v| v.to_string()).collect::<Vec<_>>();
    let list = match list.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => list.concat(),
    };
    match (values.as_slice(), discipline) {
        _ if relaxed => None,
        ([v], Discipline::Min | Discipline::Max) if removed.is_some() => {
            removed.map(|w| format!("{w} comes out while {v}, which must leave first, is inside"))
        }
        ([v], _) => Some(format!("{v} comes out before it is put in, or is seen after it came out")),
        (_, Discipline::Fifo) => Some(format!("{list} come out in another order than they were put in")),
        (_, Discipline::Lifo) => Some(format!("{list} do not come out last in, first out")),
        (_, Discipline::Min | Discipline::Max) => {
            Some(format!("of {list} one comes out while another that must leave first is inside"))
        }
        (_, Discipline::Any) => None,
    }
}

impl Spec for Container {
    type Op = ContainerOp;
    type State = Vec<Datum>;

    fn name(&self) -> String {
        let name = match self.discipline {
            Discipline::Fifo => "queue",
            Discipline::Lifo => "stack",
            Discipline::Min => "priority-queue",
            Discipline::Max => "max-priority-queue",
            Discipline::Any => return "bag".into(),
        };
        match self.slack {
            0 => name.into(),
            k => format!("{k}-out-of-order {name}"),
        }
    }

    fn decode(&self, call: &Call<'_>) -> Result<ContainerOp, String> {
        let op = decode(&self.name(), call)?;
        match &op {
            ContainerOp::Insert(d @ Datum::Number(_))
                if matches!(self.discipline, Discipline::Min | Discipline::Max) =>
            {
                Err(format!("a {} compares integers of 64 bits, or texts; `{d}` is neither", self.name()))
            }
            _ => Ok(op),
        }
    }

    fn initial(&self) -> Vec<Datum> {
        Vec::new()
    }

    fn step(&self, state: &Vec<Datum>, op: &ContainerOp, next: &mut Next<'_, Vec<Datum>>) {
        match op {
            ContainerOp::Insert(v) => {
                let at = match self.discipline {
                    Discipline::Fifo | Discipline::Lifo => state.len(),
                    _ => state.partition_point(|x| x <= v),
                };
                let mut s = Vec::with_capacity(state.len() + 1);
                s.extend_from_slice(&state[..at]);
                s.push(v.clone());
                s.extend_from_slice(&state[at..]);
                next.push(s);
            }
            ContainerOp::Remove(v) => self.remove(state, Some(v), next),
            ContainerOp::RemoveSome => self.remove(state, None, next),
            ContainerOp::RemoveAny if state.is_empty() => next.push(Vec::new()),
            ContainerOp::RemoveAny => self.remove(state, None, next),
            ContainerOp::RemoveEmpty | ContainerOp::PeekEmpty => {
                if state.is_empty() {
                    next.push(Vec::new());
                }
            }
            ContainerOp::Peek(v) => {
                if self.window(state.len()).any(|i| state[i] == *v) {
                    next.push(state.clone());
                }
            }
            ContainerOp::PeekAny => next.push(state.clone()),
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Vec<Datum>, op: &ContainerOp) -> Option<String> {
        if matches!(op, ContainerOp::Insert(_)) {
            return None;
        }
        let mut values: Vec<String> = Vec::new();
        for i in self.window(state.len()).take(4) {
            let v = state[i].to_string();
            if !values.contains(&v) {
                values.push(v);
            }
        }
        Some(if values.is_empty() {
            "must find nothing, the object is empty".into()
        } else {
            format!("must answer {}", values.join(" or "))
        })
    }

    fn show(&self, state: &Vec<Datum>) -> String {
        Datum::list(state.clone()).to_string()
    }

    fn sentence(&self, ops: &[&ContainerOp], all: &[&ContainerOp]) -> Option<String> {
        sentence(self.discipline, self.slack > 0, ops, all)
    }
}

impl Hints<ContainerOp, Vec<Datum>> for Container {
    fn observes(&self, op: &ContainerOp) -> bool {
        matches!(
            op,
            ContainerOp::RemoveEmpty | ContainerOp::Peek(_) | ContainerOp::PeekEmpty | ContainerOp::PeekAny
        )
    }

    fn groups(&self, ops: &[&ContainerOp]) -> Vec<Option<Datum>> {
        groups(ops)
    }

    fn repeatable(&self, op: &ContainerOp) -> bool {
        !matches!(op, ContainerOp::Insert(_))
    }

    fn heap_bytes(&self, state: &Vec<Datum>) -> usize {
        state.len() * 16
    }

    fn drain(&self, ops: &[&ContainerOp]) -> Vec<ContainerOp> {
        let inserts = ops.iter().filter(|o| matches!(o, ContainerOp::Insert(_))).count();
        vec![ContainerOp::RemoveSome; inserts]
    }

    fn series(&self, name: &str) -> Option<&'static str> {
        series(name)
    }

    fn drained(&self, state: &Vec<Datum>) -> bool {
        state.is_empty()
    }

    fn run(&self, ops: &[&ContainerOp]) -> Option<Ran> {
        let strict = self.slack == 0 || self.discipline == Discipline::Any;
        strict.then(|| contents::run(self, ops))
    }

    fn monitored<'a>(&self, ops: &'a [ContainerOp]) -> Option<Monitored<'a>> {
        let strict = self.slack == 0 || self.discipline == Discipline::Any;
        strict.then_some(Monitored::Container(self.discipline, ops.into()))
    }

    fn relaxed(&self, operation: &str, factor: u32) -> Option<AnySpec> {
        let removal = matches!(operation, "deq" | "dequeue" | "remove" | "poll" | "take" | "pop");
        let queue = self.discipline == Discipline::Fifo && self.slack == 0;
        (queue && removal).then(|| any(QuasiQueue { factor }))
    }
}
