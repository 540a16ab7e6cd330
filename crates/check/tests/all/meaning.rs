//! What steps mean, where a mistake would go unnoticed elsewhere.

use trueline_base::verdict::Finding;
use trueline_base::{Limits, Silent, Violation};
use trueline_check::{Counterexample, Verdict, check};
use trueline_lang::compile::{Model, Overrides, Task};
use trueline_lang::ir::{Action, Choice};
use trueline_lang::question::Question;

fn task(text: &str) -> Task {
    let model = Model::parse(text);
    let problems = model.diagnose();
    assert!(!problems.iter().any(|d| d.is_error()), "{problems:?}");
    model.instantiate(0, &Overrides::default()).unwrap()
}

fn safe(text: &str) -> Verdict {
    check(&task(text).machine, &Question::Safe, &Limits::default(), &mut Silent).verdict
}

fn linearizable(text: &str) -> Verdict {
    let task = task(text);
    let question = task.asked[0].question.without_points();
    assert!(question.specification().is_some());
    check(&task.machine, &question, &Limits::default(), &mut Silent).verdict
}

fn counterexample(verdict: Verdict) -> Counterexample {
    match verdict {
        Verdict::Fails(found) => found,
        other => panic!("{other:?}"),
    }
}

/// Any write breaks a link, also one that stores the same value.
#[test]
fn links_break() {
    let text = |body: &str| {
        format!(
            "spec Count {{ state n: int = 0; op inc() -> int {{ n = n + 1; return n; }} }}
             object C implements Count {{ shared x: int = 0; op inc() -> int {{ {body} }} }}
             check C {{ threads 2; ops 2; linearizable; }}"
        )
    };
    let right = "loop { let a = ll(x); if sc(x, a + 1) { return a + 1; } }";
    assert_eq!(linearizable(&text(right)), Verdict::Holds(()));
    let broken = "object S {
            shared x: int = 0;
            op link() { let a = ll(x); let ok = sc(x, 1); assert ok; }
            op store() { x = 0; }
        }
        check S { role a { link(); } role b { store(); } safe; }";
    let found = counterexample(safe(broken));
    assert!(matches!(found.violation, Violation::Finding { finding: Finding::Assert, thread: 0 }));
}

/// A pool gives structs back as they were; under `manual` all fields are named.
#[test]
fn a_pool_keeps_what_cells_held() {
    let text = |wrong: &str| {
        format!(
            "object P {{
                struct Node {{ v: int }}
                memory pool;
                shared Top: Node? = null;
                op turn() {{
                    let n = new Node {{ v: 7 }};
                    Top = n;
                    free n;
                    let m = new Node {{ }};
                    if m == Top {{ let v = m.v; assert v {wrong} 7; }} else {{ let v = m.v; assert v == 0; }}
                }}
             }}
             check P {{ threads 1; ops 1; safe; }}"
        )
    };
    assert_eq!(safe(&text("==")), Verdict::Holds(()));
    let found = counterexample(safe(&text("!=")));
    let addresses: Vec<Choice> = (found.evidence.prefix.moves.iter())
        .flat_map(|m| match &m.action {
            Action::Step(choices) => choices.clone(),
            _ => Vec::new(),
        })
        .collect();
    assert_eq!(addresses, [Choice::Address(0), Choice::Address(0)]);
}

/// Every way through `init` is a beginning.
#[test]
fn init_may_choose() {
    let text = "object B {
            shared x: int = 0;
            init { choose c in 0..3; x = c; }
            op get() { let a = x; assert a < 2; }
        }
        check B { threads 1; ops 1; safe; }";
    let found = counterexample(safe(text));
    assert_eq!(found.evidence.prefix.init, [Choice::Value(2)]);
    assert_eq!(found.evidence.prefix.moves.len(), 2);
}

/// Fewer threads count more than fewer calls: two threads would fail with one call each.
#[test]
fn one_thread_is_less_than_two() {
    let text = "object C {
            shared n: int = 0;
            shared first: tid? = none;
            op go() {
                let c = faa(n, 1);
                assert c < 2;
                let f = first;
                if f == none { first = self; } else { assert f == self; }
            }
        }
        check C { threads 3; ops 3; safe; }";
    let found = counterexample(safe(text));
    assert!(found.minimal);
    let moves = &found.evidence.prefix.moves;
    assert!(moves.iter().all(|m| m.thread == moves[0].thread));
    assert_eq!(moves.iter().filter(|m| matches!(m.action, Action::Call(_))).count(), 3);
}

/// A freed struct that nobody holds comes back with what it held: the queue of Michael and Scott that
/// forgets to reset `next`, alone and without a race.
#[test]
fn a_pool_does_not_forget_what_nobody_holds() {
    let queue = |reset: &str| {
        format!(
            "object Queue implements Queue {{
                memory pool;
                struct Node {{ val: val?, next: Node? }}
                shared Head: Node;
                shared Tail: Node;
                init {{ let n = new Node {{ val: none, next: null }}; Head = n; Tail = n; }}
                op enq(v: val) {{
                    let x = new Node {{ val: v{reset} }};
                    let t = Tail;
                    t.next = x;
                    Tail = x;
                }}
                op deq() -> val? {{
                    let h = Head;
                    let s = h.next;
                    if s == null {{ return none; }}
                    let v = s.val;
                    Head = s;
                    free h;
                    return v;
                }}
             }}
             check Queue {{
                role one {{ enq(1); deq(); enq(2); deq(); deq(); }}
                linearizable;
             }}"
        )
    };
    assert_eq!(linearizable(&queue(", next: null")), Verdict::Holds(()));
    let found = counterexample(linearizable(&queue("")));
    let addresses = found.evidence.prefix.moves.iter().filter_map(|m| match &m.action {
        Action::Step(choices) => choices.first().copied(),
        _ => None,
    });
    assert_eq!(addresses.collect::<Vec<_>>(), [Choice::Address(1), Choice::Address(0)]);
}

/// Choices in a row are one step, also when a finding is met before any access.
#[test]
fn a_finding_belongs_to_the_step_of_the_choices_before_it() {
    let moves = |body: &str| {
        let text = format!(
            "object A {{ shared x: int = 0; op f() {{ {body} }} }} check A {{ threads 1; ops 1; safe; }}"
        );
        counterexample(safe(&text)).evidence.prefix.moves.len()
    };
    assert_eq!(moves("choose i in 0..2; assert i == 0;"), 2);
    assert_eq!(moves("either { skip; } or { x = 1; } choose i in 0..2; assert i == 0;"), 2);
    assert_eq!(moves("choose i in 0..2; choose j in 0..2; assert i == 0 || j == 0; x = i;"), 2);
    assert_eq!(moves("x = 1; choose i in 0..2; assert i == 0;"), 3);
    assert_eq!(moves("choose i in 0..2; x = i; choose j in 0..2; assert i == j;"), 3);
}

/// A conditional has the type that both branches have in common, and comparing stores nothing: neither a number out
/// of range nor an absent value is a finding there.
#[test]
fn comparisons_store_nothing() {
    let value = [
        "(if z { x } else { 2 }) == 2",
        "2 == (if z { x } else { 2 })",
        "(if z { 2 } else { x }) == x",
        "x == (if z { x } else { 2 })",
        "w == (7, true)",
        "w == (if z { w } else { (7, true) })",
        "(if z { v } else { o }) == v",
        "v == (if z { v } else { o })",
        "(if z { v } else { none }) == v",
        "(if z { none } else { v }) == v",
        "(n, 1) == (if z { Top } else { (n, 1) })",
        "Top == (n, 1)",
        "cas(w, (7, true), (0, true))",
        "cas(Top, (n, 1), (Top.0, 2))",
    ];
    for value in value {
        let text = format!(
            "object A {{
                struct Node {{ i: int }}
                shared x: 0..2 = 1;
                shared w: (0..2, bool) = (1, true);
                shared o: val? = none;
                shared Top: (Node, int);
                init {{ Top = (new Node {{ i: 0 }}, 1); }}
                op f(v: val, z: bool) -> bool {{ let n: Node? = null; return {value}; }}
             }}
             check A {{ threads 1; ops 1; safe; }}"
        );
        assert_eq!(safe(&text), Verdict::Holds(()), "{value}");
    }
    let stored = "object A { shared x: 0..2 = 1; op f(z: bool) { let y = x; x = if z { y } else { 2 }; } }
                  check A { threads 1; ops 1; safe; }";
    assert!(matches!(
        counterexample(safe(stored)).violation,
        Violation::Finding { finding: Finding::Range, .. }
    ));
}

/// Operators on bits, on the engine and on the reference interpreter.
#[test]
fn bits() {
    let results = [
        ("12", "&", "10", Some(8)),
        ("12", "|", "10", Some(14)),
        ("12", "^", "10", Some(6)),
        ("-1", "&", "255", Some(255)),
        ("-8", "|", "3", Some(-5)),
        ("3", "<<", "2", Some(12)),
        ("-3", "<<", "1", Some(-6)),
        ("1", "<<", "30", Some(1 << 30)),
        ("1", "<<", "31", None),
        ("-1", "<<", "31", Some(i32::MIN)),
        ("1", "<<", "32", None),
        ("1", "<<", "-1", None),
        ("-7", ">>", "1", Some(-4)),
        ("-7", ">>", "31", Some(-1)),
        ("7", ">>", "32", None),
    ];
    for (a, op, b, expected) in results {
        let assertion = expected.map_or("true".into(), |value| format!("c == {value}"));
        let text = format!(
            "object A {{ shared x: int = {a}; op f() {{ let a = x; a {op}= {b}; let c = x {op} {b}; assert a == c && {assertion}; }} }}
             check A {{ threads 1; ops 1; safe; }}"
        );
        let machine = task(&text).machine;
        let reference = trueline_check::naive::enumerate(&machine, None, 1000).unwrap().findings;
        match safe(&text) {
            Verdict::Holds(()) => assert!(expected.is_some() && reference.is_empty(), "{a} {op} {b}"),
            Verdict::Fails(found) => {
                let overflow = Violation::Finding { thread: 0, finding: Finding::Overflow };
                assert!(expected.is_none() && found.violation == overflow, "{a} {op} {b}: {found:?}");
                assert!(reference.contains(&Finding::Overflow));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Quantifiers look at every element, labels leave the loop that they name, and `await` is one access.
#[test]
fn quantifiers_and_labels() {
    let body = "
        let s: set int = [1, 2];
        let m: multiset int = [1, 1];
        let q: seq int = [2, 1];
        assert forall i in s { i > 0 } && !forall i in s { i > 1 } && exists i in s { i == 2 };
        assert forall i in m { i == 1 } && !exists i in m { i == 2 };
        assert exists i in q { i == 2 } && exists t in tid { t == self } && !exists i in 0..0 { true };
        assert forall i in 3..=2 { false } && forall i in 0..3 { exists j in rev 0..3 { i == j } };
        let n = 0;
        'outer: loop {
            for i in 0..5 {
                n += 1;
                if i == 1 { continue; }
                if n > 6 { break 'outer; }
                if i == 2 { continue 'outer; }
            }
        }
        assert n == 7;";
    let text = |body: &str| {
        format!(
            "object A {{ shared a: [int; 2] = [0; 2]; op f() {{ {body} }} }} check A {{ threads 1; ops 1; safe; }}"
        )
    };
    assert_eq!(safe(&text(body)), Verdict::Holds(()));
    let several = Model::parse(text("await forall i in 0..2 { a[i] == 0 };")).diagnose();
    assert_eq!(several[0].code, "E0234", "{several:?}");
}

/// An object that is part of another one is as if its operations were written out there: the same states, the same
/// verdicts, whatever its names are.
#[test]
fn parts_are_written_out() {
    let count = "spec Count { state n: int = 0; op inc() { n += 1; } op read() -> int { return n; } }";
    let lock = "shared next: int = 0;
        shared serving: int = 0;
        local mine: int = 0;";
    let apart = format!(
        "{count}
         object Ticket {{
            {lock}
            op acquire(n: int) {{ mine = faa(next, n); await serving == mine; }}
            op release() requires mine >= 0 {{ serving = mine + 1; }}
         }}
         object C implements Count {{
            shared guard: Ticket;
            shared n: int = 0;
            op inc() {{ guard.acquire(1); n += 1; guard.release(); }}
            op read() -> int {{ return n; }}
         }}
         check C {{ threads 2; ops 2; linearizable; }}"
    );
    let together = format!(
        "{count}
         object C implements Count {{
            {lock}
            shared n: int = 0;
            op inc() {{ mine = faa(next, 1); await serving == mine; n += 1; assert mine >= 0; serving = mine + 1; }}
            op read() -> int {{ return n; }}
         }}
         check C {{ threads 2; ops 2; linearizable; }}"
    );
    let outcome = |text: &str| {
        let task = task(text);
        assert!(task.asked[0].question.specification().is_some(), "it asks that");
        check(&task.machine, &task.asked[0].question, &Limits::default(), &mut Silent)
    };
    let (apart, together) = (outcome(&apart), outcome(&together));
    assert_eq!(apart.verdict, Verdict::Holds(()));
    assert_eq!(together.verdict, Verdict::Holds(()));
    assert_eq!(apart.states, together.states);
    let unlocked = "object Ring(n: int) {
            enum Slot { Empty, Full(val) }
            shared head: int = 0;
            shared slots: [Slot; n];
            init { for i in 0..n { slots[i] = Empty; } }
            op put(v: val) { let h = head; slots[h] = Full(v); head = h + 1; }
            op get() -> val? {
                let h = head;
                if h == 0 { return none; }
                head = h - 1;
                match slots[h - 1] { Full(v) => return v; Empty => return none; }
            }
        }
        object S implements Stack {
            shared one: Ring(4);
            shared two: Ring(n: 1);
            op push(v: val) { one.put(v); }
            op pop() -> val? { return one.get(); }
        }
        check S { linearizable; }";
    counterexample(linearizable(unlocked));
}
