//! Structs that have left shared memory, and what may come of them: copies must not be noticed.

use crate::common::ask::{combinations, every_combination, gist, questions};
use crate::common::random::Dice;
use trueline_base::{Limits, Silent};
use trueline_check::fast::{self, Reduction, Reductions};
use trueline_check::{Verdict, Why, check};

/// What a property must say, and whether copies may be made.
fn left(text: &str, expected: &str, copies: bool) {
    for (machine, question) in questions(text) {
        let found = every_combination(text, &machine, &question);
        assert!(found.starts_with(expected), "{found}: {text}");
        let all = fast::decide(&machine, &question, Reductions::ALL, &Limits::default(), &mut Silent);
        let names = &all.method.reductions;
        assert_eq!(names.contains(&Reduction::Unshare.name()), copies, "{names:?}: {text}");
        let off = all.method.off.iter().any(|(name, _)| *name == Reduction::Unshare.name());
        assert_eq!(off, !copies, "{text}");
    }
}

#[test]
fn stores_of_others_are_seen() {
    // Both may hold the struct when it leaves; then one sees what the other stores.
    left(
        "object O { struct N { v: 0..=2 } shared g: N? = null;
         init { g = new N { v: 0 }; }
         op put(x: 1..=2) { let n = g; g = null; if n != null { n.v = x; let r = n.v; assert r == x; } } }
         check O { threads 2; ops 1; safe; }",
        "fails",
        false,
    );
    // What the struct leads to has left as well, though its thread made it.
    left(
        "object O { struct N { v: 0..=2, next: N? } shared g: N? = null;
         init { g = new N { v: 0, next: null }; }
         op put(x: 1..=2) {
             let n = g;
             if n != null {
                 let mine = new N { v: x, next: null };
                 atomic { n.next = mine; g = null; }
                 mine.v = x;
                 let r = mine.v; assert r == x;
             }
         }
         op spoil() { let n = g; if n != null { let m = n.next; if m != null { m.v = 0; } } } }
         check O { role a { put(1); } role b { spoil(); } safe; }",
        "fails",
        false,
    );
}

#[test]
fn what_comes_back_is_the_same() {
    left(
        "object O { struct N { v: 0..=1 } shared g: N? = null;
         init { g = new N { v: 0 }; }
         op out_and_in() { let n = g; if n != null { g = null; g = n; } }
         op twice() { let a = g; let b = g; if a != null && b != null { assert a == b; } } }
         check O { role a { out_and_in(); } role b { twice(); } safe; }",
        "holds",
        false,
    );
}

#[test]
fn copies_keep_apart_and_together() {
    // What two threads hold has left; each compares what it holds with itself and with what is shared now.
    left(
        "object O { struct N { v: val?, next: N? } shared g: N? = null;
         init { let last = new N { v: none, next: null }; g = new N { v: none, next: last }; }
         op replace() {
             let a = g; let b = a.next; let c = a.next;
             assert b == c;
             assert a != b;
             let mine = new N { v: none, next: b };
             cas(g, a, mine);
             let d = a.next;
             assert d == b;
             let e = g;
             assert e != a;
         } }
         check O { threads 2; ops 2; safe; }
         check O { threads 3; ops 1; safe; }",
        "holds",
        true,
    );
}

#[test]
fn fewer_states_where_garbage_is_shared() {
    let text = "object O { struct N { v: val?, next: N? } shared g: N? = null;
         init { g = new N { v: none, next: null }; }
         op replace() { let a = g; let b = a.next; cas(g, a, new N { v: none, next: null }); let c = a.v; let d = g; } }
         check O { threads 4; ops 1; safe; }";
    let (machine, _) = questions(text).remove(0);
    let count = |reductions| fast::count(&machine, reductions, &Limits::default(), &mut Silent).states;
    let heap = Reductions::HEAP.with(Reduction::Symmetry);
    assert_eq!((count(heap), count(heap.with(Reduction::Unshare))), (786, 624));
}

#[test]
fn a_thread_may_hold_much() {
    // Whoever stands on the first struct holds all that were linked behind it, though they have left.
    let text = "object O { struct N { next: N? } shared g: N; shared stop: bool = false;
         init { g = new N { next: null }; }
         op stand() { let a = g; await stop; let b = a.next; }
         op link() { let n = new N { next: null }; let o = g; atomic { o.next = n; g = n; } } }
         check O { role a { stand(); } role b { forever { link(); } } safe; }";
    let (machine, question) = questions(text).remove(0);
    for reductions in [Reductions::ALL, Reductions::ALL.without(Reduction::Unshare)] {
        let limits = Limits { states: Some(3_000), ..Limits::default() };
        let found = fast::decide(&machine, &question, reductions, &limits, &mut Silent);
        assert!(matches!(found.verdict, Verdict::Unknown(Why::Stopped(_))), "{:?}", found.verdict);
        assert!(found.depth > 300, "{}", found.depth);
    }
}

/// One statement over two lists, `g` and `h`, and what an operation holds of them.
fn statement(dice: &mut Dice) -> String {
    let held = ["a", "b"][dice.roll(2) as usize];
    let other = ["a", "b", "null"][dice.roll(3) as usize];
    let list = ["g", "h"][dice.roll(2) as usize];
    match dice.roll(17) {
        0..=2 => format!("{held} = {list};"),
        3 => format!("if {held} != null {{ {held} = {held}.next; }}"),
        4 => format!("if {held} != null {{ cas({list}, {held}, {held}.next); }}"),
        5 => format!("cas({list}, {held}, {other});"),
        6 => format!("{list} = null;"),
        7 => format!("{held} = new N {{ v: 1, next: {other} }};"),
        8 => format!("{list} = new N {{ v: x, next: {other} }};"),
        9 => format!("if {held} != null {{ r = {held}.v; }}"),
        10 => format!("if {held} == {other} {{ r = 2; }}"),
        11 if dice.one_in(3) => format!("if {held} != null {{ {held}.v = x; }}"),
        12 if dice.one_in(3) => format!("if {held} != null {{ {held}.next = {other}; }}"),
        13 if dice.one_in(3) => {
            format!("if {held} != null {{ atomic {{ {list} = null; {held}.next = {held}; }} }}")
        }
        14 => format!(
            "if {held} != null {{ let n = new N {{ v: x, next: {other} }}; atomic {{ {held}.next = n; {list} = n; }} }}"
        ),
        15 => format!(
            "if {held} != null {{ let n = new N {{ v: x, next: null }}; atomic {{ {held}.next = n; {list} = null; }} }}"
        ),
        16 if dice.one_in(3) => format!("assert {held} != {list};"),
        _ => format!("if {held} == {list} {{ r = 0; }}"),
    }
}

/// An object whose operations take structs out of lists, and hold, compare and sometimes change what they took.
fn model(seed: u64, properties: &str, mut more: impl FnMut(&mut Dice) -> String) -> String {
    let dice = &mut Dice::new(seed);
    let mut body = || {
        let first: String = (0..3 + dice.roll(4)).map(|_| statement(dice) + " ").collect();
        first + &more(dice)
    };
    let (f, g) = (body(), body());
    let client = ["threads 2; ops 2;", "threads 3; ops 1;", "role a { f(1); } role b { k(2); k(1); }"];
    let client = client[dice.roll(3) as usize];
    format!(
        "spec S {{ state v: 0..=2 = 0; op f(x: 1..=2) -> 0..=2 {{ v = x; return v; }} op k(x: 1..=2) -> 0..=2 {{ return v; }} }}
         object O implements S {{ struct N {{ v: 0..=2, next: N? }} shared g: N? = null; shared h: N? = null;
           init {{ let last = new N {{ v: 0, next: null }}; g = new N {{ v: 2, next: last }}; h = last; }}
           op f(x: 1..=2) -> 0..=2 {{ let a: N? = g; let b: N? = null; let r: 0..=2 = x; {f} return r; }}
           op k(x: 1..=2) -> 0..=2 {{ let a: N? = null; let b: N? = h; let r: 0..=2 = 0; {g} return r; }} }}
         check O {{ {client} {properties} }}"
    )
}

#[test]
fn nobody_can_tell() {
    let all = combinations();
    let all: Vec<Reductions> = all.into_iter().filter(|r| r.has(Reduction::Heap)).collect();
    let (mut copied, mut again, mut fails, mut fewer) = (0, 0, 0, 0);
    for seed in 0..20 {
        let text = model(seed, "safe; linearizable;", |_| String::new());
        let dice = &mut Dice::new(seed + 1000);
        for (machine, question) in questions(&text) {
            let limits = Limits { states: Some(100_000), ..Limits::default() };
            let plain = check(&machine, &question, &limits, &mut Silent);
            match &plain.verdict {
                Verdict::Unknown(Why::Stopped(_)) => continue,
                Verdict::Fails(found) if !found.minimal => continue,
                _ => {}
            }
            let heap = Reductions::HEAP.with(Reduction::Unshare);
            let mut tried = vec![Reductions::ALL, heap, heap.with(Reduction::Por)];
            tried.extend((0..6).map(|_| all[dice.roll(all.len() as u32) as usize].with(Reduction::Unshare)));
            for reductions in tried {
                let reductions = reductions.allowed(&machine, &question);
                fast::decide_checked(&machine, &question, reductions, &limits, &mut Silent);
                let found = fast::check(&machine, &question, reductions, &limits, &mut Silent);
                assert_eq!(gist(&found), gist(&plain), "seed {seed}, {:?}: {text}", reductions.names());
                if plain.verdict == Verdict::Holds(()) {
                    let ends = |outcome: &trueline_check::Outcome| outcome.dead_ends.states > 0;
                    assert_eq!(ends(&found), ends(&plain), "seed {seed}: {text}");
                    if reductions.without(Reduction::Por) == heap {
                        assert_eq!(found.coverage, plain.coverage, "seed {seed}: {text}");
                    }
                }
                let force = found.method.reductions.contains(&Reduction::Unshare.name());
                copied += force as u32;
                again += !force as u32;
                fewer += (force && reductions == heap && found.states < plain.states) as u32;
            }
            fails += matches!(plain.verdict, Verdict::Fails(_)) as u32;
        }
    }
    println!("{copied} with copies, {fewer} of them smaller, {again} begun anew, {fails} fail");
    assert!(copied > 0 && again > 0 && fails > 0 && fewer > 0, "{copied} {again} {fails} {fewer}");
}

/// A loop that ends when another thread, or nobody, changes what it looks at.
fn spin(dice: &mut Dice) -> String {
    let held = ["a", "b"][dice.roll(2) as usize];
    match dice.roll(4) {
        0 => format!("while {held} == g {{ r = 1; }}"),
        1 => format!("while {held} != h {{ {held} = h; }}"),
        2 => format!("if {held} != null {{ while {held}.next == null {{ r = 2; }} }}"),
        _ => format!("if {held} != null {{ while {held}.v == 1 {{ r = 0; }} }}"),
    }
}

#[test]
fn cycles_stay() {
    let (mut holds, mut fails, mut copied) = (0, 0, 0);
    for seed in 0..40 {
        let text = model(seed + 500, "lock_free; wait_free; obstruction_free;", spin);
        for (machine, question) in questions(&text) {
            let limits = Limits { states: Some(50_000), ..Limits::default() };
            let ask = |reductions: Reductions| {
                let found = fast::check(&machine, &question, reductions, &limits, &mut Silent);
                let force = found.method.reductions.contains(&Reduction::Unshare.name());
                (gist(&found), force)
            };
            let (wanted, _) = ask(Reductions::HEAP);
            if wanted.starts_with("unknown") {
                continue;
            }
            let heap = Reductions::HEAP.with(Reduction::Unshare);
            for reductions in [heap, heap.with(Reduction::Merge), Reductions::ALL] {
                let (found, force) = ask(reductions);
                assert_eq!(found, wanted, "seed {seed}, {:?}, {question:?}: {text}", reductions.names());
                copied += force as u32;
            }
            holds += wanted.starts_with("holds") as u32;
            fails += wanted.starts_with("fails") as u32;
        }
    }
    println!("{holds} hold, {fails} fail, {copied} with copies");
    assert!(holds > 5 && fails > 10 && copied > 50, "{holds} {fails} {copied}");
}
