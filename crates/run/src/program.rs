//! Programs with their own `main`: which calls its threads tell of is learnt from a first run.
//!
//! The macros `TL_CALL` and `TL_RETURN` tell of calls. Every execution must make the same calls, though they may answer
//! differently: a number for each call comes with what it answers, and is compared.

use std::collections::HashMap;

use crate::explore::{Execution, Explorer};
use crate::harness::{Function, Harness, Parameter, ScalarType};
use crate::log::{AccessKind, Action, Record, Run};
use crate::player::{Plan, Player};
use crate::scenario::{Call, MOST_THREADS, Scenario};
use crate::search::{Settings, play, set_up};
use crate::test::Refusal;

/// What is known of a program before it is explored.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// An operation for each name and number of arguments.
    pub harness: Harness,
    /// The calls of its threads; the first is `main`.
    pub scenario: Scenario,
    /// A number for each of them.
    numbers: Vec<Vec<u64>>,
}

/// Whether a harness is that of a program with its own `main`, whose calls have no addresses.
pub fn is_own(harness: &Harness) -> bool {
    harness.operations.iter().all(|f| f.address == 0)
}

/// The thread whose lock a step of the player is on.
fn of_thread(action: &Action) -> Option<usize> {
    let made_up = action.kind.of_player() && (32..4096).contains(&action.address);
    made_up.then(|| action.address as usize / 16 - 1)
}

/// The thread that a step starts.
fn starts(action: &Action) -> Option<usize> {
    of_thread(action).filter(|_| action.kind == AccessKind::Unlock && action.address.is_multiple_of(16))
}

/// What a step on one of the player's locks for threads is: their addresses are lower than any of the program.
pub fn of_threads(action: &Action) -> Option<String> {
    let thread = of_thread(action)?;
    Some(match (action.kind, action.address % 16 == 8) {
        (AccessKind::Unlock, false) => format!("starts thread {thread}"),
        (AccessKind::Unlock, true) => "ends".into(),
        (_, false) => "begins".into(),
        (_, true) => format!("thread {thread} has ended"),
    })
}

/// A parameter.
fn parameter(name: String, output: bool) -> Parameter {
    Parameter { name, kind: ScalarType::Integer(8, true), output }
}

/// Runs the program once and sees what it calls.
pub fn learn(player: &mut Player, settings: Settings) -> Result<Program, Refusal> {
    let everybody = Scenario { threads: vec![Vec::new(); MOST_THREADS], ..Scenario::default() };
    let words = set_up(&Harness::default(), &everybody, &Explorer::default(), settings, false);
    player.set_up(words);
    let ended = |e| Refusal::Input(format!("the program cannot be run: {e:?}"));
    let runs = play(player, &[Plan::default()]).map_err(ended)?;
    Ok(read(&runs[0]))
}

fn read(run: &Run) -> Program {
    let mut program = Program::default();
    let threads = run.records().filter_map(|r| match r {
        Record::Access { thread, action, .. } => Some(thread.max(starts(&action).unwrap_or(0))),
        Record::Call(thread, _) => Some(thread),
        _ => None,
    });
    let threads = threads.max().unwrap_or(1).max(1);
    program.scenario.threads = vec![Vec::new(); threads];
    program.numbers = vec![Vec::new(); threads];
    let mut known: HashMap<(String, usize), usize> = HashMap::new();
    for (thread, words) in run.calls() {
        let count = words.first().map_or(0, |n| *n as usize).min(words.len().saturating_sub(1));
        let inputs: Vec<i64> = words[1..=count].iter().map(|w| *w as i64).collect();
        let bytes: Vec<u8> = words[count + 1..].iter().flat_map(|w| w.to_le_bytes()).collect();
        let name = String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_string();
        let operations = &mut program.harness.operations;
        let operation = *known.entry((name.clone(), count)).or_insert_with(|| {
            let mut parameters: Vec<Parameter> =
                (0..count).map(|i| parameter(format!("a{}", i + 1), false)).collect();
            parameters.push(parameter("answer".into(), true));
            operations.push(Function { name, address: 0, line: 0, parameters, result: ScalarType::Bool });
            operations.len() - 1
        });
        program.scenario.threads[thread - 1].push(Call { operation, inputs });
    }
    for record in run.records() {
        if let Record::Return(thread, _, words, _) = record {
            program.numbers[thread - 1].push(words.get(2).copied().unwrap_or(0));
        }
    }
    program
}

impl Program {
    /// Whether an execution makes the calls that the first run made.
    pub fn calls_the_same(&self, execution: &Execution) -> bool {
        let called: Vec<Vec<u64>> = execution
            .operations
            .iter()
            .map(|calls| calls.iter().map(|(_, words)| words.get(2).copied().unwrap_or(0)).collect())
            .collect();
        called == self.numbers
    }
}
