//! A counter that loses an update, built by hand: the smallest story.

use trueline_base::trace::{Counts, Trace, What};
use trueline_base::verdict::Finding;
use trueline_base::{Span, Value, Violation};
use trueline_lang::ir::*;
use trueline_lang::question::Question;
use trueline_replay::{Case, Source, TraceFile, Unconfirmed, alter, confirm};

const TEXT: &str = "\
object LostUpdate implements Counter {
    shared n: int = 0;
    op inc() -> int {
        let c = n;
        n = c + 1;
        return c + 1;
    }
}
";

fn span(part: &str) -> Span {
    let start = TEXT.find(part).expect("the part occurs");
    Span::new(start, start + part.len())
}

fn module(atomic: bool) -> Module {
    let cell = Place::Shared { first: 0, index: Vec::new() };
    let slot = Slot(0);
    let one = Box::new(Expr::Const(Value::Int(1)));
    let sum = Expr::Binary(BinaryOp::Add, Box::new(Expr::Slot(slot)), one);
    let instr = |kind, part| Instr { kind, span: span(part), mark: None };
    let mut code = vec![
        instr(InstrKind::Read { slot, place: cell.clone() }, "let c = n;"),
        instr(InstrKind::Write { place: cell, value: sum.clone() }, "n = c + 1;"),
        instr(InstrKind::Return(sum), "return c + 1;"),
    ];
    if atomic {
        code.insert(0, instr(InstrKind::Enter, "op inc"));
        code.insert(3, instr(InstrKind::Leave, "op inc"));
    }
    let routine = Routine { code, slots: vec![SlotInfo { name: "c".into(), ty: Ty::Int }] };
    let op = Op {
        name: "inc".into(),
        params: Vec::new(),
        result: Ty::Int,
        requires: None,
        routine,
        span: span("op inc"),
    };
    Module {
        name: "LostUpdate".into(),
        memory: Memory::Gc,
        structs: Vec::new(),
        enums: Vec::new(),
        variables: vec![Variable { name: "n".into(), ty: Ty::Int, first: 0, len: 1, span: span("n: int") }],
        shared: vec![Value::Int(0)],
        persistent: Vec::new(),
        init: Routine::default(),
        thread_init: Routine::default(),
        ops: vec![op],
    }
}

fn machine() -> Machine {
    let once = Alternative { op: OpId(0), args: Vec::new(), result: None, next: NodeId(1), role: false };
    let script =
        Script { nodes: vec![ScriptNode::Call(vec![once]), ScriptNode::Done], variables: Vec::new() };
    Machine::new(module(false), vec![Thread { role: None, script }; 2])
}

fn schedule(threads: &[u8]) -> Schedule {
    let mut count = [0; 2];
    let next = |thread: &u8| {
        let n = &mut count[*thread as usize];
        *n += 1;
        let action = match *n {
            1 => Action::Call(0),
            2 | 3 => Action::Step(Vec::new()),
            _ => Action::Return,
        };
        Move { thread: *thread, action }
    };
    Schedule { init: Vec::new(), moves: threads.iter().map(next).collect() }
}

fn linearizable() -> Question {
    Question::linearizable(&module(true))
}

fn told(threads: &[u8], question: &Question, violation: Violation) -> Result<Trace, Unconfirmed> {
    let machine = machine();
    let source = Source { path: "lost_update.tl", text: TEXT };
    confirm(&Case { machine: &machine, question, violation, source }, &schedule(threads))
}

const LOST: [u8; 8] = [0, 0, 1, 1, 1, 1, 0, 0];

#[test]
fn the_story_is_told() {
    let trace = told(&LOST, &linearizable(), Violation::NotLinearizable).unwrap();
    assert_eq!(
        trace.summary,
        "inc() by thread 1 and inc() by thread 2 overlap and both return 1; whichever comes second must return 2."
    );
    assert_eq!(trace.counts, Counts { threads: 2, operations: 2, switches: 2, steps: 8 });
    assert_eq!(trace.rows[0].memory, ["n = 0"]);
    assert_eq!(trace.rows[1].what, What::Statement { line: 4, text: "let c = n".into() });
    assert_eq!(trace.rows[1].notes, ["c=0"]);
    assert_eq!(trace.rows[6].memory, ["n = 1 → 1"]);
    let reasons = trace.reasons.unwrap();
    let lines: Vec<_> = reasons.lines.iter().map(|r| format!("{}: {}", r.case, r.refuted)).collect();
    assert_eq!(
        lines,
        [
            "inc() by thread 1, then inc() by thread 2: the second returns 2, here it returned 1",
            "inc() by thread 2, then inc() by thread 1: the second returns 2, here it returned 1",
        ]
    );
}

#[test]
fn what_is_not_so_is_not_confirmed() {
    let (question, wrong) = (linearizable(), Violation::NotLinearizable);
    assert!(matches!(told(&[0, 0, 0, 0, 1, 1, 1, 1], &question, wrong), Err(Unconfirmed::Refuted(_))));
    // Before the last return, the history still has an explanation.
    assert!(matches!(told(&LOST[..7], &question, wrong), Err(Unconfirmed::Refuted(_))));
    assert!(matches!(told(&LOST, &Question::LeakFree, Violation::Leak), Err(Unconfirmed::Refuted(_))));
    let null = Violation::Finding { thread: 0, finding: Finding::Null };
    assert!(matches!(told(&LOST, &Question::Safe, null), Err(Unconfirmed::Refuted(_))));
    // No leak answers whether histories are linearizable.
    assert!(matches!(told(&LOST, &question, Violation::Leak), Err(Unconfirmed::Unfit(_))));
}

#[test]
fn an_altered_schedule_is_never_confirmed() {
    let (machine, question) = (machine(), linearizable());
    let source = Source { path: "lost_update.tl", text: TEXT };
    let violation = Violation::NotLinearizable;
    let case = Case { machine: &machine, question: &question, violation, source };
    for step in 0..LOST.len() {
        let mut altered = schedule(&LOST);
        alter(&mut altered, step);
        assert!(matches!(confirm(&case, &altered), Err(Unconfirmed::Unfit(_))), "step {step}");
    }
}

#[test]
fn a_machine_that_loses_updates_does_not_refine_one_that_does_not() {
    let mut other = machine();
    other.object = module(true);
    other.object.name = "Atomic".into();
    let trace = told(&LOST, &Question::refines(&other), Violation::NotRefined).unwrap();
    assert_eq!(
        trace.summary,
        "inc() by thread 1 returns 1; after the same calls and returns Atomic can only return 2."
    );
    let same = machine();
    let same = Question::refines(&same);
    assert!(matches!(told(&LOST, &same, Violation::NotRefined), Err(Unconfirmed::Refuted(_))));
}

#[test]
fn a_trace_file_holds_the_schedule_and_knows_its_model() {
    let trace = told(&LOST, &linearizable(), Violation::NotLinearizable).unwrap();
    let (machine, question) = (machine(), linearizable());
    let source = Source { path: "lost_update.tl", text: TEXT };
    let case = Case { machine: &machine, question: &question, violation: Violation::NotLinearizable, source };
    let file = TraceFile::new(&case, &schedule(&LOST).into(), trace);
    let read = TraceFile::read(&file.write()).unwrap();
    assert_eq!(read, file);
    let followed = read.follow(&machine, TEXT).unwrap();
    assert_eq!((followed.evidence, followed.differences), (schedule(&LOST).into(), Vec::new()));
    assert!(!read.changed(TEXT) && read.changed("object Other {}"));
    assert!(TraceFile::read("{}").is_err());
}
