//! Sequential specifications: what an object answers when nothing overlaps.

mod bank;
mod container;
mod contents;
mod counter;
mod deque;
mod grow_set;
mod hints;
mod keyed;
mod kv;
mod lock;
mod multiset;
pub(crate) mod named;
mod next;
mod opaque;
mod quasi_queue;
mod register;
mod semaphore;
mod set;
mod txn;

use std::fmt::Debug;
use std::hash::Hash;

use crate::history::Call;

pub use bank::{Accounts, Bank, BankOp};
pub use container::{Container, ContainerOp, Discipline};
pub use counter::{Counter, CounterOp};
pub use deque::{Deque, DequeEnd, DequeOp};
pub use grow_set::{Elements, GrowSet, GrowSetOp};
pub use hints::{Answers, Hints, Monitored, NoHints, Ran};
pub(crate) use keyed::Keyed;
pub use kv::{Kv, KvAction, KvOp};
pub use lock::{Lock, LockOp};
pub use multiset::{Multiset, MultisetAction, MultisetOp};
pub use named::{NAMES, UnknownSpec};
pub use next::Next;
pub use opaque::{AnySpec, Opaque, any};
pub(crate) use opaque::{Hide, OpaqueSpec};
pub use quasi_queue::QuasiQueue;
pub use register::{Register, RegisterOp};
pub use semaphore::{Semaphore, SemaphoreOp};
pub use set::{Set, SetAction, SetOp};
pub(crate) use txn::as_list;
pub use txn::{Stored, Txn, TxnStep};

/// A sequential specification. It may be nondeterministic, and partial: an operation with this
/// result may have several outcomes in a state, or none.
///
/// Four functions are enough; the others make answers faster ([`hints`](Spec::hints)) or better told (`expected`,
/// `show`, `sentence`), and their defaults are always right.
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
/// # Ok::<(), trueline_history::CheckError>(())
/// ```
pub trait Spec: Send + Sync {
    /// An operation together with its result, in the specification's own terms.
    type Op: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// A state of the object.
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// Its name in reports.
    fn name(&self) -> String;

    /// Understands a recorded operation. The error is one sentence without a full stop.
    fn decode(&self, call: &Call<'_>) -> Result<Self::Op, String>;

    /// The state in which the history starts.
    fn initial(&self) -> Self::State;

    /// Gives every state that the operation with its result can lead to.
    fn step(&self, state: &Self::State, op: &Self::Op, next: &mut Next<'_, Self::State>);

    /// What else is known of the object, which makes answers faster and explanations smaller.
    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        &NoHints
    }

    /// What the operation would have to answer in a state, as `must return 1`.
    fn expected(&self, _state: &Self::State, _op: &Self::Op) -> Option<String> {
        None
    }

    /// A state in words.
    fn show(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    /// What is wrong with operations that no order explains, as a programmer would say it. `all` are those of the
    /// whole history, among which they are.
    fn sentence(&self, _ops: &[&Self::Op], _all: &[&Self::Op]) -> Option<String> {
        None
    }
}

/// Runs operations one after the other: by what the specification knows, else with all states that they can lead to.
pub(crate) fn run<S: Spec>(spec: &S, ops: &[&S::Op]) -> Ran {
    if let Some(ran) = spec.hints().run(ops) {
        return ran;
    }
    let mut states = vec![spec.initial()];
    let mut next = Next::new();
    for (at, op) in ops.iter().enumerate() {
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
            return Ran::Refused(at);
        }
    }
    Ran::Through
}
