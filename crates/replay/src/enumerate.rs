//! The naive twin of every search for counterexamples: tries all executions of a small machine
//! on the reference interpreter, smallest first.
//!
//! Used by tests only: that an engine finds a violation exactly when there is one, and that
//! what it shows is minimal. Nothing is reduced but addresses and garbage ([`canonical`]).

use crate::canonical::canonical;
use crate::history::same_op;
use crate::leak::leaked;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet};
use trueline_base::trace::Counts;
use trueline_base::verdict::Finding;
use trueline_base::{Value, Violation};
use trueline_lang::interp::{self, ObservableEvent, State, eval_invariant, spec_initial, spec_step};
use trueline_lang::ir::{Action, Choice, Machine, Module, Move, OpId, Schedule};
use trueline_lang::question::Question;

/// Why an enumeration did not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// There are more states than were allowed.
    Limit,
    /// This kind of violation is not enumerated.
    Unsupported,
}

/// The smallest execution that answers the question with no, and in this way where a finding is asked for, by threads, operations, context switches and
/// steps, in this order; none when there is none. Gives up beyond `most` states.
pub fn smallest(
    machine: &Machine,
    question: &Question,
    violation: Violation,
    most: usize,
) -> Result<Option<(Counts, Schedule)>, Unfinished> {
    if !question.fails_by(violation) || matches!(violation, Violation::NotRefined | Violation::Point(_)) {
        return Err(Unfinished::Unsupported);
    }
    let wanted = Wanted { machine, question, violation };
    let mut open = BinaryHeap::new();
    for (choices, result) in interp::initial(machine) {
        let start = Prefix::start(&wanted, choices, result);
        open.extend(start);
    }
    let mut seen = HashSet::new();
    while let Some(node) = open.pop() {
        if node.violation {
            return Ok(Some((node.counts, node.schedule)));
        }
        if !seen.insert(node.key(machine)) {
            continue;
        }
        if seen.len() > most {
            return Err(Unfinished::Limit);
        }
        for thread in 0..machine.threads.len() as u8 {
            let state = node.state.as_ref().expect("an execution that goes on has a state");
            for way in interp::moves(machine, state, thread).ways {
                open.extend(node.after(&wanted, thread, way));
            }
        }
    }
    Ok(None)
}

/// Sees one execution: its decisions, its calls and returns.
pub type ExecutionVisitor<'a> = dyn FnMut(&Schedule, &[(u8, ObservableEvent)]) + 'a;

/// Calls `visit` with every execution that cannot go on or has this many moves.
/// Exponential: for machines with a handful of steps.
pub fn executions(machine: &Machine, longest: usize, visit: &mut ExecutionVisitor<'_>) {
    for (choices, result) in interp::initial(machine) {
        let Ok(state) = result else { continue };
        let mut schedule = Schedule { init: choices, moves: Vec::new() };
        walk(machine, &state, longest, &mut schedule, &mut Vec::new(), visit);
    }
}

fn walk(
    machine: &Machine,
    state: &State,
    longest: usize,
    schedule: &mut Schedule,
    seen: &mut Vec<(u8, ObservableEvent)>,
    visit: &mut ExecutionVisitor<'_>,
) {
    let mut moved = false;
    if schedule.moves.len() < longest {
        for thread in 0..machine.threads.len() as u8 {
            for way in interp::moves(machine, state, thread).ways {
                let Ok(next) = way.result else { continue };
                moved = true;
                let visible = way.event != ObservableEvent::Silent;
                schedule.moves.push(Move { thread, action: way.action });
                if visible {
                    seen.push((thread, way.event));
                }
                walk(machine, &next, longest, schedule, seen, visit);
                if visible {
                    seen.pop();
                }
                schedule.moves.pop();
            }
        }
    }
    if !moved {
        visit(schedule, seen);
    }
}

/// What a specification can be in: its state, and the results of the running operations that
/// have taken effect.
pub(crate) type Configurations = BTreeSet<(Vec<Value>, BTreeMap<u8, Value>)>;

/// What two executions must agree on to be continued alike.
type Key = (State, Option<u8>, u64, Configurations, BTreeMap<u8, (OpId, Vec<Value>)>);

#[derive(Clone)]
struct Prefix {
    counts: Counts,
    schedule: Schedule,
    state: Option<State>,
    last: Option<u8>,
    moved: u64,
    configurations: Configurations,
    running: BTreeMap<u8, (OpId, Vec<Value>)>,
    violation: bool,
}

impl Prefix {
    fn start(wanted: &Wanted<'_>, choices: Vec<Choice>, result: Result<State, Finding>) -> Option<Prefix> {
        let configurations = match wanted.question.specification() {
            Some(spec) => spec_initial(spec).into_iter().flatten().map(|s| (s, BTreeMap::new())).collect(),
            None => BTreeSet::new(),
        };
        let violation = match &result {
            Ok(state) => wanted.wrong(state),
            Err(found) => wanted.finding(*found),
        };
        let state = result.ok();
        (violation || state.is_some()).then(|| Prefix {
            counts: Counts::default(),
            schedule: Schedule { init: choices, moves: Vec::new() },
            state,
            last: None,
            moved: 0,
            configurations,
            running: BTreeMap::new(),
            violation,
        })
    }

    fn key(&self, machine: &Machine) -> Key {
        let state =
            canonical(&machine.object, self.state.as_ref().expect("an execution that goes on has a state"));
        (state, self.last, self.moved, self.configurations.clone(), self.running.clone())
    }

    fn after(&self, wanted: &Wanted<'_>, thread: u8, way: interp::Way) -> Option<Prefix> {
        let mut next = self.clone();
        next.counts.steps += 1;
        next.counts.operations += u32::from(matches!(way.action, Action::Call(_)));
        next.counts.switches += u32::from(self.last.is_some_and(|last| last != thread));
        next.moved |= 1 << thread;
        next.counts.threads = next.moved.count_ones();
        next.last = Some(thread);
        next.schedule.moves.push(Move { thread, action: way.action });
        let state = match way.result {
            Ok(state) => state,
            Err(found) => {
                next.violation = wanted.finding(found);
                next.state = None;
                return next.violation.then_some(next);
            }
        };
        if let Some(spec) = wanted.question.specification() {
            next.observe(wanted.machine, spec, thread, way.event);
        }
        next.violation |= wanted.wrong(&state);
        next.state = Some(state);
        Some(next)
    }

    fn observe(&mut self, machine: &Machine, spec: &Module, thread: u8, event: ObservableEvent) {
        match event {
            ObservableEvent::Silent => {}
            ObservableEvent::Call { op, args } => {
                let name = &machine.object.ops[op.0 as usize].name;
                if let Some(op) = same_op(spec, name) {
                    self.running.insert(thread, (op, args));
                }
            }
            ObservableEvent::Return { value, .. } => {
                let mut after = Configurations::new();
                for (state, mut results) in effects(spec, &self.running, &self.configurations) {
                    if results.remove(&thread) == Some(value.clone()) {
                        after.insert((state, results));
                    }
                }
                self.running.remove(&thread);
                self.violation = after.is_empty();
                self.configurations = after;
            }
        }
    }
}

/// Lets running operations take effect, in every order.
pub(crate) fn effects(
    spec: &Module,
    running: &BTreeMap<u8, (OpId, Vec<Value>)>,
    from: &Configurations,
) -> Configurations {
    let mut found = from.clone();
    let mut open: Vec<_> = from.iter().cloned().collect();
    while let Some((state, results)) = open.pop() {
        for (thread, (op, args)) in running.iter().filter(|(t, _)| !results.contains_key(t)) {
            for (state, result) in spec_step(spec, &state, *thread, *op, args).into_iter().flatten() {
                let mut results = results.clone();
                results.insert(*thread, result);
                if found.insert((state.clone(), results.clone())) {
                    open.push((state, results));
                }
            }
        }
    }
    found
}

/// What is looked for.
struct Wanted<'a> {
    machine: &'a Machine,
    question: &'a Question,
    violation: Violation,
}

impl Wanted<'_> {
    fn finding(&self, found: Finding) -> bool {
        matches!(self.violation, Violation::Finding { finding, .. } if finding == found)
    }

    fn wrong(&self, state: &State) -> bool {
        match self.question {
            Question::Invariant { routine, .. } => eval_invariant(self.machine, routine, state) != Ok(true),
            Question::LeakFree => !leaked(self.machine, state).is_empty(),
            _ => false,
        }
    }
}

// The heap gives the largest first: the smallest execution is the largest node.
impl Ord for Prefix {
    fn cmp(&self, other: &Prefix) -> Ordering {
        other.counts.cmp(&self.counts).then(self.violation.cmp(&other.violation))
    }
}

impl PartialOrd for Prefix {
    fn partial_cmp(&self, other: &Prefix) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Prefix {
    fn eq(&self, other: &Prefix) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Prefix {}
