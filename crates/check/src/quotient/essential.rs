//! Which silent steps of an object matter: those that lead from one class of branching bisimulation to another.
//!
//! What remains of an object in its quotient (section VI.D of the paper cited in `quotient`): all other silent steps
//! could be left out without anybody noticing.

use crate::NoSystem;
use crate::fast::MachineSystem;
use std::collections::BTreeMap;
use trueline_base::{Limits, Meter, Observer};
use trueline_lang::ir::{Machine, OpId, Pc};
use trueline_lts::{Equivalence, partition};

/// What the quotient of an object keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Essential {
    /// States of the object.
    pub states: usize,
    /// Classes of states.
    pub classes: usize,
    /// Per operation and instruction: silent transitions from it, and how many of them lead to another class.
    pub steps: BTreeMap<(OpId, Pc), (u64, u64)>,
}

/// Looks at every silent transition of a machine.
pub fn essential(
    machine: &Machine,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Result<Essential, NoSystem> {
    let mut system = MachineSystem::of(machine, limits, observer)?;
    let meter = Meter::start(limits.clone());
    let classes = partition(&system.lts, Equivalence::Branching, &meter, observer)?;
    let mut steps: BTreeMap<(OpId, Pc), (u64, u64)> = BTreeMap::new();
    system.silent(&meter, &mut |from, to, op, pc| {
        let (all, kept) = steps.entry((op, pc)).or_default();
        *all += 1;
        *kept += u64::from(!classes.same(from, to));
    })?;
    Ok(Essential { states: system.lts.states(), classes: classes.classes(), steps })
}
