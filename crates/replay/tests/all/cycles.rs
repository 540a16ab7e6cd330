//! Executions that repeat their last moves for ever.

use trueline_base::Violation;
use trueline_base::trace::Trace;
use trueline_lang::compile::{Model, Overrides, Task};
use trueline_lang::ir::{Action, Evidence, Move};
use trueline_lang::question::Question;
use trueline_replay::{
    Case, FileError, Schedule, Source, TraceFile, Unconfirmed, Unfit, confirm_within, execute_evidence,
};

const TEXT: &str = "object Spin {
    shared go: int = 0;
    op wait() {
        while go == 0 { }
    }
    op count() { go = go + 1; }
}
check Spin { role one { wait(); } role other { count(); } safe; }
";

fn task(text: &str) -> Task {
    Model::parse(text).instantiate(0, &Overrides::default()).expect("a check")
}

fn moved(thread: u8, action: Action) -> Move {
    Move { thread, action }
}

fn step() -> Action {
    Action::Step(Vec::new())
}

/// Thread 1 reads for ever.
fn spins() -> Evidence {
    let prefix = Schedule { init: Vec::new(), moves: vec![moved(0, Action::Call(0))] };
    Evidence { prefix, cycle: vec![moved(0, step())] }
}

#[test]
fn what_is_repeated_comes_back_to_where_it_began() {
    let task = task(TEXT);
    let run = execute_evidence(&task.machine, &spins()).expect("it spins");
    assert_eq!((run.taken.len(), run.cycle), (2, Some(1)));
    // A call is no state of its own again.
    let mut open = spins();
    open.cycle = vec![moved(1, Action::Call(0)), moved(1, step())];
    assert_eq!(execute_evidence(&task.machine, &open).map(|_| ()), Err(Unfit::Open));
}

#[test]
fn no_question_so_far_is_answered_by_it() {
    let task = task(TEXT);
    let source = Source { path: "spin.tl", text: TEXT };
    let case =
        Case { machine: &task.machine, question: &Question::Safe, violation: Violation::Deadlock, source };
    let meter = trueline_base::Meter::start(trueline_base::Limits::default());
    assert!(matches!(confirm_within(&case, &spins(), &meter), Err(Unconfirmed::Unfit(_))));
}

/// Versions before cycles were kept, and those to come, are refused in a sentence; so is what is no trace file.
#[test]
fn a_trace_file_of_another_version_is_refused() {
    let task = task(TEXT);
    let source = Source { path: "spin.tl", text: TEXT };
    let case =
        Case { machine: &task.machine, question: &Question::Safe, violation: Violation::Deadlock, source };
    let text = TraceFile::new(&case, &spins(), Trace::default()).write();
    assert_eq!(text.matches("\"version\": 2").count(), 1);
    for other in [1, 3] {
        // Whatever else stands in it: fields may have come and gone.
        let text = text.replace("\"version\": 2", &format!("\"version\": {other}, \"other\": 0"));
        let error = TraceFile::read(&text).expect_err("another version");
        assert_eq!(error, FileError::Version(other));
        let told = format!("this trace file has version {other} and this program reads version 2; ");
        assert!(error.to_string().starts_with(&told), "{error}");
    }
    let unknown = text.replace("\"version\": 2", "\"version\": 2, \"other\": 0");
    let error = TraceFile::read(&unknown).expect_err("a field that nobody knows");
    assert!(error.to_string().starts_with("this is not a trace file: unknown field `other`"), "{error}");
}

#[test]
fn a_trace_file_keeps_it() {
    let task = task(TEXT);
    let source = Source { path: "spin.tl", text: TEXT };
    let case =
        Case { machine: &task.machine, question: &Question::Safe, violation: Violation::Deadlock, source };
    let story = Trace { cycle: Some(2), ..Trace::default() };
    let file = TraceFile::read(&TraceFile::new(&case, &spins(), story).write()).expect("a trace file");
    assert_eq!(file.story.cycle, Some(2));
    assert_eq!(file.follow(&task.machine, TEXT).expect("the same model").evidence, spins());
    // In a model with a further read, the further step is repeated too.
    let text =
        TEXT.replace("while go == 0 { }", "loop { let a = go; let b = go; if a != 0 && b != 0 { break; } }");
    let other = self::task(&text);
    let followed = file.follow(&other.machine, &text).expect("followed");
    assert_eq!(followed.evidence.cycle.len(), 1, "the read that matches comes first");
}
