//! A question, asked of the fast engine.

use super::bare::Bare;
use super::beside::Beside;
use super::concrete::{Fast, schedule};
use super::covered;
use super::judge::Judge;
use super::keep::{Keeper, Kept, Lost};
use super::other::ByLabels;
use super::progress;
use super::reduce::{Reduction, Reductions};
use super::sets::{EffectTime, GeneratorSets};
use super::stage::{Attempt, Stage};
use super::steps::{BROKEN, Steps};
use super::unshare;
use crate::minimise::{Cut, Sought, minimise};
use crate::monitor::Halt;
use crate::outcome::{Counterexample, Off, Outcome, Verdict, Why};
use crate::refine::RefinementMonitor;
use std::cell::Cell;
use trueline_base::{Limits, Meter, Observer, Stop, Violation};
use trueline_lang::ir::Machine;
use trueline_lang::question::Question;
use trueline_space::{Answer, End, Explored, Found, MAX_THREADS, Node, Search, Space, Visit, explore};

/// Decides a question about a machine, with those of the reductions that it allows. What this engine cannot do, the
/// plain one does.
pub fn check(
    machine: &Machine,
    question: &Question,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    let care = Care { minimal: true, checked: false };
    care.ask(machine, question, reductions, limits, observer)
}

/// The same, content with the first counterexample that is found.
pub fn decide(
    machine: &Machine,
    question: &Question,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    let care = Care { minimal: false, checked: false };
    care.ask(machine, question, reductions, limits, observer)
}

/// The same as [`decide`], with every move executed on whole states as well: for tests of what parts claim.
pub fn decide_checked(
    machine: &Machine,
    question: &Question,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    let care = Care { minimal: false, checked: true };
    care.ask(machine, question, reductions, limits, observer)
}

/// How carefully a question is answered.
#[derive(Clone, Copy)]
pub(super) struct Care {
    /// Whether a smallest counterexample is looked for.
    pub minimal: bool,
    /// Whether every move is executed on whole states as well.
    pub checked: bool,
}

impl Care {
    fn ask(
        self,
        machine: &Machine,
        question: &Question,
        reductions: Reductions,
        limits: &Limits,
        observer: &mut dyn Observer,
    ) -> Outcome {
        match question {
            _ if !supports(machine, question) && self.minimal => {
                crate::search::check(machine, question, limits, observer)
            }
            _ if !supports(machine, question) => crate::search::decide(machine, question, limits, observer),
            Question::Progress { .. } => {
                progress::check(machine, question, reductions, limits, observer, self)
            }
            _ => Asking::new(machine, question, reductions, limits, self).answer(observer),
        }
    }
}

/// Whether this engine can answer.
fn supports(machine: &Machine, question: &Question) -> bool {
    let asks = !matches!(question, Question::Equivalent { .. } | Question::Unavailable);
    asks && machine.threads.len() <= MAX_THREADS
}

pub(super) struct Asking<'q> {
    pub machine: &'q Machine,
    question: &'q Question,
    pub reductions: Reductions,
    /// Those that were wanted and are not allowed.
    off: Vec<(&'static str, Off)>,
    meter: Meter,
    care: Care,
    /// What the search for a smallest counterexample took.
    minimising: Cell<u64>,
}

/// What ends a search that copies what has left shared memory: some of it came back.
#[derive(Debug)]
pub(super) struct SharedAgain;

/// Why a search gave nothing.
enum Unsearched {
    Lost(Lost),
    SharedAgain(SharedAgain),
}

/// States with full sets before wider guesses are tried; more where only least sets are kept, as long as they are
/// small.
const FULL_SETS_FIRST: u64 = 300_000;
const LEAST_SETS_FIRST: u64 = 40_000_000;

/// Searched without reductions for a smallest counterexample: so many states at most, or so many for each state of
/// the search that found a violation.
const BOUND: u64 = 2_000_000;
const FACTOR: u64 = 8;

impl<'q> Asking<'q> {
    fn new(
        machine: &'q Machine,
        question: &'q Question,
        reductions: Reductions,
        limits: &Limits,
        care: Care,
    ) -> Asking<'q> {
        let off = reductions.refused(machine, question);
        let reductions = reductions.allowed(machine, question);
        Asking {
            machine,
            question,
            reductions,
            off,
            meter: Meter::start(limits.clone()),
            care,
            minimising: Cell::new(0),
        }
    }

    fn answer(mut self, observer: &mut dyn Observer) -> Outcome {
        self.run(observer).unwrap_or_else(|SharedAgain| {
            self.reductions = self.reductions.without(Reduction::Unshare);
            self.off.push((Reduction::Unshare.name(), Off::Met(unshare::REFUSED)));
            self.run(observer).expect("without copies nothing comes back")
        })
    }

    fn run(&self, observer: &mut dyn Observer) -> Result<Outcome, SharedAgain> {
        let keeper = Keeper::new(&(self.machine, self.question, self.reductions));
        let (mut stage, mut kept) = match keeper.load(&self.meter) {
            Ok(None) => (Stage::first(self), None),
            Ok(Some(kept)) => match Stage::read(&kept.stage) {
                Ok(stage) => (stage, Some(kept)),
                Err(error) => return Ok(self.lost(Lost::Damaged(error.to_string()))),
            },
            Err(lost) => return Ok(self.lost(lost)),
        };
        loop {
            match self.attempt(stage, (&keeper, kept.take()), observer) {
                Ok(Attempt::Decided(outcome)) => {
                    if !matches!(outcome.verdict, Verdict::Unknown(Why::Stopped(_))) {
                        keeper.done(&self.meter);
                    }
                    return Ok(*outcome);
                }
                Ok(Attempt::Next(next)) => stage = next,
                Err(Unsearched::SharedAgain(again)) => {
                    keeper.done(&self.meter);
                    return Err(again);
                }
                Err(Unsearched::Lost(lost)) => return Ok(self.lost(lost)),
            }
        }
    }

    /// One of the searches that may be needed.
    fn attempt(
        &self,
        stage: Stage,
        (keeper, kept): (&Keeper, Option<Kept>),
        observer: &mut dyn Observer,
    ) -> Result<Attempt, Unsearched> {
        let saved = stage.write();
        let search = |space: &mut Fast<'q>, limits: (&Meter, bool), observer: &mut dyn Observer| {
            let safe = matches!(self.question, Question::Safe);
            let mut judge = Judge::new(safe);
            let explored = keeper.explore(space, kept, &saved, limits, observer, &mut judge);
            let explored = explored.map_err(Unsearched::Lost)?;
            match judge.shared_again() {
                true => Err(Unsearched::SharedAgain(SharedAgain)),
                false => Ok((explored, judge)),
            }
        };
        match stage {
            Stage::Guessed(guess) => {
                let effects = EffectTime::Guessed(guess.moments().to_vec());
                let (mut space, reductions) = self.space(self.reductions, effects, guess.needs_steps());
                let (explored, judge) = search(&mut space, (&self.meter, false), observer)?;
                let failed = judge.violation.is_some_and(|found| matches!(found.end, End::Monitor(_)));
                if !failed {
                    return Ok(Attempt::decided(self.outcome(space, explored, judge, reductions)));
                }
                let op = space.beside.emptied().expect("a return was not explained");
                Ok(Attempt::Next(match guess.is_first() {
                    true => Stage::FewSets { guess, op },
                    false => Stage::wider(guess, op),
                }))
            }
            Stage::FewSets { guess, op } => {
                let bound = self.meter.limits().states.unwrap_or(u64::MAX);
                let most = match self.reductions.has(Reduction::Antichain) && bound > LEAST_SETS_FIRST {
                    true => LEAST_SETS_FIRST,
                    false => FULL_SETS_FIRST,
                };
                let bounded = most < bound;
                let (mut space, reductions) = self.full(bounded);
                let meter = if bounded { self.meter.with_states(most) } else { self.meter.clone() };
                let (explored, judge) = search(&mut space, (&meter, bounded), observer)?;
                let many = [Answer::Stopped(Stop::States), Answer::Halted(Halt::Stop(Stop::States))];
                if bounded && many.contains(&explored.answer) {
                    return Ok(Attempt::Next(Stage::wider(guess, op)));
                }
                // What was found is told whatever it costs.
                if let Beside::Sets(sets) = &mut space.beside {
                    sets.frugal = false;
                }
                Ok(Attempt::decided(self.outcome(space, explored, judge, reductions)))
            }
            Stage::Full => {
                let (mut space, reductions) = self.full(false);
                let (explored, judge) = search(&mut space, (&self.meter, false), observer)?;
                Ok(Attempt::decided(self.outcome(space, explored, judge, reductions)))
            }
        }
    }

    /// The space with full sets; with `frugal` it gives up where they are large.
    fn full(&self, frugal: bool) -> (Fast<'q>, Reductions) {
        let reductions = self.reductions.without(Reduction::Guess);
        let (mut space, reductions) = self.space(reductions, EffectTime::Anywhere, false);
        if let Beside::Sets(sets) = &mut space.beside {
            sets.frugal = frugal;
        }
        (space, reductions)
    }

    /// The answer where a search could not go on from where it was kept.
    fn lost(&self, lost: Lost) -> Outcome {
        let method = covered::method(self.reductions, self.off.clone());
        Outcome::unsearched(self.machine, lost.why(), method)
    }

    /// The space of the question, with the reductions that are really in force.
    fn space(&self, reductions: Reductions, effects: EffectTime, steps: bool) -> (Fast<'q>, Reductions) {
        let (machine, meter) = (self.machine, self.meter.clone());
        let points = self.question.relies_on_points();
        let invariant = match self.question {
            Question::Invariant { routine, .. } => Some(&**routine),
            _ => None,
        };
        let spec = self.question.specification();
        let mut model = Steps::new(machine, spec, points, steps, invariant, reductions);
        if let Question::LeakFree = self.question {
            model.watch_leaks();
        }
        model.explorer.limit(&meter);
        let letters = model.letters.clone();
        let beside = match self.question {
            Question::Linearizable { spec, points } if reductions.has(Reduction::Factored) => {
                let naming = model.naming();
                Beside::Sets(Box::new(GeneratorSets::new(
                    spec, machine, letters, *points, effects, naming, meter,
                )))
            }
            Question::Linearizable { spec, points } => {
                let sets = crate::spec::SpecMonitor::new(spec, machine, *points);
                Beside::Labels(ByLabels::new(Box::new(sets), letters, meter))
            }
            Question::Refines { other } => Beside::Labels(ByLabels::new(
                Box::new(RefinementMonitor::new(other, machine)),
                letters,
                meter,
            )),
            _ => Beside::Nothing,
        };
        let force = model.in_force(reductions);
        let mut space = Space::new(model, beside);
        space.checked = self.care.checked;
        space.antichain = reductions.has(Reduction::Antichain);
        space.leave_out(reductions.order(self.question));
        (space, force)
    }

    fn outcome(
        &self,
        mut space: Fast<'q>,
        explored: Explored<Halt>,
        judge: Judge,
        reductions: Reductions,
    ) -> Outcome {
        let Explored { search, answer } = explored;
        let mut growing = Vec::new();
        let verdict = match answer {
            Answer::Enough => {
                let found = judge.violation.expect("the search ended with a violation");
                match self.counterexample(&mut space, &search, found) {
                    Ok(counterexample) => Verdict::Fails(counterexample),
                    Err(halt) => Verdict::Unknown(why(halt)),
                }
            }
            Answer::Complete => match judge.finding {
                None => Verdict::Holds(()),
                Some(found) => match finding_of(&mut space, &search, found) {
                    Ok(why) => Verdict::Unknown(why),
                    Err(halt) => Verdict::Unknown(why(halt)),
                },
            },
            Answer::Stopped(stop) => {
                let (model, globals, _) = space.model_and_parts();
                growing = model.growing(globals);
                Verdict::Unknown(Why::Stopped(stop))
            }
            Answer::Halted(halt) => Verdict::Unknown(why(halt)),
        };
        let dead_ends = judge.dead_ends(&mut space, &search);
        let (found, method) = ((verdict, dead_ends), (reductions, self.off.clone()));
        covered::outcome(space, &search, found, method, growing, self.minimising.get())
    }

    fn counterexample(
        &self,
        space: &mut Fast<'q>,
        search: &Search,
        found: Found,
    ) -> Result<Counterexample, Halt> {
        let mut cut = None;
        if self.care.minimal && found.from.is_some() {
            let (smallest, known) = self.smallest(search, space.bytes() + space.model.bytes());
            if let Some(smallest) = smallest {
                return Ok(smallest);
            }
            cut = known;
        }
        let way = search.way_to_end(space, &found)?;
        let broken = found.end == End::Model(BROKEN);
        let (schedule, end) = schedule(space, &way, (!broken).then_some(found.end), None)?;
        let violation = end.unwrap_or(Violation::Invariant);
        Ok(Counterexample { evidence: schedule.into(), violation, minimal: found.from.is_none(), cut })
    }

    /// The smallest counterexample that is found without reductions, and how far the search for it came where a limit
    /// cut it. What the search holds that found one counts as well.
    fn smallest(&self, search: &Search, bytes: u64) -> (Option<Counterexample>, Option<Cut>) {
        let reductions = Reductions::HEAP.with(Reduction::Factored);
        let (space, _) = self.space(reductions, EffectTime::Anywhere, false);
        let safe = matches!(self.question, Question::Safe);
        let held = search.states.bytes() + bytes;
        let mut bare = Bare::new(space, safe, self.meter.clone(), held);
        let Sought { found, cut } = minimise(&mut bare, BOUND.max(FACTOR * search.states.len() as u64));
        self.minimising.set(bare.bytes());
        let Some(smallest) = found else { return (None, cut) };
        let last = (smallest.violation != Violation::Invariant).then(|| bare.end(smallest.violation));
        let last = last.map(|end| end.expect("the violation was numbered before"));
        let movers = Some(&smallest.movers[..]);
        let way: Vec<Node> = smallest.way.iter().map(|id| bare.states.get(*id as usize)).collect();
        let Ok((schedule, _)) = schedule(&mut bare.space, &way, last, movers) else { return (None, cut) };
        let (evidence, violation) = (schedule.into(), smallest.violation);
        (Some(Counterexample { evidence, violation, minimal: cut.is_none(), cut }), cut)
    }
}

/// An execution that ends in a finding.
pub(super) fn finding_of(space: &mut Fast<'_>, search: &Search, found: Found) -> Result<Why, Halt> {
    let way = search.way_to_end(space, &found)?;
    let (schedule, end) = schedule(space, &way, Some(found.end), None)?;
    let Some(Violation::Finding { thread, finding }) = end else {
        unreachable!("the execution ends in a finding");
    };
    Ok(Why::Finding { finding, thread, schedule })
}

pub(super) fn why(halt: Halt) -> Why {
    match halt {
        Halt::Stop(stop) => Why::Stopped(stop),
        Halt::Specification { op, finding } => Why::SpecificationFinding { op, finding },
    }
}

/// States, transitions, bytes and whole moves of a machine alone, with these reductions.
pub fn count(
    machine: &Machine,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Count {
    let asking =
        Asking::new(machine, &Question::Safe, reductions, limits, Care { minimal: false, checked: false });
    let (mut space, _) = asking.space(asking.reductions, EffectTime::Anywhere, false);
    let mut all = All { shared_again: false };
    let Explored { search, answer } = explore(&mut space, &asking.meter, observer, &mut all);
    if all.shared_again {
        return count(machine, reductions.without(Reduction::Unshare), limits, observer);
    }
    Count {
        states: search.states.len() as u64,
        transitions: search.transitions,
        bytes: search.states.bytes() + space.bytes() + space.model.bytes(),
        whole: space.wholes,
        executed: space.model.executed,
        complete: answer == Answer::Complete,
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// States.
    pub states: u64,
    /// Transitions, those into findings included.
    pub transitions: u64,
    /// Bytes in use at the end.
    pub bytes: u64,
    /// Transitions that were executed on whole states.
    pub whole: u64,
    /// Pairs of parts whose moves were executed; those of the others were recalled.
    pub executed: u64,
    /// Whether these are all.
    pub complete: bool,
}

/// Goes on whatever ends, unless that says that the search is of no use.
struct All {
    shared_again: bool,
}

impl Visit for All {
    fn end(&mut self, found: Found) -> bool {
        self.shared_again |= found.end == End::Model(unshare::SHARED_AGAIN);
        self.shared_again
    }

    fn edges(&self) -> bool {
        false
    }
}
