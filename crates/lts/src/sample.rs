//! Systems made by rule: random ones from a seed, all small ones, and families for benchmarks.
//! Equal arguments give equal systems, on every machine and in every version.

use crate::labels::Labels;
use crate::system::{LabelId, Lts, StateId};

pub use trueline_base::random::Random;

/// The labels tau, a, b, ..., h, a8, a9, ... with `visible` visible ones; never `i`, which means
/// tau to CADP.
pub fn letters(visible: u32) -> Labels {
    let mut labels = Labels::new();
    for i in 0..visible {
        match u8::try_from(i).ok().filter(|i| *i < 8) {
            Some(i) => labels.intern(char::from(b'a' + i).encode_utf8(&mut [0; 4])),
            None => labels.intern(&format!("a{i}")),
        };
    }
    labels
}

/// A random system of at most `largest` states with one or two visible labels: sparse or dense,
/// with few or many tau steps, with cycles, self-loops, duplicates and unreachable states.
pub fn random_small(seed: u64, largest: u64) -> Lts {
    let mut random = Random::new(seed);
    let n = 1 + random.below(largest);
    let m = random.below(3 * n + 1);
    let percent_tau = 10 + random.below(80);
    let visible = 1 + random.below(2);
    let mut steps = Vec::new();
    for _ in 0..m {
        let label = if random.below(100) < percent_tau { 0 } else { 1 + random.below(visible) };
        let step = (random.below(n), label, random.below(n));
        steps.push(step);
        if random.below(10) == 0 {
            steps.push(step);
        }
    }
    let initial = random.below(n);
    system(n, initial, letters(visible as u32), steps)
}

/// A random system of a given size; with `acyclic`, tau steps lead to smaller states only.
pub fn random_large(
    seed: u64,
    states: u64,
    transitions: u64,
    percent_tau: u64,
    visible: u32,
    acyclic: bool,
) -> Lts {
    let mut random = Random::new(seed);
    let steps = (0..transitions).map(|_| {
        let label = if random.below(100) < percent_tau { 0 } else { 1 + random.below(u64::from(visible)) };
        let (s, t) = (random.below(states), random.below(states));
        if label == 0 && acyclic { (s.max(t), 0, s.min(t)) } else { (s, label, t) }
    });
    system(states, states - 1, letters(visible), steps)
}

fn system(n: u64, initial: u64, labels: Labels, steps: impl IntoIterator<Item = (u64, u64, u64)>) -> Lts {
    let steps = steps.into_iter().map(|(s, l, t)| (StateId(s as u32), LabelId(l as u32), StateId(t as u32)));
    Lts::from_transitions(n as u32, StateId(initial as u32), labels, steps)
}

/// The system with `n` states over tau and `a` whose transitions are the bits of `code`:
/// bit `(s * n + t) * 2 + l` is the transition from `s` to `t` with label `l`.
pub fn small_by_code(n: u32, code: u64) -> Lts {
    let bits = (0..u64::from(n * n * 2)).filter(|bit| code >> bit & 1 == 1);
    let n = u64::from(n);
    system(n, 0, letters(1), bits.map(|bit| (bit / 2 / n, bit % 2, bit / 2 % n)))
}

/// Interleaves `copies` of a component that makes `inert` silent steps, a step with a label of its
/// own and one with a common label, and starts again: `(inert + 2)^copies` states, `2^copies`
/// classes by branching bisimulation.
pub fn product(copies: u32, inert: u64) -> Lts {
    let size = inert + 2;
    let n = size.pow(copies);
    let mut steps = Vec::new();
    for s in 0..n {
        let mut weight = 1;
        for i in 0..copies {
            let local = s / weight % size;
            let (label, next) = match local {
                x if x < inert => (0, x + 1),
                x if x == inert => (1 + u64::from(i), x + 1),
                _ => (1 + u64::from(copies), 0),
            };
            steps.push((s, label, s - local * weight + next * weight));
            weight *= size;
        }
    }
    system(n, 0, letters(copies + 1), steps)
}

/// Interleaves `copies` of a component that chooses silently between two labels of its own: every
/// silent step matters and nothing is reduced.
pub fn choices(copies: u32) -> Lts {
    let n = 3u64.pow(copies);
    let mut steps = Vec::new();
    for s in 0..n {
        let mut weight = 1;
        for i in 0..copies {
            match s / weight % 3 {
                0 => steps.extend([(s, 0, s + weight), (s, 0, s + 2 * weight)]),
                1 => steps.push((s, 1 + 2 * u64::from(i), s - weight)),
                _ => steps.push((s, 2 + 2 * u64::from(i), s - 2 * weight)),
            }
            weight *= 3;
        }
    }
    system(n, 0, letters(2 * copies), steps)
}

/// `hubs` states with a move to each of `spokes` states of a chain: what makes signatures dear.
pub fn hubs(hubs: u64, spokes: u64) -> Lts {
    let chain = (1..spokes).map(|s| (s, 1, s - 1));
    let wheel = (0..hubs).flat_map(|h| (0..spokes).map(move |s| (spokes + h, 1 + (s + h) % 2, s)));
    system(spokes + hubs, spokes, letters(2), chain.chain(wheel))
}

/// A system with one transition removed or added, its target moved, or its label changed.
pub fn mutant(lts: &Lts, seed: u64) -> Lts {
    let mut random = Random::new(seed);
    let n = lts.states() as u64;
    let mut steps: Vec<(u64, u64, u64)> =
        lts.iter().map(|(s, m)| (u64::from(s.0), u64::from(m.label().0), u64::from(m.target().0))).collect();
    let at = random.below(steps.len().max(1) as u64) as usize;
    let labels = lts.labels().len() as u64;
    let fresh = (random.below(n), random.below(labels), random.below(n));
    match (random.below(4), steps.get_mut(at)) {
        (0, Some(_)) => {
            steps.swap_remove(at);
        }
        (1, Some(step)) => step.2 = fresh.2,
        (2, Some(step)) => step.1 = fresh.1,
        _ => steps.push(fresh),
    }
    system(n, u64::from(lts.initial().0), lts.labels().clone(), steps)
}

/// The codes for [`small_by_code`] with at most `most` transitions, one of each set of systems
/// that differ in the numbering of states alone.
pub fn codes_up_to_renaming(n: u32, most: u32) -> impl Iterator<Item = u64> {
    let bits = n * n * 2;
    let renamings: Vec<Vec<u8>> = permutations(n).iter().map(|p| renamed_bits(n, p)).collect();
    let all: Box<dyn Iterator<Item = u64>> = if most >= bits {
        Box::new(0..1u64 << bits)
    } else {
        Box::new((0..=most).flat_map(move |k| subsets(bits, k)))
    };
    all.filter(move |&code| renamings.iter().all(|r| rename(code, r) >= code))
}

/// All numbers below `2^bits` with `k` ones, ascending.
fn subsets(bits: u32, k: u32) -> impl Iterator<Item = u64> {
    let first = if k == 0 { 0 } else { (1u64 << k) - 1 };
    std::iter::successors(Some(first), move |&x| {
        // Gosper: the next larger number with as many ones.
        let low = x & x.wrapping_neg();
        let carried = x.checked_add(low)?;
        let next = if x == 0 { return None } else { carried | (((x ^ carried) >> 2) / low) };
        (next < 1 << bits).then_some(next)
    })
}

fn permutations(n: u32) -> Vec<Vec<u32>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for shorter in permutations(n - 1) {
        for at in 0..n as usize {
            let mut p = shorter.clone();
            p.insert(at, n - 1);
            all.push(p);
        }
    }
    all
}

fn renamed_bits(n: u32, p: &[u32]) -> Vec<u8> {
    let renamed = |bit: u32| {
        let (s, t, l) = (bit / 2 / n, bit / 2 % n, bit % 2);
        ((p[s as usize] * n + p[t as usize]) * 2 + l) as u8
    };
    (0..n * n * 2).map(renamed).collect()
}

fn rename(mut code: u64, to: &[u8]) -> u64 {
    let mut renamed = 0;
    while code != 0 {
        renamed |= 1 << to[code.trailing_zeros() as usize];
        code &= code - 1;
    }
    renamed
}
