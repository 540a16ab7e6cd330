//! Formulas that tell states apart: Hennessy-Milner logic with silent steps, the until of
//! branching bisimulation, and divergence.
//!
//! De Nicola and Vaandrager, J. ACM 42(2), 1995 (until). A formula is a list of nodes, each built
//! from earlier ones, so equal parts exist once and a formula that would be huge as a tree stays small.

mod eval;
mod local;
mod show;

pub(crate) use eval::{System, node_truth};
pub use eval::{Truth, evaluate};
pub use local::holds_in;

use crate::system::{LabelId, Lts};
use trueline_base::{Interner, ids};

/// What a step shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// The internal action.
    Tau,
    /// A visible label, by name.
    Visible(String),
}

impl Action {
    /// The label that it has in a system.
    fn label(&self, lts: &Lts) -> Option<LabelId> {
        match self {
            Action::Tau => Some(LabelId::TAU),
            Action::Visible(name) => lts.labels().find(name),
        }
    }
}

ids! {
    /// A formula inside a [`Formula`].
    pub struct FormulaId;
}

impl FormulaId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One connective over earlier formulas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Connective {
    /// Holds everywhere.
    True,
    /// Holds where the other does not.
    Not(FormulaId),
    /// Holds where all do.
    And(Vec<FormulaId>),
    /// `<a> f`: one step `a` to a state with `f`. For strong bisimulation only.
    Can(Action, FormulaId),
    /// `<tau*[h] . a> f`: silent steps, all states from the first on with `h`, then `a` to a state
    /// with `f`. For tau: silent steps through states with `h` to one with `f`, perhaps none.
    Until(FormulaId, Action, FormulaId),
    /// `<tau* . a . tau*> f`: silent steps, `a`, silent steps, then `f`. For tau: silent steps, then `f`.
    Weak(Action, FormulaId),
    /// `<tau^inf[h]>`: infinitely many silent steps, all states with `h`.
    Diverges(FormulaId),
}

/// A formula: its parts, each built from earlier ones, the last being the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    nodes: Vec<Connective>,
}

impl Formula {
    /// The parts; the last is the formula itself.
    pub fn nodes(&self) -> &[Connective] {
        &self.nodes
    }

    /// The whole.
    pub fn root(&self) -> FormulaId {
        FormulaId(self.nodes.len() as u32 - 1)
    }

    /// How many different parts it has.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }
}

impl Connective {
    /// The formulas that this one is built from.
    pub fn parts(&self) -> Vec<FormulaId> {
        match self {
            Connective::True => Vec::new(),
            Connective::Not(f) | Connective::Can(_, f) | Connective::Weak(_, f) | Connective::Diverges(f) => {
                vec![*f]
            }
            Connective::Until(hold, _, f) => vec![*hold, *f],
            Connective::And(all) => all.clone(),
        }
    }

    fn renumber(&self, new: impl Fn(FormulaId) -> FormulaId) -> Connective {
        match self {
            Connective::True => Connective::True,
            Connective::Not(f) => Connective::Not(new(*f)),
            Connective::And(all) => Connective::And(all.iter().map(|f| new(*f)).collect()),
            Connective::Can(a, f) => Connective::Can(a.clone(), new(*f)),
            Connective::Until(hold, a, f) => Connective::Until(new(*hold), a.clone(), new(*f)),
            Connective::Weak(a, f) => Connective::Weak(a.clone(), new(*f)),
            Connective::Diverges(f) => Connective::Diverges(new(*f)),
        }
    }
}

/// Builds formulas, equal ones once.
#[derive(Default)]
pub(crate) struct Formulas {
    nodes: Interner<Connective, FormulaId>,
}

impl Formulas {
    pub(crate) fn nodes(&self) -> &[Connective] {
        self.nodes.items()
    }

    pub(crate) fn add(&mut self, node: Connective) -> FormulaId {
        self.nodes.insert(node, |_| 0).0
    }

    pub(crate) fn not(&mut self, f: FormulaId) -> FormulaId {
        match self.nodes.get(f) {
            Connective::Not(inner) => *inner,
            _ => self.add(Connective::Not(f)),
        }
    }

    pub(crate) fn and(&mut self, mut all: Vec<FormulaId>) -> FormulaId {
        all.retain(|f| *self.nodes.get(*f) != Connective::True);
        all.sort_unstable();
        all.dedup();
        match all.len() {
            0 => self.add(Connective::True),
            1 => all[0],
            _ => self.add(Connective::And(all)),
        }
    }

    /// The formula `root` with its parts and nothing else.
    pub(crate) fn extract(&self, root: FormulaId) -> Formula {
        let mut used = vec![false; root.index() + 1];
        used[root.index()] = true;
        for at in (0..=root.index()).rev() {
            if used[at] {
                self.nodes()[at].parts().iter().for_each(|f| used[f.index()] = true);
            }
        }
        let mut new = vec![FormulaId(0); root.index() + 1];
        let mut nodes = Vec::new();
        for at in (0..=root.index()).filter(|&at| used[at]) {
            new[at] = FormulaId(nodes.len() as u32);
            nodes.push(self.nodes()[at].renumber(|f| new[f.index()]));
        }
        Formula { nodes }
    }
}
