//! Beginning, calls and returns.

use super::eval::{Environment, eval, truth};
use super::exec::{Extent, Passages, WayEnd, run, settle};
use super::{Moves, ObservableEvent, Phase, State, ThreadState, Way};
use crate::ir::{Action, Alternative, BUDGET, Choice, Machine, NodeId, OpId, Script, ScriptNode};
use std::collections::BTreeSet;
use trueline_base::Value;
use trueline_base::verdict::Finding;

/// Every way through `init` and the threads' initialisers.
pub fn initial(machine: &Machine) -> Vec<(Vec<Choice>, Result<State, Finding>)> {
    let object = &machine.object;
    let thread = |script: &Script| ThreadState {
        persistent: Vec::new(),
        node: Script::START,
        variables: vec![Value::Unit; script.variables.len()],
        links: BTreeSet::new(),
        phase: Phase::Idle,
    };
    let start = State {
        shared: object.shared.clone(),
        heap: Vec::new(),
        threads: machine.threads.iter().map(|t| thread(&t.script)).collect(),
    };
    let mut found = Vec::new();
    // Ways that are still to run the initialisers from this thread on.
    let mut open: Vec<(Vec<Choice>, State, usize)> = Vec::new();
    let frame = vec![Value::Unit; object.init.slots.len()];
    let mut take = |passages: Passages, before: Vec<Choice>, thread: Option<usize>, open: &mut Vec<_>| {
        let mut ways = Vec::new();
        for way in passages.ways {
            let choices: Vec<Choice> = before.iter().copied().chain(way.choices).collect();
            if let WayEnd::Finding(finding) = way.end {
                found.push((choices, Err(finding)));
                continue;
            }
            let mut state = way.state;
            let next = thread.map_or(0, |t| t + 1);
            if let Some(t) = thread {
                state.threads[t].persistent = way.frame[..object.persistent.len()].to_vec();
            }
            if next < machine.threads.len() {
                ways.push((choices, state, next));
                continue;
            }
            for (of, thread) in machine.threads.iter().zip(&mut state.threads) {
                thread.node = resolve(&of.script, thread.node, &thread.variables);
            }
            (0..machine.threads.len()).for_each(|t| note_over(machine, &mut state, t));
            found.push((choices, Ok(state)));
        }
        open.extend(ways.into_iter().rev());
    };
    take(run(object, &object.init, (start, frame, 0), 0, Extent::Whole), Vec::new(), None, &mut open);
    while let Some((choices, state, thread)) = open.pop() {
        let slots = object.thread_init.slots.len().max(object.persistent.len());
        let from = (state, vec![Value::Unit; slots], 0);
        let passages = run(object, &object.thread_init, from, thread as u8, Extent::Whole);
        take(passages, choices, Some(thread), &mut open);
    }
    found
}

/// Goes through the tests of a script. A ring of tests, which no client has, stays where it is.
fn resolve(script: &Script, mut node: NodeId, variables: &[Value]) -> NodeId {
    for _ in 0..BUDGET {
        let ScriptNode::Test { condition, yes, no } = script.node(node) else {
            break;
        };
        let scope = Environment { frame: variables, thread: 0 };
        node = if truth(condition, scope).expect("a script's test does not fail") { *yes } else { *no };
    }
    node
}

/// Counts a thread whose script has just come to stand, in the cell of the main thread.
fn note_over(machine: &Machine, state: &mut State, thread: usize) {
    let Some(main) = machine.main else { return };
    let all = machine.threads.len() as i32;
    let node = state.threads[thread].node;
    let Value::Int(over) = &mut state.shared[main.cell as usize] else { return };
    if thread == main.thread as usize {
        if *over < all && node >= main.after {
            *over += all;
        }
    } else if *machine.threads[thread].script.node(node) == ScriptNode::Done {
        *over += 1;
    }
}

/// Whether a thread must not call yet, because of the main thread or being it.
fn waits_for_its_part(machine: &Machine, state: &State, thread: u8) -> bool {
    let Some(main) = machine.main else { return false };
    let Value::Int(over) = state.shared[main.cell as usize] else { return false };
    let all = machine.threads.len() as i32;
    match thread == main.thread {
        true => state.threads[thread as usize].node >= main.after && over < 2 * all - 1,
        false => over < all,
    }
}

fn alternatives<'a>(machine: &'a Machine, state: &State, thread: u8) -> &'a [Alternative] {
    let node = state.threads[thread as usize].node;
    match machine.threads[thread as usize].script.node(node) {
        ScriptNode::Call(alternatives) => alternatives,
        _ => &[],
    }
}

/// The operation of an alternative of the thread's node.
pub fn script_op(machine: &Machine, state: &State, thread: u8, alternative: u16) -> OpId {
    alternatives(machine, state, thread)[alternative as usize].op
}

/// The calls of an idle thread.
pub fn calls(machine: &Machine, state: &State, thread: u8) -> Moves {
    let mut moves = Moves::default();
    if waits_for_its_part(machine, state, thread) {
        return moves;
    }
    for (n, alternative) in alternatives(machine, state, thread).iter().enumerate() {
        call(machine, state, thread, n as u16, alternative, &mut moves);
    }
    moves
}

fn call(
    machine: &Machine,
    state: &State,
    thread: u8,
    number: u16,
    alternative: &Alternative,
    moves: &mut Moves,
) {
    let of = &state.threads[thread as usize];
    let op = &machine.object.ops[alternative.op.0 as usize];
    let fails = |args: Vec<Value>, finding| Way {
        action: Action::Call(number),
        event: ObservableEvent::Call { op: alternative.op, args },
        marks: 0,
        executed: Vec::new(),
        result: Err(finding),
    };
    let over = Environment { frame: &of.variables, thread };
    let args: Vec<Value> = match alternative.args.iter().map(|e| eval(e, over)).collect() {
        Ok(args) => args,
        Err(finding) => return moves.ways.push(fails(Vec::new(), finding)),
    };
    if let Some(requires) = &op.requires {
        match truth(requires, Environment { frame: &of.persistent, thread }) {
            Ok(true) => {}
            Ok(false) if alternative.role => return moves.ways.push(fails(args, Finding::Requires)),
            Ok(false) => return,
            Err(finding) => return moves.ways.push(fails(args, finding)),
        }
    }
    let mut state = state.clone();
    let mut frame = std::mem::take(&mut state.threads[thread as usize].persistent);
    frame.resize(op.routine.slots.len().max(frame.len()), Value::Unit);
    for ((slot, _), arg) in op.params.iter().zip(&args) {
        frame[slot.0 as usize] = arg.clone();
    }
    let passages = run(&machine.object, &op.routine, (state, frame, 0), thread, Extent::Local);
    moves.waits.extend(passages.waits);
    moves.discarded |= passages.discarded;
    for way in passages.ways {
        moves.ways.push(Way {
            action: Action::Call(number),
            event: ObservableEvent::Call { op: alternative.op, args: args.clone() },
            marks: way.marks,
            executed: way.executed,
            result: settle(way.state, way.frame, way.end, thread, number),
        });
    }
}

/// The return of a thread that is about to.
pub fn returns(machine: &Machine, state: &State, thread: u8) -> Moves {
    let mut next = state.clone();
    let of = &mut next.threads[thread as usize];
    let Phase::Returning { alternative, value, mut frame } = std::mem::replace(&mut of.phase, Phase::Idle)
    else {
        return Moves::default();
    };
    let alternative = &alternatives(machine, state, thread)[alternative as usize];
    frame.truncate(machine.object.persistent.len());
    of.persistent = frame;
    if let Some(slot) = alternative.result {
        of.variables[slot.0 as usize] = value.clone();
    }
    let script = &machine.threads[thread as usize].script;
    of.node = resolve(script, alternative.next, &of.variables);
    note_over(machine, &mut next, thread as usize);
    let way = Way {
        action: Action::Return,
        event: ObservableEvent::Return { op: alternative.op, value },
        marks: 0,
        executed: Vec::new(),
        result: Ok(next),
    };
    Moves { ways: vec![way], ..Moves::default() }
}
