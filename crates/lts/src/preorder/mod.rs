//! Preorders: does one system do no more, or refuse no more, than another?
//!
//! Simulations are strong, with tau a label like any other; failures and failures-divergences are those of CSP, with
//! tau silent. Whoever does not refine gets evidence: a formula and a play for simulations, a run for failures, each
//! confirmed on the systems themselves before it is handed out.

mod failures;
mod simulation;

use crate::compare::Difference;
use crate::failure::{Unconfirmed, settled};
use crate::inclusion::RunStep;
use crate::system::Lts;
use trueline_base::{Meter, Observer, Stop, Verdict};

/// When one system refines another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preorder {
    /// Each step of the first is one of the second, to a state that simulates again (Park 1981, Milner).
    Simulation,
    /// The same between states that can begin with the same labels (Bloom, Istrail, Meyer, J. ACM 42(1), 1995).
    ReadySimulation,
    /// Traces, and what is refused in stable states after them (Brookes, Hoare, Roscoe, J. ACM 31(3), 1984; the
    /// stable failures model of Roscoe, "The theory and practice of concurrency", 1997).
    Failures,
    /// Failures and divergences: after a trace on which the second may diverge, everything is allowed.
    FailuresDivergences,
}

impl Preorder {
    /// All of them.
    pub const ALL: [Preorder; 4] =
        [Preorder::Simulation, Preorder::ReadySimulation, Preorder::Failures, Preorder::FailuresDivergences];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Preorder::Simulation => "simulation",
            Preorder::ReadySimulation => "ready-simulation",
            Preorder::Failures => "failures",
            Preorder::FailuresDivergences => "failures-divergences",
        }
    }
}

impl std::fmt::Display for Preorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Preorder {
    type Err = String;

    fn from_str(name: &str) -> Result<Preorder, String> {
        let found = Preorder::ALL.into_iter().find(|p| p.name() == name);
        found.ok_or_else(|| format!("`{name}` is no preorder"))
    }
}

/// Whether the first system refines the second; if not, what shows it.
pub type Refinement = Verdict<(), NotRefined, Stop>;

/// What shows that the first system does not refine the second.
#[derive(Clone, Debug)]
pub enum NotRefined {
    /// This formula holds in it and not in the second, and this play shows how.
    Play(Box<Difference>),
    /// This run.
    Run(Box<BadRun>),
}

/// A run of the first system that the second does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRun {
    /// Its steps from the initial state, silent ones included.
    pub run: Vec<RunStep>,
    /// What is wrong at its end.
    pub why: Broken,
}

/// What the second system does not allow after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The last step itself.
    Trace,
    /// The first system offers only these labels, in a stable state, and the second offers more wherever it is stable.
    Refusal(Vec<String>),
    /// The first system goes on silently for ever, which the second does not.
    Divergence,
}

/// Whether `left` refines `right`. Labels are joined by name.
///
/// ```
/// use trueline_base::{Limits, Meter, Silent};
/// use trueline_lts::{Preorder, read, refines};
///
/// let meter = Meter::start(Limits::default());
/// let read = |text: &str| read::aut(text.as_bytes(), &Default::default(), &meter, &mut Silent).unwrap();
/// let early = read("des (0, 4, 5)\n(0, a, 1)\n(0, a, 2)\n(1, b, 3)\n(2, c, 4)\n");
/// let late = read("des (0, 3, 4)\n(0, a, 1)\n(1, b, 2)\n(1, c, 3)\n");
/// assert!(refines(&early, &late, Preorder::Simulation, &meter, &mut Silent).unwrap().holds());
/// // After `a` the early choice may refuse `b`, the late one may not.
/// assert!(!refines(&early, &late, Preorder::Failures, &meter, &mut Silent).unwrap().holds());
/// ```
pub fn refines(
    left: &Lts,
    right: &Lts,
    by: Preorder,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Refinement, Unconfirmed> {
    settled(match by {
        Preorder::Simulation => simulation::refines(left, right, false, meter, observer),
        Preorder::ReadySimulation => simulation::refines(left, right, true, meter, observer),
        Preorder::Failures => failures::refines(left, right, false, meter, observer),
        Preorder::FailuresDivergences => failures::refines(left, right, true, meter, observer),
    })
}
