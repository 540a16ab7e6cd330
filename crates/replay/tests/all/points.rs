//! Linearization points at the wrong place, each fault by a schedule written by hand.

use trueline_base::trace::Trace;
use trueline_base::{Limits, Meter, PointFault, Violation};
use trueline_lang::compile::{Model, Overrides};
use trueline_lang::ir::{Action, Move};
use trueline_replay::{Case, Schedule, Source, Unconfirmed, confirm, confirm_within};

/// The story of the schedule in which these threads move, with `body` as the code of `inc`.
fn told(body: &str, threads: &[(u8, char)], fault: PointFault) -> Result<Trace, Unconfirmed> {
    let text = format!(
        "spec Counter {{ state n: int = 0; op inc() -> int {{ n = n + 1; return n; }} }}
object Object implements Counter {{ shared n: int = 0; op inc() -> int {{
{body}
}} }}
check Object {{ threads 2; ops 1; linearizable; }}"
    );
    let task = Model::parse(text.as_str()).instantiate(0, &Overrides::default()).expect("a check");
    let question = &task.asked[0].question;
    assert!(question.relies_on_points());
    let action = |kind: char| match kind {
        'c' => Action::Call(0),
        'r' => Action::Return,
        _ => Action::Step(Vec::new()),
    };
    let moves = threads.iter().map(|(thread, kind)| Move { thread: *thread, action: action(*kind) });
    let case = Case {
        machine: &task.machine,
        question,
        violation: Violation::Point(fault),
        source: Source { path: "model.tl", text: &text },
    };
    confirm(&case, &Schedule { init: Vec::new(), moves: moves.collect() })
}

/// A confirmation ends when its time is up, and says so.
#[test]
fn confirmation_has_limits_too() {
    let text = "spec N { state n: int = 0; op inc() { n = n + 1; } op get() -> int { return n; } }
object O implements N { shared x: int = 0; op inc() { x = 1; } op get() -> int { return x; } }
check O { role one x 12 { inc(); } role other { get(); } linearizable; }";
    let task = Model::parse(text).instantiate(0, &Overrides::default()).expect("a check");
    let mut moves = Vec::new();
    for action in [Action::Call(0), Action::Step(Vec::new()), Action::Return] {
        moves.extend((0..12).map(|thread| Move { thread, action: action.clone() }));
    }
    for action in [Action::Call(0), Action::Step(Vec::new()), Action::Return] {
        moves.push(Move { thread: 12, action });
    }
    let case = Case {
        machine: &task.machine,
        question: &task.asked[0].question,
        violation: Violation::NotLinearizable,
        source: Source { path: "model.tl", text },
    };
    let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let confirmed =
        confirm_within(&case, &Schedule { init: Vec::new(), moves }.into(), &Meter::start(limits));
    let why = "the time limit was reached before it could be confirmed".to_string();
    assert_eq!(confirmed, Err(Unconfirmed::Limit(why)));
}

const ALONE: [(u8, char); 4] = [(0, 'c'), (0, 's'), (0, 's'), (0, 'r')];

#[test]
fn a_result_that_differs_from_the_one_at_the_point() {
    let differs = PointFault::ResultDiffers;
    let body = "@lin let c = n;\nif cas(n, c, c + 1) { return c + 1; }\nreturn faa(n, 1) + 1;";
    let trace = told(body, &[(0, 'c'), (0, 's'), (1, 'c'), (1, 's'), (1, 's'), (1, 'r')], differs).unwrap();
    assert_eq!(
        trace.summary,
        "inc() by thread 2 returns 1, but at its linearization point (line 3, step 4) the specification returns 2."
    );
    assert_eq!(trace.rows[1].memory, ["◆ linearization point"]);
    assert!(matches!(told(body, &ALONE, differs), Err(Unconfirmed::Refuted(_))));
}

#[test]
fn two_points() {
    let trace = told("@lin let c = n;\n@lin n = c + 1;\nreturn c + 1;", &ALONE[..3], PointFault::PassedTwice)
        .unwrap();
    assert_eq!(trace.summary, "inc() by thread 1 passes two linearization points, in lines 3 and 4.");
}

#[test]
fn no_point() {
    let body = "@lin(if false) let c = n;\nn = c + 1;\nreturn c + 1;";
    let missing = PointFault::ReturnedWithout;
    let trace = told(body, &ALONE, missing).unwrap();
    assert_eq!(trace.summary, "inc() by thread 1 returns without having passed a linearization point.");
    assert!(matches!(told(body, &ALONE[..3], missing), Err(Unconfirmed::Refuted(_))));
    // It is a fault, but not the one that was claimed.
    assert!(matches!(told(body, &ALONE, PointFault::ResultDiffers), Err(Unconfirmed::Refuted(_))));
}
