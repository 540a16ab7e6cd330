//! Drives the explorer with a player, in batches.

use std::time::Duration;

use trueline_base::{Meter, Stop};

use crate::explore::{Execution, Explorer, Outcome};
use crate::graph::Graph;
use crate::harness::Harness;
use crate::player::{Plan, Player, Silence};
use crate::scenario::Scenario;

/// Executions after which retries are compared for the first time.
const FIRST_COMPARISON: u64 = 50;
/// Plans that are sent at once.
const BATCH: usize = 32;
/// How long a player may take for a batch.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// How a scenario is run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Steps that an execution may have.
    pub max_steps: usize,
    /// Whether a thread's own freed blocks are used again.
    pub reuse: bool,
    /// Whether operations after the threads are meant to wait when there is nothing left.
    pub may_wait: bool,
    /// Whether iterations that change nothing are left out.
    pub cut: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { max_steps: 2000, reuse: true, may_wait: false, cut: true }
    }
}

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Complete executions.
    pub complete: u64,
    /// Executions that were cut because another has what they wait for.
    pub cut: u64,
    /// Executions in which nobody can go on.
    pub stuck: u64,
    /// Executions that end with a finding.
    pub found: u64,
    /// Executions that were too long.
    pub long: u64,
    /// Runs, also those before memory was known to be shared.
    pub runs: u64,
}

impl Counts {
    /// Adds those of another search.
    pub fn add(&mut self, other: &Counts) {
        self.complete += other.complete;
        self.cut += other.cut;
        self.stuck += other.stuck;
        self.found += other.found;
        self.long += other.long;
        self.runs += other.runs;
    }
}

/// Why a search ended before it was complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A limit.
    Limit(Stop),
    /// The visitor has seen enough.
    Enough,
    /// The code needs what the player does not have.
    Unsupported(String),
    /// The same plan gave different runs.
    Differs(String),
    /// The player cannot be started or does not answer.
    Player(String),
}

/// Sees every execution.
pub trait Visitor {
    /// Everything so far is to be forgotten: more memory is shared than was known.
    fn reset(&mut self);
    /// An execution. Answers whether to go on.
    fn visit(&mut self, explorer: &Explorer, execution: &Execution) -> bool;
}

/// What the player must know of a scenario.
pub fn set_up(
    harness: &Harness,
    scenario: &Scenario,
    explorer: &Explorer,
    settings: Settings,
    boundaries: bool,
) -> Vec<u64> {
    let cut = explorer.cut && !boundaries;
    let flags = u64::from(settings.reuse)
        | u64::from(boundaries) << 1
        | u64::from(settings.may_wait) << 2
        | u64::from(cut) << 3;
    let mut words = vec![settings.max_steps as u64, flags, harness.init, harness.done, harness.check];
    words.extend(explorer.retries.words());
    words.extend(explorer.memory.words());
    words.extend(scenario.words(harness));
    words
}

/// Runs every execution of a scenario.
pub fn search(
    player: &mut Player,
    harness: &Harness,
    scenario: &Scenario,
    settings: Settings,
    meter: &Meter,
    visitor: &mut dyn Visitor,
) -> (Counts, Option<Ended>) {
    let mut explorer = Explorer::default();
    let mut counts = Counts::default();
    'again: loop {
        counts = Counts { runs: counts.runs, ..Counts::default() };
        let mut compare = FIRST_COMPARISON;
        explorer.cut = settings.cut && explorer.retries.on();
        player.set_up(set_up(harness, scenario, &explorer, settings, false));
        explorer.start(scenario.threads.len());
        visitor.reset();
        let mut explored = 0u64;
        loop {
            if let Err(stop) = meter.check(0, counts.runs) {
                return (counts, Some(Ended::Limit(stop)));
            }
            let mut batch: Vec<(Graph, Plan)> = Vec::new();
            // A batch takes from the top of the stack only what is there now: order does not matter for what is found.
            while batch.len() < BATCH
                && let Some(next) = explorer.take_next()
            {
                batch.push(next);
            }
            if explorer.cut && (batch.is_empty() || explored >= compare) {
                compare = explored * 4;
                match explorer.compare_retries(player, batch.is_empty()) {
                    Ok(true) => {}
                    Ok(false) => {
                        explorer.memory.forget();
                        continue 'again;
                    }
                    Err(why) => return (counts, Some(Ended::Player(why))),
                }
            }
            if batch.is_empty() {
                return (counts, None);
            }
            let plans: Vec<Plan> = batch.iter().map(|b| b.1.clone()).collect();
            let runs = match play(player, &plans) {
                Ok(runs) => runs,
                Err(ended) => return (counts, Some(ended)),
            };
            for ((graph, plan), run) in batch.into_iter().zip(&runs) {
                counts.runs += 1;
                explored += 1;
                let execution = explorer.extend(graph, plan, run);
                match &execution.outcome {
                    Outcome::Complete => counts.complete += 1,
                    Outcome::Cut => counts.cut += 1,
                    Outcome::Stuck { .. } => counts.stuck += 1,
                    Outcome::Found(_) => counts.found += 1,
                    Outcome::Steps => counts.long += 1,
                    Outcome::Held => continue,
                    Outcome::Again => {
                        explorer.memory.forget();
                        continue 'again;
                    }
                    Outcome::Unsupported(what) => return (counts, Some(Ended::Unsupported(what.clone()))),
                    Outcome::Differs(what) => return (counts, Some(Ended::Differs(what.clone()))),
                }
                if !visitor.visit(&explorer, &execution) {
                    return (counts, Some(Ended::Enough));
                }
            }
        }
    }
}

/// What is said of a player that takes too long.
pub fn late() -> String {
    format!(
        "the code ran for {} s without a step: it loops or waits where nothing is seen of it",
        PATIENCE.as_secs()
    )
}

/// Plays a batch; when the player dies or hangs, plays it again one by one to find out which plan it was.
fn play(player: &mut Player, plans: &[Plan]) -> Result<Vec<crate::log::Run>, Ended> {
    if let Ok(runs) = player.play(plans) {
        return Ok(runs);
    }
    let mut runs = Vec::new();
    for plan in plans {
        player.restart().map_err(Ended::Player)?;
        match player.play(std::slice::from_ref(plan)) {
            Ok(more) => runs.extend(more),
            Err(Silence::Late) => return Err(Ended::Player(late())),
            Err(Silence::Died) => {
                let words = player.last_words();
                return Err(Ended::Player(format!(
                    "the code destroys the process that it runs in ({words})"
                )));
            }
        }
    }
    Ok(runs)
}
