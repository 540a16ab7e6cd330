//! Looks at the executions of one scenario for what goes wrong.

use crate::kind::Kind;
use trueline_base::{Event, Meter, Observer};

use super::answer::{Cause, Doubt};
use crate::bounded::{Ground, Which, bounded};
use crate::confirm::{Candidate, Claim};
use crate::explore::{Execution, Explorer, Outcome};
use crate::handover::unsynchronised;
use crate::harness::Harness;
use crate::judge::{Failing, Judge, Judged};
use crate::log::{End, Found, Record, Run};
use crate::naive::recorded;
use crate::player::Player;
use crate::program::Program;
use crate::race::race;
use crate::scenario::Scenario;
use crate::search::{Ended, Settings, Visitor};
use crate::sequential::{Sequential, Standstill};

/// Runs that are made after a failure to find one with fewer switches.
const AFTER_A_FAILURE: u64 = 3000;

/// Sees the executions of a scenario, and keeps the failure that is best to tell.
pub(super) struct Watch<'a> {
    pub judge: Judge<'a>,
    pub calls: Vec<usize>,
    pub best: Option<Candidate>,
    /// What several workers found, until one has found it.
    pub aside: Option<Candidate>,
    pub more: u64,
    pub trouble: Option<Doubt>,
    pub input: Option<String>,
    pub long: bool,
    pub allow_races: bool,
    /// Whether values must be synchronised from one operation to another.
    pub hands_over: bool,
    pub harness: &'a Harness,
    pub scenario: &'a Scenario,
    pub sequential: &'a Sequential,
    pub settings: Settings,
    pub meter: &'a Meter,
    pub observer: &'a mut dyn Observer,
    pub seen: u64,
    /// Steps of the longest execution.
    pub longest: usize,
    pub done: f64,
    pub interleavings: u64,
    /// Whether histories are decided.
    pub judges: bool,
    pub own: Option<&'a Program>,
}

/// What is said of a program whose histories cannot be compared with a first one.
const DIFFERENT_CALLS: &str = "which calls the threads make depends on the schedule; TL_CALL must be reached equally in every execution";
/// Executions between two reports of progress.
const REPORT: u64 = 2000;
/// Interleavings that are tried first in a large scenario, and their preemptions.
const FIRST: Which = Which::Preemptions(2, 2000);

impl Watch<'_> {
    fn offer(&mut self, explorer: &Explorer, execution: &Execution, claim: Claim, before: &[u64]) {
        let told = self.own.is_none() || matches!(claim, Claim::History(_));
        let calls: &[usize] = if told { &self.calls } else { &[] };
        self.keep(Candidate::new(explorer, execution, calls, before, claim));
    }

    fn keep(&mut self, candidate: Candidate) {
        let better =
            |old: &Candidate| (candidate.rank(), candidate.switches()) < (old.rank(), old.switches());
        if self.best.as_ref().is_none_or(better) {
            self.best = Some(candidate);
        }
    }
}

impl Watch<'_> {
    /// What a history says. Answers whether to go on.
    fn judged(&mut self, judged: Judged, offer: impl FnOnce(&mut Self, Box<Failing>)) -> bool {
        match judged {
            Judged::Holds => {}
            Judged::Fails(failing) => offer(self, failing),
            Judged::Unknown(why) => {
                self.trouble.get_or_insert(Doubt::new(Cause::Undecided, why));
            }
            Judged::Input(why) => {
                self.input = Some(why);
                return false;
            }
        }
        true
    }

    /// Whether waiting is what the object does when the same calls run one after the other.
    fn waits(&self, alone: &[Vec<u64>], threads: &[Vec<Vec<u64>>]) -> bool {
        self.own.is_none()
            && self.sequential.waits(self.harness, self.scenario, &Standstill { prefix: alone, threads })
    }

    /// Whether a call after the threads waits that would not when the same calls, with the same answers, run one after the
    /// other.
    fn stops_wrongly(
        &self,
        waits: Option<Kind>,
        answers: impl FnOnce() -> (Vec<Vec<u64>>, Vec<Vec<Vec<u64>>>),
    ) -> bool {
        if waits.is_none() || self.own.is_some() {
            return false;
        }
        let (alone, threads) = answers();
        let (prefix, after) = alone.split_at(self.scenario.prefix.len().min(alone.len()));
        let standstill = Standstill { prefix, threads: &threads };
        self.sequential.stops(self.harness, self.scenario, &standstill, after) == Some(false)
    }

    /// An interleaving. Answers whether to go on.
    fn interleaving(&mut self, explorer: &Explorer, run: &Run, steps: &[u8]) -> bool {
        self.interleavings += 1;
        let candidate = |claim: Claim| Candidate::of_steps(explorer, steps.to_vec(), run.thread, claim);
        match run.end {
            End::Complete if !self.judges || self.own.is_some() => {}
            End::Complete if self.stops_wrongly(run.waits(), || returned(self.scenario, run)) => {
                run.waits().into_iter().for_each(|kind| self.keep(candidate(waits_after(kind))));
            }
            End::Complete => {
                let (before, answers) = recorded(self.scenario, run);
                let judged = self.judge.recorded(before, answers);
                let go_on = self.judged(judged, |watch, failing| {
                    watch.keep(candidate(Claim::History(Some(failing))));
                });
                if !go_on {
                    return false;
                }
            }
            End::Stuck => {
                let (alone, threads) = returned(self.scenario, run);
                let spinning = run.records().any(|r| matches!(r, Record::Block(..)));
                if !self.waits(&alone, &threads) {
                    self.keep(candidate(Claim::Stuck { spinning }));
                }
            }
            End::Finding => {
                if let Some(found) = run.found() {
                    self.keep(candidate(Claim::Found(found)));
                }
            }
            End::Steps => self.long = true,
            _ => {}
        }
        if !self.allow_races && race(run, self.scenario.threads.len()).is_some() {
            self.keep(candidate(Claim::Race));
        }
        self.more += u64::from(self.best.is_some());
        self.more < AFTER_A_FAILURE
    }

    /// Runs some interleavings.
    pub fn interleave(&mut self, player: &mut Player, explorer: &Explorer, which: Which) -> Option<Ended> {
        let settings = Settings { quiet: self.settings.main, ..self.settings };
        let ground = Ground { harness: self.harness, scenario: self.scenario, settings };
        let mut known = Explorer::of(explorer.model);
        known.memory = explorer.memory.clone();
        let meter = self.meter;
        bounded(player, &ground, &mut known, which, meter, &mut |e, r, s| self.interleaving(e, r, s)).1
    }
}

/// A call after the threads that must not wait.
fn waits_after(kind: Kind) -> Claim {
    Claim::Found(Found { kind, place: 0, sentence: String::new() })
}

/// What the calls of each thread answered.
fn answers_by_thread(execution: &Execution) -> Vec<Vec<Vec<u64>>> {
    execution.operations.iter().map(|t| t.iter().map(|(_, w)| w.clone()).collect()).collect()
}

/// What the calls that returned answered: outside of the threads, and of each thread.
fn returned(scenario: &Scenario, run: &Run) -> (Vec<Vec<u64>>, Vec<Vec<Vec<u64>>>) {
    let (mut alone, mut threads) = (Vec::new(), vec![Vec::new(); scenario.threads.len()]);
    for record in run.records() {
        match record {
            Record::Return(0, _, words, _) => alone.push(words.to_vec()),
            Record::Return(thread, _, words, _) => threads[thread - 1].push(words.to_vec()),
            _ => {}
        }
    }
    (alone, threads)
}

impl Visitor for Watch<'_> {
    fn reset(&mut self) {
        self.best = None;
        self.more = 0;
        self.long = false;
    }

    fn large(&mut self, player: &mut Player, explorer: &Explorer) -> bool {
        // What ends this ends the search as well, and says so there.
        self.interleave(player, explorer, FIRST);
        self.input.is_none() && self.more < AFTER_A_FAILURE
    }

    fn visit(&mut self, explorer: &Explorer, execution: &Execution) -> bool {
        match &execution.outcome {
            Outcome::Complete if self.own.is_some_and(|own| !own.calls_the_same(execution)) => {
                self.trouble.get_or_insert(Doubt::new(Cause::Undecided, DIFFERENT_CALLS));
            }
            Outcome::Complete if !self.judges => {}
            Outcome::Complete
                if self.stops_wrongly(execution.waits, || {
                    (execution.alone.clone(), answers_by_thread(execution))
                }) =>
            {
                if let Some(kind) = execution.waits {
                    self.offer(explorer, execution, waits_after(kind), &[]);
                }
            }
            Outcome::Complete => {
                let judged = self.judge.judge(execution);
                let go_on = self.judged(judged, |watch, failing| {
                    let before = failing.before.clone();
                    watch.offer(explorer, execution, Claim::History(Some(failing)), &before);
                });
                if !go_on {
                    return false;
                }
            }
            Outcome::Stuck { spinning } if !self.waits(&execution.alone, &answers_by_thread(execution)) => {
                self.offer(explorer, execution, Claim::Stuck { spinning: *spinning }, &[]);
            }
            Outcome::Found(found) => self.offer(explorer, execution, Claim::Found(found.clone()), &[]),
            Outcome::Steps => self.long = true,
            _ => {}
        }
        if self.hands_over
            && execution.outcome == Outcome::Complete
            && let Some(pair) = unsynchronised(self.harness, self.scenario, execution)
        {
            self.offer(explorer, execution, Claim::Unsynchronised(Some(pair)), &[]);
        }
        if execution.race.is_some() && !self.allow_races {
            self.offer(explorer, execution, Claim::Race, &[]);
        }
        (self.seen, self.done) = (self.seen + 1, explorer.done);
        if self.seen.is_multiple_of(REPORT) {
            let total = Some((self.seen as f64 / explorer.done.max(1e-12)) as u64);
            self.observer.event(&Event::Work { what: "executions", done: self.seen, total, bytes: 0 });
        }
        self.more += u64::from(self.best.is_some());
        self.more < AFTER_A_FAILURE
    }

    fn passed(&mut self, explorer: &Explorer, count: u64) {
        (self.seen, self.done) = (self.seen + count, explorer.done);
        self.longest = self.longest.max(explorer.longest);
    }

    fn failed(&self) -> bool {
        self.best.is_some() || self.trouble.is_some() || self.input.is_some()
    }

    fn set_aside(&mut self) {
        (self.aside, self.trouble, self.input) = (self.best.take(), None, None);
        (self.seen, self.done) = (0, 0.0);
        self.reset();
    }
}
