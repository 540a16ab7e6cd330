//! Are two systems equivalent, and if not, why?
//!
//! One computation gives verdict and evidence: the quotient of both systems side by side decides;
//! when the initial states differ, the levels of refinement of that quotient give a formula of
//! least depth and a play that shows it on the systems themselves. The formula is evaluated on
//! both systems before it is handed out.

mod distinguish;
mod levels;
mod play;

pub use play::{Round, Threat};

use crate::failure::{NoAnswer, Unconfirmed, settled};
use crate::formula::{self, Action, Connective, Formula, Formulas};
use crate::inclusion::{self, Inclusion, RunStep};
use crate::partition::{self, Equivalence, weak};
use crate::quotient::{Quotient, quotient};
use crate::system::{LabelId, Lts, StateId};
use distinguish::{Distinguisher, Logic};
use levels::Levels;
use trueline_base::{Meter, Observer, Stop, Verdict};

/// One of the two systems compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

impl Side {
    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// Whether two systems are equivalent; if not, what tells them apart.
pub type Comparison = Verdict<(), Different, Stop>;

/// What tells two systems apart that are not equivalent.
#[derive(Clone, Debug)]
pub enum Different {
    /// This shows it.
    Shown(Box<Difference>),
    /// A limit was reached before it could be shown.
    Unexplained(Stop),
}

/// Why two systems differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The system in whose initial state the formula holds; it does not hold in the other's.
    pub holds_on: Side,
    /// A formula of least depth.
    pub formula: Formula,
    /// How it comes about.
    pub evidence: Evidence,
}

/// A difference on the systems themselves.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// A play: in each round one side moves and the other answers as well as it can, until it
    /// cannot. The last round has no answer.
    Play(Vec<Round>),
    /// A run of the side on which the formula holds, silent steps included; its visible labels
    /// are a shortest trace that the other side lacks.
    Trace(Vec<RunStep>),
}

/// Compares the initial states of two systems. Labels are joined by name.
///
/// ```
/// use trueline_base::{Limits, Meter, Silent};
/// use trueline_lts::{Comparison, Different, Equivalence, compare, read};
///
/// let meter = Meter::start(Limits::default());
/// let read = |text: &str| read::aut(text.as_bytes(), &Default::default(), &meter, &mut Silent).unwrap();
/// let early = read("des (0, 4, 5)\n(0, a, 1)\n(0, a, 2)\n(1, b, 3)\n(2, c, 4)\n");
/// let late = read("des (0, 3, 4)\n(0, a, 1)\n(1, b, 2)\n(1, c, 3)\n");
/// let same = compare(&early, &late, Equivalence::Trace, &meter, &mut Silent).unwrap();
/// assert!(same.holds());
/// let different = compare(&early, &late, Equivalence::Strong, &meter, &mut Silent).unwrap();
/// let Comparison::Fails(Different::Shown(why)) = different else { panic!() };
/// assert_eq!(why.formula.to_string(), "<a> not <c> true");
/// ```
pub fn compare(
    left: &Lts,
    right: &Lts,
    by: Equivalence,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Comparison, Unconfirmed> {
    settled(decide(left, right, by, meter, observer))
}

fn decide(
    left: &Lts,
    right: &Lts,
    by: Equivalence,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Comparison, NoAnswer> {
    let explained = match by {
        Equivalence::Trace => match trace_difference(left, right, meter, observer)? {
            None => return Ok(Comparison::Holds(())),
            Some(difference) => Ok(difference),
        },
        _ => match classes(left, right, by, meter, observer)? {
            None => return Ok(Comparison::Holds(())),
            Some(classes) => play_difference(left, right, by, &classes, meter, observer),
        },
    };
    let confirmed = explained.and_then(|difference| {
        confirm(left, right, &difference, meter, observer)?;
        Ok(difference)
    });
    match confirmed {
        Ok(difference) => Ok(Comparison::Fails(Different::Shown(Box::new(difference)))),
        // What the classes say stays true, however long it takes to say why.
        Err(NoAnswer::Stopped(stop)) => Ok(Comparison::Fails(Different::Unexplained(stop))),
        Err(unconfirmed) => Err(unconfirmed),
    }
}

/// Both systems side by side with the quotient that tells their initial states apart.
struct Classes {
    union: Lts,
    start: [StateId; 2],
    quotient: Quotient,
}

/// Nothing where the initial states are equivalent.
fn classes(
    left: &Lts,
    right: &Lts,
    by: Equivalence,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Option<Classes>, NoAnswer> {
    let union = left.disjoint_union(right).ok_or(Stop::Memory)?;
    let start = [left.initial(), StateId(right.initial().0 + left.states() as u32)];
    let quotient = quotient(&union, by, meter, observer)?;
    let same = quotient.state_of[start[0].index()] == quotient.state_of[start[1].index()];
    Ok((!same).then_some(Classes { union, start, quotient }))
}

/// Evaluates the formula of a difference on both systems, and replays its play.
pub fn confirm(
    left: &Lts,
    right: &Lts,
    difference: &Difference,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<(), NoAnswer> {
    for (side, lts) in [(Side::Left, left), (Side::Right, right)] {
        let holds = formula::holds_in(&difference.formula, lts, lts.initial(), meter, observer)?;
        if holds != (side == difference.holds_on) {
            let what = format!("the formula is wrong on the {side:?} system: {}", difference.formula);
            return Err(Unconfirmed { what }.into());
        }
    }
    match &difference.evidence {
        Evidence::Play(rounds) => Ok(play::confirm(left, right, rounds)?),
        // Replayed where it was found.
        Evidence::Trace(_) => Ok(()),
    }
}

fn trace_difference(
    left: &Lts,
    right: &Lts,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Option<Difference>, NoAnswer> {
    // Bisimilar systems have the same traces, and bisimulation is the cheaper question.
    let union = left.disjoint_union(right).ok_or(Stop::Memory)?;
    let shift = left.states() as u32;
    let classes = partition::partition(&union, Equivalence::Branching, meter, observer)?;
    if classes.same(left.initial(), StateId(right.initial().0 + shift)) {
        return Ok(None);
    }
    let mut found: Option<(usize, Side, Vec<RunStep>)> = None;
    for (side, one, other) in [(Side::Left, left, right), (Side::Right, right, left)] {
        if let Inclusion::Fails(run) = inclusion::decided(one, other, meter, observer)? {
            let visible = run.iter().filter(|s| s.label != LabelId::TAU).count();
            if found.as_ref().is_none_or(|(least, ..)| visible < *least) {
                found = Some((visible, side, run));
            }
        }
    }
    Ok(found.map(|(_, side, run)| {
        let labels = if side == Side::Left { left.labels() } else { right.labels() };
        let mut formulas = Formulas::default();
        let mut formula = formulas.add(Connective::True);
        for step in run.iter().rev().filter(|s| s.label != LabelId::TAU) {
            let action = Action::Visible(labels.name(step.label).to_string());
            formula = formulas.add(Connective::Weak(action, formula));
        }
        let formula = formulas.extract(formula);
        Difference { holds_on: side, formula, evidence: Evidence::Trace(run) }
    }))
}

fn play_difference(
    left: &Lts,
    right: &Lts,
    by: Equivalence,
    classes: &Classes,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Difference, NoAnswer> {
    let Classes { union, start, quotient: Quotient { system, state_of } } = classes;
    let shift = left.states() as u32;
    let divergence = matches!(by, Equivalence::DpBranching | Equivalence::DpWeak);
    let (logic, levels) = match by {
        Equivalence::Strong => (Logic::Strong, Levels::new(system, false, false, meter, observer)?),
        Equivalence::Weak | Equivalence::DpWeak => {
            let saturated = weak::saturate(system, divergence, meter, observer)?;
            (Logic::Weak, Levels::new(&saturated, false, false, meter, observer)?)
        }
        _ => (Logic::Branching, Levels::new(system, true, divergence, meter, observer)?),
    };
    let mut distinguisher = Distinguisher::new(&levels, logic, system);
    let leaf = |s: StateId| levels.leaf(state_of[s.index()]);
    let formula = distinguisher.formula(leaf(start[0]), leaf(start[1]), meter, observer)?;
    let rounds = play::play(union, shift, right, state_of, &mut distinguisher, *start, meter, observer)?;
    Ok(Difference { holds_on: Side::Left, formula, evidence: Evidence::Play(rounds) })
}
