//! A cycle through a component that shows what the component shows.

use super::facts::Facts;
use std::collections::{HashMap, VecDeque};
use trueline_lang::question::Progress;
use trueline_space::Tag;

/// What a cycle has to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// Any transition.
    Step,
    /// A transition of this thread.
    Mover(u8),
    /// A transition of this thread, or a state in which it need not move.
    Fair(u8),
    /// A state in which somebody should have completed.
    Due,
}

/// A cycle from a state back to itself, as transitions with where they lead; short, not always shortest.
pub(super) fn cycle(facts: &Facts, thread: u8, components: &[u32], start: u32) -> Vec<(Tag, u32)> {
    let mut goals = match facts.progress {
        Progress::LockFree | Progress::ObstructionFree => vec![Goal::Step],
        Progress::WaitFree(_) => vec![Goal::Mover(thread)],
        Progress::DeadlockFree | Progress::StarvationFree => {
            (0..facts.threads).map(Goal::Fair).chain([Goal::Due, Goal::Step]).collect()
        }
    };
    let at = |goal: &Goal, state: u32| match goal {
        Goal::Fair(thread) => facts.free(state, *thread),
        Goal::Due => facts.due(state, thread).is_some(),
        Goal::Step | Goal::Mover(_) => false,
    };
    let by = |goal: &Goal, tag: Tag| match goal {
        Goal::Step => true,
        Goal::Mover(thread) | Goal::Fair(thread) => tag.thread() == *thread,
        Goal::Due => false,
    };
    goals.retain(|goal| !at(goal, start));
    let tour = Tour { facts, thread, components };
    let (mut way, mut here) = (Vec::new(), start);
    while !goals.is_empty() {
        let reaches = |tag: Tag, to: u32| goals.iter().any(|goal| by(goal, tag) || at(goal, to));
        let part = tour.walk(here, &reaches);
        for (tag, to) in &part {
            goals.retain(|goal| !by(goal, *tag) && !at(goal, *to));
        }
        here = part.last().expect("every goal is in the component").1;
        way.extend(part);
    }
    if here != start {
        way.extend(tour.walk(here, &|_, to| to == start));
    }
    way
}

struct Tour<'f> {
    facts: &'f Facts,
    thread: u8,
    components: &'f [u32],
}

impl Tour<'_> {
    /// The shortest way inside the component that ends with a transition that is wanted.
    fn walk(&self, from: u32, wanted: &dyn Fn(Tag, u32) -> bool) -> Vec<(Tag, u32)> {
        let mut before: HashMap<u32, (u32, Tag)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for (tag, to) in self.facts.graph.leaving(state) {
                if !self.facts.stays(self.thread, self.components, state, tag, to) {
                    continue;
                }
                if wanted(tag, to) {
                    let mut way = vec![(tag, to)];
                    let mut at = state;
                    while at != from {
                        let (previous, tag) = before[&at];
                        way.push((tag, at));
                        at = previous;
                    }
                    way.reverse();
                    return way;
                }
                if to != from && !before.contains_key(&to) {
                    before.insert(to, (state, tag));
                    queue.push_back(to);
                }
            }
        }
        unreachable!("everything in a component can be reached inside it")
    }
}
