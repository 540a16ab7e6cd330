//! Partial order and value symmetry in cases that are easily got wrong: each was seen to fail with the rule that it is
//! about left out.

use crate::common::ask::{every_combination, questions};
use trueline_base::{Limits, Silent};
use trueline_check::fast::{self, Order, Reduction, Reductions};

/// Every property of every check, with every combination of reductions; what all of them say.
fn agreed(text: &str) -> Vec<String> {
    let all = questions(text);
    all.iter().map(|(machine, question)| every_combination(text, machine, question)).collect()
}

/// The states of the first property with these reductions.
fn states(text: &str, reductions: Reductions) -> u64 {
    let (machine, question) = questions(text).remove(0);
    fast::decide(&machine, &question, reductions, &Limits::default(), &mut Silent).states
}

/// Somebody waits for a moment that passes: whoever ends it must not run past it. The step that waits is the first of its
/// operation, so that the thread is idle where calls are taken together with first steps.
#[test]
fn nobody_runs_past_what_another_waits_for() {
    let pulse = |wait: &str| {
        format!(
            "object Pulse {{ shared x: int = 0; shared y: int = 0;
             op wait() {{ {wait} assert false; }}
             op pulse() {{ x = 1; x = 0; }} }}
             check Pulse {{ role a {{ wait(); }} role b {{ pulse(); }} safe; }}"
        )
    };
    for wait in [
        "atomic { await x == 1; }",
        "y = 1; atomic { await x == 1; }",
        "atomic { let a = x; assume a == 1; }",
    ] {
        let found = agreed(&pulse(wait));
        assert!(found[0].starts_with("fails"), "{wait}: {found:?}");
    }
}

/// The same with a specification: the one who waits sees a value that the other overwrites.
#[test]
fn nobody_runs_past_what_another_would_see() {
    let text = "spec Flag { state n: int = 0; op raise() { n = 1; } op look() -> int { return n; } }
        object Blink implements Flag { shared x: int = 0;
          op raise() { x = 1; x = 2; x = 1; }
          op look() -> int { atomic { await x == 2; } return 2; } }
        check Blink { role a { raise(); } role b { look(); } linearizable; }";
    assert!(agreed(text)[0].starts_with("fails"));
}

/// A thread that may come to wait is at a dead end although it has a move: paths end before such a state.
#[test]
fn dead_ends_of_threads_that_may_wait_are_reached() {
    let text = "object Gate { shared a: [int; tid] = [0; tid]; shared open: bool = false;
        op enter() { a[self] = 1; }
        op pass() { atomic { await open; } }
        op leave() { a[self] = 2; } }
        check Gate { role t x 2 { enter(); pass() or leave(); } safe; }";
    assert_eq!(agreed(text), ["holds"]);
    let (machine, question) = questions(text).remove(0);
    let found = fast::check(&machine, &question, Reductions::ALL, &Limits::default(), &mut Silent);
    assert!(found.dead_ends.states > 0);
}

/// Loops that no other thread disturbs are left out; what the others do beside them is not.
#[test]
fn endless_loops_hide_nothing() {
    let text = "object Spin { shared a: [int; tid] = [0; tid]; shared x: int = 0; shared z: int = 0;
        op spin() { loop { let s = z; let r = x; if r == 1 { assert s == 0; } } }
        op poke() { a[self] = 1; a[self] = 2; a[self] = 3; z = 1; a[self] = 4; a[self] = 5; a[self] = 6; x = 1; } }
        check Spin { role s { spin(); } role p { poke(); } safe; }
        object Idle { shared a: [int; tid] = [0; tid]; shared x: int = 0;
        op spin() { while a[self] == 0 { skip; } }
        op once() { x = 1; assert x == 1; }
        op twice() { x = 2; } }
        check Idle { role s { spin(); } role p { once(); } role q { twice(); } safe; }
        object Count { shared a: [int; tid] = [0; tid];
        op count() { while a[self] < 3 { a[self] = a[self] + 1; } assert false; } }
        check Count { threads 2; ops 1; safe; }";
    let found = agreed(text);
    assert!(found.iter().all(|found| found.starts_with("fails")), "{found:?}");
}

/// The return of a thread may let another one begin: it counts what is over.
#[test]
fn a_return_that_others_wait_for_is_a_write() {
    let text =
        "object Sum { shared n: int = 0; op add() { let a = n; n = a + 1; } op sum() { assert n == 2; } }
        check Sum { role a x 2 { add(); } after { sum(); } safe; }";
    assert!(agreed(text)[0].starts_with("fails"));
}

/// What is worth what, on an object of which every thread has cells of its own and one is shared.
#[test]
fn steps_of_different_cells_are_not_interleaved() {
    let text = "object Own { shared a: [int; tid] = [0; tid]; shared n: int = 0;
        op add() { a[self] = 1; a[self] = 2; a[self] = 3; faa(n, 1); } }
        check Own { threads 3; ops 1; safe; }";
    assert_eq!(agreed(text), ["holds"]);
    let plain = states(text, Reductions::HEAP);
    let with = |order| states(text, Reductions::HEAP.with(Reduction::Por).leaving_out(order));
    let (cartesian, alone) = (with(Order::Cartesian), with(Order::Static));
    // Seven places per thread in full; in the end each thread is before its `faa`, behind it, or done.
    assert_eq!(plain, 7 * 7 * 7);
    assert!(cartesian <= 27 && alone < 64, "{cartesian} {alone}");
}

/// An early return orders more operations: what has no linearization has none with it.
#[test]
fn returns_are_taken_early_and_calls_are_not() {
    let text = "spec Sum { state n: int = 0; op add() -> int { n = n + 1; return n; } }
        object Lossy implements Sum { shared n: int = 0; op add() -> int { let a = n; n = a + 1; return a + 1; } }
        object Good implements Sum { shared n: int = 0; op add() -> int { return faa(n, 1) + 1; } }
        check Lossy { threads 2; ops 2; linearizable; }
        check Good { threads 2; ops 2; linearizable; }";
    let found = agreed(text);
    assert!(found[0].starts_with("fails") && found.contains(&"holds".to_string()), "{found:?}");
}

/// Values in every kind of collection, in the object and beside it.
#[test]
fn values_move_in_collections_of_specifications() {
    let text = "spec Bag { state b: multiset val = []; op put(v: val) { b.insert(v); } op take(v: val) -> bool { return b.remove(v); } }
        spec Table { state m: map val val? = []; op put(v: val) { m.insert(v, v); } op take(v: val) -> bool { return m.remove(v) != none; } }
        object Two { shared b: multiset val = []; shared c: multiset val = [];
          op put(v: val) { atomic { if b.contains(v) { c.insert(v); } else { b.insert(v); } } }
          op take(v: val) -> bool { atomic { if c.remove(v) { return true; } if !b.contains(v) { return false; } } atomic { b.remove(v); } return true; } }
        check Two { threads 2; ops 2; values 3; linearizable to Bag; }
        check Two { threads 2; ops 1; values 2; linearizable to Table; }";
    let found = agreed(text);
    assert!(found.iter().any(|found| found.starts_with("fails")), "{found:?}");
    let few = states(text, Reductions::ALL.without(Reduction::Guess));
    let many = states(text, Reductions::ALL.without(Reduction::Guess).without(Reduction::Values));
    assert!(many > 3 * few, "{many} {few}");
}

/// A value that stands in an initialiser is not exchanged, those that do not are.
#[test]
fn values_that_are_named_stay() {
    let text = "object Named { shared x: val? = 1; shared hits: int = 0;
          op put(v: val) { if x == v { hits = 1; } x = v; }
          op look() { assert hits == 0; } }
        check Named { threads 2; ops 2; values 3; safe; }";
    assert!(agreed(text)[0].starts_with("fails"));
}
