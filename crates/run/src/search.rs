//! Drives the explorer with a player, in batches. A search that turns out to be large is gone on with by several
//! workers (`together`); whatever is not as expected then is left to one, so that what is found does not depend on them.

use std::time::Duration;

use trueline_base::{Meter, Stop, Watch};

use crate::explore::{Ahead, Execution, Explorer, Outcome};
use crate::graph::Graph;
use crate::harness::Harness;
use crate::log::Run;
use crate::order::Model;
use crate::player::{Plan, Player, Silence};
use crate::scenario::Scenario;
use crate::together::{self, Team};

/// Executions after which retries are compared for the first time.
const FIRST_COMPARISON: u64 = 50;
/// Executions after which a scenario is large.
const LARGE: u64 = 1000;
/// Plans that are sent at once.
const BATCH: usize = 32;
/// Executions without a run that are looked at before the player is waited for.
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
    /// Workers that explore at the same time, each with its player.
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
    /// Standing for functions that the C++ library calls from inside.
    pub const INSIDE: u32 = 12;
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
    /// Leaving the C library's own blocks to it.
    pub const LIBRARY: u32 = 19;
    /// Not calling destructors of static variables, whose memory is that of another run.
    pub const EXITS: u32 = 20;
    /// Keeping what threads keep by keys.
    pub const KEYS: u32 = 21;
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

    /// Counts what came of an execution. Answers whether it is one, and why there is no use in going on.
    pub fn count(&mut self, outcome: &Outcome) -> Result<bool, Interruption> {
        match outcome {
            Outcome::Complete => self.complete += 1,
            Outcome::Cut => self.cut += 1,
            Outcome::Stuck { .. } => self.stuck += 1,
            Outcome::Found(_) | Outcome::Raced => self.found += 1,
            Outcome::Steps => self.long += 1,
            Outcome::Held => return Ok(false),
            Outcome::Again => return Err(Interruption::Again),
            Outcome::Unsupported(what) => return Err(Ended::Unsupported(what.clone()).into()),
            Outcome::Differs(what) => return Err(Ended::Differs(what.clone()).into()),
        }
        Ok(true)
    }
}

/// Why an exploration is not gone on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// It begins again: more is known of memory or of retries.
    Again,
    /// It has ended.
    Ended(Ended),
}

impl From<Ended> for Interruption {
    fn from(ended: Ended) -> Interruption {
        Interruption::Ended(ended)
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
    /// Executions that show nothing, and are therefore not shown.
    fn passed(&mut self, _explorer: &Explorer, _count: u64) {}
    /// Whether something is wrong with what was seen so far: which execution is told then depends on their order.
    fn failed(&self) -> bool {
        false
    }
    /// One worker searches again where several saw that something is wrong: what was seen counts only if that does not come
    /// to its end.
    fn set_aside(&mut self) {
        self.reset();
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
    set_up_calls(harness, scenario.words(harness), explorer, settings, boundaries)
}

/// The same of calls as the player reads them.
pub fn set_up_calls(
    harness: &Harness,
    calls: Vec<u64>,
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
    words.extend(calls);
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
    let mut search =
        Search { player, harness, scenario, settings, meter, visitor, counts: Counts::default() };
    let ended = search.run();
    (search.counts, ended.err())
}

/// A search, and how much it has done.
pub struct Search<'a> {
    /// The first player.
    pub player: &'a mut Player,
    harness: &'a Harness,
    scenario: &'a Scenario,
    /// How the scenario is run.
    pub settings: Settings,
    /// Its limits.
    pub meter: &'a Meter,
    /// Who sees the executions.
    pub visitor: &'a mut dyn Visitor,
    /// How much was done.
    pub counts: Counts,
}

/// How an exploration by several workers ended.
pub enum Together {
    /// All executions were seen, and nothing is wrong with them.
    Complete,
    /// One worker is to explore from the beginning.
    Alone,
}

/// How far one exploration is.
pub struct Progress {
    /// Executions that were seen.
    pub explored: u64,
    /// After how many retries are compared next.
    pub compare: u64,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Ended> {
        let (settings, scenario, harness) = (self.settings, self.scenario, self.harness);
        let mut explorer = Explorer::of(settings.model);
        explorer.off = settings.off;
        explorer.remembers = settings.recall && !settings.shim && settings.off == 0;
        explorer.most_steps = settings.max_steps;
        explorer.watch = Watch::new(self.meter);
        explorer.ends = scenario.suffix.is_empty() && harness.done == 0 && harness.check == 0;
        explorer.calls = (!settings.main).then(|| scenario.threads.iter().map(Vec::len).collect());
        let (mut large, mut alone) = (false, settings.jobs < 2);
        self.visitor.reset();
        loop {
            self.counts = Counts { runs: self.counts.runs, ..Counts::default() };
            explorer.memory.forget();
            explorer.cut = settings.cut && !settings.shim && explorer.retries.on();
            explorer.start(scenario.threads.len());
            let known = (explorer.memory.clone(), explorer.retries.clone());
            self.tell(&explorer);
            match self.round(&mut explorer, &mut large, alone) {
                Ok(Together::Complete) => return Ok(()),
                Ok(Together::Alone) => {
                    (explorer.memory, explorer.retries) = known;
                    alone = true;
                    self.visitor.set_aside();
                }
                Err(Interruption::Again) => {
                    alone = settings.jobs < 2;
                    self.visitor.reset();
                }
                Err(Interruption::Ended(ended)) => return Err(ended),
            }
        }
    }

    /// Tells the player the scenario.
    fn tell(&mut self, explorer: &Explorer) {
        self.player.set_up(set_up(self.harness, self.scenario, explorer, self.settings, false));
    }

    /// Explores until all is seen, or it must begin again.
    fn round(
        &mut self,
        explorer: &mut Explorer,
        large: &mut bool,
        alone: bool,
    ) -> Result<Together, Interruption> {
        let mut progress = Progress { explored: 0, compare: FIRST_COMPARISON };
        let mut executions = Vec::new();
        loop {
            self.meter.check(0, self.counts.runs).map_err(|stop| self.stopped(explorer, stop))?;
            if explorer.cut && progress.explored >= progress.compare {
                progress.compare = progress.explored * 4;
                compare(explorer, &mut [&mut *self.player], progress.explored, false)?;
            }
            if !*large && progress.explored >= LARGE {
                *large = true;
                if !self.visitor.large(self.player, explorer) {
                    return Err(Ended::Enough.into());
                }
                self.tell(explorer);
            }
            if !alone && progress.explored >= LARGE && explorer.waiting() > 0 && !self.visitor.failed() {
                return self.together(explorer, &mut progress);
            }
            let Turn { recalled, played } =
                turn(explorer, |plans| play(self.player, plans), &mut executions, |_| true)?;
            self.counts.recalled += recalled;
            self.counts.runs += played;
            // What was left out for want of time is not seen in the executions.
            explorer.watch.result().map_err(|stop| self.stopped(explorer, stop))?;
            if executions.is_empty() {
                if explorer.cut {
                    compare(explorer, &mut [&mut *self.player], progress.explored, true)?;
                }
                return Ok(Together::Complete);
            }
            for execution in executions.drain(..) {
                progress.explored += 1;
                if !self.counts.count(&execution.outcome)? {
                    continue;
                }
                let go_on = self.visitor.visit(explorer, &execution);
                explorer.discard_execution(execution);
                if !go_on {
                    // A thread that was cut may have gone on after all.
                    if explorer.cut {
                        compare(explorer, &mut [&mut *self.player], progress.explored, false)?;
                    }
                    return Err(Ended::Enough.into());
                }
            }
        }
    }

    /// A limit was reached: the visitor is told how far that is.
    fn stopped(&mut self, explorer: &Explorer, stop: Stop) -> Ended {
        self.visitor.passed(explorer, 0);
        Ended::Limit(stop)
    }

    /// Goes on with several workers.
    fn together(
        &mut self,
        explorer: &mut Explorer,
        progress: &mut Progress,
    ) -> Result<Together, Interruption> {
        let mut others = self.player.others(self.settings.jobs - 1).map_err(Ended::Player)?;
        let words = set_up(self.harness, self.scenario, explorer, self.settings, false);
        others.iter_mut().for_each(|other| other.set_up(words.clone()));
        let mut team = Team { meter: self.meter, visitor: &mut *self.visitor, counts: &mut self.counts };
        let mut players: Vec<&mut Player> = std::iter::once(&mut *self.player).chain(&mut others).collect();
        let ended = together::explore(&mut team, &mut players, explorer, progress);
        self.player.keep(others);
        ended.map_err(Interruption::Ended)
    }
}

/// Compares what is claimed of retries with what was seen.
pub fn compare(
    explorer: &mut Explorer,
    players: &mut [&mut Player],
    explored: u64,
    last: bool,
) -> Result<(), Interruption> {
    match explorer.compare_retries(players, explored, last) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Interruption::Again),
        Err(why) => Err(Ended::Player(why).into()),
    }
}

/// What an explorer and its player did in one turn.
pub struct Turn {
    /// Executions that took no run.
    pub recalled: u64,
    /// Runs.
    pub played: u64,
}

/// Goes on with some graphs, as far as they need no run, and plays those that do. What comes of them is added to `seen`:
/// nothing when no graph waits. `go_on` is asked before each graph whether to take it. Who plays is no matter: a process, or an
/// interpreter of programs that are not real.
pub fn turn(
    explorer: &mut Explorer,
    play: impl FnOnce(&[Plan]) -> Result<Vec<Run>, Ended>,
    seen: &mut Vec<Execution>,
    go_on: impl Fn(&mut Explorer) -> bool,
) -> Result<Turn, Ended> {
    let mut batch = Vec::<(Graph, Plan)>::new();
    loop {
        let most = explorer.waiting().clamp(1, BATCH);
        // A batch takes from the top of the stack only what is there now: order does not matter for what is found.
        while batch.len() < most && seen.len() < MOST_SEEN && (go_on(explorer) || seen.is_empty()) {
            match explorer.take_next() {
                Some(Ahead::Play(graph, plan)) => batch.push((graph, plan)),
                Some(Ahead::Ends(execution)) => seen.push(execution),
                None => break,
            }
        }
        if !seen.is_empty() || !batch.is_empty() || explorer.waiting() == 0 {
            break;
        }
        explorer.wake();
    }
    let (recalled, played) = (seen.len() as u64, batch.len() as u64);
    if !batch.is_empty() {
        let plans: Vec<Plan> = batch.iter().map(|b| b.1.clone()).collect();
        let runs = play(&plans)?;
        for ((graph, plan), run) in batch.into_iter().zip(&runs) {
            seen.push(explorer.extend(graph, plan, run));
            // Nothing else is understood any more.
            if seen[seen.len() - 1].outcome == Outcome::Again {
                break;
            }
        }
    }
    Ok(Turn { recalled, played })
}

/// What is said of a player that takes too long.
pub fn late() -> String {
    format!(
        "the code ran for {} s without a step: it loops or waits where nothing is seen of it",
        PATIENCE.as_secs()
    )
}

/// Plays a batch; when the player dies or hangs, plays it again one by one to find out which plan it was.
pub fn play(player: &mut Player, plans: &[Plan]) -> Result<Vec<Run>, Ended> {
    match player.play(plans) {
        Ok(runs) => Ok(runs),
        Err(Silence::Late) if plans.len() == 1 => Err(Ended::Player(late())),
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
