//! Machines built by hand, each for one sentence of the documentation of [`crate::ir`].

use super::*;
use crate::ir::InstrKind::*;
use crate::ir::{
    Alternative, BinaryOp, Expr, Instr, InstrKind, Memory, Method, Module, Op, Place, Routine, Script,
    ScriptNode, SlotInfo, Struct, Thread, Ty,
};

fn n(n: i32) -> Expr {
    Expr::Const(Value::Int(n))
}

fn slot(n: u16) -> Expr {
    Expr::Slot(Slot(n))
}

fn eq(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Eq, Box::new(a), Box::new(b))
}

fn cell(first: u32) -> Place {
    Place::Shared { first, index: Vec::new() }
}

fn field(object: Expr) -> Place {
    Place::Field { object, kind: StructId(0), first: 0, index: Vec::new() }
}

fn routine(slots: usize, code: Vec<InstrKind>) -> Routine {
    let instr = |kind| Instr { kind, span: Span::default(), mark: None };
    let info = SlotInfo { name: String::new(), ty: Ty::Int };
    Routine { code: code.into_iter().map(instr).collect(), slots: vec![info; slots] }
}

fn op(slots: usize, code: Vec<InstrKind>) -> Op {
    Op {
        name: "op".into(),
        params: Vec::new(),
        result: Ty::Int,
        requires: None,
        routine: routine(slots, code),
        span: Span::default(),
    }
}

fn module(shared: Vec<Value>, ops: Vec<Op>) -> Module {
    Module {
        name: "Object".into(),
        memory: Memory::Gc,
        structs: vec![Struct {
            name: "Node".into(),
            fields: Vec::new(),
            cells: vec![Value::Int(0)],
            kept: Vec::new(),
        }],
        enums: Vec::new(),
        variables: Vec::new(),
        shared,
        persistent: Vec::new(),
        init: Routine::default(),
        thread_init: Routine::default(),
        ops,
    }
}

/// Threads that call the first operation for ever.
fn machine(threads: usize, object: Module) -> Machine {
    let alternative =
        Alternative { op: OpId(0), args: Vec::new(), result: None, next: Script::START, role: false };
    let script = Script { nodes: vec![ScriptNode::Call(vec![alternative])], variables: Vec::new() };
    Machine::new(object, vec![Thread { role: None, script }; threads])
}

fn start(machine: &Machine) -> State {
    initial(machine).remove(0).1.expect("a state")
}

/// The only move of a thread.
fn only(machine: &Machine, state: &State, thread: u8) -> Way {
    let mut ways = moves(machine, state, thread).ways;
    assert_eq!(ways.len(), 1, "{ways:?}");
    ways.remove(0)
}

/// Takes the only move of each thread in turn.
fn go(machine: &Machine, mut state: State, threads: &[u8]) -> State {
    for thread in threads {
        state = only(machine, &state, *thread).result.expect("no finding");
    }
    state
}

#[test]
fn one_access_is_one_step_and_two_increments_may_lose_one() {
    let increment = op(
        1,
        vec![
            Read { slot: Slot(0), place: cell(0) },
            Write { place: cell(0), value: Expr::Binary(BinaryOp::Add, Box::new(slot(0)), Box::new(n(1))) },
            Return(slot(0)),
        ],
    );
    let machine = machine(2, module(vec![Value::Int(0)], vec![increment]));
    let state = go(&machine, start(&machine), &[0, 0, 1, 1, 1]);
    let back = only(&machine, &state, 1);
    assert_eq!(back.event, ObservableEvent::Return { op: OpId(0), value: Value::Int(0) });
    let state = go(&machine, state, &[1, 0]);
    assert_eq!(state.shared, [Value::Int(1)]);
    assert_eq!(
        only(&machine, &state, 0).event,
        ObservableEvent::Return { op: OpId(0), value: Value::Int(0) }
    );
    assert_eq!(go(&machine, state, &[0]).threads[0].phase, Phase::Idle);
}

#[test]
fn a_choice_belongs_to_the_access_that_follows_or_is_a_step_of_its_own() {
    let choose = Choose { slot: Slot(0), low: n(1), high: n(2) };
    let with = op(1, vec![choose.clone(), Write { place: cell(0), value: slot(0) }, Return(n(0))]);
    let m = machine(1, module(vec![Value::Int(0)], vec![with]));
    let state = go(&m, start(&m), &[0]);
    let ways = moves(&m, &state, 0).ways;
    let seen: Vec<_> = ways.iter().map(|w| (w.action.clone(), w.result.clone().unwrap().shared)).collect();
    let step = |n| (Action::Step(vec![Choice::Value(n)]), vec![Value::Int(n)]);
    assert_eq!(seen, [step(1), step(2)]);

    let alone = op(1, vec![choose, Return(slot(0))]);
    let m = machine(1, module(Vec::new(), vec![alone]));
    let state = go(&m, start(&m), &[0]);
    for way in moves(&m, &state, 0).ways {
        assert!(matches!(way.result.unwrap().threads[0].phase, Phase::Returning { .. }));
    }
}

#[test]
fn the_access_comes_first_and_a_later_choice_waits() {
    let code = vec![Read { slot: Slot(0), place: cell(0) }, Either(vec![2, 3]), Return(n(0)), Return(n(1))];
    let m = machine(1, module(vec![Value::Int(7)], vec![op(1, code)]));
    let state = go(&m, start(&m), &[0, 0]);
    assert!(matches!(state.threads[0].phase, Phase::Running { pc: 1, .. }));
    assert_eq!(moves(&m, &state, 0).ways.len(), 2);
}

#[test]
fn a_block_is_one_step_and_waits_for_its_await() {
    let code = vec![
        Enter,
        Read { slot: Slot(0), place: cell(0) },
        Await(eq(slot(0), n(1))),
        Write { place: cell(0), value: n(2) },
        Leave,
        Return(n(0)),
    ];
    let m = machine(1, module(vec![Value::Int(0)], vec![op(1, code)]));
    let mut state = go(&m, start(&m), &[0]);
    let waiting = moves(&m, &state, 0);
    assert!(waiting.blocked() && waiting.ways.is_empty());
    state.shared[0] = Value::Int(1);
    assert_eq!(go(&m, state, &[0]).shared, [Value::Int(2)]);
}

#[test]
fn a_false_assumption_discards_without_blocking() {
    let code = vec![Read { slot: Slot(0), place: cell(0) }, Assume(eq(slot(0), n(1))), Return(n(0))];
    let m = machine(1, module(vec![Value::Int(0)], vec![op(1, code)]));
    let state = go(&m, start(&m), &[0]);
    let moves = moves(&m, &state, 0);
    assert!(moves.ways.is_empty() && moves.discarded && !moves.blocked());
    assert_eq!(dead_end(&m, &state), []);
}

#[test]
fn a_held_lock_blocks_and_only_its_owner_unlocks() {
    let code = vec![Lock(cell(0)), Unlock(cell(0)), Unlock(cell(0)), Return(n(0))];
    let m = machine(2, module(vec![Value::Lock(None)], vec![op(0, code)]));
    let state = go(&m, start(&m), &[0, 0, 1]);
    assert_eq!(state.shared, [Value::Lock(Some(0))]);
    assert!(moves(&m, &state, 1).blocked());
    let state = go(&m, state, &[0, 1]);
    assert_eq!(only(&m, &state, 0).result, Err(Finding::Lock));
}

#[test]
fn a_freed_address_that_somebody_holds_is_offered_again() {
    let code = vec![
        New { slot: Slot(0), kind: StructId(0), cells: Vec::new() },
        Write { place: field(slot(0)), value: n(5) },
        Free(slot(0)),
        New { slot: Slot(1), kind: StructId(0), cells: Vec::new() },
        Read { slot: Slot(2), place: field(slot(0)) },
        Return(slot(2)),
    ];
    let mut object = module(Vec::new(), vec![op(3, code)]);
    for (memory, reused) in [(Memory::Pool, 5), (Memory::Manual, 0)] {
        object.memory = memory;
        let m = machine(1, object.clone());
        let state = go(&m, start(&m), &[0, 0, 0, 0]);
        let ways = moves(&m, &state, 0).ways;
        let actions: Vec<_> = ways.iter().map(|w| w.action.clone()).collect();
        assert_eq!(actions, [0, 1].map(|a| Action::Step(vec![Choice::Address(a)])));
        let again = go(&m, ways[0].result.clone().unwrap(), &[0]);
        assert!(
            matches!(&again.threads[0].phase, Phase::Returning { value, .. } if *value == Value::Int(reused))
        );
        // With the other address the first stays freed: a pool lets it be read, manual memory does not.
        let read = only(&m, &ways[1].result.clone().unwrap(), 0).result;
        assert_eq!(read.is_err(), memory == Memory::Manual);
    }
}

#[test]
fn a_write_to_a_freed_cell_of_a_pool_is_found_but_a_failing_cas_is_not() {
    let cas = |old| Cas { slot: Slot(1), place: field(slot(0)), old: n(old), new: n(9) };
    for (old, finding) in [(0, true), (1, false)] {
        let code = vec![
            New { slot: Slot(0), kind: StructId(0), cells: Vec::new() },
            Free(slot(0)),
            cas(old),
            Free(slot(0)),
        ];
        let mut object = module(Vec::new(), vec![op(2, code)]);
        object.memory = Memory::Pool;
        let m = machine(1, object);
        let state = go(&m, start(&m), &[0, 0, 0]);
        let result = only(&m, &state, 0).result;
        assert_eq!(result.clone().err(), finding.then_some(Finding::UseAfterFree));
        if let Ok(state) = result {
            assert_eq!(only(&m, &state, 0).result, Err(Finding::DoubleFree));
        }
    }
}

#[test]
fn any_write_breaks_links_and_a_weak_store_may_fail_for_no_reason() {
    for weak in [false, true] {
        let code = vec![
            LoadLinked { slot: Slot(0), place: cell(0) },
            StoreConditional { slot: Slot(0), place: cell(0), value: n(0), weak },
            Return(slot(0)),
        ];
        let m = machine(2, module(vec![Value::Int(0)], vec![op(1, code)]));
        let state = go(&m, start(&m), &[0, 0, 1, 1]);
        let ways = moves(&m, &state, 0).ways;
        assert_eq!(ways.len(), if weak { 2 } else { 1 });
        let returns = |state: &State, thread: usize| match &state.threads[thread].phase {
            Phase::Returning { value, .. } => value.clone(),
            other => panic!("{other:?}"),
        };
        let state = ways[0].result.clone().unwrap();
        assert_eq!(returns(&state, 0), Value::Bool(true));
        assert!(state.threads[1].links.is_empty());
        let state = moves(&m, &state, 1).ways[0].result.clone().unwrap();
        assert_eq!(returns(&state, 1), Value::Bool(false));
        if weak {
            assert_eq!(returns(&ways[1].result.clone().unwrap(), 0), Value::Bool(false));
            assert_eq!(ways[1].action, Action::Step(vec![Choice::Branch(1)]));
        }
    }
}

#[test]
fn code_that_runs_for_ever_is_endless_and_has_no_other_way() {
    let code = vec![Enter, Either(vec![2, 3]), Jump(1), Leave, Return(n(0))];
    let m = machine(1, module(Vec::new(), vec![op(0, code)]));
    let state = go(&m, start(&m), &[0]);
    assert_eq!(only(&m, &state, 0).result, Err(Finding::Endless));
    let wanted = Move { thread: 0, action: Action::Step(vec![Choice::Branch(0)]) };
    assert_eq!(apply(&m, &state, &wanted).unwrap().result, Err(Finding::Endless));
}

#[test]
fn a_mark_counts_when_its_access_was_executed_and_its_condition_holds_at_the_end() {
    let mut marked = op(
        1,
        vec![
            Read { slot: Slot(0), place: cell(0) },
            Branch { condition: eq(slot(0), n(0)), yes: 2, no: 3 },
            Set { slot: Slot(0), value: n(9) },
            Return(slot(0)),
        ],
    );
    marked.routine.code[0].mark = Some(eq(slot(0), n(9)));
    for (held, marks) in [(0, 1), (9, 1), (3, 0)] {
        let m = machine(1, module(vec![Value::Int(held)], vec![marked.clone()]));
        let state = go(&m, start(&m), &[0]);
        assert_eq!(only(&m, &state, 0).marks, marks);
    }
}

#[test]
fn a_false_requirement_hides_a_call_or_is_the_finding_of_a_role() {
    let mut guarded = op(0, vec![Return(n(0))]);
    guarded.requires = Some(Expr::Const(Value::Bool(false)));
    let mut m = machine(1, module(Vec::new(), vec![guarded]));
    assert!(moves(&m, &start(&m), 0).ways.is_empty());
    let ScriptNode::Call(alternatives) = &mut m.threads[0].script.nodes[0] else { panic!() };
    alternatives[0].role = true;
    assert_eq!(only(&m, &start(&m), 0).result, Err(Finding::Requires));
}

#[test]
fn each_way_through_init_is_an_initial_state_and_locals_persist() {
    let mut object = module(vec![Value::Int(0)], Vec::new());
    object.init = routine(
        1,
        vec![
            Choose { slot: Slot(0), low: n(1), high: n(2) },
            Write { place: cell(0), value: slot(0) },
            Return(Expr::Const(Value::Unit)),
        ],
    );
    object.persistent = vec![SlotInfo { name: "mine".into(), ty: Ty::Tid }];
    let own = Set { slot: Slot(0), value: Expr::SelfTid };
    object.thread_init = routine(1, vec![own, Return(Expr::Const(Value::Unit))]);
    object.ops = vec![op(1, vec![Return(slot(0))])];
    let m = machine(2, object);
    let states = initial(&m);
    let choices: Vec<_> = states.iter().map(|(c, _)| c.clone()).collect();
    assert_eq!(choices, [1, 2].map(|n| vec![Choice::Value(n)]));
    let state = go(&m, states[1].1.clone().unwrap(), &[1, 1]);
    assert_eq!(state.shared, [Value::Int(2)]);
    assert_eq!(state.threads[1].persistent, [Value::Tid(1)]);
}

#[test]
fn a_specification_answers_with_all_alternatives_or_waits() {
    let take = op(
        2,
        vec![
            Read { slot: Slot(0), place: cell(0) },
            Await(Expr::Not(Box::new(eq(Expr::Query(Method::Len, Box::new(slot(0)), Vec::new()), n(0))))),
            Either(vec![3, 4]),
            Return(Expr::Const(Value::None)),
            Collect { slot: Slot(0), method: Method::PopFront, args: Vec::new(), result: Some(Slot(1)) },
            Write { place: cell(0), value: slot(0) },
            Return(slot(1)),
        ],
    );
    let spec = module(vec![Value::Seq(Vec::new())], vec![take]);
    assert_eq!(spec_initial(&spec), [Ok(vec![Value::Seq(Vec::new())])]);
    assert_eq!(spec_step(&spec, &[Value::Seq(Vec::new())], 0, OpId(0), &[]), []);
    let one = Value::Seq(vec![Value::Val(1)]);
    let expected = [Ok((vec![one.clone()], Value::None)), Ok((vec![Value::Seq(Vec::new())], Value::Val(1)))];
    assert_eq!(spec_step(&spec, &[one], 0, OpId(0), &[]), expected);
}

#[test]
fn invariants_read_cells() {
    let mut object = module(vec![Value::Int(1)], Vec::new());
    object.ops = vec![op(0, vec![Return(n(0))])];
    let m = machine(1, object);
    let holds = |held| {
        let code = vec![Read { slot: Slot(0), place: cell(0) }, Return(eq(slot(0), n(held)))];
        eval_invariant(&m, &routine(1, code), &start(&m))
    };
    assert_eq!((holds(1), holds(2)), (Ok(true), Ok(false)));
}
