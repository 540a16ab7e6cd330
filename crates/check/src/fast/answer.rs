//! A question, asked of the fast engine.

use super::beside::Beside;
use super::concrete::{Fast, into_dead_end, schedule};
use super::guess::Guess;
use super::other::Labels;
use super::progress;
use super::reduce::{Reduction, Reductions};
use super::sets::{Effects, Sets};
use super::steps::{BROKEN, LOST, Steps, finding};
use crate::minimise::{Kind, Reached, Walk, minimise};
use crate::monitor::Halt;
use crate::outcome::{Counterexample, DeadEnds, Decision, Method, Off, Outcome, Why};
use crate::refine::Other;
use std::collections::HashSet;
use trueline_base::{Limits, Meter, Observer, Stop, Violation};
use trueline_lang::ir::Machine;
use trueline_lang::question::Question;
use trueline_space::{
    Answer, End, Explored, Found, MAX_THREADS, Model, Node, Space, Standing, States, View, Visit, explore,
};

/// Decides a question about a machine, with those of the reductions that it allows. What this engine cannot do, the
/// plain one does.
pub fn check(
    machine: &Machine,
    question: &Question,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    if !supports(machine, question) {
        return crate::search::check(machine, question, limits, observer);
    }
    if let Question::Progress { .. } = question {
        return progress::check(machine, question, reductions, limits, observer, true, false);
    }
    Asking::new(machine, question, reductions, limits, true).run(observer)
}

/// The same, content with the first counterexample that is found.
pub fn decide(
    machine: &Machine,
    question: &Question,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    if !supports(machine, question) {
        return crate::search::decide(machine, question, limits, observer);
    }
    if let Question::Progress { .. } = question {
        return progress::check(machine, question, reductions, limits, observer, false, false);
    }
    Asking::new(machine, question, reductions, limits, false).run(observer)
}

/// The same as [`decide`], with every move executed on whole states as well: for tests of what parts claim.
pub fn decide_checked(
    machine: &Machine,
    question: &Question,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    if !supports(machine, question) {
        return crate::search::decide(machine, question, limits, observer);
    }
    if let Question::Progress { .. } = question {
        return progress::check(machine, question, reductions, limits, observer, false, true);
    }
    let mut asking = Asking::new(machine, question, reductions, limits, false);
    asking.checked = true;
    asking.run(observer)
}

/// Whether this engine can answer.
fn supports(machine: &Machine, question: &Question) -> bool {
    let asks = !matches!(question, Question::Equivalent { .. } | Question::Unavailable);
    asks && machine.threads.len() <= MAX_THREADS
}

struct Asking<'q> {
    machine: &'q Machine,
    question: &'q Question,
    reductions: Reductions,
    /// Those that were wanted and are not allowed.
    off: Vec<(&'static str, Off)>,
    meter: Meter,
    minimal: bool,
    checked: bool,
}

/// States with full sets before wider guesses are tried; more where only least sets are kept, as long as they are
/// small.
const FULL_SETS_FIRST: u64 = 300_000;
const LEAST_SETS_FIRST: u64 = 4_000_000;

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
        minimal: bool,
    ) -> Asking<'q> {
        let refused = |r: Reduction| Some((r.name(), Off::Question(r.refused(machine, question)?)));
        let off = Reduction::ALL.into_iter().filter(|r| reductions.has(*r)).filter_map(refused).collect();
        let reductions = reductions.allowed(machine, question);
        Asking {
            machine,
            question,
            reductions,
            off,
            meter: Meter::start(limits.clone()),
            minimal,
            checked: false,
        }
    }

    fn run(&self, observer: &mut dyn Observer) -> Outcome {
        if self.reductions.has(Reduction::Guess) {
            // The narrowest guess costs least, full sets are next where they stay small, wider guesses after that.
            let mut guess = Guess::new(self.machine.object.ops.len());
            let bound = self.meter.limits().states.unwrap_or(u64::MAX);
            let first = match self.reductions.has(Reduction::Antichain) && bound > LEAST_SETS_FIRST {
                true => LEAST_SETS_FIRST,
                false => FULL_SETS_FIRST,
            };
            loop {
                let effects = Effects::Guessed(guess.moments().to_vec());
                let (mut space, reductions) = self.space(self.reductions, effects, guess.needs_steps());
                let (explored, judge) = self.explore(&mut space, &self.meter, observer);
                let failed = judge.violation.is_some_and(|found| matches!(found.end, End::Monitor(_)));
                if !failed {
                    return self.outcome(space, explored, judge, reductions);
                }
                if guess.is_first()
                    && let Some(outcome) = self.run_full(Some(first), observer)
                {
                    return outcome;
                }
                let op = space.beside.emptied().expect("a return was not explained");
                if !guess.widen(op) {
                    break;
                }
            }
        }
        self.run_full(None, observer).expect("nothing but the user's limits ends it")
    }

    /// With full sets; none when there are more states than `most`.
    fn run_full(&self, most: Option<u64>, observer: &mut dyn Observer) -> Option<Outcome> {
        let reductions = self.reductions.without(Reduction::Guess);
        let (mut space, reductions) = self.space(reductions, Effects::Anywhere, false);
        let states = self.meter.limits().states;
        let most = most.filter(|most| states.is_none_or(|states| states > *most));
        if let Beside::Sets(sets) = &mut space.beside {
            sets.frugal = most.is_some();
        }
        let meter = match most {
            Some(most) => self.meter.with_states(most),
            None => self.meter.clone(),
        };
        let (explored, judge) = self.explore(&mut space, &meter, observer);
        let many = [Answer::Stopped(Stop::States), Answer::Halted(Halt::Stop(Stop::States))];
        if most.is_some() && many.contains(&explored.answer) {
            return None;
        }
        // What was found is told whatever it costs.
        if let Beside::Sets(sets) = &mut space.beside {
            sets.frugal = false;
        }
        Some(self.outcome(space, explored, judge, reductions))
    }

    /// The space of the question, with the reductions that are really in force.
    fn space(&self, reductions: Reductions, effects: Effects, steps: bool) -> (Fast<'q>, Reductions) {
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
                Beside::Sets(Box::new(Sets::new(spec, machine, letters, *points, effects, naming, meter)))
            }
            Question::Linearizable { spec, points } => {
                let sets = crate::spec::Sets::new(spec, machine, *points);
                Beside::Labels(Labels::new(Box::new(sets), letters, meter))
            }
            Question::Refines { other } => {
                Beside::Labels(Labels::new(Box::new(Other::new(other, machine)), letters, meter))
            }
            _ => Beside::Nothing,
        };
        let force = model.in_force(reductions);
        let mut space = Space::new(model, beside);
        space.checked = self.checked;
        space.antichain = reductions.has(Reduction::Antichain);
        space.leave_out(reductions.order(self.question));
        (space, force)
    }

    fn explore(
        &self,
        space: &mut Fast<'q>,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> (Explored<Halt>, Judge) {
        let safe = matches!(self.question, Question::Safe);
        let mut judge = Judge { safe, ..Judge::default() };
        (explore(space, meter, observer, &mut judge), judge)
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
        let decision = match answer {
            Answer::Enough => {
                let found = judge.violation.expect("the search ended with a violation");
                match self.counterexample(&mut space, &search, found) {
                    Ok(counterexample) => Decision::Fails(counterexample),
                    Err(halt) => Decision::Unknown(why(halt)),
                }
            }
            Answer::Complete => match judge.finding {
                None => Decision::Holds,
                Some(found) => match finding_of(&mut space, &search, found) {
                    Ok(why) => Decision::Unknown(why),
                    Err(halt) => Decision::Unknown(why(halt)),
                },
            },
            Answer::Stopped(stop) => {
                let (model, globals, _) = space.model_and_parts();
                growing = model.growing(globals);
                Decision::Unknown(Why::Stopped(stop))
            }
            Answer::Halted(halt) => Decision::Unknown(why(halt)),
        };
        let dead_ends = judge.dead_ends(&mut space, &search);
        let mut off = self.off.clone();
        off.extend(space.model.refusal().map(|why| (Reduction::Symmetry.name(), Off::Model(why))));
        Outcome {
            decision,
            states: search.states.len() as u64,
            specification: space.sizes().2 as u64,
            transitions: search.transitions,
            depth: search.depth(),
            frontier: search.frontier(),
            bytes: search.states.bytes() + space.bytes() + space.model.bytes(),
            growing,
            assumed: space.model.explorer.assumed,
            dead_ends,
            coverage: space.model.explorer.coverage,
            method: Method { engine: "fast", reductions: reductions.names(), storage: "exact", off },
            difference: None,
        }
    }

    fn counterexample(
        &self,
        space: &mut Fast<'q>,
        search: &trueline_space::Search,
        found: Found,
    ) -> Result<Counterexample, Halt> {
        if self.minimal
            && found.from.is_some()
            && let Some(smallest) = self.smallest(search, space.bytes() + space.model.bytes())
        {
            return Ok(smallest);
        }
        let way = search.way_to_end(space, &found)?;
        let broken = found.end == End::Model(BROKEN);
        let (schedule, end) = schedule(space, &way, (!broken).then_some(found.end), None)?;
        let violation = end.unwrap_or(Violation::Invariant);
        Ok(Counterexample { evidence: schedule.into(), violation, minimal: found.from.is_none() })
    }

    /// The smallest counterexample, found without reductions; none when a limit is reached first. What the search
    /// holds that found one counts as well.
    fn smallest(&self, search: &trueline_space::Search, bytes: u64) -> Option<Counterexample> {
        let reductions = Reductions::HEAP.with(Reduction::Factored);
        let (space, _) = self.space(reductions, Effects::Anywhere, false);
        let safe = matches!(self.question, Question::Safe);
        let held = search.states.bytes() + bytes;
        let states = States::new(space.model.threads());
        let mut bare =
            Bare { space, safe, meter: self.meter.clone(), held, states, edges: Vec::new(), ids: Vec::new() };
        let smallest = minimise(&mut bare, BOUND.max(FACTOR * search.states.len() as u64))?;
        let last = (smallest.violation != Violation::Invariant).then(|| bare.end(smallest.violation));
        let last = last.map(|end| end.expect("the violation was numbered before"));
        let movers = Some(&smallest.movers[..]);
        let way: Vec<Node> = smallest.way.iter().map(|id| bare.states.get(*id as usize)).collect();
        let (schedule, _) = schedule(&mut bare.space, &way, last, movers).ok()?;
        Some(Counterexample { evidence: schedule.into(), violation: smallest.violation, minimal: true })
    }
}

/// An execution that ends in a finding.
pub(super) fn finding_of(
    space: &mut Fast<'_>,
    search: &trueline_space::Search,
    found: Found,
) -> Result<Why, Halt> {
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

/// Notes the first violation, the first finding, and dead ends.
#[derive(Default)]
pub(super) struct Judge {
    safe: bool,
    violation: Option<Found>,
    pub finding: Option<Found>,
    dead_ends: u64,
    dead_end: Option<u32>,
    /// Whether nobody has anything left to do in some state.
    finished: bool,
    /// Global part, local part and number of threads that wait in dead ends.
    waiting: HashSet<(u32, u32, u8)>,
}

impl Judge {
    pub fn dead_ends(&self, space: &mut Fast<'_>, search: &trueline_space::Search) -> DeadEnds {
        let mut dead_ends =
            DeadEnds { states: self.dead_ends, finished: self.finished, ..DeadEnds::default() };
        for (global, local, thread) in &self.waiting {
            let (model, globals, locals) = space.model_and_parts();
            let view = View { global: globals.get(*global), local: locals.get(*local) };
            dead_ends.places.extend(model.waits(view, *thread as usize));
        }
        dead_ends.shortest = self.dead_end.and_then(|id| {
            let way = search.way(space, id).ok()?;
            into_dead_end(space, &way).ok()
        });
        dead_ends
    }
}

impl Visit for Judge {
    fn state(&mut self, id: u32, node: &Node, standing: Standing) {
        self.finished |= standing == Standing::default();
        if !standing.dead_end() {
            return;
        }
        self.dead_ends += 1;
        self.dead_end = self.dead_end.or(Some(id));
        let waits = standing.blocked | standing.maybe;
        let threads = (0..MAX_THREADS).filter(|t| waits >> t & 1 == 1);
        self.waiting.extend(threads.map(|t| (node.global, node.locals[t], t as u8)));
    }

    fn edges(&self) -> bool {
        false
    }

    fn end(&mut self, found: Found) -> bool {
        let finding = matches!(found.end, End::Model(code) if ![BROKEN, LOST].contains(&code));
        if finding && !self.safe {
            self.finding = self.finding.or(Some(found));
            return false;
        }
        self.violation = Some(found);
        true
    }
}

/// The space without reductions, for the search of a smallest counterexample.
struct Bare<'q> {
    space: Fast<'q>,
    safe: bool,
    meter: Meter,
    /// Bytes in use elsewhere.
    held: u64,
    /// The states met, which are known by their numbers.
    states: States,
    edges: Vec<trueline_space::Edge>,
    ids: Vec<u32>,
}

impl Bare<'_> {
    /// How the space numbers a violation.
    fn end(&self, violation: Violation) -> Option<End> {
        match violation {
            Violation::Finding { thread, finding } => {
                Some(End::Model(super::steps::end(thread as usize, finding)))
            }
            Violation::Leak => Some(End::Model(LOST)),
            other => (0..8).map(End::Monitor).find(|end| match end {
                End::Monitor(code) => self.space.beside.known_violation(*code) == Some(other),
                End::Model(_) => false,
            }),
        }
    }
}

impl Bare<'_> {
    /// Numbers states; what there was in `ids` is lost.
    fn number<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>) {
        let (globals, locals, sets) = self.space.sizes();
        self.states.reserve(globals, locals, sets);
        self.states.insert(nodes, &mut self.ids);
    }
}

impl Walk for Bare<'_> {
    type Node = u32;

    fn threads(&self) -> usize {
        self.space.model.threads()
    }

    fn starts(&mut self) -> Result<Vec<u32>, Halt> {
        let starts: Vec<Node> = self.space.starts()?.into_iter().flatten().collect();
        self.number(starts.iter());
        Ok(self.ids.clone())
    }

    fn moves(
        &mut self,
        from: u32,
        members: &[usize],
        visit: &mut dyn FnMut(u8, Kind, Reached<u32>),
    ) -> Result<(), Halt> {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        let from = self.states.get(from as usize);
        self.space.moves(&from, members.iter().fold(0, |set, t| set | 1 << t), &mut edges)?;
        self.space.model.explorer.goes_on()?;
        self.number(edges.iter().filter_map(|edge| edge.to.as_ref().ok()));
        let mut ids = self.ids.iter();
        for edge in &edges {
            let kind = self.space.model.letters.kind(edge.letter);
            let reached = match edge.to {
                Ok(_) => Reached::Node(*ids.next().expect("every state has a number")),
                Err(End::Monitor(code)) => Reached::Violation(self.space.beside.violation(code)),
                Err(End::Model(BROKEN)) => Reached::Violation(Violation::Invariant),
                Err(End::Model(LOST)) => Reached::Violation(Violation::Leak),
                Err(End::Model(code)) if self.safe => {
                    let finding = finding(code).1;
                    Reached::Violation(Violation::Finding { thread: edge.thread, finding })
                }
                Err(End::Model(_)) => Reached::Finding,
            };
            visit(edge.thread, kind, reached);
        }
        self.edges = edges;
        Ok(())
    }

    fn within_limits(&self, bytes: u64, nodes: u64) -> Result<(), Halt> {
        let own = self.states.bytes() + self.space.bytes() + self.space.model.bytes();
        Ok(self.meter.check(bytes + self.held + own, nodes)?)
    }
}

/// States, transitions, bytes and whole moves of a machine alone, with these reductions.
pub fn count(
    machine: &Machine,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Count {
    let asking = Asking::new(machine, &Question::Safe, reductions, limits, false);
    let (mut space, _) = asking.space(asking.reductions, Effects::Anywhere, false);
    let mut all = All;
    let Explored { search, answer } = explore(&mut space, &asking.meter, observer, &mut all);
    Count {
        states: search.states.len() as u64,
        transitions: search.transitions,
        bytes: search.states.bytes() + space.bytes() + space.model.bytes(),
        whole: space.wholes,
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
    /// Whether these are all.
    pub complete: bool,
}

/// Goes on whatever ends.
struct All;

impl Visit for All {
    fn edges(&self) -> bool {
        false
    }
}
