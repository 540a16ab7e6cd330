//! Confirms a failure in a fresh player by what it records there, and tells it.

use std::path::Path;

use trueline_base::trace::{Reason, Reasons, Trace};
use trueline_base::{Meter, Silent};
use trueline_history::check::Asked;
use trueline_history::{Builder, History, Options, Verdict};

use crate::arrange::arrange;
use crate::explore::{Execution, Explorer};
use crate::handover::{operations, pairs};
use crate::harness::Harness;
use crate::history::{input, output};
use crate::judge::Failing;
use crate::kind::Kind;
use crate::log::{AccessKind, Action, End, Found, Record, Run};
use crate::order::Model;
use crate::places::{Place, Places};
use crate::player::{Plan, Player, Source};
use crate::program;
use crate::race::{Race, race};
use crate::replay::{Again, ReplayFile};
use crate::scenario::{Call, Scenario};
use crate::search::{PATIENCE, Settings, set_up};
use crate::story::{Told, reasons, tell, unit_start};
use crate::test::{Failure, Request};
use crate::weak::sources;
use crate::witness::Witness;

/// What is claimed of an execution.
#[derive(Clone, Debug)]
pub enum Claim {
    /// A history that no order explains; here the one that the explorer found.
    History(Option<Box<Failing>>),
    /// Nobody can ever go on.
    Stuck {
        /// Whether some thread goes round in a loop.
        spinning: bool,
    },
    /// A finding of the player.
    Found(Found),
    /// A data race.
    Race,
    /// The second operation answers what the first put in, without happening after it; by number.
    Unsynchronised(Option<(usize, usize)>),
}

/// A failure that is to be confirmed.
#[derive(Debug)]
pub struct Candidate {
    steps: Vec<u8>,
    sources: Vec<Source>,
    before: Vec<u64>,
    thread: u8,
    explorer: Explorer,
    units: Vec<(u64, u64)>,
    claim: Claim,
}

impl Candidate {
    /// Of an execution.
    pub fn new(
        explorer: &Explorer,
        execution: &Execution,
        calls: &[usize],
        before: &[u64],
        claim: Claim,
    ) -> Candidate {
        let (steps, events): (Vec<u8>, Vec<_>) =
            arrange(&explorer.memory, execution, calls, before).into_iter().unzip();
        let mut candidate = Candidate::of_steps(explorer, steps, execution.ran, claim);
        if explorer.memory.weak {
            candidate.sources = sources(&execution.graph, &explorer.memory, &events);
            candidate.before = before.to_vec();
        }
        candidate
    }

    /// Of the steps of a run, and who ran last.
    pub fn of_steps(explorer: &Explorer, steps: Vec<u8>, ran: usize, claim: Claim) -> Candidate {
        let mut fresh = Explorer::of(explorer.model);
        fresh.memory = explorer.memory.clone();
        let units = explorer.memory.units();
        let (sources, before) = (Vec::new(), Vec::new());
        Candidate { steps, sources, before, thread: ran as u8, explorer: fresh, units, claim }
    }

    /// Context switches.
    pub fn switches(&self) -> usize {
        self.steps.windows(2).filter(|w| w[0] != w[1]).count()
    }

    /// Which kind of failure is told when there are several: what breaks the program first.
    pub fn rank(&self) -> u8 {
        match &self.claim {
            Claim::Found(found) if found.kind == Kind::Leak => 5,
            Claim::Found(_) => 0,
            Claim::Race => 1,
            Claim::Stuck { .. } => 2,
            Claim::History(_) => 3,
            Claim::Unsynchronised(_) => 4,
        }
    }
}

/// How a failure is played: calls of a program with its own `main` are steps only where its history is what fails, and where
/// a call after the threads waits that must not, that is the end.
pub(crate) fn told_with(settings: Settings, claim: &Claim) -> Settings {
    let quiet = settings.main && !matches!(claim, Claim::History(_));
    Settings { quiet, may_wait: settings.may_wait && !matches!(claim, Claim::Found(_)), ..settings }
}

impl ReplayFile {
    /// What it claims. A deadlock is one of the threads unless a run ends with it as a finding.
    pub(crate) fn claim(&self) -> Claim {
        match self.failure {
            kind if kind.breaks_condition() => Claim::History(None),
            Kind::Livelock => Claim::Stuck { spinning: true },
            Kind::DataRace => Claim::Race,
            Kind::MissingSynchronisation => Claim::Unsynchronised(None),
            kind => Claim::Found(Found { kind, place: 0, sentence: String::new() }),
        }
    }
}

/// Plays a candidate again in a fresh process, decides by its record alone, and tells it.
pub fn confirm(
    candidate: &Candidate,
    program: &Path,
    harness: &Harness,
    scenario: &Scenario,
    spec: &dyn Asked,
    request: &Request,
    meter: &Meter,
) -> Result<Failure, String> {
    let mut player = Player::start(program, PATIENCE)?;
    let settings = told_with(request.settings, &candidate.claim);
    player.set_up(set_up(harness, scenario, &candidate.explorer, settings, true));
    let mut places = Places::of(program)?;
    let mut last = String::from("it was not played");
    for extra in 0..4 {
        let mut steps = candidate.steps.clone();
        steps.extend(std::iter::repeat_n(candidate.thread, extra).filter(|t| *t > 0));
        let plan = Plan { steps: steps.clone(), sources: candidate.sources.clone(), ..Plan::default() };
        let run = match player.play(&[plan]) {
            Ok(mut runs) => runs.remove(0),
            Err(_) => return Err("the player does not answer".into()),
        };
        let (sources, before) = (&candidate.sources, &candidate.before);
        let told = Told { harness, scenario, run: &run, units: &candidate.units, sources, before };
        match decide(&candidate.claim, &told, spec, request, meter) {
            Ok(decided) => {
                let kind = decided.kind;
                let place = fault_place(&decided, &told, &mut places);
                let trace = story(decided, &told, &mut places);
                return Ok(Failure {
                    kind,
                    trace,
                    scenario: scenario.show(harness),
                    level: String::new(),
                    steps,
                    sources: sources.clone(),
                    before: before.clone(),
                    place,
                });
            }
            Err(why) => last = why,
        }
        if matches!(candidate.claim, Claim::History(_)) {
            break;
        }
    }
    Err(format!("a failure could not be confirmed in {}: {last}", scenario.show(harness)))
}

/// Plays the steps of a trace file on the code as it is now.
#[allow(clippy::too_many_arguments)]
pub fn again(
    file: &ReplayFile,
    explorer: &Explorer,
    program: &Path,
    harness: &Harness,
    scenario: &Scenario,
    spec: &dyn Asked,
    request: &Request,
    meter: &Meter,
) -> Result<Again, String> {
    let mut player = Player::start(program, PATIENCE)?;
    let claim = file.claim();
    let settings = told_with(request.settings, &claim);
    player.set_up(set_up(harness, scenario, explorer, settings, true));
    let plan = Plan { steps: file.steps.clone(), sources: file.sources.clone(), ..Plan::default() };
    let run = match player.play(&[plan]) {
        Ok(mut runs) => runs.remove(0),
        Err(_) => return Err("the player does not answer".into()),
    };
    if run.end == End::Departed {
        return Ok(Again::Departs(run.text.clone()));
    }
    let claim = match (claim, run.end) {
        (Claim::Found(found), End::Stuck) if found.kind == Kind::Deadlock => Claim::Stuck { spinning: false },
        (claim, _) => claim,
    };
    let units = explorer.memory.units();
    let (sources, before) = (&file.sources, &file.before);
    let told = Told { harness, scenario, run: &run, units: &units, sources, before };
    Ok(match decide(&claim, &told, spec, request, meter) {
        Ok(decided) => Again::Fails(Box::new(story(decided, &told, &mut Places::of(program)?))),
        Err(why) => Again::Passes(why),
    })
}

/// The file and line in which something goes wrong, where it is one place.
fn fault_place(decided: &Decided, told: &Told<'_>, places: &mut Places) -> Option<(String, u32)> {
    let (_, address, _) = decided.fault.as_ref()?;
    let calls = told.run.records().filter_map(|r| match r {
        Record::Frames(_, calls) => Some(calls),
        _ => None,
    });
    let place = places.outside(*address, calls.last().unwrap_or_default());
    (place.line > 0).then_some((place.file, place.line))
}

fn story(decided: Decided, told: &Told<'_>, places: &mut Places) -> Trace {
    let mut trace = tell(told, places, decided.summary, decided.fault);
    trace.reasons = decided.why.or_else(|| decided.places.map(|r| unordered(places, r)));
    trace
}

struct Decided {
    kind: Kind,
    summary: String,
    fault: Option<(usize, u64, String)>,
    why: Option<Reasons>,
    /// The places of two accesses that race.
    places: Option<(u64, u64)>,
}

fn decide(
    claim: &Claim,
    told: &Told<'_>,
    spec: &dyn Asked,
    request: &Request,
    meter: &Meter,
) -> Result<Decided, String> {
    let run = told.run;
    let witness = match request.settings.model {
        Model::Sc => None,
        Model::C11 => Some(witness(told, matches!(claim, Claim::History(_)))?),
    };
    match claim {
        Claim::Found(found) => match run.found() {
            Some(again) if again.kind == found.kind => {
                let summary = match run.thread {
                    0 if program::is_own(told.harness) => {
                        sentence(&format!("the program {}", again.sentence))
                    }
                    _ if program::is_own(told.harness) => {
                        format!("Thread {} {}.", run.thread, again.sentence)
                    }
                    0 => sentence(&format!("outside of the threads, the object {}", again.sentence)),
                    t => format!("Thread {t} {}, in {}.", again.sentence, operation(told, t)),
                };
                let fault = Some((run.thread, again.place, again.sentence.clone()));
                Ok(Decided { kind: again.kind, summary, fault, why: None, places: None })
            }
            other => Err(format!("{other:?} instead of {}", found.kind.word())),
        },
        Claim::Race => {
            let race = match &witness {
                None => race(run, told.scenario.threads.len()),
                Some(witness) => witness.race().map(|(first, second)| Race { first, second }),
            };
            let Some(race) = race else { return Err("there is no data race".into()) };
            let says = |(thread, action): (usize, Action)| {
                let verb = if matches!(action.kind, AccessKind::Load | AccessKind::Read) {
                    "reads"
                } else {
                    "writes"
                };
                let how = if action.kind.atomic() { "" } else { " without atomics" };
                format!("thread {thread} {verb}{how}")
            };
            let summary = sentence(&format!(
                "two accesses to the same memory are not ordered: {}, {}",
                says(race.first),
                says(race.second)
            ));
            let place = |(_, action): (usize, Action)| action.place;
            let why = Some((place(race.first), place(race.second)));
            Ok(Decided { kind: Kind::DataRace, summary, fault: None, why: None, places: why })
        }
        Claim::Unsynchronised(pair) => {
            if run.end != End::Complete {
                return Err(format!("it ends with {:?}", run.end));
            }
            let Some(witness) = &witness else { return Err("reads see the last write".into()) };
            let all = operations(told.scenario);
            let apart = |&(first, second): &(usize, usize)| {
                let name = |(thread, index, _): (usize, usize, &Call)| (thread + 1, index);
                !witness.happens(name(all[first]), name(all[second]))
            };
            let recorded = crate::naive::recorded(told.scenario, run).1;
            let pairs = pairs(told.harness, told.scenario, &recorded.threads);
            let found = pairs.into_iter().filter(|p| pair.is_none_or(|claimed| claimed == *p)).find(apart);
            let Some((first, second)) = found else {
                return Err("what is put in happens before it is taken out".into());
            };
            let show = |at: usize| format!("{} of thread {}", all[at].2.show(told.harness), all[at].0 + 1);
            let summary = format!(
                "Nothing makes {} happen before {}, which answers its value: what was written before the first need not be seen after the second.",
                show(first),
                show(second)
            );
            Ok(Decided { kind: Kind::MissingSynchronisation, summary, fault: None, why: None, places: None })
        }
        Claim::Stuck { spinning } => {
            if run.end != End::Stuck {
                return Err(format!("it ends with {:?}", run.end));
            }
            // A loop in which a thread waits for a lock of std is no loop of the program.
            let last = |thread: usize| run.loops().into_iter().rev().find(|l| l.0 == thread);
            let turns = |t: usize| !finished(told, t) && last(t).is_some_and(|l| !l.1);
            let spinning = &(*spinning && (1..=told.scenario.threads.len()).any(turns));
            let waiting: Vec<String> = (1..=told.scenario.threads.len())
                .filter(|t| !finished(told, *t))
                .map(|t| format!("{} of thread {t}", operation(told, t)))
                .collect();
            let waiting = if waiting.is_empty() { vec!["the program".to_string()] } else { waiting };
            let verb = waiting.len() > 1;
            let (kind, predicate) = match spinning {
                true if verb => (Kind::Livelock, "repeat loops in which nothing can change any more"),
                true => (Kind::Livelock, "repeats a loop in which nothing can change any more"),
                false if verb => (Kind::Deadlock, "wait for ever"),
                false => (Kind::Deadlock, "waits for ever"),
            };
            let summary = format!("Nobody can go on: {} {predicate}.", waiting.join(" and "));
            Ok(Decided { kind, summary, fault: None, why: None, places: None })
        }
        Claim::History(_) => {
            let history = recorded(told)?;
            let options = Options { condition: request.condition.clone(), ..Options::default() };
            let report = spec.check(&history, &options, meter, &mut Silent).map_err(|e| e.to_string())?;
            match &report.verdict {
                Verdict::Fails(failure) => {
                    let kind = Kind::breaking(&request.condition);
                    let summary = sentence(&failure.sentence);
                    let why = reasons(&history, &report);
                    Ok(Decided { kind, summary, fault: None, why, places: None })
                }
                other => Err(format!("the recorded history is {}", other.word())),
            }
        }
    }
}

/// The run as an execution that the axioms of the memory model allow.
fn witness(told: &Told<'_>, ordered: bool) -> Result<Witness, String> {
    let mut witness = Witness::of(told.run, told.sources, |action| unit_start(told, action))?;
    let operations: Vec<(usize, usize)> =
        operations(told.scenario).into_iter().map(|(thread, index, _)| (thread + 1, index)).collect();
    for (second, before) in told.before.iter().enumerate().filter(|_| ordered) {
        for first in (0..operations.len()).filter(|f| before >> f & 1 == 1) {
            if operations[first].0 != operations[second].0 {
                witness.order(operations[first], operations[second]);
            }
        }
    }
    witness.allowed()?;
    Ok(witness)
}

/// Where two accesses are that race.
fn unordered(places: &mut Places, (first, second): (u64, u64)) -> Reasons {
    let line = |place: Place| Reason { case: format!("line {}", place.line), refuted: place.text };
    Reasons {
        title: "What nothing orders".into(),
        context: String::new(),
        lines: vec![line(places.place(first)), line(places.place(second))],
    }
}

/// With a capital letter and a full stop.
fn sentence(text: &str) -> String {
    // Names of operations keep their letters.
    if text.split(' ').next().is_some_and(|w| w.contains('(')) {
        return format!("{text}.");
    }
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// The operation that a thread is in, or what it is otherwise.
fn operation(told: &Told<'_>, thread: usize) -> String {
    let called = told.run.records().filter_map(|r| match r {
        Record::Call(t, index) if t == thread => Some(index),
        _ => None,
    });
    let call = called.last().and_then(|index| match thread {
        0 => None,
        t => told.scenario.threads.get(t - 1)?.get(index),
    });
    match call {
        Some(call) => call.show(told.harness),
        None if program::is_own(told.harness) => "the program".into(),
        None => "the object".into(),
    }
}

fn finished(told: &Told<'_>, thread: usize) -> bool {
    let returns = told.run.records().filter(|r| matches!(r, Record::Return(t, ..) if *t == thread)).count();
    returns == told.scenario.threads[thread - 1].len()
}

/// The history as the run recorded it, by the order of its calls and returns.
fn recorded(told: &Told<'_>) -> Result<History, String> {
    let Run { end, .. } = told.run;
    if *end != End::Complete {
        return Err(format!("it ends with {end:?}"));
    }
    let mut builder = Builder::new();
    let alone: Vec<&Call> = told.scenario.prefix.iter().chain(&told.scenario.suffix).collect();
    let mut answered = 0;
    for record in told.run.records() {
        let call = |thread: usize, index: usize, answered: usize| match thread {
            0 => alone[answered],
            t => &told.scenario.threads[t - 1][index],
        };
        let done = match record {
            Record::Call(thread, index) => {
                let call = call(thread, index, answered);
                let function = &told.harness.operations[call.operation];
                builder.call(0, thread as i64, &function.name, None, input(function, call))
            }
            Record::Return(thread, index, words, _) => {
                let call = call(thread, index, answered);
                answered += usize::from(thread == 0);
                let function = &told.harness.operations[call.operation];
                builder.ret(0, thread as i64, Some(output(function, words)))
            }
            _ => continue,
        };
        done.map_err(|e| e.to_string())?;
    }
    Ok(builder.finish())
}
