//! Who goes on when the plan is at its end.
//!
//! Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi and Nagarakatte (ASPLOS 2010). Partial order sampling:
//! Yuan, Yang and Gu (CAV 2018). Both here as the papers have them, but that a thread's accesses to memory of its own are no
//! steps.

use crate::state::{MAX_THREADS, state};

/// How a thread is chosen.
pub enum Policy {
    /// The first that can go on: the rule that execution graphs need.
    First,
    /// The one that ran, as long as it can: no preemption.
    Stay,
    /// The one with the highest priority, which is lowered at some random steps.
    Priorities([u64; MAX_THREADS], Vec<usize>),
    /// The one whose next step has the highest priority; steps at the same address get new ones.
    Steps(Random, [u64; MAX_THREADS]),
}

/// Random numbers (a linear congruence; Knuth's constants).
pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }
}

/// The policy of a plan: its kind, a seed, how many priorities are lowered, and within how many steps.
pub fn policy(kind: u64, seed: u64, depth: u64, length: u64) -> Policy {
    let mut random = Random(seed ^ 0x9E37_79B9_7F4A_7C15);
    for _ in 0..4 {
        random.next();
    }
    match kind {
        1 => Policy::Stay,
        2 => {
            let mut priorities = [0; MAX_THREADS];
            // Lowered priorities are below all of these.
            priorities.iter_mut().for_each(|p| *p = (random.next() | 1 << 40) & !0xff);
            let lowered = (0..depth).map(|_| (random.next() % length.max(1)) as usize + 1).collect();
            Policy::Priorities(priorities, lowered)
        }
        3 => {
            let mut priorities = [0; MAX_THREADS];
            priorities.iter_mut().for_each(|p| *p = random.next());
            Policy::Steps(random, priorities)
        }
        _ => Policy::First,
    }
}

/// Chooses among threads that can go on, given as bits; there is one.
pub fn pick(able: u64, me: usize) -> usize {
    let state = state();
    let threads = (1..MAX_THREADS).filter(|t| able >> t & 1 == 1);
    match &mut state.policy {
        Policy::First => able.trailing_zeros() as usize,
        Policy::Stay if able >> me & 1 == 1 => me,
        Policy::Stay => able.trailing_zeros() as usize,
        Policy::Priorities(priorities, lowered) => {
            let best = threads.clone().max_by_key(|t| priorities[*t]).unwrap_or(0);
            let Some(at) = lowered.iter().position(|step| *step == state.steps) else { return best };
            priorities[best] = at as u64;
            threads.max_by_key(|t| priorities[*t]).unwrap_or(0)
        }
        Policy::Steps(random, priorities) => {
            let best = threads.clone().max_by_key(|t| priorities[*t]).unwrap_or(0);
            let address = state.threads[best].address;
            for thread in threads {
                if thread == best || state.threads[thread].address == address {
                    priorities[thread] = random.next();
                }
            }
            best
        }
    }
}
