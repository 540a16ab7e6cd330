//! Reductions by name, and which of them a property allows.

use crate::canonical::forgotten;
use trueline_lang::ir::{Machine, Memory};
use trueline_lang::question::Question;

/// A reduction. Each can be switched off alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reduction {
    /// Addresses have canonical names, and what nobody can reach is dropped. Preserves everything that does not show
    /// addresses.
    Heap,
    /// An access to a struct that no other thread can reach belongs to the step before it: it commutes with all
    /// steps of others. Preserves histories, findings, deadlocks and cycles.
    Merge,
    /// A call belongs to the first step of its operation, a return to its last. Calls and returns touch nothing
    /// shared, so a call can be moved right and a return left; the order of operations only grows.
    Tight,
    /// Threads of one role are interchangeable.
    Symmetry,
    /// A pending operation of the specification carries the set of results that it may have observed, and sets are
    /// closed only when a return asks.
    Factored,
    /// Of states that differ only in the set beside them, those with the least sets suffice: fewer configurations
    /// explain less, so whatever goes wrong after more of them goes wrong after fewer.
    Antichain,
    /// Operations take effect at guessed moments, as long as that explains every history.
    Guess,
}

impl Reduction {
    /// All, in the order in which they build on one another.
    pub const ALL: [Reduction; 7] = [
        Reduction::Heap,
        Reduction::Merge,
        Reduction::Tight,
        Reduction::Symmetry,
        Reduction::Factored,
        Reduction::Antichain,
        Reduction::Guess,
    ];

    /// Its name on the command line and in scopes.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Heap => "heap",
            Reduction::Merge => "merge",
            Reduction::Tight => "tight",
            Reduction::Symmetry => "symmetry",
            Reduction::Factored => "factored",
            Reduction::Antichain => "antichain",
            Reduction::Guess => "guess",
        }
    }

    /// Why a question about a machine does not allow it; none when it does.
    pub fn refused(self, machine: &Machine, question: &Question) -> Option<&'static str> {
        let manual = machine.object.memory != Memory::Gc;
        let traces = matches!(question, Question::Refines { .. });
        let points = matches!(question, Question::Linearizable { points: true, .. });
        let linearizable = matches!(question, Question::Linearizable { .. });
        let leaks = matches!(question, Question::LeakFree);
        let fair = matches!(question, Question::Progress { progress, .. } if progress.fair());
        match self {
            Reduction::Heap => None,
            Reduction::Merge if manual => Some("freed structs can be reached by their old names"),
            Reduction::Merge if traces => Some("the other object's steps are compared as they are"),
            Reduction::Tight if traces => Some("the order of calls and returns is compared"),
            Reduction::Tight if leaks && forgotten::possible(&machine.object) => {
                Some("what is lost for a moment may come back with a freed struct")
            }
            Reduction::Tight if fair => Some("fairness looks at who is inside an operation"),
            Reduction::Merge | Reduction::Tight => None,
            Reduction::Symmetry if traces => Some("traces name threads"),
            Reduction::Symmetry if fair => Some("fairness looks at each thread"),
            Reduction::Symmetry => None,
            Reduction::Factored | Reduction::Antichain | Reduction::Guess if !linearizable => {
                Some("there is no specification")
            }
            Reduction::Guess if points => Some("the points are given"),
            Reduction::Factored | Reduction::Antichain | Reduction::Guess => None,
        }
    }
}

/// Which reductions are wanted, or in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions(u8);

impl Reductions {
    /// None: fresh addresses, every step.
    pub const NONE: Reductions = Reductions(0);
    /// All of them.
    pub const ALL: Reductions = Reductions(0b111_1111);
    /// Canonical heaps alone, as the plain engine.
    pub const HEAP: Reductions = Reductions(1);

    /// Whether a reduction is among them.
    pub fn has(self, reduction: Reduction) -> bool {
        self.0 >> reduction as u8 & 1 == 1
    }

    /// With one more.
    pub fn with(self, reduction: Reduction) -> Reductions {
        Reductions(self.0 | 1 << reduction as u8)
    }

    /// Without one.
    pub fn without(self, reduction: Reduction) -> Reductions {
        Reductions(self.0 & !(1 << reduction as u8))
    }

    /// Those that a question allows. Everything but fresh addresses needs canonical heaps.
    pub fn allowed(self, machine: &Machine, question: &Question) -> Reductions {
        let mut allowed = self;
        for reduction in Reduction::ALL {
            if reduction.refused(machine, question).is_some() {
                allowed = allowed.without(reduction);
            }
        }
        if machine.object.memory != Memory::Gc {
            // Which addresses `new` may give out depends on who holds a freed struct.
            allowed = allowed.with(Reduction::Heap);
        }
        if !allowed.has(Reduction::Heap) {
            allowed = allowed.without(Reduction::Merge).without(Reduction::Symmetry);
        }
        if question.specification().is_some() && !allowed.has(Reduction::Factored) {
            // Closed sets are neither exchanged nor guessed.
            allowed = allowed.without(Reduction::Symmetry).without(Reduction::Guess);
        }
        allowed
    }

    /// The names, that of clearing dead locals included, which this engine always does.
    pub fn names(self) -> Vec<&'static str> {
        let has = |r: &Reduction| self.has(*r);
        let mut names: Vec<_> = Reduction::ALL.into_iter().filter(has).map(Reduction::name).collect();
        names.insert(names.len().min(self.has(Reduction::Heap) as usize), "dead locals");
        names
    }

    /// Reads `none`, `auto`, or names separated by commas; what is wrong is said in a sentence.
    pub fn parse(text: &str) -> Result<Reductions, String> {
        match text {
            "auto" => return Ok(Reductions::ALL),
            "none" => return Ok(Reductions::NONE),
            _ => {}
        }
        let mut all = Reductions::NONE;
        for name in text.split(',').map(str::trim) {
            let Some(found) = Reduction::ALL.into_iter().find(|r| r.name() == name) else {
                let names: Vec<_> = Reduction::ALL.into_iter().map(Reduction::name).collect();
                return Err(format!("there is no reduction `{name}`; there are {}", names.join(", ")));
            };
            all = all.with(found);
        }
        Ok(all)
    }
}
