//! Equivalences of transition systems: what a model can ask for, and what `lts` decides.

/// When two states of transition systems count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Equivalence {
    /// Strong bisimulation: tau is a label like any other.
    Strong,
    /// Branching bisimulation (van Glabbeek and Weijland, J. ACM 43(3), 1996).
    Branching,
    /// Branching bisimulation with explicit divergence: an infinite run of tau steps through
    /// equivalent states is matched by one.
    DpBranching,
    /// Weak bisimulation (Milner).
    Weak,
    /// Weak bisimulation with explicit divergence.
    DpWeak,
    /// Equality of the sets of finite traces of visible labels.
    Trace,
}

impl Equivalence {
    /// All of them, finest first.
    pub const ALL: [Equivalence; 6] = [
        Equivalence::Strong,
        Equivalence::DpBranching,
        Equivalence::Branching,
        Equivalence::DpWeak,
        Equivalence::Weak,
        Equivalence::Trace,
    ];

    /// Its name in models and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Equivalence::Strong => "strong",
            Equivalence::Branching => "branching",
            Equivalence::DpBranching => "dpbranching",
            Equivalence::Weak => "weak",
            Equivalence::DpWeak => "dpweak",
            Equivalence::Trace => "trace",
        }
    }

    /// Whether this one relates only states that `other` relates too, in every system.
    pub fn refines(self, other: Equivalence) -> bool {
        use Equivalence::*;
        match self {
            Strong => true,
            DpBranching => other != Strong,
            Branching => matches!(other, Branching | Weak | Trace),
            DpWeak => matches!(other, DpWeak | Weak | Trace),
            Weak => matches!(other, Weak | Trace),
            Trace => other == Trace,
        }
    }
}

impl std::fmt::Display for Equivalence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Equivalence {
    type Err = String;

    fn from_str(name: &str) -> Result<Equivalence, String> {
        let found = Equivalence::ALL.into_iter().find(|e| e.name() == name);
        found.ok_or_else(|| format!("`{name}` is not an equivalence"))
    }
}
