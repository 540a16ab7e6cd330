//! One system, every question, both answers: what the tests and the long runs share.

use super::{k_trace_partitions, partition, partition_by_enumeration};
use crate::partition::Equivalence;
use crate::system::{Lts, StateId};
use trueline_base::{Limits, Meter, Silent};

/// The first disagreement between the fast algorithms and their twins on a small system: the
/// partition by each equivalence, and that the quotient is equivalent and minimal. `None` when all
/// agree.
pub fn disagreement(lts: &Lts) -> Option<String> {
    partition_disagreement(lts)
        .or_else(|| Equivalence::ALL.into_iter().find_map(|by| quotient_disagreement(lts, by)))
}

/// The first equivalence whose partition differs from the twin's.
pub fn partition_disagreement(lts: &Lts) -> Option<String> {
    let meter = Meter::start(Limits::default());
    for by in Equivalence::ALL {
        let Ok(fast) = crate::partition(lts, by, &meter, &mut Silent) else {
            return Some(format!("{by}: stopped"));
        };
        let slow = partition(lts, by);
        if fast != slow {
            return Some(format!("{by}: fast {:?}, twin {:?}", fast.as_slice(), slow.as_slice()));
        }
    }
    None
}

/// The first equivalence with divergence whose partition differs from the definition itself, which
/// tries all equivalences on the states; for at most five states or so.
pub fn divergence_disagreement(lts: &Lts) -> Option<String> {
    let meter = Meter::start(Limits::default());
    [Equivalence::DpBranching, Equivalence::DpWeak].into_iter().find_map(|by| {
        let fast = crate::partition(lts, by, &meter, &mut Silent).ok();
        let defined = partition_by_enumeration(lts, by);
        (fast.as_ref() != Some(&defined)).then(|| format!("{by}: {fast:?}, by definition {defined:?}"))
    })
}

fn quotient_disagreement(lts: &Lts, by: Equivalence) -> Option<String> {
    let meter = Meter::start(Limits::default());
    let wrong = |what: &str| Some(format!("{by}: {what}"));
    let Ok(small) = crate::quotient(lts, by, &meter, &mut Silent) else { return wrong("stopped") };
    let Some(union) = lts.disjoint_union(&small.system) else { return wrong("too large") };
    let together = partition(&union, by);
    let image = |s: StateId| StateId(lts.states() as u32 + small.state_of[s.index()].0);
    if !lts.state_ids().all(|s| together.same(s, image(s))) {
        return wrong("the quotient is not equivalent");
    }
    if together.classes() != small.system.states() {
        return wrong("the quotient is not minimal");
    }
    if small.system.initial() != small.state_of[lts.initial().index()] {
        return wrong("the quotient starts elsewhere");
    }
    None
}

/// The first level on which k-traces disagree with their twin; for at most three or four states.
pub fn k_trace_disagreement(lts: &Lts) -> Option<String> {
    let meter = Meter::start(Limits::default());
    let Ok(fast) = crate::k_traces(lts, &meter, &mut Silent) else { return Some("stopped".into()) };
    let cap = fast.cap();
    let slow = k_trace_partitions(lts, cap + 1);
    let level = (0..=cap).find(|&k| fast.levels[k] != slow[k]);
    if let Some(k) = level {
        return Some(format!("level {k}: fast {:?}, twin {:?}", fast.levels[k], slow[k]));
    }
    let grows = (0..cap).all(|k| slow[k] != slow[k + 1]);
    if !grows || slow[cap] != slow[cap + 1] {
        return Some(format!("the cap is not {cap}"));
    }
    None
}
