//! Reductions by name, and which of them a property allows.

use crate::canonical::forgotten;
use crate::outcome::Off;
use trueline_lang::ir::{Machine, Memory};
use trueline_lang::question::Question;
use trueline_space::Order;

/// A reduction. Each can be switched off alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reduction {
    /// Addresses have canonical names, and what nobody can reach is dropped. Preserves everything that does not show
    /// addresses.
    Heap,
    /// What shared memory no longer reaches is copied for each thread that still holds it. Nobody can tell as long as
    /// nobody stores into it or makes it shared again; where somebody does, the search begins anew without this.
    /// Preserves everything: states with and without copies have the same moves.
    Unshare,
    /// An access to a struct that no other thread can reach belongs to the step before it: it commutes with all
    /// steps of others. Preserves histories, findings, deadlocks and cycles.
    Merge,
    /// A call belongs to the first step of its operation, a return to its last. Calls and returns touch nothing
    /// shared, so a call can be moved right and a return left; the order of operations only grows.
    Tight,
    /// Threads of one role are interchangeable: exchanging them is an automorphism. Preserves whatever names no thread.
    Symmetry,
    /// Values that nobody names are interchangeable, as threads are. Preserves whatever names no value.
    Values,
    /// A pending operation of the specification carries the set of results that it may have observed, and sets are
    /// closed only when a return asks. Preserves which returns some configuration allows.
    Factored,
    /// Of states that differ only in the set beside them, those with the least sets suffice: fewer configurations
    /// explain less, so whatever goes wrong after more of them goes wrong after fewer.
    Antichain,
    /// Operations take effect at guessed moments, as long as that explains every history. Preserves *holds*: what is
    /// kept of a set is a part of it, so a violation is believed from full sets only.
    Guess,
    /// Of orders of steps that do not influence one another, few are tried. Preserves what is seen, findings and dead
    /// ends; neither states in between nor cycles.
    Por,
}

impl Reduction {
    /// All, in the order in which they build on one another.
    pub const ALL: [Reduction; 10] = [
        Reduction::Heap,
        Reduction::Unshare,
        Reduction::Merge,
        Reduction::Tight,
        Reduction::Symmetry,
        Reduction::Values,
        Reduction::Factored,
        Reduction::Antichain,
        Reduction::Guess,
        Reduction::Por,
    ];

    /// Its name on the command line and in scopes.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Heap => "heap",
            Reduction::Unshare => "unshare",
            Reduction::Merge => "merge",
            Reduction::Tight => "tight",
            Reduction::Symmetry => "symmetry",
            Reduction::Values => "values",
            Reduction::Factored => "factored",
            Reduction::Antichain => "antichain",
            Reduction::Guess => "guess",
            Reduction::Por => "por",
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
        let waits = matches!(question, Question::Progress { spec: Some(_), .. });
        match self {
            Reduction::Heap => None,
            Reduction::Unshare if manual => Some("which structs `new` gives out depends on who holds them"),
            Reduction::Unshare => None,
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
            Reduction::Values if traces => Some("traces name values"),
            Reduction::Values if waits => Some("the specification says who may wait"),
            Reduction::Values => None,
            Reduction::Factored | Reduction::Antichain | Reduction::Guess if !linearizable => {
                Some("there is no specification")
            }
            Reduction::Guess if points => Some("the points are given"),
            Reduction::Factored | Reduction::Antichain | Reduction::Guess => None,
            Reduction::Por => match question {
                _ if manual => Some("which structs `new` gives out depends on what every thread holds"),
                Question::Safe | Question::Linearizable { .. } | Question::Refines { .. } => None,
                Question::Invariant { .. } => Some("an invariant looks at every state"),
                Question::LeakFree => Some("what is lost shows in every state"),
                Question::Progress { .. } => Some("cycles are not kept"),
                Question::Equivalent { .. } => Some("every state is compared"),
                Question::Unavailable => Some("nothing is searched"),
            },
        }
    }
}

/// Which reductions are wanted, or in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Bits in the order of [`Reduction::ALL`].
    set: u16,
    /// Which orders [`Reduction::Por`] leaves out.
    order: Order,
    /// Whether [`Reduction::Por`] is only for clients with which it pays.
    weighed: bool,
}

impl Reductions {
    /// None: fresh addresses, every step.
    pub const NONE: Reductions = Reductions { set: 0, order: Order::Cartesian, weighed: false };
    /// What is used unless others are asked for: all, but orders of steps are left out only where every client ends.
    /// Where clients call for ever, what a path passes by is the end of another path, so few states are saved: on the
    /// register with seven processes there are a third more and each costs more, on the MS queue 3-3 less than half.
    pub const AUTO: Reductions = Reductions { weighed: true, ..Reductions::ALL };
    /// All of them.
    pub const ALL: Reductions = Reductions { set: (1 << Reduction::ALL.len()) - 1, ..Reductions::NONE };
    /// Canonical heaps alone, as the plain engine.
    pub const HEAP: Reductions = Reductions::NONE.with(Reduction::Heap);

    /// Whether a reduction is among them.
    pub const fn has(self, reduction: Reduction) -> bool {
        self.set >> reduction as u16 & 1 == 1
    }

    /// With one more.
    pub const fn with(self, reduction: Reduction) -> Reductions {
        Reductions { set: self.set | 1 << reduction as u16, ..self }
    }

    /// Without one.
    pub const fn without(self, reduction: Reduction) -> Reductions {
        Reductions { set: self.set & !(1 << reduction as u16), ..self }
    }

    /// With orders of steps left out in this way, where [`Reduction::Por`] is among them.
    pub fn leaving_out(self, order: Order) -> Reductions {
        Reductions { order, ..self }
    }

    /// Which orders of steps are left out. Only histories allow an earlier return.
    pub(super) fn order(self, question: &Question) -> Order {
        match self.order {
            _ if !self.has(Reduction::Por) => Order::Full,
            Order::Visible if !matches!(question, Question::Linearizable { .. }) => Order::Static,
            order => order,
        }
    }

    /// Those of them that a question does not allow, each with the reason.
    pub(super) fn refused(self, machine: &Machine, question: &Question) -> Vec<(&'static str, Off)> {
        let why = |r: Reduction| Some((r.name(), Off::Question(r.refused(machine, question)?)));
        Reduction::ALL.into_iter().filter(|r| self.has(*r)).filter_map(why).collect()
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
            use Reduction::{Merge, Por, Symmetry, Unshare, Values};
            for needs in [Unshare, Merge, Symmetry, Values, Por] {
                allowed = allowed.without(needs);
            }
        }
        if question.specification().is_some() && !allowed.has(Reduction::Factored) {
            // Closed sets are neither exchanged nor guessed.
            for needs in [Reduction::Symmetry, Reduction::Values, Reduction::Guess] {
                allowed = allowed.without(needs);
            }
        }
        if self.weighed && !machine.threads.iter().all(|thread| thread.script.ends()) {
            allowed = allowed.without(Reduction::Por);
        }
        if !allowed.has(Reduction::Por) {
            (allowed.order, allowed.weighed) = (Order::Cartesian, false);
        }
        allowed
    }

    /// The names, that of clearing dead locals included, which this engine always does.
    pub fn names(self) -> Vec<&'static str> {
        let has = |r: &Reduction| self.has(*r);
        let name = |r: Reduction| match (r, self.order) {
            (Reduction::Por, Order::Static) => "por static",
            (Reduction::Por, Order::Visible) => "por visible",
            _ => r.name(),
        };
        let mut names: Vec<_> = Reduction::ALL.into_iter().filter(has).map(name).collect();
        names.insert(names.len().min(self.has(Reduction::Heap) as usize), "dead locals");
        names
    }

    /// Reads the name of a way of leaving out orders; what is wrong is said in a sentence.
    pub fn parse_order(text: &str) -> Result<Order, String> {
        match text {
            "cartesian" => Ok(Order::Cartesian),
            "static" => Ok(Order::Static),
            "visible" => Ok(Order::Visible),
            _ => Err(format!(
                "there is no partial order reduction `{text}`; there are cartesian, static and visible"
            )),
        }
    }

    /// Reads `none`, `auto`, or names separated by commas; what is wrong is said in a sentence.
    pub fn parse(text: &str) -> Result<Reductions, String> {
        match text {
            "auto" => return Ok(Reductions::AUTO),
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
