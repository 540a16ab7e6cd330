//! Symmetry against brute force: as many states as there are orbits under all exchanges of threads and values.

use super::canon::Canon;
use super::decode;
use super::naming::Naming;
use super::reduce::{Reduction, Reductions};
use crate::canonical::liveness::Liveness;
use crate::machine::state::State;
use std::collections::{BTreeSet, HashSet, VecDeque};
use trueline_base::{Limits, Silent};
use trueline_lang::compile::{Model, Overrides};
use trueline_lang::ir::Machine;
use trueline_space::{Always, Model as _, Node, Reached, Space, permutations};

fn machine(text: &str) -> Machine {
    let task = Model::parse(text).instantiate(0, &Overrides::default()).expect("it is well formed");
    task.machine
}

/// Every state with canonical heaps, as parts.
fn states(machine: &Machine) -> Vec<(Vec<u8>, Vec<Vec<u8>>)> {
    let steps = super::steps::Steps::new(machine, None, false, false, None, Reductions::HEAP);
    let mut space = Space::new(steps, Always);
    let all = (1 << space.model.threads()) - 1;
    let Ok(starts) = space.starts();
    let mut seen: HashSet<Node> = starts.into_iter().filter_map(Reached::state).collect();
    let mut todo: VecDeque<Node> = seen.iter().copied().collect();
    let mut edges = Vec::new();
    let mut found = Vec::new();
    while let Some(node) = todo.pop_front() {
        let (global, locals) = space.parts(&node);
        found.push((global.to_vec(), locals.into_iter().map(<[u8]>::to_vec).collect()));
        edges.clear();
        let Ok(_) = space.moves(&node, all, &mut edges);
        for to in edges.iter().filter_map(|edge| edge.to.state()) {
            if seen.insert(to) {
                todo.push_back(to);
            }
        }
    }
    found
}

/// The least image of a state under all exchanges, each computed on the whole state.
fn orbit(
    machine: &Machine,
    naming: &Naming,
    groups: &[(usize, usize)],
    live: &Liveness,
    (global, locals): &(Vec<u8>, Vec<Vec<u8>>),
) -> Vec<u8> {
    let module = &machine.object;
    let mut identity = trueline_space::Perm::default();
    identity.iter_mut().enumerate().for_each(|(q, t)| *t = q as u8);
    let threads = machine.threads.len();
    let mut images = BTreeSet::new();
    for by in permutations(&identity, groups) {
        let mut state = State::default();
        decode::global(global, machine, &mut state);
        for (t, local) in locals.iter().enumerate() {
            let base = state.heap.heads.len() as u32;
            state.threads[t] = decode::local(local, module, live, base, &mut state.heap);
        }
        let to = super::naming::places(&by[..threads + naming.symbols.len()]);
        naming.exchange(&mut state, &to);
        let mut canon = Canon::new(module, false, false);
        let holders: Vec<_> = state.threads.iter().map(super::canon::Holder::Thread).collect();
        canon.name(&state, &holders, 0..0);
        let mut image = canon.global(&state);
        for thread in &state.threads {
            image.push(0xff);
            image.extend(canon.local(&state, thread, live, module.persistent.len()));
        }
        images.insert(image);
    }
    images.pop_first().expect("at least one exchange")
}

/// States, and orbits under exchanges of threads where `symmetry` is among the reductions, of values where `values` is.
fn compare(text: &str, reductions: Reductions) -> (usize, usize) {
    let machine = machine(text);
    let threads = machine.threads.len();
    let mut naming = Naming::of_values(&machine);
    let mut groups = Vec::new();
    if reductions.has(Reduction::Symmetry) {
        naming = Naming::of(&machine, None).expect("threads may be exchanged");
        groups.push((0, threads));
    }
    if reductions.has(Reduction::Values) {
        for class in super::values::interchangeable(&machine, None) {
            let from = threads + naming.symbols.len();
            groups.push((from, from + class.len()));
            naming.symbols.extend(class);
        }
    }
    let live = Liveness::of(&machine.object, false);
    let all = states(&machine);
    let orbits: HashSet<Vec<u8>> =
        all.iter().map(|state| orbit(&machine, &naming, &groups, &live, state)).collect();
    let found = super::count(&machine, reductions, &Limits::default(), &mut Silent);
    assert_eq!(found.states, orbits.len() as u64, "{text} with {:?}", reductions.names());
    (all.len(), orbits.len())
}

#[test]
fn there_are_as_many_states_as_orbits() {
    // Nothing names a thread.
    let counter = "object C { shared n: 0..3 = 0; op inc() { let c = n; cas(n, c, (c + 1) % 3); } }
                   check C { threads 4; ops 1; safe; }";
    // A lock names its owner, an array has an element per thread.
    let lock = "object L { shared m: lock; shared a: [int; tid] = [0; tid]; op f() { a[self] = 1; lock m; unlock m; } }
                check L { threads 4; ops 1; safe; }";
    // Values are thread numbers, in a heap.
    let stack = "object S { struct Node { v: val, next: Node? } shared top: Node? = null;
                 op push(v: val) { let n = new Node { v: v, next: null }; loop { let t = top; n.next = t; if cas(top, t, n) { return; } } }
                 op pop() -> val? { loop { let t = top; if t == null { return none; } let s = t.next; if cas(top, t, s) { return t.v; } } } }
                 check S { threads 3; ops 1; values tid; safe; }";
    for text in [counter, lock, stack] {
        let (states, orbits) = compare(text, Reductions::HEAP.with(Reduction::Symmetry));
        assert!(states > 3 * orbits, "{states} states, {orbits} orbits");
    }
}

#[test]
fn exchanges_of_values_have_as_many_orbits() {
    let values = Reductions::HEAP.with(Reduction::Values);
    let both = values.with(Reduction::Symmetry);
    // Values in shared cells, slots, structs of one thread, of all, and of two threads alone.
    let stack = "object S { struct Node { v: val, next: Node? } shared top: Node? = null;
                 op push(v: val) { let n = new Node { v: v, next: null }; loop { let t = top; n.next = t; if cas(top, t, n) { return; } } }
                 op pop() -> val? { loop { let t = top; if t == null { return none; } let s = t.next; if cas(top, t, s) { return t.v; } } } }
                 check S { threads 2; ops 2; values 3; safe; }";
    // Values in sets and maps, whose order is not theirs; one that is named, so it is not exchanged.
    let sets = "object M { shared s: set val = []; shared m: map val bool = []; shared first: val? = 1;
                op put(v: val) -> bool { atomic { return s.insert(v); } }
                op mark(v: val) -> bool { let f = first; atomic { m.insert(v, f == v); } return f == v; } }
                check M { threads 2; ops 2; values 4; safe; }";
    // Values that only locals hold, between two steps and between two operations.
    let kept = "object K { shared x: int = 0; local last: val? = none;
                op keep(v: val) -> bool { let old = last; last = v; x = 1 - x; return old == v; } }
                check K { threads 3; ops 1; values 3; safe; }";
    for (text, least) in [(stack, 4), (sets, 4), (kept, 3)] {
        let (states, orbits) = compare(text, values);
        assert!(states >= least * orbits, "{states} states, {orbits} orbits");
        let (states, fewer) = compare(text, both);
        assert!(states > least * fewer && fewer < orbits, "{states} states, {fewer} orbits");
    }
    // Arguments that clients fix are not exchanged.
    let fixed = "object X { shared x: val? = none; op put(v: val) { x = v; } }
                 check X { role a { put(1); } role b { put(2); } safe; }";
    let (states, orbits) = compare(fixed, values);
    assert_eq!(states, orbits);
}
