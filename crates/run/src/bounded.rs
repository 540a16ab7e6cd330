//! Interleavings with few preemptions, and random ones: where a large scenario is looked at first.
//!
//! Musuvathi and Qadeer, "Iterative context bounding" (PLDI 2007): a switch away from a thread that could go on is a preemption;
//! others are free. All interleavings with none, then with one, and so on, calls and returns being steps. Random ones are
//! chosen by the player (`policy` there). Claim: every interleaving up to the bound, each once. Oracle: `naive`.

use trueline_base::Meter;

use crate::explore::Explorer;
use crate::footprint::{self, Step};
use crate::harness::Harness;
use crate::log::{End, Run};
use crate::naive::others;
use crate::player::{Plan, Player, Then};
use crate::scenario::Scenario;
use crate::search::{Ended, Settings, play, set_up};

/// Plans that are sent at once.
const BATCH: usize = 32;

/// How runs are chosen at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    /// Partial order sampling instead of priorities of threads.
    pub steps: bool,
    /// The seed of the first run.
    pub seed: u64,
    /// How many runs.
    pub runs: u64,
}

/// Which interleavings are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those with at most so many preemptions, and at most so many runs.
    Preemptions(u32, u64),
    /// Random ones.
    Random(Random),
}

/// A scenario on a player.
pub struct Ground<'a> {
    /// The functions.
    pub harness: &'a Harness,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// How it is run.
    pub settings: Settings,
}

/// What is told of every run: what is known of memory, the run, and who made each step. Answers whether to go on.
pub type Seen<'a> = dyn FnMut(&Explorer, &Run, &[u8]) -> bool + 'a;

/// Runs interleavings. `explorer` knows which memory is shared, and learns more. Answers how many were run, and why not all
/// were.
pub fn bounded(
    player: &mut Player,
    ground: &Ground<'_>,
    explorer: &mut Explorer,
    which: Which,
    meter: &Meter,
    seen: &mut Seen<'_>,
) -> (u64, Option<Ended>) {
    let mut all = 0;
    'again: loop {
        player.set_up(set_up(ground.harness, ground.scenario, explorer, ground.settings, true));
        let mut work = Work::new(which);
        let mut counted = 0;
        loop {
            if let Err(stop) = meter.check(0, all) {
                return (counted, Some(Ended::Limit(stop)));
            }
            let (plans, preemptions) = work.take(counted);
            if plans.is_empty() {
                let left = !work.ended();
                return (counted, left.then_some(Ended::Enough));
            }
            let runs = match play(player, &plans) {
                Ok(runs) => runs,
                Err(ended) => return (counted, Some(ended)),
            };
            for (plan, run) in plans.iter().zip(&runs) {
                all += 1;
                if !run.wanted.is_empty() {
                    match explorer.memory.want(&run.wanted) {
                        Ok(()) => continue 'again,
                        Err(change) => return (counted, Some(Ended::Unsupported(format!("{change:?}")))),
                    }
                }
                match run.end {
                    End::Departed => continue,
                    End::Unsupported => return (counted, Some(Ended::Unsupported(run.text.clone()))),
                    _ => {}
                }
                let all = footprint::steps(run, !ground.settings.quiet);
                let planned = all.iter().map(|s| s.thread).take(plan.steps.len());
                if run.end == End::Finding && !planned.eq(plan.steps.iter().copied()) {
                    // It ended before the last step of its plan.
                    continue;
                }
                counted += 1;
                work.add(plan, run, &all, preemptions, ground.scenario);
                // A step that ends the run before it is recorded is none that others can be told to make.
                let steps: Vec<u8> = all.iter().filter(|s| !s.ends).map(|s| s.thread).collect();
                if !seen(explorer, run, &steps) {
                    return (counted, Some(Ended::Enough));
                }
            }
        }
    }
}

/// What is left to be run.
struct Work {
    which: Which,
    /// Beginnings by the number of their preemptions.
    left: Vec<Vec<Vec<u8>>>,
    /// Steps of a run, about.
    length: u64,
}

impl Work {
    fn new(which: Which) -> Work {
        let levels = match which {
            Which::Preemptions(most, _) => most as usize + 1,
            Which::Random(_) => 0,
        };
        let mut left = vec![Vec::new(); levels];
        if let Some(first) = left.first_mut() {
            first.push(Vec::new());
        }
        Work { which, left, length: 20 }
    }

    fn ended(&self) -> bool {
        self.left.iter().all(Vec::is_empty)
    }

    /// The next plans, and how many preemptions they have.
    fn take(&mut self, counted: u64) -> (Vec<Plan>, usize) {
        let (mut plans, mut preemptions) = (Vec::new(), 0);
        match self.which {
            Which::Preemptions(_, most) if counted >= most => {}
            Which::Preemptions(..) => {
                // One number of preemptions after the other.
                if let Some((level, first)) = self.left.iter_mut().enumerate().find(|(_, l)| !l.is_empty()) {
                    preemptions = level;
                    let from = first.len().saturating_sub(BATCH);
                    let steps = first.split_off(from);
                    plans.extend(steps.into_iter().map(|steps| Plan {
                        steps,
                        then: Then::Stay,
                        ..Plan::default()
                    }));
                }
            }
            Which::Random(random) => {
                for n in counted..random.runs.min(counted + BATCH as u64) {
                    let seed = random.seed.wrapping_add(n);
                    let then = match random.steps {
                        true => Then::Pos { seed },
                        // Runs with few and with many switches in turn.
                        false => Then::Pct { seed, depth: n % 4, length: self.length },
                    };
                    plans.push(Plan { then, ..Plan::default() });
                }
            }
        }
        (plans, preemptions)
    }

    /// Keeps what a run shows could be done otherwise after the steps of its plan.
    fn add(&mut self, plan: &Plan, run: &Run, all: &[Step], preemptions: usize, scenario: &Scenario) {
        let steps: Vec<u8> = all.iter().map(|s| s.thread).collect();
        self.length = self.length.max(steps.len() as u64);
        let levels = self.left.len();
        for at in plan.steps.len()..steps.len() {
            // Without a plan a thread is left only when it cannot go on.
            let free = at == 0 || steps[at - 1] != steps[at];
            let cost = preemptions + usize::from(!free);
            for other in others(run, &all[at..], scenario) {
                if cost < levels {
                    self.left[cost].push([&steps[..at], &[other]].concat());
                }
            }
        }
    }
}
