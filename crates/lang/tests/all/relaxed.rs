//! The ready-made relaxed specifications against their definition, on every sequential history of some length.
//!
//! The definition speaks of a whole history: who is removed passes at most k others that stand before it, and nobody is
//! passed more than k times. The specifications are automata that see one operation after the other. For queues this
//! is the distance of Afek, Korland, Yanovsky (OPODIS 2010): `QuasiQueue` counts places instead.

use trueline_base::Value;
use trueline_lang::compile::Model;
use trueline_lang::interp::{spec_initial, spec_step};
use trueline_lang::ir::{Module, OpId, Ty};

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Fifo,
    Lifo,
    Smallest,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// A priority, and what a removal shows.
    Insert(i32, i32),
    Remove(i32),
}

/// An insertion of a priority, as the n-th.
type Made<'a> = &'a dyn Fn(i32, i32) -> Event;

/// An element: priority, when it came, when it left.
type Stay = (i32, usize, usize);

/// Whether some element can be meant by each removal so that the bounds are kept.
fn allowed(order: Order, patient: bool, k: usize, history: &[Event]) -> bool {
    fn identify(
        history: &[Event],
        at: usize,
        stays: &mut Vec<(i32, Stay)>,
        each: &dyn Fn(&[Stay]) -> bool,
    ) -> bool {
        match history.get(at) {
            None => each(&stays.iter().map(|(_, stay)| *stay).collect::<Vec<_>>()),
            Some(Event::Insert(priority, shown)) => {
                stays.push((*shown, (*priority, at, usize::MAX)));
                let found = identify(history, at + 1, stays, each);
                stays.pop();
                found
            }
            Some(Event::Remove(shown)) => (0..stays.len()).any(|i| {
                if stays[i].0 != *shown || stays[i].1.2 != usize::MAX {
                    return false;
                }
                stays[i].1.2 = at;
                let found = identify(history, at + 1, stays, each);
                stays[i].1.2 = usize::MAX;
                found
            }),
        }
    }
    let before = |a: &Stay, b: &Stay| match order {
        Order::Fifo => a.1 < b.1,
        Order::Lifo => a.1 > b.1,
        Order::Smallest => a.0 < b.0,
    };
    // b leaves while a, whose turn is earlier, is there.
    let passed = |a: &Stay, b: &Stay| b.2 != usize::MAX && a.1 < b.2 && b.2 < a.2 && before(a, b);
    identify(history, 0, &mut Vec::new(), &|stays| {
        stays.iter().all(|e| {
            let passes = stays.iter().filter(|a| passed(a, e)).count();
            let is_passed = stays.iter().filter(|b| passed(e, b)).count();
            passes <= k && (!patient || is_passed <= k)
        })
    })
}

/// Whether the specification has these results.
fn accepts(spec: &Module, history: &[Event]) -> bool {
    let mut states: Vec<Vec<Value>> =
        spec_initial(spec).into_iter().map(|s| s.expect("no finding")).collect();
    for event in history {
        let (op, args, result) = match event {
            Event::Insert(p, v) if spec.ops[0].params.len() == 2 => {
                (0, vec![Value::Int(*p), Value::Int(*v)], Value::Unit)
            }
            Event::Insert(_, v) => (0, vec![Value::Int(*v)], Value::Unit),
            Event::Remove(v) => (1, vec![], Value::Int(*v)),
        };
        let mut next: Vec<Vec<Value>> = Vec::new();
        for state in &states {
            for way in spec_step(spec, state, 0, OpId(op), &args) {
                let (state, found) = way.expect("no finding");
                if found == result && !next.contains(&state) {
                    next.push(state);
                }
            }
        }
        states = next;
    }
    !states.is_empty()
}

/// Every history of this length: what is inserted is `made(priority, number of the insertion)`.
fn histories(length: usize, priorities: i32, made: Made<'_>, each: &mut dyn FnMut(&[Event])) {
    fn go(
        left: usize,
        priorities: i32,
        made: Made<'_>,
        present: &mut Vec<i32>,
        history: &mut Vec<Event>,
        each: &mut dyn FnMut(&[Event]),
    ) {
        if left == 0 {
            return each(history);
        }
        let number = 1 + history.iter().filter(|e| matches!(e, Event::Insert(..))).count() as i32;
        for priority in 1..=priorities {
            let event = made(priority, number);
            let Event::Insert(_, shown) = event else { continue };
            present.push(shown);
            history.push(event);
            go(left - 1, priorities, made, present, history, each);
            history.pop();
            present.pop();
        }
        for i in 0..present.len() {
            if present[..i].contains(&present[i]) {
                continue;
            }
            let shown = present.remove(i);
            history.push(Event::Remove(shown));
            go(left - 1, priorities, made, present, history, each);
            history.pop();
            present.insert(i, shown);
        }
    }
    go(length, priorities, made, &mut Vec::new(), &mut Vec::new(), each);
}

#[test]
fn relaxed_specifications_are_their_definition() {
    let numbered = |_: i32, number: i32| Event::Insert(0, number);
    let plain = |priority: i32, _: i32| Event::Insert(priority, priority);
    let keyed = |priority: i32, number: i32| Event::Insert(priority, number);
    let rows: [(&str, &str, Order, i32, usize, Made<'_>); 4] = [
        ("Queue", "deq", Order::Fifo, 1, 7, &numbered),
        ("Stack", "pop", Order::Lifo, 1, 7, &numbered),
        ("PriorityQueue", "deqMin", Order::Smallest, 3, 5, &plain),
        ("KeyedPriorityQueue", "deqMin", Order::Smallest, 2, 6, &keyed),
    ];
    for (base, removes, order, priorities, length, made) in rows {
        for k in 0..=2 {
            for relaxation in ["Quasi", "OutOfOrder"] {
                let name = format!("{relaxation}({base}, {removes}: {k})");
                let spec = Model::parse("").specification(&name, 1, &Ty::Int).expect("a specification");
                let (mut yes, mut no) = (0, 0);
                histories(length, priorities, made, &mut |history| {
                    let expected = allowed(order, relaxation == "Quasi", k, history);
                    assert_eq!(accepts(&spec, history), expected, "{name}: {history:?}");
                    *if expected { &mut yes } else { &mut no } += 1;
                });
                assert!(yes > 10 && (no > 10 || k == 2), "{name}: {yes} are allowed, {no} are not");
            }
        }
    }
}
