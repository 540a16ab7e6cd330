//! A check that passes without having looked says so.

use crate::common::decided;
use trueline_base::Verdict;
use trueline_base::answer::Answer;
use trueline_verify::Options;

/// The answer to the first property, which holds.
fn holds(text: &str) -> Answer {
    let answer = decided(text, &Options::default()).remove(0).answer;
    assert!(answer.verdict.holds(), "{answer:?}");
    answer
}

fn never_exercised(answer: &Answer) -> &[String] {
    match &answer.verdict {
        Verdict::Holds(covered) => &covered.never_exercised,
        other => panic!("{other:?}"),
    }
}

fn warning(answer: &Answer) -> &str {
    let [warning] = &answer.warnings[..] else { panic!("{:?}", answer.warnings) };
    assert!(warning.trace.as_ref().is_some_and(|t| !t.rows.is_empty()));
    &warning.text
}

#[test]
fn a_lock_that_is_taken_twice() {
    let answer = holds(
        "object A { shared m: lock; shared x: int = 0;
op f() {
    lock m;
    lock m;
    x = 1;
    unlock m;
} }
check A { threads 2; ops 1; safe; }",
    );
    // Whoever comes first waits for itself, the other one for it.
    assert_eq!(never_exercised(&answer), ["`f` never returns: executions end blocked at lines 3 and 4"]);
    // Who of the two comes first makes no difference.
    assert_eq!(answer.scope.dead_ends, 1);
    assert_eq!(
        warning(&answer),
        "1 state is a dead end. Nobody can go on: f() by thread 1 in line 4 (`lock m`) and f() by thread 2 in line 3 \
         (`lock m`) wait for ever."
    );
}

#[test]
fn two_locks_in_two_orders() {
    let answer = holds(
        "object A { shared a: lock; shared b: lock;
op ab() { lock a; lock b; unlock b; unlock a; }
op ba() { lock b; lock a; unlock a; unlock b; } }
check A { role x { ab(); } role y { ba(); } safe; }",
    );
    // Everything was executed, in other executions.
    assert_eq!(never_exercised(&answer), [""; 0]);
    assert_eq!(answer.scope.dead_ends, 1);
    assert!(
        warning(&answer).starts_with("1 state is a dead end. Nobody can go on: ab() by thread 1 in line 2")
    );
    let steps = answer.warnings[0].trace.as_ref().map(|t| t.counts.steps);
    assert_eq!(steps, Some(4), "two calls, a lock each");
}

#[test]
fn philosophers() {
    let answer = holds(
        "object Table { shared fork: [lock; 3];
op eat(left: 0..3, right: 0..3) { lock fork[left]; lock fork[right]; unlock fork[right]; unlock fork[left]; } }
check Table { role a { eat(0, 1); } role b { eat(1, 2); } role c { eat(2, 0); } safe; }",
    );
    assert_eq!(answer.scope.dead_ends, 1);
    assert!(warning(&answer).contains("eat(2, 0) by thread 3"));
}

#[test]
fn a_lock_that_is_never_released() {
    let answer = holds(
        "object Lock { shared held: bool = false;
op acquire() { atomic { await !held; held = true; } }
op release() { let _h = held; } }
check Lock { role user x 2 { acquire(); release(); } safe; }",
    );
    assert_eq!(never_exercised(&answer), [""; 0]);
    assert!(answer.scope.dead_ends > 0 && warning(&answer).contains("await !held"));
}

#[test]
fn a_lock_that_is_never_released_and_spins() {
    let answer = holds(
        "object Lock { shared held: bool = false;
op acquire() { while tas(held) {} }
op release() { let _h = held; } }
check Lock { role user x 2 { acquire(); release(); } safe; }",
    );
    // Each operation returns in some execution, and nobody waits: but no execution gets to its end.
    assert_eq!(never_exercised(&answer), ["the end: in every execution some operation goes on for ever"]);
    // A client that calls for ever has no end to miss.
    let answer = holds(
        "object Cell { shared x: bool = false;
op set() { x = true; } }
check Cell { role user x 2 { forever { set(); } } safe; }",
    );
    assert_eq!(never_exercised(&answer), [""; 0]);
}

#[test]
fn operations_that_spin_for_ever() {
    let answer = holds(
        "object Spin { shared go: bool = false; shared x: int = 0;
op enq() {
    while !go { }
    x = 1;
} }
check Spin { threads 2; ops 1; safe; }",
    );
    assert_eq!(never_exercised(&answer)[0], "`enq` is called and never returns");
    assert!(never_exercised(&answer)[1].starts_with("line 4 of `enq`: x = 1"));
    // Somebody can always move.
    assert_eq!((answer.scope.dead_ends, answer.warnings.len()), (0, 0));
}

#[test]
fn code_behind_what_never_opens() {
    let answer = holds(
        "object A { shared x: int = 0;
op f(b: bool) -> int {
    if b { await x == 7; return 1; }
    return 0;
} }
check A { threads 1; ops 1; safe; }",
    );
    assert_eq!(never_exercised(&answer), ["`f` never gets past line 3: await x == 7;"]);
    assert!(warning(&answer).contains("f(true)"));
}

#[test]
fn what_is_left_out_is_no_dead_end() {
    let answer = holds(
        "object A { shared x: int = 0; shared m: lock;
op f() -> int { lock m; let a = x; assume a == 1; unlock m; return a; } }
check A { threads 2; ops 1; safe; }",
    );
    // One thread waits for the lock of another whose ways are all left out.
    assert_eq!((answer.scope.dead_ends, answer.warnings.len()), (0, 0));
    assert_eq!(never_exercised(&answer)[0], "`f` is called and never returns");
    assert_eq!(never_exercised(&answer)[1], "`f` never gets past line 2: assume a == 1;");
}

#[test]
fn all_is_well() {
    let answer = holds(
        "object A { shared m: lock; shared x: int = 0;
op f() { lock m; x = x + 1; unlock m; } }
check A { threads 2; ops 2; safe; }",
    );
    assert_eq!(never_exercised(&answer), [""; 0]);
    assert_eq!((answer.scope.dead_ends, answer.warnings.len()), (0, 0));
}
