//! Drives the explorer with a player, in batches.

use std::collections::VecDeque;
use std::time::Duration;

use trueline_base::{Meter, Stop};

use crate::explore::{Ahead, Execution, Explorer, Outcome};
use crate::graph::Graph;
use crate::harness::Harness;
use crate::log::Run;
use crate::order::Model;
use crate::player::{Plan, Player, Silence};
use crate::scenario::Scenario;

/// Executions after which retries are compared for the first time.
const FIRST_COMPARISON: u64 = 50;
/// Executions after which a scenario is large.
const LARGE: u64 = 1000;
/// Plans that are sent at once.
const BATCH: usize = 32;
/// Executions without a run that are looked at before players are waited for.
const MOST_SEEN: usize = 256;
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
    /// Whether runs are left out whose course is known.
    pub recall: bool,
    /// Players that run at the same time.
    pub jobs: usize,
    /// Whether the program's own `main` is run.
    pub main: bool,
    /// Whether a Rust package is built without instrumentation. What threads share besides the types of the shim is not seen
    /// then, so that nothing is left out that depends on local states or on what was read.
    pub shim: bool,
    /// Whether calls and returns are no steps even where they would be, as in a program with its own `main` unless its
    /// history is told.
    pub quiet: bool,
    /// The memory model.
    pub model: Model,
    /// Remedies that tests switch off, to see that each is needed: bits of `trap`.
    pub off: u32,
}

/// Traps of running real code, by the bits of [`Settings::off`] that switch their remedies off. The player numbers its own
/// alike (`state::trap` there).
pub mod trap {
    /// Starting again when memory turns out to be shared.
    pub const SHARED: u32 = 3;
    /// Thread-local storage of its own for each fiber.
    pub const TLS: u32 = 4;
    /// Counting with atomics although there is one OS thread.
    pub const SINGLE: u32 = 6;
    /// Globals as they were before every run.
    pub const GLOBALS: u32 = 7;
    /// Blocks of static constructors as they were.
    pub const STATIC_HEAP: u32 = 8;
    /// An arena for each thread.
    pub const ARENAS: u32 = 9;
    /// Looking for accesses to freed memory.
    pub const SHADOW: u32 = 10;
    /// Locks around the initialisation of static variables.
    pub const GUARDS: u32 = 11;
    /// Ending loops that change nothing.
    pub const LOOPS: u32 = 13;
    /// Taking crashes for findings.
    pub const CRASHES: u32 = 14;
    /// Keeping the stack of the handler of crashes.
    pub const SIGNAL_STACK: u32 = 16;
    /// Fresh thread-local variables before every run.
    pub const TLS_RESET: u32 = 17;
    /// Comparing what is claimed of retries.
    pub const RETRIES: u32 = 18;
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            max_steps: 2000,
            reuse: true,
            may_wait: false,
            cut: true,
            recall: true,
            jobs: 1,
            main: false,
            shim: false,
            quiet: false,
            model: Model::Sc,
            off: 0,
        }
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
    /// Executions that took no run.
    pub recalled: u64,
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
        self.recalled += other.recalled;
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
    /// The scenario turns out to be large: something else may be tried on the player first. Answers whether to go on.
    fn large(&mut self, _player: &mut Player, _explorer: &Explorer) -> bool {
        true
    }
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
        | u64::from(cut) << 3
        | u64::from(settings.main) << 5
        | u64::from(settings.quiet) << 6
        | u64::from(explorer.memory.weak) << 4
        | u64::from(settings.off) << 32;
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
    let mut workers = match Workers::new(player, settings.jobs) {
        Ok(workers) => workers,
        Err(why) => return (Counts::default(), Some(Ended::Player(why))),
    };
    let mut counts = Counts::default();
    let ended = explore(&mut workers, harness, scenario, settings, meter, visitor, &mut counts);
    workers.rest();
    (counts, ended.err())
}

fn explore(
    workers: &mut Workers<'_>,
    harness: &Harness,
    scenario: &Scenario,
    settings: Settings,
    meter: &Meter,
    visitor: &mut dyn Visitor,
    counts: &mut Counts,
) -> Result<(), Ended> {
    let mut explorer = Explorer::of(settings.model);
    explorer.off = settings.off;
    explorer.remembers =
        settings.recall && !settings.shim && settings.model == Model::Sc && settings.off == 0;
    explorer.most_steps = settings.max_steps;
    explorer.ends = scenario.suffix.is_empty() && harness.done == 0 && harness.check == 0;
    explorer.calls = (!settings.main).then(|| scenario.threads.iter().map(Vec::len).collect());
    let mut large = false;
    'again: loop {
        *counts = Counts { runs: counts.runs, ..Counts::default() };
        explorer.cut = settings.cut && !settings.shim && explorer.retries.on();
        workers.set_up(&set_up(harness, scenario, &explorer, settings, false));
        explorer.start(scenario.threads.len());
        visitor.reset();
        let (mut explored, mut compare) = (0u64, FIRST_COMPARISON);
        loop {
            meter.check(0, counts.runs).map_err(Ended::Limit)?;
            let compares = explorer.cut && explored >= compare;
            let grows = !large && explored >= LARGE;
            let mut seen = Vec::new();
            if !compares && !grows {
                workers.begin(&mut explorer, &mut seen);
            }
            let mut executions: Vec<Execution> = seen;
            counts.recalled += executions.len() as u64;
            if executions.is_empty() {
                let Some(finished) = workers.finish() else {
                    let last = explorer.waiting() == 0;
                    if explorer.cut && (compares || last) {
                        compare = explored * 4;
                        if !explorer.compare_retries(workers.first, explored, last).map_err(Ended::Player)? {
                            explorer.memory.forget();
                            continue 'again;
                        }
                    }
                    if last {
                        return Ok(());
                    }
                    explorer.wake();
                    if grows {
                        large = true;
                        if !visitor.large(workers.first, &explorer) {
                            return Err(Ended::Enough);
                        }
                        workers.set_up(&set_up(harness, scenario, &explorer, settings, false));
                    }
                    continue;
                };
                let (batch, runs) = finished?;
                counts.runs += runs.len() as u64;
                for ((graph, plan), run) in batch.into_iter().zip(&runs) {
                    executions.push(explorer.extend(graph, plan, run));
                    // Nothing else is understood any more.
                    if executions[executions.len() - 1].outcome == Outcome::Again {
                        break;
                    }
                }
            }
            for execution in executions {
                explored += 1;
                match &execution.outcome {
                    Outcome::Complete => counts.complete += 1,
                    Outcome::Cut => counts.cut += 1,
                    Outcome::Stuck { .. } => counts.stuck += 1,
                    Outcome::Found(_) | Outcome::Raced => counts.found += 1,
                    Outcome::Steps => counts.long += 1,
                    Outcome::Held => continue,
                    Outcome::Again => {
                        explorer.memory.forget();
                        continue 'again;
                    }
                    Outcome::Unsupported(what) => return Err(Ended::Unsupported(what.clone())),
                    Outcome::Differs(what) => return Err(Ended::Differs(what.clone())),
                }
                let go_on = visitor.visit(&explorer, &execution);
                explorer.discard(execution.graph);
                if !go_on {
                    workers.rest();
                    // A thread that was cut may have gone on after all.
                    if explorer.cut
                        && !explorer.compare_retries(workers.first, explored, false).map_err(Ended::Player)?
                    {
                        explorer.memory.forget();
                        continue 'again;
                    }
                    return Err(Ended::Enough);
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

/// Players that run at the same time: the one that was given, and others that are started for the search.
struct Workers<'a> {
    first: &'a mut Player,
    others: Vec<Player>,
    /// Who plays what, in the order in which it was begun.
    busy: VecDeque<(usize, Vec<(Graph, Plan)>)>,
    idle: Vec<usize>,
}

impl Workers<'_> {
    fn new(first: &mut Player, jobs: usize) -> Result<Workers<'_>, String> {
        let others = (1..jobs).map(|_| first.another()).collect::<Result<Vec<Player>, String>>()?;
        let idle = (0..=others.len()).rev().collect();
        Ok(Workers { first, others, busy: VecDeque::new(), idle })
    }

    fn player(&mut self, index: usize) -> &mut Player {
        match index {
            0 => self.first,
            n => &mut self.others[n - 1],
        }
    }

    /// Waits for everything that was begun, and tells all the scenario.
    fn set_up(&mut self, words: &[u64]) {
        self.rest();
        for index in 0..=self.others.len() {
            self.player(index).set_up(words.to_vec());
        }
    }

    /// Waits for everything that was begun.
    fn rest(&mut self) {
        while let Some((index, batch)) = self.busy.pop_front() {
            if self.player(index).receive(batch.len()).is_err() {
                let _ = self.player(index).restart();
            }
            self.idle.push(index);
        }
    }

    /// Gives everybody something to do, as far as there is; what needs no run comes to `seen`, and ends it when it is much.
    fn begin(&mut self, explorer: &mut Explorer, seen: &mut Vec<Execution>) {
        while !self.idle.is_empty() && seen.len() < MOST_SEEN {
            let share = (explorer.waiting() / self.idle.len()).clamp(1, BATCH);
            // A batch takes from the top of the stack only what is there now: order does not matter for what is found.
            let mut batch: Vec<(Graph, Plan)> = Vec::new();
            while batch.len() < share && seen.len() < MOST_SEEN {
                match explorer.take_next() {
                    Some(Ahead::Play(graph, plan)) => batch.push((graph, plan)),
                    Some(Ahead::Ends(execution)) => seen.push(execution),
                    None => break,
                }
            }
            let Some(index) = self.idle.pop_if(|_| !batch.is_empty()) else { return };
            let plans: Vec<Plan> = batch.iter().map(|b| b.1.clone()).collect();
            self.player(index).begin(&plans);
            self.busy.push_back((index, batch));
        }
    }

    /// What was begun first, with its runs; nothing when nothing was begun.
    #[allow(clippy::type_complexity)]
    fn finish(&mut self) -> Option<Result<(Vec<(Graph, Plan)>, Vec<Run>), Ended>> {
        let (index, batch) = self.busy.pop_front()?;
        let runs = match self.player(index).receive(batch.len()) {
            Ok(runs) => Ok(runs),
            Err(_) => one_by_one(self.player(index), batch.iter().map(|b| &b.1)),
        };
        self.idle.push(index);
        Some(runs.map(|runs| (batch, runs)))
    }
}

/// Plays a batch; when the player dies or hangs, plays it again one by one to find out which plan it was.
pub fn play(player: &mut Player, plans: &[Plan]) -> Result<Vec<Run>, Ended> {
    match player.play(plans) {
        Ok(runs) => Ok(runs),
        Err(_) => one_by_one(player, plans.iter()),
    }
}

fn one_by_one<'a>(player: &mut Player, plans: impl Iterator<Item = &'a Plan>) -> Result<Vec<Run>, Ended> {
    let mut runs = Vec::new();
    for plan in plans {
        player.restart().map_err(Ended::Player)?;
        match player.play(std::slice::from_ref(plan)) {
            Ok(more) => runs.extend(more),
            Err(Silence::Late) => return Err(Ended::Player(late())),
            Err(Silence::Died) => {
                let words = Some(player.last_words()).filter(|w| !w.is_empty());
                let words = words.map(|w| format!(" ({w})")).unwrap_or_default();
                return Err(Ended::Player(format!("the code destroys the process that it runs in{words}")));
            }
        }
    }
    Ok(runs)
}
