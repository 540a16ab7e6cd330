//! Progress: lock-, wait- and obstruction-freedom, deadlock- and starvation-freedom, by cycles of the state space.
//!
//! Lock-freedom is theorem 5.9 of Yang, Katoen, Lin, Liu and Wu (DSN 2018) read directly: a quotient modulo branching
//! bisimulation has no silent cycle, so an object differs from it by divergence exactly where a silent cycle can be
//! reached, and the quotient need not be computed. Blocked threads count as [`Progress`] says. The verdict comes from the reduced space; a
//! counterexample is looked for without reductions, in executions of few threads first. Claim: exact. Oracle: the
//! definitions on the reference interpreter (`trueline_replay::enumerate`).

mod facts;
mod smallest;
mod tour;
mod watch;

use super::answer::{Care, SharedAgain, why};
use super::beside::Beside;
use super::concrete::{self, Fast};
use super::covered;
use super::keep::Keeper;
use super::other::ByLabels;
use super::reduce::{Reduction, Reductions};
use super::steps::Steps;
use super::unshare;
use crate::machine::state::Phase;
use crate::monitor::{Halt, SetId};
use crate::outcome::{Counterexample, DeadEnds, Off, Outcome, Verdict, Why};
use facts::{Facts, Threads};
use trueline_base::{Limits, Meter, Observer, Stop, Violation};
use trueline_lang::ir::{Evidence, Machine, Module, OpId, Pc};
use trueline_lang::question::{Progress, Question};
use trueline_space::{Answer, Explored, NONE, Node, Search, Space, View};
use watch::Watcher;

/// Searched without reductions for a smallest counterexample: so many states at most, for all sets of threads.
const BOUND: u64 = 1_000_000;

/// States looked at between two looks at the limits.
const ROUND: usize = 1 << 16;

/// What is asked.
struct Asking<'q> {
    machine: &'q Machine,
    progress: Progress,
    spec: Option<&'q Module>,
    meter: Meter,
    care: Care,
}

/// Decides a question of progress.
pub(super) fn check(
    machine: &Machine,
    question: &Question,
    wanted: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
    care: Care,
) -> Outcome {
    let Question::Progress { progress, spec } = question else { unreachable!("this is about progress") };
    let mut off = wanted.refused(machine, question);
    let reductions = wanted.allowed(machine, question);
    let meter = Meter::start(limits.clone());
    let asking = Asking { machine, progress: *progress, spec: spec.as_deref(), meter, care };
    let mut total: Option<Outcome> = None;
    let mut reductions = reductions;
    for subject in asking.subjects(reductions) {
        let outcome = asking.run(subject, reductions, observer).unwrap_or_else(|SharedAgain| {
            reductions = reductions.without(Reduction::Unshare);
            off.push((Reduction::Unshare.name(), Off::Met(unshare::REFUSED)));
            asking.run(subject, reductions, observer).expect("without copies nothing comes back")
        });
        let decided = !matches!(outcome.verdict, Verdict::Holds(()));
        let mut next = outcome;
        if let Some(before) = total {
            next.states += before.states;
            next.transitions += before.transitions;
            next.bytes = next.bytes.max(before.bytes);
            next.method.off = before.method.off;
        }
        total = Some(next);
        if decided {
            break;
        }
    }
    let mut outcome = total.expect("there is at least one thread");
    off.append(&mut outcome.method.off);
    outcome.method.off = off;
    if outcome.verdict == Verdict::Holds(()) && progress.outlives_client(machine) {
        outcome.verdict = Verdict::Unknown(Why::ClientEnds);
    }
    outcome
}

impl<'q> Asking<'q> {
    /// Where threads may be exchanged and the property is about one, the first of each role is looked at apart: what
    /// is true of it is true of the others. Otherwise all are looked at together.
    fn subjects(&self, reductions: Reductions) -> Vec<Option<u8>> {
        let followed = matches!(self.progress, Progress::WaitFree(_) | Progress::ObstructionFree);
        if !followed || !self.steps(None, reductions).exchanges() {
            return vec![None];
        }
        let threads = &self.machine.threads;
        let first = |t: &usize| *t == 0 || threads[*t] != threads[t - 1];
        (0..threads.len()).filter(first).map(|t| Some(t as u8)).collect()
    }

    fn steps(&self, subject: Option<u8>, reductions: Reductions) -> Steps<'q> {
        // What conditions of marks read is kept: replay tells such states apart.
        let marked = self.machine.object.ops.iter().any(|op| op.marked());
        let mut model = Steps::new(self.machine, None, marked, false, None, reductions);
        if let Some(subject) = subject {
            model.set_apart(subject as usize);
        }
        model.explorer.limit(&self.meter);
        model
    }

    fn space(&self, subject: Option<u8>, reductions: Reductions) -> Fast<'q> {
        let model = self.steps(subject, reductions);
        let beside = match self.spec {
            Some(spec) => {
                let sets = crate::spec::SpecMonitor::new(spec, self.machine, false);
                let labels = ByLabels::new(Box::new(sets), model.letters.clone(), self.meter.clone());
                Beside::Labels(labels)
            }
            None => Beside::Nothing,
        };
        let mut space = Space::new(model, beside);
        space.checked = self.care.checked;
        space
    }

    fn run(
        &self,
        subject: Option<u8>,
        reductions: Reductions,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, SharedAgain> {
        let mut space = self.space(subject, reductions);
        let threads = self.machine.threads.len();
        let letters = space.model.letters.clone();
        let mut watcher = Watcher::new(self.progress, threads, subject, letters, self.meter.clone());
        let keeper = Keeper::new(&(self.machine, self.progress, self.spec, subject, reductions));
        let explored = keeper.load(&self.meter).and_then(|kept| {
            keeper.explore(&mut space, kept, &[], (&self.meter, false), observer, &mut watcher)
        });
        let Explored { search, answer } = match explored {
            Ok(explored) => explored,
            Err(lost) => {
                let method = covered::method(reductions, Vec::new());
                return Ok(Outcome::unsearched(self.machine, lost.why(), method));
            }
        };
        if watcher.judge.shared_again() {
            keeper.done(&self.meter);
            return Err(SharedAgain);
        }
        let learnt = self.learn(&mut space, &search, &mut watcher.facts).map_err(Halt::from);
        let decided = learnt.and_then(|()| self.decide(&mut space, &search, &watcher, observer));
        let verdict = match decided {
            Ok(Some(found)) => Verdict::Fails(found),
            Ok(None) => self.without_failure(&mut space, &search, &watcher, answer),
            Err(halt) => Verdict::Unknown(why(halt)),
        };
        if !matches!(verdict, Verdict::Unknown(Why::Stopped(_))) {
            keeper.done(&self.meter);
        }
        let growing = match &verdict {
            Verdict::Unknown(Why::Stopped(_)) => {
                let (model, globals, _) = space.model_and_parts();
                model.growing(globals)
            }
            _ => Vec::new(),
        };
        let dead_ends = match &verdict {
            Verdict::Fails(_) => DeadEnds::default(),
            _ => watcher.judge.dead_ends(&mut space, &search),
        };
        let force = space.model.in_force(reductions);
        let further = watcher.facts.graph.bytes();
        let (found, method) = ((verdict, dead_ends), (force, Vec::new()));
        Ok(covered::outcome(space, &search, found, method, growing, further))
    }

    fn without_failure(
        &self,
        space: &mut Fast<'q>,
        search: &Search,
        watcher: &Watcher,
        answer: Answer<Halt>,
    ) -> Verdict {
        match answer {
            Answer::Stopped(stop) => Verdict::Unknown(Why::Stopped(stop)),
            Answer::Halted(halt) => Verdict::Unknown(why(halt)),
            Answer::Enough => unreachable!("a search that has seen enough has found something"),
            Answer::Complete => match watcher.judge.finding {
                None if watcher.unexplained => Verdict::Unknown(Why::Unexplained),
                None => Verdict::Holds(()),
                Some(found) => match super::answer::finding_of(space, search, found) {
                    Ok(why) => Verdict::Unknown(why),
                    Err(halt) => Verdict::Unknown(why(halt)),
                },
            },
        }
    }

    /// Adds what is to be known of states.
    fn learn(&self, space: &mut Fast<'q>, search: &Search, facts: &mut Facts) -> Result<(), Stop> {
        facts.states = search.expanded();
        facts.graph.reach(search.states.len());
        facts.blocked.truncate(facts.states);
        let only = match self.progress {
            Progress::WaitFree(Some(op)) => Some(op),
            _ if self.progress.fair() => None,
            _ => return Ok(()),
        };
        let inside = self.inside(space, only);
        let excuses = self.spec.is_some();
        let threads = self.machine.threads.len();
        for id in 0..facts.states {
            if id % ROUND == ROUND - 1 {
                self.meter.check_beyond(0)?;
            }
            let node = search.states.get(id);
            let bits =
                |of: &dyn Fn(usize) -> bool| (0..threads).filter(|t| of(*t)).fold(0, |b, t| b | 1 << t);
            let bits_inside: Threads = bits(&|t| inside[node.locals[t] as usize]);
            facts.inside.push(bits_inside);
            if self.progress.fair() {
                // An idle thread waits for nothing.
                facts.blocked[id] &= bits_inside;
            }
            if excuses {
                let waits =
                    bits(&|t| bits_inside >> t & 1 == 1 && space.beside.must_wait(SetId(node.beside), t));
                facts.excused.push(waits);
            }
        }
        Ok(())
    }

    /// For each local part whether its thread is inside an operation, or inside this one.
    fn inside(&self, space: &mut Fast<'q>, only: Option<OpId>) -> Vec<bool> {
        let (model, _, locals) = space.model_and_parts();
        let inside =
            |(phase, op, _): (Phase, OpId, Pc)| phase != Phase::Idle && only.is_none_or(|only| only == op);
        (0..locals.len() as u32).map(|id| inside(model.stands(locals.get(id)))).collect()
    }

    /// The counterexample, if there is one.
    fn decide(
        &self,
        space: &mut Fast<'q>,
        search: &Search,
        watcher: &Watcher,
        observer: &mut dyn Observer,
    ) -> Result<Option<Counterexample>, Halt> {
        let Some(shown) = self.shown(space, search, watcher)? else { return Ok(None) };
        let mut cut = None;
        if self.care.minimal {
            match self.smallest(BOUND, observer) {
                Ok(smallest) => return Ok(Some(smallest)),
                Err(known) => cut = Some(known),
            }
        }
        let (evidence, violation) = self.evidence(space, search, watcher, shown)?;
        Ok(Some(Counterexample { evidence, violation, minimal: false, cut }))
    }

    /// A state that shows a violation.
    fn shown(&self, space: &mut Fast<'q>, search: &Search, watcher: &Watcher) -> Result<Option<Shown>, Halt> {
        let facts = &watcher.facts;
        let mut waiting: Vec<_> = watcher.waiting.iter().map(|(at, id)| (*id, *at)).collect();
        waiting.sort_unstable();
        for (id, (global, local, thread)) in waiting {
            if (id as usize) < facts.states && self.waits(space, global, local, thread) {
                return Ok(Some(Shown::Blocked(id)));
            }
        }
        if self.progress.fair()
            && let Some(id) = (0..facts.states as u32).find(|id| facts.stuck(*id).is_some())
        {
            return Ok(Some(Shown::Stuck(id)));
        }
        let meter = &self.meter;
        for thread in facts.subjects().filter(|t| watcher.concerns(*t)) {
            let mut stop = None;
            let bytes = search.states.bytes() + space.bytes();
            let mut goes_on = || {
                stop = meter.check(bytes, search.states.len() as u64).err();
                stop.is_none()
            };
            let Some(components) = facts.loops(thread, &mut goes_on) else {
                return Err(stop.expect("something ended it").into());
            };
            if let Some(id) = components.iter().position(|component| *component != NONE) {
                return Ok(Some(Shown::Loop { id: id as u32, thread, components }));
            }
        }
        Ok(None)
    }

    /// Whether a thread with these parts waits, in the operation that is asked about.
    fn waits(&self, space: &mut Fast<'q>, global: u32, local: u32, thread: u8) -> bool {
        let Progress::WaitFree(Some(op)) = self.progress else { return true };
        let (model, globals, locals) = space.model_and_parts();
        let view = View { global: globals.get(global), local: locals.get(local) };
        model.waits(view, thread as usize).iter().any(|(at, _)| *at == op)
    }

    /// An execution that shows it, from the reduced space.
    fn evidence(
        &self,
        space: &mut Fast<'q>,
        search: &Search,
        watcher: &Watcher,
        shown: Shown,
    ) -> Result<(Evidence, Violation), Halt> {
        let facts = &watcher.facts;
        match shown {
            Shown::Blocked(id) => {
                let way = search.way(space, id)?;
                let only = match self.progress {
                    Progress::WaitFree(only) => only,
                    _ => None,
                };
                let found = concrete::into_wait(space, &way, &|t| watcher.concerns(t), only)?;
                let (schedule, thread) = found.expect("somebody waits");
                Ok((schedule.into(), Violation::Blocked { thread }))
            }
            Shown::Stuck(id) => {
                let way = search.way(space, id)?;
                let (schedule, _) = concrete::schedule(space, &way, None, None)?;
                let thread = facts.stuck(id).expect("it is stuck");
                Ok((schedule.into(), Violation::Stuck { thread }))
            }
            Shown::Loop { id, thread, components } => {
                let way = search.way(space, id)?;
                let cycle = tour::cycle(facts, thread, &components, id);
                let nodes: Vec<Node> = cycle.iter().map(|(_, to)| search.states.get(*to as usize)).collect();
                let mover = |at: usize| cycle[at].0.thread();
                let may = |at: usize, t: u8| match self.progress {
                    Progress::LockFree => true,
                    Progress::WaitFree(_) | Progress::ObstructionFree => {
                        (t == thread) == (mover(at) == thread)
                    }
                    Progress::DeadlockFree | Progress::StarvationFree => t == mover(at),
                };
                let evidence = concrete::lasso(space, &way, &nodes, &may)?;
                let thread = match self.progress {
                    Progress::LockFree => evidence.cycle[0].thread,
                    Progress::DeadlockFree => facts.due(id, thread).expect("somebody should complete"),
                    _ => thread,
                };
                Ok((evidence, Violation::Forever { thread }))
            }
        }
    }
}

/// A state that shows a violation.
enum Shown {
    Blocked(u32),
    Stuck(u32),
    Loop { id: u32, thread: u8, components: Vec<u32> },
}
