//! What else may be known of an object: it makes answers faster, explanations smaller and more conditions askable.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{AnySpec, ContainerOp, CounterOp, Discipline, MultisetOp, Next, RegisterOp, SetOp, TxnStep};
use crate::datum::Datum;

/// What is known of an object besides its steps, with operations `O` and states `T`. Every default is right for every
/// object.
///
/// ```
/// use trueline_history::Call;
/// use trueline_history::spec::{Hints, Next, Spec};
///
/// /// A number that only grows.
/// struct Clock;
///
/// /// What a tick, or a look at the number, answered.
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum ClockOp {
///     Tick,
///     Look(i64),
/// }
///
/// impl Spec for Clock {
///     type Op = ClockOp;
///     type State = i64;
///     fn name(&self) -> String {
///         "clock".into()
///     }
///     fn decode(&self, call: &Call<'_>) -> Result<ClockOp, String> {
///         match (call.name, call.output.and_then(|d| d.as_int())) {
///             ("tick", _) => Ok(ClockOp::Tick),
///             ("look", Some(now)) => Ok(ClockOp::Look(now)),
///             (other, _) => Err(format!("a clock has no operation `{other}`")),
///         }
///     }
///     fn initial(&self) -> i64 {
///         0
///     }
///     fn step(&self, now: &i64, op: &ClockOp, next: &mut Next<'_, i64>) {
///         match op {
///             ClockOp::Tick => next.push(now + 1),
///             ClockOp::Look(seen) if seen == now => next.push(*now),
///             ClockOp::Look(_) => {}
///         }
///     }
///     fn hints(&self) -> &dyn Hints<ClockOp, i64> {
///         self
///     }
/// }
///
/// impl Hints<ClockOp, i64> for Clock {
///     fn observes(&self, op: &ClockOp) -> bool {
///         matches!(op, ClockOp::Look(_))
///     }
/// }
/// assert!(Clock.hints().observes(&ClockOp::Look(1)));
/// ```
pub trait Hints<O, T: PartialEq>: Send + Sync {
    /// Whether the operation never changes any state, whatever it answered.
    fn observes(&self, _op: &O) -> bool {
        false
    }

    /// The part of the object that an operation is about, when the object is a family of independent
    /// parts: a sequence is legal exactly when its restriction to each part is.
    fn part(&self, _op: &O) -> Option<Datum> {
        None
    }

    /// The independent parts that an operation is about at once, where it may be about several: what no chain of
    /// operations links is decided apart. Nothing, when [`part`](Hints::part) says it.
    fn touches(&self, _op: &O) -> Vec<Datum> {
        Vec::new()
    }

    /// What an operation does to some of the parts that it touches; nothing if it touches none of them. A legal
    /// sequence stays legal when all its operations are restricted to the same parts.
    fn restricted(&self, _op: &O, _parts: &[Datum]) -> Option<O> {
        None
    }

    /// For each operation the group that it belongs to, if taking all operations of one group out of
    /// any legal sequence of these operations leaves it legal.
    fn groups(&self, ops: &[&O]) -> Vec<Option<Datum>> {
        vec![None; ops.len()]
    }

    /// Whether the operation, taking effect any number of times among any others, leads to finitely many
    /// states only. It makes explanations smaller; `false` is always right.
    fn repeatable(&self, _op: &O) -> bool {
        false
    }

    /// What the results of these operations say about states, if there are states that they cannot tell apart.
    fn seen(&self, _ops: &mut dyn Iterator<Item = &O>) -> Option<Answers> {
        None
    }

    /// Replaces a state by one that stands for all which no operation tells apart from it, now or later, whatever
    /// operations of those that gave `seen` take effect in between.
    fn forget(&self, _state: &mut T, _seen: &Answers) {}

    /// Whether all that can follow one state, now and later, can follow the other as well. Equal states are such.
    fn worse(&self, state: &T, than: &T) -> bool {
        state == than
    }

    /// Bytes that a state takes beyond its own size.
    fn heap_bytes(&self, _state: &T) -> usize {
        0
    }

    /// Removals that may be appended to a history of these operations, each at most once, to take out
    /// what it leaves inside.
    fn drain(&self, _ops: &[&O]) -> Vec<O> {
        Vec::new()
    }

    /// Whether nothing is left inside.
    fn drained(&self, _state: &T) -> bool {
        true
    }

    /// Whether a history may end in this state. A long computation asks `limit` now and then whether to
    /// go on.
    fn accepts(&self, _state: &T, _limit: &mut Next<'_, T>) -> bool {
        true
    }

    /// The operation of which the one of this name is a series, each at a moment of its own: what it answers is the
    /// list of what they answered. [`Asked::expanded`](crate::check::Asked::expanded) writes it out.
    fn series(&self, _name: &str) -> Option<&'static str> {
        None
    }

    /// A faster way to run the operations one after the other, where there is one. It may also refuse where a result is
    /// not known.
    fn run(&self, _ops: &[&O]) -> Option<Ran> {
        None
    }

    /// The form in which a dedicated monitor can take the operations over.
    fn monitored<'a>(&self, _ops: &'a [O]) -> Option<Monitored<'a>> {
        None
    }

    /// The operations as reads and writes of one cell, if they are nothing else: regularity is about these.
    fn reads_and_writes<'a>(&self, _ops: &'a [O]) -> Option<Monitored<'a>> {
        None
    }

    /// The same object with the operation of this name relaxed by `factor`.
    fn relaxed(&self, _operation: &str, _factor: u32) -> Option<AnySpec> {
        None
    }
}

/// Nothing else is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHints;

impl<O, T: PartialEq> Hints<O, T> for NoHints {}

/// What became of operations that were run one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// All of them are allowed.
    Through,
    /// The first that the state before it does not allow.
    Refused(usize),
}

/// Operations in the terms of a monitor.
#[derive(Clone, Debug)]
pub enum Monitored<'a> {
    /// A queue, stack, priority queue or bag.
    Container(Discipline, Cow<'a, [ContainerOp]>),
    /// A register without compare-and-set, and its initial value.
    Register(Datum, Cow<'a, [RegisterOp]>),
    /// One element of a set.
    Set(Cow<'a, [SetOp]>),
    /// One element of a multiset.
    Multiset(Cow<'a, [MultisetOp]>),
    /// A counter, and its initial value.
    Counter(i64, Cow<'a, [CounterOp]>),
    /// Transactions.
    Transactions(Cow<'a, [Vec<TxnStep>]>),
}

impl Monitored<'_> {
    /// The same with operations of its own.
    pub(crate) fn into_owned(self) -> Monitored<'static> {
        fn own<T: Clone>(ops: Cow<'_, [T]>) -> Cow<'static, [T]> {
            Cow::Owned(ops.into_owned())
        }
        match self {
            Monitored::Container(discipline, ops) => Monitored::Container(discipline, own(ops)),
            Monitored::Register(initial, ops) => Monitored::Register(initial, own(ops)),
            Monitored::Set(ops) => Monitored::Set(own(ops)),
            Monitored::Multiset(ops) => Monitored::Multiset(own(ops)),
            Monitored::Counter(initial, ops) => Monitored::Counter(initial, own(ops)),
            Monitored::Transactions(ops) => Monitored::Transactions(own(ops)),
        }
    }
}

/// What the operations of a history answered.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Texts, ascending.
    texts: Vec<String>,
    /// What was read from each key, ascending, and whether something is appended to it.
    keys: HashMap<Datum, (Vec<Datum>, bool)>,
}

impl Answers {
    /// From texts in any order.
    pub fn new(mut texts: Vec<String>) -> Answers {
        texts.sort_unstable();
        texts.dedup();
        Answers { texts, keys: HashMap::new() }
    }

    /// Whether some text begins with this one.
    pub fn begins(&self, text: &str) -> bool {
        let at = self.texts.partition_point(|t| t.as_str() < text);
        self.texts.get(at).is_some_and(|t| t.starts_with(text))
    }

    /// This was read from a key.
    pub(super) fn read(&mut self, key: &Datum, value: &Datum) {
        self.keys.entry(key.clone()).or_default().0.push(value.clone());
    }

    /// Something is appended to a key.
    pub(super) fn grows(&mut self, key: &Datum) {
        self.keys.entry(key.clone()).or_default().1 = true;
    }

    pub(super) fn sorted(mut self) -> Answers {
        for (values, _) in self.keys.values_mut() {
            values.sort_unstable();
            values.dedup();
        }
        self
    }

    /// Whether this, or what it may grow into, was read from a key.
    pub(super) fn saw(&self, key: &Datum, value: &Datum) -> bool {
        let Some((values, grows)) = self.keys.get(key) else { return false };
        match value.as_list() {
            // It reads as what is not there.
            Some([]) => true,
            Some(items) => {
                let at = values.partition_point(|v| v < value);
                let begins = |v: &Datum| v.as_list().is_some_and(|longer| longer.starts_with(items));
                values.get(at).is_some_and(begins)
            }
            // Where something is appended, what is no list is in the way.
            None => *grows || *value == Datum::Nil || values.binary_search(value).is_ok(),
        }
    }
}
