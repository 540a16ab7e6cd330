//! Tells a confirmed run: rows with source lines and values, shared memory, and why it is a failure.

use std::collections::HashMap;

use trueline_base::trace::{Counts, Reason, Reasons, Row, Trace, What};
use trueline_history::{Datum, History, Report, Verdict};

use crate::harness::{Harness, ScalarType};
use crate::history::output;
use crate::log::{AccessKind, Action, Op, Record, Run};
use crate::places::Places;
use crate::player::{From, Source};
use crate::program::of_threads;
use crate::scenario::{Call, Scenario};

/// Names for the memory of a run.
struct Names {
    /// Blocks: address, size, name, type.
    blocks: Vec<(u64, u64, String, String)>,
    /// Locations that have held the address of a block.
    pointers: HashMap<u64, bool>,
}

impl Names {
    fn block(&self, address: u64) -> Option<&(u64, u64, String, String)> {
        self.blocks.iter().rev().find(|b| (b.0..b.0 + b.1.max(1)).contains(&address))
    }

    fn location(&self, places: &Places, address: u64) -> String {
        match self.block(address) {
            Some((base, _, name, kind)) => format!("{name}{}", places.member(kind, address - base)),
            None => places.global(address).unwrap_or_else(|| format!("{address:#x}")),
        }
    }

    fn value(&self, action: &Action, value: u128) -> String {
        let word = value as u64;
        if action.size == 8 {
            if let Some((base, _, name, _)) = self.block(word) {
                return if *base == word { name.clone() } else { format!("{name}+{}", word - base) };
            }
            if word == 0 && self.pointers.contains_key(&action.address) {
                return "null".into();
            }
        }
        match action.size {
            1 => (value as i8).to_string(),
            2 => (value as i16).to_string(),
            4 => (value as i32).to_string(),
            8 => match word as i64 {
                small if small.unsigned_abs() < 1 << 32 => small.to_string(),
                _ => format!("{word:#x}"),
            },
            _ => format!("{value:#x}"),
        }
    }
}

/// What an access finds in its unit, which begins at `start`.
pub fn field(action: &Action, unit: &[u64], start: u64) -> u128 {
    let from = (action.address - start) as usize;
    (0..usize::from(action.size.min(16))).rev().fold(0, |n, i| {
        let at = from + i;
        n << 8 | u128::from(unit.get(at / 8).map_or(0, |w| w >> (at % 8 * 8) & 0xff))
    })
}

/// What a story is about.
pub struct Told<'a> {
    /// The harness.
    pub harness: &'a Harness,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The run, with calls and returns as steps.
    pub run: &'a Run,
    /// The first bytes of units of several granules.
    pub units: &'a [(u64, u64)],
    /// Under a weak memory model: what the steps read.
    pub sources: &'a [Source],
    /// For each operation those that come before it, where a client makes that so.
    pub before: &'a [u64],
}

/// Tells it. `end` is what goes wrong at the end, if something does: a thread and a predicate.
pub fn tell(
    told: &Told<'_>,
    places: &mut Places,
    summary: String,
    fault: Option<(usize, u64, String)>,
) -> Trace {
    let mut names = Names { blocks: Vec::new(), pointers: HashMap::new() };
    let mut numbers: HashMap<String, u32> = HashMap::new();
    for record in told.run.records() {
        if let Record::Allocate(address, size, place) = record {
            let kind = places.allocated(place[0], &place[1..]);
            let short = kind.split(['<', ':']).next().unwrap_or_default().to_lowercase();
            let short = if short.is_empty() { "block".to_string() } else { short };
            let number = numbers.entry(short.clone()).or_insert(0);
            *number += 1;
            names.blocks.push((address, size, format!("{short}{number}"), kind));
        }
    }
    for record in told.run.records() {
        if let Record::Access { action, old, new, .. } = record {
            let from = unit_start(told, &action);
            for words in [old, new] {
                if names.block(field(&action, words, from) as u64).is_some() {
                    names.pointers.insert(action.address, true);
                }
            }
        }
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut doing: Vec<String> = vec![String::new(); told.scenario.threads.len() + 1];
    // Where nothing of the object is in the debug information, a step is at its operation.
    let mut lines: Vec<u32> = vec![0; doing.len()];
    let with_alone = !told.scenario.prefix.is_empty() || !told.scenario.suffix.is_empty();
    let shift = u32::from(!with_alone);
    let mut alone = 0;
    let mut frames: Vec<u64> = Vec::new();
    let mut older = Older::default();
    for record in told.run.records() {
        let (thread, what, notes, memory) = match record {
            Record::Call(thread, index) => {
                let Some(call) = nth(told.scenario, thread, if thread == 0 { alone } else { index }) else {
                    continue;
                };
                doing[thread] = call.show(told.harness);
                lines[thread] = told.harness.operations[call.operation].line;
                older.boundary(thread);
                (thread, What::Call(doing[thread].clone()), Vec::new(), Vec::new())
            }
            Record::Return(thread, index, words, _) => {
                let Some(call) = nth(told.scenario, thread, if thread == 0 { alone } else { index }) else {
                    continue;
                };
                let function = &told.harness.operations[call.operation];
                let answer = output(function, words);
                older.boundary(thread);
                if thread == 0 {
                    alone += 1;
                }
                (thread, What::Return(show(function.result, &answer)), Vec::new(), Vec::new())
            }
            Record::Access { thread, action, old, new, .. } => {
                let place = places.outside(action.place, &frames);
                let (mut notes, memory) = effects(told, &names, places, &action, old, new);
                notes.extend(older.note(told, &record, rows.len() as u32 + 1));
                let line = if place.line > 0 { place.line } else { lines[thread] };
                (thread, What::Statement { line, text: place.text }, notes, memory)
            }
            Record::Frames(_, calls) => {
                frames = calls.to_vec();
                continue;
            }
            _ => continue,
        };
        rows.push(Row {
            step: rows.len() as u32 + 1,
            column: thread as u32 - if thread > 0 { shift } else { 0 },
            operation: doing[thread].clone(),
            what,
            notes,
            memory,
            quiet: false,
        });
    }
    if let Some((thread, address, predicate)) = fault {
        let place = places.outside(address, &frames);
        let column = (thread as u32).saturating_sub(shift);
        let operation = doing.get(thread).cloned().unwrap_or_default();
        let step = rows.len() as u32 + 1;
        if place.line > 0 {
            let what = What::Statement { line: place.line, text: place.text };
            let row = Row {
                step,
                column,
                operation: operation.clone(),
                what,
                notes: vec![],
                memory: vec![],
                quiet: false,
            };
            rows.push(row);
        }
        let step = rows.len() as u32 + 1;
        rows.push(Row {
            step,
            column,
            operation,
            what: What::Fault(predicate),
            notes: vec![],
            memory: vec![],
            quiet: false,
        });
    }
    let mut threads: Vec<String> = (1..=told.scenario.threads.len()).map(|t| format!("thread {t}")).collect();
    if with_alone {
        threads.insert(0, "before and after".into());
    }
    let switches = rows.windows(2).filter(|w| w[0].column != w[1].column).count() as u32;
    let counts = Counts {
        threads: told.scenario.threads.len() as u32,
        operations: told.scenario.calls() as u32,
        switches,
        steps: rows.len() as u32,
    };
    Trace { summary, threads, rows, reasons: None, counts, minimal: false, smaller: None, cycle: None }
}

/// Says of reads that they do not see the last write, and of writes that they are not the last.
#[derive(Default)]
struct Older {
    /// The row of each step of the threads.
    rows: Vec<u32>,
    /// The step that wrote last what memory keeps, by address.
    last: HashMap<u64, usize>,
}

impl Older {
    fn boundary(&mut self, thread: usize) {
        if thread > 0 {
            self.rows.push(0);
        }
    }

    fn note(&mut self, told: &Told<'_>, record: &Record<'_>, row: u32) -> Option<String> {
        let Record::Access { thread, action, part, .. } = record else { return None };
        if *thread == 0 || told.sources.is_empty() {
            return None;
        }
        if !*part {
            self.rows.push(row);
        }
        let now = self.rows.len() - 1;
        let source = told.sources.get(now).copied().unwrap_or_default();
        let last = self.last.get(&action.address).copied();
        let writes = !matches!(action.kind, AccessKind::Load | AccessKind::Read);
        if writes && !source.dropped {
            self.last.insert(action.address, now);
        }
        match source.from {
            From::Initial if last.is_some() => Some("sees the value before all threads".into()),
            From::Step(step) if last.is_some_and(|l| l != step as usize) => {
                let row = self.rows.get(step as usize).copied().unwrap_or_default();
                Some(format!("sees the write of step {row}"))
            }
            _ if source.dropped && action.kind == AccessKind::Store => {
                Some("comes before the last write".into())
            }
            _ => None,
        }
    }
}

/// The first byte of the unit that an access is to.
pub fn unit_start(told: &Told<'_>, action: &Action) -> u64 {
    let inside =
        told.units.iter().find(|(first, count)| (first << 3..(first + count) << 3).contains(&action.address));
    inside.map_or(action.address & !7, |(first, _)| first << 3)
}

fn nth(scenario: &Scenario, thread: usize, index: usize) -> Option<&Call> {
    match thread {
        0 => scenario.prefix.iter().chain(&scenario.suffix).nth(index),
        _ => scenario.threads.get(thread - 1)?.get(index),
    }
}

fn show(kind: ScalarType, answer: &Datum) -> String {
    match answer {
        Datum::Nil if kind == ScalarType::Bool => "returns false".into(),
        Datum::Nil => "returns".into(),
        other => format!("returns {other}"),
    }
}

/// Who takes a signal that is for one thread locks a made-up address: that of the condition variable, and from this bit on the
/// number of the signal (`locks` of the player).
const SIGNAL_BITS: u32 = 48;

fn effects(
    told: &Told<'_>,
    names: &Names,
    places: &Places,
    action: &Action,
    old: &[u64],
    new: &[u64],
) -> (Vec<String>, Vec<String>) {
    let name = names.location(places, action.address);
    if let Some(what) = of_threads(action) {
        return (vec![what], vec![]);
    }
    match action.kind {
        AccessKind::Lock => return (vec![format!("locks {name}")], vec![]),
        AccessKind::Unlock => return (vec![format!("unlocks {name}")], vec![]),
        AccessKind::TryLock if action.address >> SIGNAL_BITS > 0 => {
            let condition = names.location(places, action.address & ((1 << SIGNAL_BITS) - 1));
            let who = if old[0] == 0 { "is woken" } else { "goes on waiting: another is woken" };
            return (vec![format!("{who} by {condition}")], vec![]);
        }
        AccessKind::TryLock => {
            let word = if old[0] == 0 { "locks" } else { "cannot lock" };
            return (vec![format!("{word} {name}")], vec![]);
        }
        AccessKind::Wait => return (vec![format!("waits for {name}")], vec![]),
        AccessKind::Notify => return (vec![format!("signals {name}")], vec![]),
        AccessKind::Wake if action.a == 1 => return (vec![format!("sees a signal of {name}")], vec![]),
        AccessKind::Wake => return (vec![format!("is woken by {name}")], vec![]),
        AccessKind::Free => return (vec![format!("frees {name}")], vec![]),
        AccessKind::Reuse => return (vec![format!("gets the freed {name} again")], vec![]),
        _ => {}
    }
    let from = unit_start(told, action);
    let (before, after) = (field(action, old, from), field(action, new, from));
    let (was, is) = (names.value(action, before), names.value(action, after));
    let writes = matches!(action.kind, AccessKind::Store | AccessKind::Write)
        || (action.kind == AccessKind::Update && action.op.computed(before, action.a, action.b).is_some());
    match (action.kind, writes) {
        (AccessKind::Update, false) => (vec![format!("fails: {name} is {was}")], vec![]),
        (_, false) => (vec![format!("{name} is {was}")], vec![]),
        (AccessKind::Update, true) if action.op == Op::Compare => {
            (vec!["succeeds".into()], vec![format!("{name} = {was} → {is}")])
        }
        (_, true) => (vec![], vec![format!("{name} = {was} → {is}")]),
    }
}

/// Why no order explains a history.
pub fn reasons(history: &History, report: &Report) -> Option<Reasons> {
    let Verdict::Fails(failure) = &report.verdict else { return None };
    let lines: Vec<Reason> = failure
        .partials
        .iter()
        .map(|p| {
            let order: Vec<String> = p.order.iter().map(|id| history.show(*id)).collect();
            let case =
                if order.is_empty() { "at the start".into() } else { format!("after {}", order.join("; ")) };
            let refuted =
                format!("{} {}", history.show(p.blocked), p.expected.as_deref().unwrap_or("cannot follow"));
            Reason { case, refuted }
        })
        .collect();
    let needed: Vec<String> = failure.operations.iter().map(|id| history.show(*id)).collect();
    Some(Reasons {
        title: "Why no order explains it".into(),
        context: format!("These cannot be put into an order: {}.", needed.join("; ")),
        lines,
    })
}
