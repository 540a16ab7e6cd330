//! Priority queues and bags with repeated values.
//!
//! What is inside follows from which operations are in the order, not from their order, as long as everybody says what
//! he took. So a configuration is a frontier alone, and one set of contents is kept, changed on the way forward and
//! back. What changes nothing goes as soon as it fits, and of equal operations the one that returns first goes first.
//! Cost: O(n 2^c log n). (Emmi and Enea, POPL 2018, for collections; Lee and Mathur, 2025.)

use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use trueline_base::Stop;

use super::super::Control;
use super::track::{Frontier, Track};
use super::{Act, Acts, Bounded};

/// What is inside.
struct Contents {
    counts: BTreeMap<u32, u32>,
    /// Which leaves first: none, the least or the greatest.
    greatest: Option<bool>,
}

impl Contents {
    fn can_leave(&self, v: u32) -> bool {
        match self.greatest {
            None => self.counts.contains_key(&v),
            Some(false) => self.counts.first_key_value().is_some_and(|(w, _)| *w == v),
            Some(true) => self.counts.last_key_value().is_some_and(|(w, _)| *w == v),
        }
    }

    fn allows(&self, act: Act) -> bool {
        match act {
            Act::Insert(_) => true,
            Act::Remove(v) | Act::Peek(v) => self.can_leave(v),
            Act::FindEmpty => self.counts.is_empty(),
            Act::RemoveAny | Act::RemoveSome => false,
        }
    }

    fn put(&mut self, v: u32) {
        *self.counts.entry(v).or_default() += 1;
    }

    fn take(&mut self, v: u32) {
        if let Some(count) = self.counts.get_mut(&v) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&v);
            }
        }
    }

    fn apply(&mut self, act: Act) {
        match act {
            Act::Insert(v) => self.put(v),
            Act::Remove(v) => self.take(v),
            _ => {}
        }
    }

    fn undo(&mut self, act: Act) {
        match act {
            Act::Insert(v) => self.take(v),
            Act::Remove(v) => self.put(v),
            _ => {}
        }
    }
}

/// A configuration on the way.
struct Frame {
    at: Frontier,
    item: Option<u32>,
    /// Where its further steps begin.
    base: usize,
}

/// Nothing is answered where somebody took nobody knows what.
pub(super) fn search(acts: &Acts, greatest: Option<bool>, control: &mut Control<'_>) -> Option<Bounded> {
    if acts.acts.iter().any(|act| matches!(act, Act::RemoveAny | Act::RemoveSome)) {
        return None;
    }
    let track = Track::new(acts.acts.clone(), acts.spans.clone())?;
    let mut contents = Contents { counts: BTreeMap::new(), greatest };
    let mut seen: HashSet<Frontier, FixedState> = HashSet::default();
    let mut furthest = Frontier::default();
    let mut bytes = 0;
    let mut steps: Vec<u32> = Vec::new();
    let cap = control.cap;
    let mut look = |seen: &HashSet<Frontier, FixedState>, frames: usize, depth: u32| {
        bytes =
            track.bytes() + (seen.capacity() * (std::mem::size_of::<Frontier>() + 1) + frames * 64) as u64;
        control.tick(u64::from(depth), seen.len() as u64, frames as u64, bytes)
    };
    let mut run = || -> Result<Option<Vec<usize>>, Stop> {
        look(&seen, 0, 0)?;
        let mut way = vec![Frame { at: track.start(), item: None, base: 0 }];
        seen.insert(way[0].at);
        moves(&track, &contents, way[0].at, &mut steps);
        loop {
            let Some(frame) = way.last() else { return Ok(None) };
            if frame.at.layer > furthest.layer {
                furthest = frame.at;
            }
            if track.done(frame.at) {
                return Ok(Some(way.iter().filter_map(|f| f.item).map(|i| i as usize).collect()));
            }
            if steps.len() == frame.base {
                if let Some(item) = way.pop().and_then(|f| f.item) {
                    contents.undo(track.acts[item as usize]);
                }
                continue;
            }
            let item = steps.pop().expect("above the base");
            let next = track.with(frame.at, item);
            if !seen.insert(next) {
                continue;
            }
            if seen.len().is_multiple_of(1024) || seen.len() as u64 >= cap {
                look(&seen, way.len(), furthest.layer)?;
            }
            contents.apply(track.acts[item as usize]);
            way.push(Frame { at: next, item: Some(item), base: steps.len() });
            moves(&track, &contents, next, &mut steps);
        }
    };
    let found = run();
    let configurations = seen.len() as u64;
    Some(Bounded { found, configurations, bytes, until: track.waiting(furthest) })
}

/// Adds the steps that can come next.
fn moves(track: &Track, contents: &Contents, at: Frontier, steps: &mut Vec<u32>) {
    let act = |i: u32| track.acts[i as usize];
    if let Some(look) = track.open(at).find(|i| act(*i).observes() && contents.allows(act(*i))) {
        return steps.push(look);
    }
    for item in track.open(at).filter(|i| !act(*i).observes() && contents.allows(act(*i))) {
        let own = (track.spans[item as usize].ret, item);
        let earlier = |other: u32| act(other) == act(item) && (track.spans[other as usize].ret, other) < own;
        if !track.open(at).any(earlier) {
            steps.push(item);
        }
    }
}
