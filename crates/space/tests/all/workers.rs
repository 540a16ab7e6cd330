//! Several workers: the same states in the same order, wherever a search stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use trueline_base::{Limits, Meter, Silent, Stop};
use trueline_space::{
    After, Always, Answer, Enabled, Letter, Model, Monitor, Move, Search, Space, Start, To, View, explore,
};

const THREADS: usize = 6;

/// Threads that count, each for itself: layers of tens of thousands of states.
struct Counters;

impl Model for Counters {
    fn threads(&self) -> usize {
        THREADS
    }

    fn starts(&mut self) -> Vec<Start> {
        vec![Start::At { global: vec![0], locals: vec![vec![0]; THREADS] }]
    }

    fn moves(&mut self, at: View<'_>, thread: usize, out: &mut Vec<Move>) -> Enabled {
        if at.local[0] == 8 {
            return Enabled::Done;
        }
        let local = vec![at.local[0] + 1];
        out.push(Move { letter: Letter(thread as u32), to: To::Parts { global: None, local, rename: 0 } });
        Enabled::Yes
    }
}

/// Knows something of who moved in which order; of numbers that are both even or both odd the smaller is below.
/// Cannot go on when it has compared so often.
struct Paths {
    patience: Arc<AtomicU64>,
}

impl Monitor for Paths {
    type Halt = ();
    type State = u32;

    fn initial(&mut self) -> Result<u32, ()> {
        Ok(0)
    }

    fn after(&mut self, at: u32, thread: usize, _: Letter) -> Result<After, ()> {
        Ok(After::At((at * 7 + thread as u32) % 211))
    }

    fn permute(&mut self, at: u32, _: &[u8]) -> u32 {
        at
    }

    fn least(&mut self, at: u32, _: &[(usize, usize)]) -> u32 {
        at
    }

    fn below(&mut self, smaller: u32, larger: u32) -> Result<bool, ()> {
        let left = self.patience.load(Ordering::Relaxed);
        self.patience.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 { Err(()) } else { Ok(smaller <= larger && (larger - smaller).is_multiple_of(2)) }
    }

    fn len(&self) -> usize {
        211
    }

    fn bytes(&self) -> u64 {
        0
    }
}

fn meter(jobs: usize, states: Option<u64>) -> Meter {
    Meter::start(Limits { jobs, states, ..Limits::default() })
}

/// A few states of a search, its size, and its transitions.
fn gist(search: &Search) -> (usize, u64, String) {
    let some = (0..search.states.len()).step_by(9973).map(|id| format!("{:?} ", search.states.get(id)));
    (search.states.len(), search.transitions, some.collect())
}

#[test]
fn states_have_the_same_numbers() {
    let search = |jobs: usize, states: Option<u64>| {
        let explored = explore(&mut Space::new(Counters, Always), &meter(jobs, states), &mut Silent, &mut ());
        (explored.answer, gist(&explored.search))
    };
    let (answer, one) = search(1, None);
    assert_eq!((answer, one.0), (Answer::Complete, 9usize.pow(6)));
    for jobs in [2, 4] {
        assert_eq!(search(jobs, None), (Answer::Complete, one.clone()), "{jobs} workers");
    }
    // A limit ends the search at the same state.
    let (answer, stopped) = search(1, Some(400_000));
    assert_eq!(answer, Answer::Stopped(Stop::States));
    assert_eq!(search(2, Some(400_000)).1, stopped);
}

#[test]
fn least_states_are_the_same() {
    let search = |jobs: usize, patience: u64| {
        let left = Arc::new(AtomicU64::new(patience));
        let mut space = Space::new(Counters, Paths { patience: left.clone() });
        space.antichain = true;
        let mut search = Search::new(&space, (1 << THREADS) - 1);
        let mut halts = 0;
        loop {
            match search.go_on(&mut space, &meter(jobs, None), &mut Silent, &mut ()) {
                Answer::Complete => return (halts, gist(&search)),
                Answer::Halted(()) => left.store(patience, Ordering::Relaxed),
                other => panic!("{other:?}"),
            }
            halts += 1;
        }
    };
    let (halts, whole) = search(1, u64::MAX);
    assert_eq!(halts, 0);
    assert!(whole.0 > 9usize.pow(6), "{}", whole.0);
    assert_eq!(search(2, u64::MAX).1, whole);
    // What was stored in part when the monitor gave up is stored as a whole later.
    let (halts, again) = search(2, 5_000);
    assert!(halts > 2, "{halts}");
    assert_eq!(again, whole);
}
