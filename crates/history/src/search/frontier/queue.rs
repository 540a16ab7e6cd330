//! Queues with repeated values.
//!
//! Values come out in the order in which they are put in, so an order of a queue is an order of insertions and one of
//! everything else in which the k-th removal takes the value of the k-th insertion. Both are walked side by side: an
//! insertion is taken when its value is to come out next, then looks at it, then its removal. Each operation can take
//! effect at the latest call so far of its own kind, and a removal, a look or an empty queue not before the
//! insertions that precede it; that is before its return, or there is no such order. What finds the queue empty stands
//! at a moment that no insertion which is still to come may have passed: the first of these to return does so later.
//! A configuration is the pair of frontiers and the value in front. After Lee and Mathur's bound for queues with c
//! clients; here O(n 4^c) configurations where each has its own value in front.
//!
//! Of two insertions of one value, or two equal other operations, the one that was called no later and returns no later
//! goes first: exchanging them keeps every moment possible.

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use trueline_base::Stop;

use super::super::Control;
use super::track::{Frontier, Track};
use super::{Act, Acts, Bounded};
use crate::monitor::Places;

/// No value is in front.
const NOTHING: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Configuration {
    puts: Frontier,
    rest: Frontier,
    /// The value that comes out next, which has been put in.
    front: u32,
}

/// An operation that takes effect next.
#[derive(Clone, Copy)]
enum Step {
    Put(u32),
    /// Another operation, and whether the value in front is gone after it.
    Other(u32, bool),
    /// One that finds nothing.
    Empty(u32),
}

struct Search<'a, 'c> {
    puts: Track,
    rest: Track,
    control: &'a mut Control<'c>,
    seen: HashSet<Configuration, FixedState>,
    steps: Vec<Step>,
    bytes: u64,
}

pub(super) fn search(acts: &Acts, control: &mut Control<'_>) -> Option<Bounded> {
    let inserts = |i: &usize| matches!(acts.acts[*i], Act::Insert(_));
    let (puts, rest): (Vec<usize>, Vec<usize>) = (0..acts.acts.len()).partition(inserts);
    let track = |items: &[usize]| {
        Track::new(
            items.iter().map(|i| acts.acts[*i]).collect(),
            items.iter().map(|i| acts.spans[*i]).collect(),
        )
    };
    let mut search = Search {
        puts: track(&puts)?,
        rest: track(&rest)?,
        control,
        seen: HashSet::default(),
        steps: Vec::new(),
        bytes: 0,
    };
    let found = search.run().map(|steps| {
        steps.map(|steps| {
            let own = |step: &Step| match step {
                Step::Put(i) => puts[*i as usize],
                Step::Other(i, _) | Step::Empty(i) => rest[*i as usize],
            };
            order(acts, &puts, &steps, own)
        })
    });
    Some(Bounded { found, configurations: search.seen.len() as u64, bytes: search.bytes, until: None })
}

impl Search<'_, '_> {
    /// The steps of an order up to the last operation that is no insertion.
    fn run(&mut self) -> Result<Option<Vec<Step>>, Stop> {
        let start = Configuration { puts: self.puts.start(), rest: self.rest.start(), front: NOTHING };
        // For each configuration on the way the step that led there, and where its further steps begin.
        let mut way: Vec<(Configuration, Option<Step>, usize)> = Vec::new();
        self.seen.insert(start);
        self.look()?;
        way.push((start, None, 0));
        self.moves(start);
        while let Some(&(now, _, base)) = way.last() {
            if self.rest.done(now.rest) {
                return Ok(Some(way.iter().filter_map(|(_, step, _)| *step).collect()));
            }
            if self.steps.len() == base {
                way.pop();
                continue;
            }
            let step = self.steps.pop().expect("above the base");
            let Some(next) = self.after(now, step) else { continue };
            if self.seen.insert(next) {
                if self.seen.len().is_multiple_of(1024) || self.seen.len() as u64 >= self.control.cap {
                    self.look()?;
                }
                way.push((next, Some(step), self.steps.len()));
                self.moves(next);
            }
        }
        Ok(None)
    }

    fn look(&mut self) -> Result<(), Stop> {
        let table = self.seen.capacity() * (std::mem::size_of::<Configuration>() + 1);
        self.bytes = table as u64 + self.puts.bytes() + self.rest.bytes() + 32 * self.steps.capacity() as u64;
        let seen = self.seen.len() as u64;
        self.control.tick(seen, seen, self.steps.len() as u64, self.bytes)
    }

    /// Adds the steps that are possible, those that are rather taken last.
    fn moves(&mut self, now: Configuration) {
        let Search { puts, rest, steps, .. } = self;
        if now.front == NOTHING {
            let wanted = |v: u32| {
                rest.open(now.rest).any(|i| match rest.acts[i as usize] {
                    Act::Remove(w) | Act::Peek(w) => v == w,
                    Act::RemoveAny | Act::RemoveSome => true,
                    Act::Insert(_) | Act::FindEmpty => false,
                })
            };
            for i in puts.open(now.puts) {
                if let Act::Insert(v) = puts.acts[i as usize]
                    && wanted(v)
                    && !puts.follows(now.puts, i)
                {
                    steps.push(Step::Put(i));
                }
            }
        }
        for i in rest.open(now.rest) {
            if rest.follows(now.rest, i) {
                continue;
            }
            match (rest.acts[i as usize], now.front) {
                (Act::FindEmpty | Act::RemoveAny, NOTHING) => steps.push(Step::Empty(i)),
                (Act::Remove(v), front) if v == front => steps.push(Step::Other(i, true)),
                (Act::Peek(v), front) if v == front => steps.push(Step::Other(i, false)),
                (Act::RemoveAny | Act::RemoveSome, front) if front != NOTHING => {
                    steps.push(Step::Other(i, true))
                }
                _ => {}
            }
        }
    }

    /// The configuration after a step, if it can take effect in time.
    fn after(&self, now: Configuration, step: Step) -> Option<Configuration> {
        let Search { puts, rest, .. } = self;
        match step {
            Step::Put(i) => {
                let Act::Insert(front) = puts.acts[i as usize] else { return None };
                let next = Configuration { puts: puts.with(now.puts, i), front, ..now };
                // What waits to return comes after this insertion.
                let waiting = rest.waiting(now.rest)?;
                (puts.latest(next.puts) < waiting).then_some(next)
            }
            Step::Other(i, takes) => {
                let front = if takes { NOTHING } else { now.front };
                let in_time = puts.latest(now.puts) < rest.spans[i as usize].ret;
                in_time.then(|| Configuration { rest: rest.with(now.rest, i), front, ..now })
            }
            Step::Empty(i) => {
                let next = Configuration { rest: rest.with(now.rest, i), ..now };
                let moment =
                    puts.latest(now.puts).max(rest.latest(now.rest)).max(rest.spans[i as usize].call);
                let before = |ret: u32| moment < ret;
                let in_time = before(rest.spans[i as usize].ret) && puts.waiting(now.puts).is_none_or(before);
                in_time.then_some(next)
            }
        }
    }
}

/// The order behind the steps, with the insertions that nobody saw at the end.
fn order(acts: &Acts, puts: &[usize], steps: &[Step], own: impl Fn(&Step) -> usize) -> Vec<usize> {
    let mut places = Places::with_capacity(acts.acts.len());
    let rank = |segment: u64, kind: u64, at: usize| segment << 36 | kind << 34 | at as u64;
    let (mut put, mut other, mut segment) = (0, 0, 0);
    let mut placed = vec![false; acts.acts.len()];
    for (at, step) in steps.iter().enumerate() {
        let i = own(step);
        placed[i] = true;
        let call = acts.spans[i].call;
        match step {
            Step::Put(_) => {
                put = call.max(put);
                places.put(i, put, rank(segment, 1, at));
            }
            Step::Other(..) => {
                other = call.max(other).max(put);
                places.put(i, other, rank(segment, 2, at));
            }
            Step::Empty(_) => {
                other = call.max(other).max(put);
                put = other;
                segment += 1;
                places.put(i, other, rank(segment, 0, at));
            }
        }
    }
    // By their returns, which keeps real time among them.
    let mut left: Vec<usize> = puts.iter().copied().filter(|i| !placed[*i]).collect();
    left.retain(|i| acts.spans[*i].ret != crate::history::NEVER);
    left.sort_unstable_by_key(|i| acts.spans[*i].ret);
    for (at, i) in left.into_iter().enumerate() {
        put = acts.spans[i].call.max(put);
        places.put(i, put, rank(segment, 1, steps.len() + at));
    }
    places.into_order()
}
