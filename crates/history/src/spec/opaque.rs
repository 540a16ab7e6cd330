//! Specifications without their types, so that what need not be fastest is compiled once and not once per object.
//!
//! Operations and states are boxes that can be compared and hashed; [`Hide`] turns any specification into one of them.
//! Deciding a history stays in the types of its object; explaining a failure, following a log and the conditions that
//! only a search decides see [`OpaqueSpec`]s.

use std::any::Any;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::{Answers, Hints, Monitored, Next, Ran, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// An operation or state of an object whose types are not known.
#[derive(Clone)]
pub struct Opaque {
    /// Of what is inside, so that most that differ are told apart without looking there.
    hash: u64,
    inside: Arc<dyn Content>,
}

/// What can be asked of what is inside.
trait Content: Any + fmt::Debug + Send + Sync {
    fn equals(&self, other: &dyn Content) -> bool;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<T: Eq + Hash + fmt::Debug + Send + Sync + 'static> Content for T {
    fn equals(&self, other: &dyn Content) -> bool {
        other.as_any().downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl Opaque {
    fn new<T: Eq + Hash + fmt::Debug + Send + Sync + 'static>(inside: T) -> Opaque {
        Opaque { hash: FixedState::default().hash_one(&inside), inside: Arc::new(inside) }
    }

    /// What is inside.
    ///
    /// # Panics
    /// When it belongs to an object of another type, which is a mistake of whoever mixed them.
    fn get<T: 'static>(&self) -> &T {
        (*self.inside).as_any().downcast_ref().expect("operations and states stay with their object")
    }

    /// Changes what is inside; a copy of it where somebody else has it too.
    fn change<T>(&mut self, change: impl FnOnce(&mut T))
    where
        T: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
    {
        let alone = Arc::get_mut(&mut self.inside);
        if let Some(alone) = alone.and_then(|inside| inside.as_any_mut().downcast_mut()) {
            change(alone);
            self.hash = FixedState::default().hash_one(alone);
            return;
        }
        let mut copy = self.get::<T>().clone();
        change(&mut copy);
        *self = Opaque::new(copy);
    }
}

impl PartialEq for Opaque {
    fn eq(&self, other: &Opaque) -> bool {
        let same = || Arc::ptr_eq(&self.inside, &other.inside);
        self.hash == other.hash && (same() || (*self.inside).equals(&*other.inside))
    }
}

impl Eq for Opaque {}

impl Hash for Opaque {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (*self.inside).fmt(f)
    }
}

/// A specification whose types are not known.
pub(crate) type OpaqueSpec<'a> = dyn Spec<Op = Opaque, State = Opaque> + 'a;

/// The same, owned.
pub type AnySpec = Box<dyn Spec<Op = Opaque, State = Opaque>>;

/// What holds a specification is one.
macro_rules! holds_a_specification {
    ($holder:ty) => {
        impl<S: Spec + ?Sized> Spec for $holder {
            type Op = S::Op;
            type State = S::State;

            fn name(&self) -> String {
                (**self).name()
            }

            fn decode(&self, call: &Call<'_>) -> Result<Self::Op, String> {
                (**self).decode(call)
            }

            fn initial(&self) -> Self::State {
                (**self).initial()
            }

            fn step(&self, state: &Self::State, op: &Self::Op, next: &mut Next<'_, Self::State>) {
                (**self).step(state, op, next);
            }

            fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
                (**self).hints()
            }

            fn expected(&self, state: &Self::State, op: &Self::Op) -> Option<String> {
                (**self).expected(state, op)
            }

            fn show(&self, state: &Self::State) -> String {
                (**self).show(state)
            }

            fn sentence(&self, ops: &[&Self::Op], all: &[&Self::Op]) -> Option<String> {
                (**self).sentence(ops, all)
            }
        }
    };
}

holds_a_specification!(&S);
holds_a_specification!(Box<S>);

/// A specification with its types hidden.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hide<S>(pub S);

impl<S: Spec> Hide<S> {
    /// An operation without its type.
    pub fn op(op: S::Op) -> Opaque {
        Opaque::new(op)
    }
}

fn inside<'a, T: 'static>(all: &[&'a Opaque]) -> Vec<&'a T> {
    all.iter().map(|one| one.get()).collect()
}

impl<S: Spec> Spec for Hide<S> {
    type Op = Opaque;
    type State = Opaque;

    fn name(&self) -> String {
        self.0.name()
    }

    fn decode(&self, call: &Call<'_>) -> Result<Opaque, String> {
        self.0.decode(call).map(Opaque::new)
    }

    fn initial(&self) -> Opaque {
        Opaque::new(self.0.initial())
    }

    fn step(&self, state: &Opaque, op: &Opaque, next: &mut Next<'_, Opaque>) {
        next.through(Opaque::new, |next| self.0.step(state.get(), op.get(), next));
    }

    fn hints(&self) -> &dyn Hints<Opaque, Opaque> {
        self
    }

    fn expected(&self, state: &Opaque, op: &Opaque) -> Option<String> {
        self.0.expected(state.get(), op.get())
    }

    fn show(&self, state: &Opaque) -> String {
        self.0.show(state.get())
    }

    fn sentence(&self, ops: &[&Opaque], all: &[&Opaque]) -> Option<String> {
        self.0.sentence(&inside(ops), &inside(all))
    }
}

impl<S: Spec> Hints<Opaque, Opaque> for Hide<S> {
    fn observes(&self, op: &Opaque) -> bool {
        self.0.hints().observes(op.get())
    }

    fn part(&self, op: &Opaque) -> Option<Datum> {
        self.0.hints().part(op.get())
    }

    fn touches(&self, op: &Opaque) -> Vec<Datum> {
        self.0.hints().touches(op.get())
    }

    fn restricted(&self, op: &Opaque, parts: &[Datum]) -> Option<Opaque> {
        self.0.hints().restricted(op.get(), parts).map(Opaque::new)
    }

    fn groups(&self, ops: &[&Opaque]) -> Vec<Option<Datum>> {
        self.0.hints().groups(&inside(ops))
    }

    fn repeatable(&self, op: &Opaque) -> bool {
        self.0.hints().repeatable(op.get())
    }

    fn seen(&self, ops: &mut dyn Iterator<Item = &Opaque>) -> Option<Answers> {
        self.0.hints().seen(&mut ops.map(|op| op.get()))
    }

    fn forget(&self, state: &mut Opaque, seen: &Answers) {
        state.change(|state: &mut S::State| self.0.hints().forget(state, seen));
    }

    fn worse(&self, state: &Opaque, than: &Opaque) -> bool {
        self.0.hints().worse(state.get(), than.get())
    }

    fn heap_bytes(&self, state: &Opaque) -> usize {
        // The counts of the box are on the heap as well.
        16 + std::mem::size_of::<S::State>() + self.0.hints().heap_bytes(state.get())
    }

    fn drain(&self, ops: &[&Opaque]) -> Vec<Opaque> {
        self.0.hints().drain(&inside(ops)).into_iter().map(Opaque::new).collect()
    }

    fn drained(&self, state: &Opaque) -> bool {
        self.0.hints().drained(state.get())
    }

    fn accepts(&self, state: &Opaque, limit: &mut Next<'_, Opaque>) -> bool {
        let mut accepted = false;
        limit.through(Opaque::new, |limit| accepted = self.0.hints().accepts(state.get::<S::State>(), limit));
        accepted
    }

    fn series(&self, name: &str) -> Option<&'static str> {
        self.0.hints().series(name)
    }

    fn run(&self, ops: &[&Opaque]) -> Option<Ran> {
        self.0.hints().run(&inside(ops))
    }

    fn monitored<'a>(&self, ops: &'a [Opaque]) -> Option<Monitored<'a>> {
        let own: Vec<S::Op> = ops.iter().map(|op| op.get::<S::Op>().clone()).collect();
        self.0.hints().monitored(&own).map(Monitored::into_owned)
    }

    fn reads_and_writes<'a>(&self, ops: &'a [Opaque]) -> Option<Monitored<'a>> {
        let own: Vec<S::Op> = ops.iter().map(|op| op.get::<S::Op>().clone()).collect();
        self.0.hints().reads_and_writes(&own).map(Monitored::into_owned)
    }

    fn relaxed(&self, operation: &str, factor: u32) -> Option<AnySpec> {
        self.0.hints().relaxed(operation, factor)
    }
}

/// Hides the types of a specification.
pub fn any<S: Spec + 'static>(spec: S) -> AnySpec {
    Box::new(Hide(spec))
}
