//! Each kind of question and answer, on models as text.

use std::time::Duration;
use trueline_base::verdict::Finding;
use trueline_base::{Limits, PointFault, Silent, Stop, Violation};
use trueline_check::{Label, NoSystem, Outcome, Verdict, Why, check, count_states, generate, generate_spec};
use trueline_lang::compile::{Model, Overrides, Task};
use trueline_lang::ir::Module;
use trueline_lang::question::Question;

fn task(text: &str) -> Task {
    let model = Model::parse(text);
    let problems = model.diagnose();
    assert!(!problems.iter().any(|d| d.is_error()), "{problems:?}");
    model.instantiate(0, &Overrides::default()).unwrap()
}

fn spec(task: &Task) -> &Module {
    task.specification().expect("the check asks `linearizable`")
}

/// Asks the first question of the check.
fn ask(task: &Task, points: bool) -> Outcome {
    let question = &task.asked[0].question;
    assert!(!points || question.relies_on_points());
    let question = if points { question.clone() } else { question.without_points() };
    check(&task.machine, &question, &Limits::default(), &mut Silent)
}

fn violation(outcome: &Outcome) -> Violation {
    match &outcome.verdict {
        Verdict::Fails(found) => {
            assert!(found.minimal);
            found.violation
        }
        other => panic!("{other:?}"),
    }
}

fn counter(body: &str) -> String {
    format!(
        "spec Count {{ state n: int = 0; op inc() -> int {{ n = n + 1; return n; }} }}
         object C implements Count {{ shared x: int = 0; shared y: int = 0; op inc() -> int {{ {body} }} }}
         check C {{ threads 2; ops 1; linearizable; }}"
    )
}

#[test]
fn points() {
    let loops = |mark: &str| format!("loop {{ let a = x; {mark} if cas(x, a, a + 1) {{ return a + 1; }} }}");
    assert_eq!(ask(&task(&counter(&loops("@lin"))), true).verdict, Verdict::Holds(()));
    let fault = |body: &str| {
        let task = task(&counter(body));
        assert_eq!(ask(&task, false).verdict, Verdict::Holds(()), "the object is right");
        violation(&ask(&task, true))
    };
    let early = "@lin let b = y; loop { let a = x; if cas(x, a, a + 1) { return a + 1; } }";
    assert_eq!(fault(early), Violation::Point(PointFault::ResultDiffers));
    let twice = "@lin let b = y; loop { let a = x; @lin if cas(x, a, a + 1) { return a + 1; } }";
    assert_eq!(fault(twice), Violation::Point(PointFault::PassedTwice));
    let never = "loop { let a = x; @lin(if a == 7) if cas(x, a, a + 1) { return a + 1; } }";
    assert_eq!(fault(never), Violation::Point(PointFault::ReturnedWithout));
}

/// The condition of a mark is evaluated whether points are asked for or not.
#[test]
fn a_mark_that_fails() {
    let body = "let c: int? = none; let a = faa(x, 1); @lin(if c + 1 == 1) y = 1; return a + 1;";
    let task = task(&counter(body));
    let outcome = check(&task.machine, &Question::Safe, &Limits::default(), &mut Silent);
    assert!(matches!(violation(&outcome), Violation::Finding { finding: Finding::None, .. }));
}

#[test]
fn a_point_where_the_specification_waits() {
    let text = "spec Gate { state open: bool = false; op pass() { await open; } op lift() { open = true; } }
        object G implements Gate {
            shared open: bool = false; shared y: int = 0;
            op pass() { @lin let b = y; await open; }
            op lift() { @lin open = true; }
        }
        check G { role a { pass(); } role b { lift(); } linearizable; }";
    let task = task(text);
    assert_eq!(ask(&task, false).verdict, Verdict::Holds(()));
    assert_eq!(violation(&ask(&task, true)), Violation::Point(PointFault::Disabled));
}

#[test]
fn invariants() {
    let text = |bound: u32| {
        format!(
            "object I {{ shared x: int = 0; op inc() {{ let a = x; x = a + 1; }} }}
             check I {{ threads 2; ops 2; invariant x < {bound}; }}"
        )
    };
    assert_eq!(ask(&task(&text(5)), false).verdict, Verdict::Holds(()));
    let outcome = ask(&task(&text(2)), false);
    assert_eq!(violation(&outcome), Violation::Invariant);
    let Verdict::Fails(found) = outcome.verdict else { unreachable!() };
    // One thread alone: call, read, write, return, call, read, write.
    assert_eq!(found.evidence.prefix.moves.len(), 7);
    assert_eq!(violation(&ask(&task(&text(0)), false)), Violation::Invariant);
}

#[test]
fn leaks() {
    let text = |free: &str| {
        format!(
            "object L {{
                struct Node {{ v: int }}
                memory manual;
                shared Top: Node? = null;
                op put() {{ let n = new Node {{ v: 1 }}; let old = swap(Top, n); {free} }}
             }}
             check L {{ threads 2; ops 1; leak_free; }}"
        )
    };
    assert_eq!(ask(&task(&text("if old != null { free old; }")), false).verdict, Verdict::Holds(()));
    let outcome = ask(&task(&text("")), false);
    assert_eq!(violation(&outcome), Violation::Leak);
}

/// A local that is never read again keeps nothing from being lost.
#[test]
fn leaks_behind_dead_locals() {
    let text = |rest: &str| {
        format!(
            "object L {{ memory manual; struct N {{ v: int }} shared g: int = 0;
                 op f() {{ let x = new N {{ v: 1 }}; while g == 0 {{ }} {rest} }} }}
             check L {{ threads 1; ops 1; leak_free; }}"
        )
    };
    assert_eq!(violation(&ask(&task(&text("")), false)), Violation::Leak);
    assert_eq!(ask(&task(&text("free x;")), false).verdict, Verdict::Holds(()));
}

#[test]
fn refinement() {
    let text = |read: &str, other: &str| {
        format!(
            "object One {{ shared x: int = 0; op inc() -> int {{ {read} }} }}
             object Two {{ shared x: int = 0; op inc() -> int {{ {other} }} }}
             check One {{ threads 2; ops 1; refines Two; }}"
        )
    };
    let (lossy, whole) = ("let a = x; x = a + 1; return a;", "return faa(x, 1);");
    assert_eq!(ask(&task(&text(whole, lossy)), false).verdict, Verdict::Holds(()));
    assert_eq!(violation(&ask(&task(&text(lossy, whole)), false)), Violation::NotRefined);
}

#[test]
fn a_finding_elsewhere_leaves_the_answer_open() {
    let body = "let a = faa(x, 1); assert a < 1; return a + 1;";
    let task = task(&counter(body));
    let outcome = ask(&task, false);
    let Verdict::Unknown(Why::Finding { finding, schedule, .. }) = outcome.verdict else {
        panic!("{:?}", outcome.verdict)
    };
    assert_eq!(finding, Finding::Assert);
    assert!(!schedule.moves.is_empty());
    let safe = check(&task.machine, &Question::Safe, &Limits::default(), &mut Silent);
    assert!(matches!(violation(&safe), Violation::Finding { finding: Finding::Assert, .. }));
    // A violation is found all the same.
    let lossy = "let a = x; x = a + 1; assert a < 1; return a + 1;";
    assert_eq!(violation(&ask(&self::task(&counter(lossy)), false)), Violation::NotLinearizable);
}

#[test]
fn a_finding_of_the_specification() {
    let text = "spec S { state n: 0..=1 = 0; op inc() { n = n + 1; } }
        object O implements S { shared x: int = 0; op inc() { x = 1; } }
        check O { threads 2; ops 1; linearizable; }";
    let outcome = ask(&task(text), false);
    let Verdict::Unknown(Why::SpecificationFinding { op: Some(_), finding }) = outcome.verdict else {
        panic!("{:?}", outcome.verdict)
    };
    assert_eq!(finding, Finding::Range);
}

#[test]
fn a_finding_at_the_beginning() {
    let text = "object B { shared x: int = 0; init { let c: int? = none; let a: int = c; x = a; } op get() -> int { return x; } }
        check B { threads 1; ops 1; safe; }";
    let outcome = ask(&task(text), false);
    assert!(matches!(violation(&outcome), Violation::Finding { finding: Finding::None, .. }));
    let Verdict::Fails(found) = outcome.verdict else { unreachable!() };
    assert!(found.evidence.prefix.moves.is_empty());
}

#[test]
fn endless_loops_are_found() {
    let text = "object E { shared x: int = 0; op spin() { let a = x; while a == 0 { skip; } } }
        check E { threads 1; ops 1; safe; }";
    let outcome = ask(&task(text), false);
    assert!(matches!(violation(&outcome), Violation::Finding { finding: Finding::Endless, .. }));
}

#[test]
fn limits() {
    let text = "object G { shared x: int = 0; shared y: int = 0; op inc() { let a = x; x = a + 1; } }
        check G { threads 2; ops forever; safe; }";
    let task = task(text);
    let limited = |limits: Limits| check(&task.machine, &Question::Safe, &limits, &mut Silent);
    let outcome = limited(Limits { states: Some(20_000), ..Limits::default() });
    assert_eq!(outcome.verdict, Verdict::Unknown(Why::Stopped(Stop::States)));
    assert_eq!(outcome.growing, ["x"]);
    assert!(outcome.frontier > 0 && outcome.depth > 10);
    let outcome = limited(Limits { memory: Some(1 << 20), ..Limits::default() });
    assert_eq!(outcome.verdict, Verdict::Unknown(Why::Stopped(Stop::Memory)));
    let outcome = limited(Limits { time: Some(Duration::ZERO), ..Limits::default() });
    assert_eq!(outcome.verdict, Verdict::Unknown(Why::Stopped(Stop::Time)));
    let limits = Limits { states: Some(1000), ..Limits::default() };
    assert_eq!(count_states(&task.machine, &limits), Err(Stop::States));
}

/// A limit ends a search inside of one move, one beginning, one set of configurations.
#[test]
fn limits_within_a_move() {
    let spec = "spec S { state x: int = 0; op f() -> int { choose i in 0..30000; x = i; return i; } }
        object O implements S { shared x: int = 0; op f() -> int { x = 1; return 1; } }
        check O { threads 2; ops 2; linearizable; }";
    let moves = "object O { shared x: int = 0; shared y: [int; 40] = [0; 40];
            op f() { choose i in 0..30000; x = i; y[0] = i; } }
        check O { threads 2; ops 2; safe; }";
    let begin = "object O { shared x: int = 0; shared y: int = 0;
            init { choose i in 0..100; choose j in 0..100; x = i; y = j; }
            op f() { choose i in 0..20000; x = i; } }
        check O { threads 2; ops 2; safe; }";
    let asked = |text: &str, limits: Limits| {
        let task = task(text);
        let start = std::time::Instant::now();
        let outcome = check(&task.machine, &task.asked[0].question, &limits, &mut Silent);
        (outcome.verdict, start.elapsed())
    };
    for text in [spec, moves, begin] {
        let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
        let (verdict, took) = asked(text, limits);
        assert_eq!(verdict, Verdict::Unknown(Why::Stopped(Stop::Time)), "{text}");
        assert!(took < Duration::from_secs(4), "{took:?}: {text}");
        let cancel = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        let (verdict, _) = asked(text, Limits { cancel: Some(cancel), ..Limits::default() });
        assert_eq!(verdict, Verdict::Unknown(Why::Stopped(Stop::Interrupted)), "{text}");
    }
    let (verdict, _) = asked(spec, Limits { memory: Some(8 << 20), ..Limits::default() });
    assert_eq!(verdict, Verdict::Unknown(Why::Stopped(Stop::Memory)));
}

#[test]
fn coverage_and_assumptions() {
    let text = "object A {
            shared x: int = 0;
            op get() -> int { let a = x; if a == 9 { x = 1; } assume a < 5; return a; }
            op never() { x = 2; }
        }
        check A { threads 1; ops 1; call get(); safe; }";
    let task = task(text);
    let outcome = ask(&task, false);
    assert!(outcome.coverage.called(0) && !outcome.coverage.called(1));
    assert!(outcome.coverage.ops[0].iter().any(|ran| !ran), "the branch of 9 is never taken");
    assert!(!outcome.assumed);
    let other = self::task(&text.replace("a < 5", "a > 5"));
    assert!(ask(&other, false).assumed);
}

#[test]
fn transition_systems() {
    let task = task(&counter("let a = x; x = a + 1; return a + 1;"));
    let mut edges = Vec::new();
    let states = generate(&task.machine, &Limits::default(), &mut Silent, &mut |from, label, to| {
        edges.push((from, matches!(label, Label::Tau), to));
    });
    assert_eq!(states, Ok(36));
    assert_eq!((edges.len() as u64, 36), {
        let (states, transitions) = count_states(&task.machine, &Limits::default()).unwrap();
        (transitions, states)
    });
    assert_eq!(edges.iter().map(|e| e.2).max(), Some(35));
    let mut returns = std::collections::BTreeSet::new();
    let spec_states =
        generate_spec(&task.machine, spec(&task), &Limits::default(), &mut Silent, &mut |_, label, _| {
            if let Label::Return { value, .. } = label {
                returns.insert(value.clone());
            }
        });
    // Each of two threads is idle, pending, linearized or done; the order of the two shows in the results.
    assert_eq!(spec_states, Ok(19));
    assert_eq!(returns.len(), 2);
    let unsafe_ = self::task(&counter("assert x == 0; let a = faa(x, 1); return a + 1;"));
    let refused = generate(&unsafe_.machine, &Limits::default(), &mut Silent, &mut |_, _, _| {});
    assert!(matches!(refused, Err(NoSystem::Finding { finding: Finding::Assert, .. })));
}
