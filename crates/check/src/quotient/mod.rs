//! Questions answered by whole transition systems and their quotients modulo branching bisimulation.
//!
//! Paper: Yang, Katoen, Lin, Liu, Wu, "Branching Bisimulation and Concurrent Object Verification" (DSN 2018): theorem 5.3, an object is linearizable exactly when the visible traces of its quotient are traces
//! of the quotient of its specification; theorem 5.8, an object that is divergence-preserving branching bisimilar to
//! an abstract one has its progress; theorem 5.9, an object none of whose steps can wait is lock-free exactly when it is
//! divergence-preserving branching bisimilar to its own quotient. A second way to the same verdicts as the searches on
//! the fly, which also find the counterexamples: the two are compared. Cost: the whole system is stored.

mod essential;

pub use essential::{Essential, essential};

use crate::fast::{self, MachineSystem, Reductions};
use crate::outcome::{Counterexample, DeadEnds, Difference, MEMORY_MODEL, Method, Outcome, Verdict, Why};
use crate::{NoSystem, system};
use trueline_base::{Limits, Meter, Observer, Stop, Violation};
use trueline_lang::ir::{Evidence, Machine, Module};
use trueline_lang::question::{Progress, Question};
use trueline_lts::compare::Threat;
use trueline_lts::{Comparison, Different, Equivalence, Inclusion, Lts, Side, StateId, Unconfirmed};
use trueline_space::MAX_THREADS;

/// Decides by quotients where a theorem allows it, by the fast engine otherwise.
pub fn check(
    machine: &Machine,
    question: &Question,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut asking = Asking { machine, meter: Meter::start(limits.clone()), limits, observer };
    let other_way = |asking: &mut Asking<'_, '_>| {
        fast::check(machine, question, Reductions::ALL, limits, asking.observer)
    };
    let decided = match question {
        Question::Equivalent { other, by } => asking.equivalent(other, *by),
        // Traces do not show where operations take effect: marks are for a search on the fly.
        Question::Linearizable { spec, points: false } => asking.linearizable(spec),
        Question::Progress { progress: Progress::LockFree, .. } if !machine.object.can_wait() => {
            asking.lock_free()
        }
        _ => return other_way(&mut asking),
    };
    match decided {
        Ok(Some(outcome)) => outcome,
        Ok(None) => {
            // The quotients say no; a search on the fly shows why.
            let found = other_way(&mut asking);
            assert!(
                found.verdict != Verdict::Holds(()),
                "quotients and search disagree about {}",
                machine.object.name
            );
            found
        }
        Err(why) => asking.outcome(None, Verdict::Unknown(why)),
    }
}

struct Asking<'q, 'o> {
    machine: &'q Machine,
    meter: Meter,
    limits: &'q Limits,
    observer: &'o mut dyn Observer,
}

/// An outcome; none when the answer is no and the counterexample is to be found elsewhere.
type Decided = Result<Option<Outcome>, Why>;

impl<'q> Asking<'q, '_> {
    fn linearizable(&mut self, spec: &Module) -> Decided {
        let object = self.system(self.machine)?;
        let specification = self.specification(spec)?;
        let object_quotient = self.quotient(&object.lts)?;
        let spec_quotient = self.quotient(&specification)?;
        let included = trueline_lts::inclusion(&object_quotient, &spec_quotient, &self.meter, self.observer);
        match included.unwrap_or_else(unconfirmed) {
            Inclusion::Holds(_) => {
                let mut outcome = self.outcome(Some(&object), Verdict::Holds(()));
                outcome.specification = spec_quotient.states() as u64;
                Ok(Some(outcome))
            }
            Inclusion::Fails(_) => Ok(None),
            Inclusion::Unknown(stop) => Err(Why::Stopped(stop)),
        }
    }

    fn lock_free(&mut self) -> Decided {
        let object = self.system(self.machine)?;
        let small = self.quotient(&object.lts)?;
        let by = Equivalence::DpBranching;
        let same = trueline_lts::compare(&object.lts, &small, by, &self.meter, self.observer);
        match same.unwrap_or_else(unconfirmed) {
            Comparison::Holds(()) => Ok(Some(self.outcome(Some(&object), Verdict::Holds(())))),
            Comparison::Fails(_) => Ok(None),
            Comparison::Unknown(stop) => Err(Why::Stopped(stop)),
        }
    }

    fn equivalent(&mut self, other: &Machine, by: Equivalence) -> Decided {
        let mut here = self.system(self.machine)?;
        let mut there = self.system(other)?;
        let same = trueline_lts::compare(&here.lts, &there.lts, by, &self.meter, self.observer);
        let why = match same.unwrap_or_else(unconfirmed) {
            Comparison::Holds(()) => {
                let mut outcome = self.outcome(Some(&here), Verdict::Holds(()));
                outcome.specification = there.lts.states() as u64;
                return Ok(Some(outcome));
            }
            Comparison::Fails(Different::Unexplained(stop)) => {
                return Err(Why::Refused(format!("they differ, but {stop} before it could be shown how")));
            }
            Comparison::Fails(Different::Shown(why)) => why,
            Comparison::Unknown(stop) => return Err(Why::Stopped(stop)),
        };
        let shown = told(&why, [&here.lts, &there.lts]);
        let stopped = |stop: Stop| Why::Stopped(stop);
        let evidence = Evidence::from(here.schedule(&shown.paths[0]).map_err(stopped)?);
        let difference = Difference {
            other: there.schedule(&shown.paths[1]).map_err(stopped)?,
            formula: why.formula.to_string(),
            holds_here: why.holds_on == Side::Left,
            moves_here: shown.last == Side::Left,
            threat: shown.threat,
        };
        let found =
            Counterexample { evidence, violation: Violation::NotEquivalent, minimal: false, cut: None };
        let mut outcome = self.outcome(Some(&here), Verdict::Fails(found));
        outcome.specification = there.lts.states() as u64;
        outcome.difference = Some(difference);
        Ok(Some(outcome))
    }

    fn system<'m>(&mut self, machine: &'m Machine) -> Result<MachineSystem<'m>, Why> {
        MachineSystem::of(machine, self.limits, self.observer)
            .map_err(|refusal| self.refused(machine, refusal))
    }

    fn specification(&mut self, spec: &Module) -> Result<Lts, Why> {
        system(self.machine, Some(spec), self.limits, self.observer)
            .map_err(|refusal| self.refused(self.machine, refusal))
    }

    fn quotient(&mut self, lts: &Lts) -> Result<Lts, Why> {
        let quotient = trueline_lts::quotient(lts, Equivalence::Branching, &self.meter, self.observer);
        quotient.map(|quotient| quotient.system).map_err(Why::Stopped)
    }

    fn refused(&mut self, machine: &Machine, refusal: NoSystem) -> Why {
        match refusal {
            NoSystem::Stopped(stop) => Why::Stopped(stop),
            NoSystem::TooManyThreads => {
                Why::Refused(format!("quotients are for at most {MAX_THREADS} threads"))
            }
            NoSystem::SpecificationFinding { op, finding } => Why::SpecificationFinding { op, finding },
            NoSystem::Requires(op) => Why::Refused(format!(
                "whether `{}` may be called depends on `local` variables, which the specification does not have",
                machine.object.ops[op.0 as usize].name
            )),
            NoSystem::Finding { finding, thread } => {
                let safe =
                    fast::decide(machine, &Question::Safe, Reductions::ALL, self.limits, self.observer);
                match safe.verdict {
                    Verdict::Fails(Counterexample {
                        evidence,
                        violation: Violation::Finding { thread, finding },
                        ..
                    }) if std::ptr::eq(machine, self.machine) => {
                        Why::Finding { finding, thread, schedule: evidence.prefix }
                    }
                    _ => Why::Refused(format!(
                        "thread {} of {} {}, so it has no transition system",
                        thread + 1,
                        machine.object.name,
                        finding.sentence()
                    )),
                }
            }
        }
    }

    fn outcome(&self, system: Option<&MachineSystem<'q>>, verdict: Verdict) -> Outcome {
        let coverage = system.map(|s| s.coverage().clone());
        Outcome {
            verdict,
            states: system.map_or(0, |s| s.lts.states() as u64),
            specification: 0,
            transitions: system.map_or(0, |s| s.lts.transitions() as u64),
            depth: 0,
            frontier: 0,
            bytes: system.map_or(0, MachineSystem::bytes),
            coverage: coverage.unwrap_or_else(|| crate::Coverage::new(&self.machine.object)),
            growing: Vec::new(),
            assumed: system.is_some_and(MachineSystem::assumed),
            dead_ends: DeadEnds { finished: system.is_some_and(ends), ..DeadEnds::default() },
            method: Method {
                engine: "quotient",
                memory_model: MEMORY_MODEL,
                reductions: vec!["heap", "dead locals", "branching quotient"],
                storage: "exact",
                off: Vec::new(),
            },
            difference: None,
        }
    }
}

/// Whether some execution comes to an end.
fn ends(system: &MachineSystem<'_>) -> bool {
    system.lts.state_ids().any(|state| system.lts.moves(state).is_empty())
}

/// A bug of the comparison, never a verdict.
fn unconfirmed<T>(why: Unconfirmed) -> T {
    panic!("a difference was not confirmed: {}", why.what)
}

/// The two diagnostic paths, and what the last move threatens.
struct Told {
    paths: [Vec<StateId>; 2],
    last: Side,
    threat: Option<String>,
}

fn told(why: &trueline_lts::Difference, systems: [&Lts; 2]) -> Told {
    let index = |side: Side| usize::from(side == Side::Right);
    let mut paths = systems.map(|lts| vec![lts.initial()]);
    match &why.evidence {
        trueline_lts::Evidence::Trace(run) => {
            let at = index(why.holds_on);
            paths[at].extend(run.iter().map(|step| step.target));
            let last = run.last().map(|step| systems[at].labels().name(step.label).to_string());
            Told { paths, last: why.holds_on, threat: last }
        }
        trueline_lts::Evidence::Play(rounds) => {
            let (mut last, mut threat) = (why.holds_on, None);
            for round in rounds {
                let mover = index(round.by);
                paths[mover].extend(round.steps.iter().map(|step| step.target));
                paths[1 - mover].extend(round.answer.iter().flatten().map(|step| step.target));
                last = round.by;
                threat = match &round.threat {
                    Threat::Step(action) => Some(action.to_string()),
                    Threat::Diverge => None,
                };
            }
            Told { paths, last, threat }
        }
    }
}
