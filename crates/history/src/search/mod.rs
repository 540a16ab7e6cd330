//! The general decision procedure: is there an order that the specification accepts?

mod compiled;
pub(crate) mod frontier;
mod instance;
mod jit;
pub mod layers;
mod machine;
mod mask;
mod order;
mod seen;

use trueline_base::{Event, Meter, Observer, Stop};

pub(crate) use compiled::Compiled;
pub use instance::{Instance, Interval};
pub use jit::search;
pub use order::sequential;

/// What a search works under.
pub struct Control<'a> {
    /// Limits on time, memory and cancellation.
    pub meter: &'a Meter,
    /// Receives progress.
    pub observer: &'a mut dyn Observer,
    /// Configurations after which this search gives up, for attempts that may fail.
    pub cap: u64,
    /// Bytes after which it gives up likewise.
    pub cap_bytes: u64,
    /// Whether the longest partial orders are wanted.
    pub partials: bool,
}

impl<'a> Control<'a> {
    /// Under the limits of the meter alone.
    pub fn new(meter: &'a Meter, observer: &'a mut dyn Observer) -> Control<'a> {
        Control { meter, observer, cap: u64::MAX, cap_bytes: u64::MAX, partials: false }
    }

    pub(crate) fn tick(&mut self, depth: u64, states: u64, frontier: u64, bytes: u64) -> Result<(), Stop> {
        self.meter.check(bytes, states)?;
        if states.is_multiple_of(1 << 16) {
            self.observer.event(&Event::Search { depth, states, frontier, bytes });
        }
        if states > self.cap || bytes > self.cap_bytes { Err(Stop::States) } else { Ok(()) }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchResult {
    /// An order of items that explains the history; pending items that are not in it had no effect. Free
    /// operations count from the number of items on.
    Order(Vec<u32>),
    /// No order does.
    Impossible,
    /// A limit was reached first.
    Stopped(Stop),
}

/// How far a partial order came, and what could not follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial<T> {
    /// The items in order, and free operations as in [`SearchResult::Order`].
    pub order: Vec<u32>,
    /// The state after them.
    pub state: T,
    /// The item whose return could not be passed.
    pub blocked: u32,
}

/// The answer of a search, with what it cost.
#[derive(Clone, Debug)]
pub struct SearchAnswer<T> {
    /// What was found.
    pub found: SearchResult,
    /// Configurations visited.
    pub configurations: u64,
    /// Most bytes in use.
    pub bytes: u64,
    /// Calls and returns passed by the order that came furthest.
    pub furthest: u32,
    /// The longest partial orders, when they were asked for and no order was found.
    pub partials: Vec<Partial<T>>,
}

impl SearchAnswer<u32> {
    /// The same with states for their numbers.
    fn with_states<T>(self, state: impl Fn(u32) -> T) -> SearchAnswer<T> {
        let SearchAnswer { found, configurations, bytes, furthest, partials } = self;
        let partials = partials.into_iter();
        let partials =
            partials.map(|p| Partial { order: p.order, state: state(p.state), blocked: p.blocked });
        SearchAnswer { found, configurations, bytes, furthest, partials: partials.collect() }
    }
}
