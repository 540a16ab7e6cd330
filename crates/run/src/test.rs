//! One test of a file: builds it, runs scenarios from small to large, and tells the first failure.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use trueline_base::trace::{Trace, What};
use trueline_base::{Event, Meter, Observer, Verdict};
use trueline_history::Condition;
use trueline_history::check::{Asked, named};

use crate::bounded::{Ground, Which, bounded};
use crate::cargo;
use crate::compile::{Build, Compiler, Folder, build, compiler_of};
use crate::confirm::{Candidate, Claim, confirm};
use crate::explore::{Execution, Explorer, Outcome};
use crate::generate::{Sizes, scenarios};
use crate::handover::{hands_over, unsynchronised};
use crate::harness::{self, Function, Harness, NO_OPERATION};
use crate::judge::{Failing, Judge, Judged};
use crate::log::{End, Found, Record, Run};
use crate::naive::recorded;
use crate::order::Model;
use crate::player::{Player, Source};
use crate::program::{self, Program};
use crate::race::race;
use crate::scenario::Scenario;
use crate::search::{Counts, Ended, PATIENCE, Settings, Visitor, search};
use crate::sequential::{Sequential, Standstill};

/// What is to be tested, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The source file.
    pub source: PathBuf,
    /// The compiler, when it is not the first of clang and gcc.
    pub compiler: Option<String>,
    /// Optimisation levels, such as `-O0`.
    pub levels: Vec<String>,
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// One scenario instead of those that are made.
    pub scenario: Option<String>,
    /// How large scenarios get.
    pub sizes: Sizes,
    /// What is asked of histories.
    pub condition: Condition,
    /// The specification, when it is not that of the file.
    pub spec: Option<String>,
    /// How a specification is found by its name.
    pub find: Find,
    /// Another implementation whose sequential behaviours are the specification.
    pub against: Option<PathBuf>,
    /// How scenarios are run.
    pub settings: Settings,
    /// Whether data races are no findings.
    pub allow_races: bool,
    /// Some interleavings instead of all executions.
    pub only: Option<Which>,
    /// Whether to go on after a failure, to every other one.
    pub all: bool,
}

/// Finds a specification, or says why it cannot.
pub type Find = fn(&str) -> Result<Box<dyn Asked>, String>;

/// The ready-made specifications.
pub fn ready_made(name: &str) -> Result<Box<dyn Asked>, String> {
    named(name).map_err(|e| e.to_string())
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The file cannot be built or has no usable harness.
    Input(String),
    /// The scenario of the command line makes no sense.
    Usage(String),
    /// The tool is wrong.
    Internal(String),
}

/// How it ended: nothing was found in all executions of all scenarios, something was, or something was left out.
pub type Verdicts = Verdict<(), Box<Failure>, String>;

/// A failure.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its kind: `not_linearizable`, `use_after_free` …
    pub word: String,
    /// The story.
    pub trace: Trace,
    /// The scenario.
    pub scenario: String,
    /// The optimisation level.
    pub level: String,
    /// Who makes each step, calls and returns among them.
    pub steps: Vec<u8>,
    /// Under a weak memory model: what the steps read.
    pub sources: Vec<Source>,
    /// Which operations a client makes come before which.
    pub before: Vec<u64>,
    /// The file and line in which something goes wrong, where it is one place.
    pub place: Option<(String, u32)>,
}

impl Failure {
    /// Whether another failure says nothing more: the same goes wrong in the same line, or with these operations and others.
    fn covers(&self, other: &Failure) -> bool {
        let ((mine, names), (line, theirs)) = (self.place(), other.place());
        self.word == other.word
            && mine == line
            && (mine.is_some() || names.iter().all(|n| theirs.contains(n)))
    }

    /// The line in which something goes wrong, where there is one, and the operations of the scenario.
    fn place(&self) -> (Option<u32>, Vec<String>) {
        let rows = &self.trace.rows;
        let fault = rows.iter().position(|r| matches!(r.what, What::Fault(_)));
        let line = fault.and_then(|at| match &rows.get(at.checked_sub(1)?)?.what {
            What::Statement { line, .. } => Some(*line),
            _ => None,
        });
        let names: Vec<String> = self
            .scenario
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|w| w.starts_with(|c: char| !c.is_ascii_digit()))
            .map(str::to_string)
            .collect();
        (line, names)
    }
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Tested {
    /// How it ended; the first failure.
    pub verdict: Verdicts,
    /// Further failures, each of another kind or at another place.
    pub others: Vec<Failure>,
    /// Interleavings that were run by themselves.
    pub interleavings: u64,
    /// The compiler.
    pub compiler: String,
    /// The levels that were built.
    pub levels: Vec<String>,
    /// The name of the specification.
    pub spec: String,
    /// Operations of the harness.
    pub operations: Vec<String>,
    /// Line of the first operation.
    pub line: u32,
    /// Scenarios that were explored to the end, and all.
    pub scenarios: (usize, usize),
    /// The largest scenario that was explored to the end.
    pub largest: String,
    /// What was done, over all scenarios.
    pub counts: Counts,
    /// Histories that were decided.
    pub histories: u64,
    /// Whether further scenarios would say nothing more: the code does what the player cannot play.
    pub hopeless: bool,
}

/// A program, ready to be run.
pub(crate) struct Built {
    level: String,
    pub program: PathBuf,
    pub harness: Harness,
    pub player: Player,
    /// What a program with its own `main` calls.
    pub own: Option<Program>,
    /// What it was built in; deleted with it.
    pub folder: Rc<Folder>,
}

/// Builds the first level of a request.
pub(crate) fn prepare_one(request: &Request) -> Result<Built, Refusal> {
    if !request.source.exists() {
        return Err(Refusal::Input("no such file".into()));
    }
    let compiler = compiler_of(&request.source, request.compiler.as_deref()).map_err(Refusal::Input)?;
    let folder = Rc::new(Folder::new().map_err(Refusal::Internal)?);
    prepare(&compiler, request, &request.levels[0], &folder)
}

/// The specification of a request: by name, by the file, or the object itself; and whether operations after the threads
/// are meant to wait.
pub(crate) fn specification(
    request: &Request,
    built: &mut Built,
    scenario: &Scenario,
) -> Result<(Box<dyn Asked>, bool), Refusal> {
    let sequential = match &built.own {
        Some(_) => Ok(Sequential::nothing()),
        None => Sequential::of(&mut built.player, &built.harness, scenario, request.settings),
    };
    let sequential = sequential.map_err(Refusal::Input)?;
    let may_wait = sequential.may_wait();
    if let Some(mut model) = golden(request)? {
        return Ok((Box::new(model.behaviours(&built.harness, scenario, request.settings)?), may_wait));
    }
    match request.spec.clone().or_else(|| built.harness.spec.clone()) {
        Some(name) => Ok(((request.find)(&name).map_err(Refusal::Input)?, may_wait)),
        None => Ok((Box::new(sequential), may_wait)),
    }
}

/// The implementation that a request is held against.
fn golden(request: &Request) -> Result<Option<Built>, Refusal> {
    let Some(source) = &request.against else { return Ok(None) };
    let says = |refusal: Refusal| match refusal {
        Refusal::Input(why) => Refusal::Input(format!("--against {}: {why}", source.display())),
        other => other,
    };
    let request = Request { source: source.clone(), against: None, ..request.clone() };
    prepare_one(&request).map(Some).map_err(says)
}

impl Built {
    /// What this implementation does in a scenario of another, call after call.
    fn behaviours(
        &mut self,
        harness: &Harness,
        scenario: &Scenario,
        settings: Settings,
    ) -> Result<Sequential, Refusal> {
        for function in &harness.operations {
            let same = |f: &&Function| f.name == function.name && f.result == function.result;
            let inputs = |f: &Function| f.parameters.iter().map(|p| (p.kind, p.output)).collect::<Vec<_>>();
            let found = self.harness.operations.iter().find(same);
            if found.is_none_or(|f| inputs(f) != inputs(function)) {
                let why = format!("--against: it has no operation `{}` with the same types", function.name);
                return Err(Refusal::Input(why));
            }
        }
        let text = scenario.show(harness);
        let scenario = Scenario::parse(&text, &self.harness).map_err(|e| Refusal::Input(e.to_string()))?;
        Sequential::of(&mut self.player, &self.harness, &scenario, settings)
            .map_err(|why| Refusal::Input(format!("--against: {why}")))
    }
}

/// Builds a program at one level and starts it.
fn prepare(
    compiler: &Compiler,
    request: &Request,
    level: &str,
    folder: &Rc<Folder>,
) -> Result<Built, Refusal> {
    let wanted = Build {
        source: request.source.clone(),
        level: level.to_string(),
        flags: request.flags.clone(),
        main: request.settings.main,
        shim: request.settings.shim,
    };
    let program = build(compiler, &wanted, folder).map_err(Refusal::Input)?;
    if request.settings.main {
        let mut player = Player::start(&program, PATIENCE).map_err(Refusal::Internal)?;
        let own = program::learn(&mut player, request.settings)?;
        let (harness, level) = (own.harness.clone(), level.to_string());
        return Ok(Built { level, program, harness, player, own: Some(own), folder: folder.clone() });
    }
    let mut harness = harness::read(&program).map_err(|why| match cargo::is_rust(&request.source) {
        true if why == NO_OPERATION => Refusal::Input(cargo::no_object(&request.source)),
        _ => Refusal::Input(why),
    })?;
    if cargo::is_rust(&request.source) {
        cargo::lines(&request.source, &mut harness);
    }
    let player = Player::start(&program, PATIENCE).map_err(Refusal::Internal)?;
    Ok(Built { level: level.to_string(), program, harness, player, own: None, folder: folder.clone() })
}

/// Tests a file.
pub fn test(request: &Request, meter: &Meter, observer: &mut dyn Observer) -> Result<Tested, Refusal> {
    if !request.source.exists() {
        return Err(Refusal::Input("no such file".into()));
    }
    let compiler = compiler_of(&request.source, request.compiler.as_deref()).map_err(Refusal::Input)?;
    let folder = Rc::new(Folder::new().map_err(Refusal::Internal)?);
    let mut built = Vec::new();
    for level in &request.levels {
        built.push(prepare(&compiler, request, level, &folder)?);
    }
    let harness = built[0].harness.clone();
    let mut model = golden(request)?;
    let name = match &request.against {
        Some(_) => None,
        None => request.spec.clone().or_else(|| harness.spec.clone()),
    };
    let spec = match &name {
        Some(name) => Some((request.find)(name).map_err(Refusal::Input)?),
        None => None,
    };
    let all = match &request.scenario {
        Some(text) => {
            let parsed = Scenario::parse(text, &harness);
            vec![parsed.map_err(|e| Refusal::Usage(format!("--scenario \"{text}\": {e}")))?]
        }
        None => match &built[0].own {
            Some(own) => vec![own.scenario.clone()],
            None => scenarios(&harness, request.sizes),
        },
    };
    let mut tested = Tested {
        verdict: Verdicts::Holds(()),
        others: Vec::new(),
        interleavings: 0,
        compiler: compiler.program.clone(),
        levels: request.levels.clone(),
        spec: match &request.against {
            Some(other) => format!("{} run sequentially", other.display()),
            None if name.is_none() && request.settings.main => "nothing: --spec names a specification".into(),
            None => name.unwrap_or_else(|| "the object run sequentially".into()),
        },
        operations: harness.operations.iter().map(|f| f.name.clone()).collect(),
        line: harness.operations.first().map_or(0, |f| f.line),
        scenarios: (0, all.len()),
        largest: String::new(),
        counts: Counts::default(),
        histories: 0,
        hopeless: false,
    };
    for (index, scenario) in all.iter().enumerate() {
        let (done, total) = (index as u64, Some(all.len() as u64));
        observer.event(&Event::Work { what: "scenarios", done, total, bytes: 0 });
        let behaviours = match &mut model {
            Some(model) => Some(model.behaviours(&harness, scenario, request.settings)?),
            None => None,
        };
        let spec = match &behaviours {
            Some(behaviours) => Some(behaviours as &dyn Asked),
            None => spec.as_deref(),
        };
        let (mut complete, mut skipped) = (true, false);
        for built in &mut built {
            match one(built, scenario, request, spec, meter, observer, &mut tested)? {
                None => skipped = true,
                Some(Verdicts::Holds(())) => {}
                Some(Verdicts::Unknown(why)) => {
                    complete = false;
                    if matches!(tested.verdict, Verdicts::Holds(())) {
                        let shown = scenario.show(&harness);
                        tested.verdict = Verdicts::Unknown(format!("{why} (in {shown}, {})", built.level));
                    }
                }
                Some(Verdicts::Fails(failure)) => {
                    complete = false;
                    match &tested.verdict {
                        Verdicts::Fails(first) => {
                            let known = |f: &Failure| f.covers(&failure);
                            if !known(first) && !tested.others.iter().any(known) {
                                tested.others.push(*failure);
                            }
                        }
                        _ => tested.verdict = Verdicts::Fails(failure),
                    }
                    if !request.all {
                        return Ok(tested);
                    }
                }
            }
        }
        if skipped {
            tested.scenarios.1 -= 1;
        } else if complete {
            tested.scenarios.0 += 1;
            tested.largest = scenario.show(&harness);
        }
        if tested.hopeless || meter.check(0, 0).is_err() {
            break;
        }
    }
    if tested.scenarios.1 == 0 && matches!(tested.verdict, Verdicts::Holds(())) {
        let why = "the calls before the threads do not all return, so that no thread ever begins";
        tested.verdict = Verdicts::Unknown(why.into());
    }
    let nothing = !request.settings.main
        && tested.scenarios.1 > 0
        && tested.counts.complete == 0
        && request.only.is_none();
    if nothing && matches!(tested.verdict, Verdicts::Holds(())) {
        let why = "in no execution do all calls return, so that there is no history to decide";
        tested.verdict = Verdicts::Unknown(why.into());
    }
    Ok(tested)
}

/// Runs that are made after a failure to find one with fewer switches.
const AFTER_A_FAILURE: u64 = 3000;

struct Watch<'a> {
    judge: Judge<'a>,
    calls: Vec<usize>,
    best: Option<Candidate>,
    /// What several workers found, until one has found it.
    aside: Option<Candidate>,
    more: u64,
    trouble: Option<Verdicts>,
    input: Option<String>,
    long: bool,
    allow_races: bool,
    /// Whether values must be synchronised from one operation to another.
    hands_over: bool,
    harness: &'a Harness,
    scenario: &'a Scenario,
    sequential: &'a Sequential,
    settings: Settings,
    meter: &'a Meter,
    observer: &'a mut dyn Observer,
    seen: u64,
    done: f64,
    interleavings: u64,
    /// Whether histories are decided.
    judges: bool,
    own: Option<&'a Program>,
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
                self.trouble.get_or_insert(Verdicts::Unknown(why));
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
        waits: Option<String>,
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
                self.keep(candidate(waits_after(run.waits())));
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
    fn interleave(&mut self, player: &mut Player, explorer: &Explorer, which: Which) -> Option<Ended> {
        let settings = Settings { quiet: self.settings.main, ..self.settings };
        let ground = Ground { harness: self.harness, scenario: self.scenario, settings };
        let mut known = Explorer::of(explorer.model);
        known.memory = explorer.memory.clone();
        let meter = self.meter;
        bounded(player, &ground, &mut known, which, meter, &mut |e, r, s| self.interleaving(e, r, s)).1
    }
}

/// A call after the threads that must not wait.
fn waits_after(how: Option<String>) -> Claim {
    Claim::Found(Found { word: how.unwrap_or_default(), place: 0, sentence: String::new() })
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
                self.trouble.get_or_insert(Verdicts::Unknown(DIFFERENT_CALLS.into()));
            }
            Outcome::Complete if !self.judges => {}
            Outcome::Complete
                if self.stops_wrongly(execution.waits.clone(), || {
                    (execution.alone.clone(), answers_by_thread(execution))
                }) =>
            {
                self.offer(explorer, execution, waits_after(execution.waits.clone()), &[]);
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

/// One scenario at one level; nothing where it does not get to its threads.
fn one(
    built: &mut Built,
    scenario: &Scenario,
    request: &Request,
    spec: Option<&dyn Asked>,
    meter: &Meter,
    observer: &mut dyn Observer,
    tested: &mut Tested,
) -> Result<Option<Verdicts>, Refusal> {
    let sequential = match &built.own {
        Some(_) => Ok(Sequential::nothing()),
        None => Sequential::of(&mut built.player, &built.harness, scenario, request.settings),
    };
    let sequential = match sequential {
        Ok(sequential) => sequential,
        Err(why) => {
            built.player.restart().map_err(Refusal::Internal)?;
            tested.hopeless = true;
            return Ok(Some(Verdicts::Unknown(why)));
        }
    };
    if !sequential.begins {
        // What comes before the threads already waits or fails by itself: there is nothing to explore.
        return Ok(None);
    }
    let request = &Request {
        settings: Settings { may_wait: sequential.may_wait(), ..request.settings },
        ..request.clone()
    };
    // The calls of a program with its own `main` cannot be run one after the other.
    let judges = spec.is_some() || built.own.is_none();
    let name = request.spec.as_ref().or(built.harness.spec.as_ref()).filter(|_| request.against.is_none());
    let spec: &dyn Asked = spec.unwrap_or(&sequential);
    let mut watch = Watch {
        judge: Judge::new(
            &built.harness,
            scenario,
            spec,
            request.condition.clone(),
            request.settings.model,
            meter,
        ),
        calls: scenario.threads.iter().map(Vec::len).collect(),
        best: None,
        aside: None,
        more: 0,
        trouble: None,
        input: None,
        long: false,
        allow_races: request.allow_races,
        hands_over: request.settings.model != Model::Sc && name.is_some_and(|n| hands_over(n)),
        harness: &built.harness,
        scenario,
        sequential: &sequential,
        settings: request.settings,
        meter,
        observer,
        seen: 0,
        done: 0.0,
        interleavings: 0,
        judges,
        own: built.own.as_ref(),
    };
    let (counts, ended) = match request.only {
        Some(which) => {
            let explorer = Explorer::of(request.settings.model);
            let ended = watch.interleave(&mut built.player, &explorer, which);
            (Counts::default(), ended.filter(|e| *e != Ended::Enough))
        }
        None => search(&mut built.player, &built.harness, scenario, request.settings, meter, &mut watch),
    };
    tested.interleavings += watch.interleavings;
    tested.counts.add(&counts);
    tested.histories += watch.judge.histories;
    if let Some(why) = watch.input {
        return Err(Refusal::Input(why));
    }
    // What several workers found is told only where one had no time to find it.
    let aside = watch.aside.filter(|_| matches!(ended, Some(Ended::Limit(_))));
    if let Some(candidate) = watch.best.or(aside) {
        let mut failure = confirm(&candidate, &built.program, &built.harness, scenario, spec, request, meter)
            .map_err(Refusal::Internal)?;
        // Smaller scenarios hold, and all executions of this one were seen.
        failure.trace.minimal = request.scenario.is_none() && ended.is_none() && request.only.is_none();
        return Ok(Some(Verdicts::Fails(Box::new(Failure { level: built.level.clone(), ..failure }))));
    }
    if let Some(trouble) = watch.trouble {
        return Ok(Some(trouble));
    }
    Ok(Some(match ended {
        None | Some(Ended::Enough) if watch.long => Verdicts::Unknown(format!(
            "an execution has more than {} steps; a larger --steps may help",
            request.settings.max_steps
        )),
        None | Some(Ended::Enough) if matches!(request.only, Some(Which::Random(_))) => {
            Verdicts::Unknown("random executions are not all".into())
        }
        None | Some(Ended::Enough) => Verdicts::Holds(()),
        Some(Ended::Limit(stop)) if watch.seen > 0 => {
            Verdicts::Unknown(format!("{stop}; about {} of the executions were seen", part(watch.done)))
        }
        Some(Ended::Limit(stop)) => Verdicts::Unknown(stop.to_string()),
        Some(Ended::Unsupported(why)) => {
            tested.hopeless = true;
            Verdicts::Unknown(why)
        }
        Some(Ended::Differs(what)) => Verdicts::Unknown(format!(
            "the same schedule gave different runs ({what}): the code depends on something that the player does not control"
        )),
        Some(Ended::Player(why)) => {
            // The next scenario gets a fresh one.
            built.player.restart().map_err(Refusal::Internal)?;
            tested.hopeless = true;
            Verdicts::Unknown(why)
        }
    }))
}

/// A part of a whole, as a percentage.
fn part(of_all: f64) -> String {
    match of_all * 100.0 {
        percent if percent < 1.0 => "less than 1 %".into(),
        percent => format!("{} %", percent as u64),
    }
}

/// The name of a file without its folder and ending.
pub fn stem(source: &Path) -> String {
    source.file_stem().map_or_else(|| "object".into(), |s| s.to_string_lossy().into_owned())
}
