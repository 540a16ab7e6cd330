//! Sequential specifications: what an object answers when nothing overlaps.

mod bank;
mod container;
mod contents;
mod counter;
mod deque;
mod grow_set;
mod keyed;
mod kv;
mod lock;
mod multiset;
mod named;
mod quasi_queue;
mod register;
mod semaphore;
mod set;
mod txn;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use trueline_base::{Meter, Stop};

use crate::ask::Asked;
use crate::datum::Datum;
use crate::history::Call;

pub use bank::{Accounts, Bank, BankOp};
pub use container::{Container, ContainerOp, Discipline};
pub use counter::{Counter, CounterOp};
pub use deque::{Deque, DequeOp, End};
pub use grow_set::{Elements, GrowSet, GrowSetOp};
pub(crate) use keyed::Keyed;
pub use kv::{Kv, KvAction, KvOp};
pub use lock::{Lock, LockOp};
pub use multiset::{Multiset, MultisetAction, MultisetOp};
pub use named::{NAMES, UnknownSpec, Visit, with_named};
pub use quasi_queue::QuasiQueue;
pub use register::{Register, RegisterOp};
pub use semaphore::{Semaphore, SemaphoreOp};
pub use set::{Set, SetAction, SetOp};
pub(crate) use txn::as_list;
pub use txn::{Stored, Txn, TxnStep};

/// A sequential specification. It may be nondeterministic, and partial: an operation with this
/// result may have several outcomes in a state, or none.
///
/// Four functions are enough; the others make answers faster (`part`, `observes`, `groups`) or better told
/// (`expected`, `show`, `sentence`), and their defaults are always right.
///
/// ```
/// use trueline_base::{Limits, Meter, Silent};
/// use trueline_history::spec::{Next, Spec};
/// use trueline_history::{Builder, Call, Options, Verdict, check};
///
/// /// A flag that is raised once.
/// struct Flag;
///
/// impl Spec for Flag {
///     type Op = (bool, Option<bool>);
///     type State = bool;
///     fn name(&self) -> String {
///         "flag".into()
///     }
///     fn decode(&self, call: &Call<'_>) -> Result<Self::Op, String> {
///         let result = call.output.map(|d| d == &true.into());
///         match call.name {
///             "raise" => Ok((true, None)),
///             "look" => Ok((false, result)),
///             other => Err(format!("a flag has no operation `{other}`")),
///         }
///     }
///     fn initial(&self) -> bool {
///         false
///     }
///     fn step(&self, up: &bool, op: &Self::Op, next: &mut Next<'_, bool>) {
///         match op {
///             (true, _) => next.push(true),
///             (false, seen) if seen.is_none_or(|s| s == *up) => next.push(*up),
///             _ => {}
///         }
///     }
/// }
///
/// // Process 1 raises the flag; process 2 sees it up, and then down again.
/// let mut log = Builder::new();
/// log.call(1, 1, "raise", None, ().into())?;
/// log.call(2, 2, "look", None, ().into())?;
/// log.ret(3, 2, Some(true.into()))?;
/// log.call(4, 2, "look", None, ().into())?;
/// log.ret(5, 2, Some(false.into()))?;
/// log.ret(6, 1, Some(().into()))?;
/// let history = log.finish();
/// let meter = Meter::start(Limits::default());
/// let report = check(&Flag, &history, &Options::default(), &meter, &mut Silent)?;
/// let Verdict::Fails(failure) = report.verdict else { panic!("a flag stays up") };
/// let shown: Vec<String> = failure.operations.iter().map(|id| history.show(*id)).collect();
/// assert_eq!(shown, ["look() = true", "look() = false"]);
/// # Ok::<(), trueline_history::Problem>(())
/// ```
pub trait Spec: Send + Sync {
    /// An operation together with its result, in the specification's own terms.
    type Op: Clone + Eq + Hash + Debug + Send + Sync;
    /// A state of the object.
    type State: Clone + Eq + Hash + Debug + Send + Sync;

    /// Its name in reports.
    fn name(&self) -> String;

    /// Understands a recorded operation. The error is one sentence without a full stop.
    fn decode(&self, call: &Call<'_>) -> Result<Self::Op, String>;

    /// The state in which the history starts.
    fn initial(&self) -> Self::State;

    /// Gives every state that the operation with its result can lead to.
    fn step(&self, state: &Self::State, op: &Self::Op, next: &mut Next<'_, Self::State>);

    /// Whether the operation never changes any state, whatever it answered.
    fn observes(&self, _op: &Self::Op) -> bool {
        false
    }

    /// The part of the object that an operation is about, when the object is a family of independent
    /// parts: a sequence is legal exactly when its restriction to each part is.
    fn part(&self, _op: &Self::Op) -> Option<Datum> {
        None
    }

    /// The independent parts that an operation is about at once, where it may be about several: what no chain of
    /// operations links is decided apart. Nothing, when [`part`](Spec::part) says it.
    fn touches(&self, _op: &Self::Op) -> Vec<Datum> {
        Vec::new()
    }

    /// What an operation does to some of the parts that it touches; nothing if it touches none of them. A legal
    /// sequence stays legal when all its operations are restricted to the same parts.
    fn restricted(&self, _op: &Self::Op, _parts: &[Datum]) -> Option<Self::Op> {
        None
    }

    /// For each operation the group that it belongs to, if taking all operations of one group out of
    /// any legal sequence of these operations leaves it legal.
    fn groups(&self, ops: &[&Self::Op]) -> Vec<Option<Datum>> {
        vec![None; ops.len()]
    }

    /// Whether the operation, taking effect any number of times among any others, leads to finitely many
    /// states only. It makes explanations smaller; `false` is always right.
    fn repeatable(&self, _op: &Self::Op) -> bool {
        false
    }

    /// What the operation would have to answer in a state, as `must return 1`.
    fn expected(&self, _state: &Self::State, _op: &Self::Op) -> Option<String> {
        None
    }

    /// A state in words.
    fn show(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    /// What the results of these operations say about states, if there are states that they cannot tell apart.
    fn seen(&self, _ops: &mut dyn Iterator<Item = &Self::Op>) -> Option<Seen> {
        None
    }

    /// Replaces a state by one that stands for all which no operation tells apart from it, now or later, whatever
    /// operations of those that gave `seen` take effect in between.
    fn forget(&self, _state: &mut Self::State, _seen: &Seen) {}

    /// Whether all that can follow one state, now and later, can follow the other as well. Equal states are such.
    fn worse(&self, state: &Self::State, than: &Self::State) -> bool {
        state == than
    }

    /// Bytes that a state takes beyond its own size.
    fn heap_bytes(&self, _state: &Self::State) -> usize {
        0
    }

    /// Removals that may be appended to a history of these operations, each at most once, to take out
    /// what it leaves inside.
    fn drain(&self, _ops: &[&Self::Op]) -> Vec<Self::Op> {
        Vec::new()
    }

    /// Whether nothing is left inside.
    fn drained(&self, _state: &Self::State) -> bool {
        true
    }

    /// Whether a history may end in this state. A long computation asks `limit` now and then whether to
    /// go on.
    fn accepts(&self, _state: &Self::State, _limit: &mut Next<'_, Self::State>) -> bool {
        true
    }

    /// The operation of which the one of this name is a series, each at a moment of its own: what it answers is the
    /// list of what they answered. [`crate::series::expanded`] writes it out.
    fn series(&self, _name: &str) -> Option<&'static str> {
        None
    }

    /// The same object with the operations of each series in their order, where there may be series.
    fn in_series(&self) -> Option<Box<dyn Asked>> {
        None
    }

    /// Runs the operations one after the other. Answers which of them is the first that the state before it does not
    /// allow. A specification whose states are large may have a faster way, which may also refuse where a result
    /// is not known.
    fn run<'a>(&self, ops: impl Iterator<Item = &'a Self::Op>) -> Option<usize>
    where
        Self::Op: 'a,
        Self: Sized,
    {
        step_by_step(self, ops)
    }

    /// What is wrong with operations that no order explains, as a programmer would say it. `all` are those of the
    /// whole history, among which they are.
    fn sentence(&self, _ops: &[&Self::Op], _all: &[Self::Op]) -> Option<String> {
        None
    }

    /// The form in which a dedicated monitor can take the operations over.
    fn monitored<'a>(&self, _ops: &'a [Self::Op]) -> Option<Monitored<'a>> {
        None
    }

    /// The operations as reads and writes of one register, if they are nothing else.
    fn as_register<'a>(&self, _ops: &'a [Self::Op]) -> Option<Monitored<'a>> {
        None
    }

    /// The same object with its removals relaxed by `factor`, for the operation of this name.
    fn quasi(&self, _operation: &str, _factor: u32) -> Option<QuasiQueue> {
        None
    }
}

/// What the operations of a history answered.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Texts, ascending.
    texts: Vec<String>,
    /// What was read from each key, ascending, and whether something is appended to it.
    keys: HashMap<Datum, (Vec<Datum>, bool)>,
}

impl Seen {
    /// From texts in any order.
    pub fn new(mut texts: Vec<String>) -> Seen {
        texts.sort_unstable();
        texts.dedup();
        Seen { texts, keys: HashMap::new() }
    }

    /// Whether some text begins with this one.
    pub fn begins(&self, text: &str) -> bool {
        let at = self.texts.partition_point(|t| t.as_str() < text);
        self.texts.get(at).is_some_and(|t| t.starts_with(text))
    }

    /// This was read from a key.
    fn read(&mut self, key: &Datum, value: &Datum) {
        self.keys.entry(key.clone()).or_default().0.push(value.clone());
    }

    /// Something is appended to a key.
    fn grows(&mut self, key: &Datum) {
        self.keys.entry(key.clone()).or_default().1 = true;
    }

    fn sorted(mut self) -> Seen {
        for (values, _) in self.keys.values_mut() {
            values.sort_unstable();
            values.dedup();
        }
        self
    }

    /// Whether this, or what it may grow into, was read from a key.
    fn saw(&self, key: &Datum, value: &Datum) -> bool {
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

/// Runs operations one after the other with all states that they can lead to.
fn step_by_step<'a, S: Spec>(spec: &S, ops: impl Iterator<Item = &'a S::Op>) -> Option<usize>
where
    S::Op: 'a,
{
    let mut states = vec![spec.initial()];
    let mut next = Next::new();
    for (at, op) in ops.enumerate() {
        for state in &states {
            spec.step(state, op, &mut next);
        }
        states.clear();
        for state in next.drain() {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        if states.is_empty() {
            return Some(at);
        }
    }
    None
}

/// Operations in the terms of a monitor.
#[derive(Clone, Debug)]
pub enum Monitored<'a> {
    /// A queue, stack, priority queue or bag.
    Container(Discipline, &'a [ContainerOp]),
    /// A register without compare-and-set, and its initial value.
    Register(Datum, Cow<'a, [RegisterOp]>),
    /// One element of a set.
    Set(&'a [SetOp]),
    /// One element of a multiset.
    Multiset(&'a [MultisetOp]),
    /// A counter, and its initial value.
    Counter(i64, &'a [CounterOp]),
    /// Transactions.
    Transactions(&'a [Vec<TxnStep>]),
}

/// Receives the outcomes of one step. A limit holds also inside a step with very many outcomes:
/// once it is reached, further outcomes are not kept and the search ends.
#[derive(Debug)]
pub struct Next<'m, T> {
    out: Vec<T>,
    meter: Option<&'m Meter>,
    base: (u64, u64),
    ticks: u32,
    stop: Option<Stop>,
}

impl<'m, T> Next<'m, T> {
    /// A receiver without limits.
    pub fn new() -> Next<'m, T> {
        Next { out: Vec::new(), meter: None, base: (0, 0), ticks: 0, stop: None }
    }

    /// A receiver under limits.
    pub fn metered(meter: &'m Meter) -> Next<'m, T> {
        Next { meter: Some(meter), ..Next::new() }
    }

    /// What the search has in use besides.
    pub(crate) fn set_base(&mut self, bytes: u64, states: u64) {
        self.base = (bytes, states);
    }

    /// One outcome.
    pub fn push(&mut self, state: T) {
        if self.working() {
            self.out.push(state);
        }
    }

    /// Whether to go on. A step that takes long without outcomes asks now and then.
    pub fn working(&mut self) -> bool {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(256)
            && self.stop.is_none()
            && let Some(meter) = self.meter
        {
            let own = (self.out.len() * std::mem::size_of::<T>()) as u64;
            self.stop = meter.check(self.base.0 + own, self.base.1).err();
        }
        self.stop.is_none()
    }

    /// The outcomes so far, which are taken out.
    pub fn drain(&mut self) -> std::vec::Drain<'_, T> {
        self.out.drain(..)
    }

    /// Whether there is no outcome.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// The limit that was reached.
    pub fn stopped(&self) -> Option<Stop> {
        self.stop
    }
}

impl<T> Default for Next<'_, T> {
    fn default() -> Self {
        Next::new()
    }
}
