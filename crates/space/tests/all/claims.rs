//! The checking wrapper: a model that tells the truth passes, and each claim that is broken is caught.

use trueline_base::{Limits, Meter, Silent};
use trueline_space::{
    Accesses, Always, Answer, Enabled, Letter, Model, Move, Order, Space, Start, To, View, Whole, WholeMove,
    explore,
};

/// What a model says of itself that is not so.
#[derive(Clone, Copy, PartialEq)]
enum Lie {
    None,
    /// Where a move leads depends on the other thread.
    Parts,
    /// What is seen of a move depends on the other thread.
    Letters,
    /// Whether there is a move depends on the other thread.
    Moves,
    /// Whether the execution ends depends on the other thread.
    Ends,
    /// The first thread writes the cell of the second, and does not say so.
    Accesses,
}

/// Each of two threads counts its own cell up to 2.
struct Counters {
    lie: Lie,
    touched: Accesses,
}

impl Counters {
    fn new(lie: Lie) -> Counters {
        Counters { lie, touched: Accesses::NONE }
    }
}

/// A move of one thread: what is seen, and the cells and the thread's number of steps after it, or what ends it.
type Step = (Letter, Result<([u8; 2], u8), u32>);

impl Counters {
    /// The move of a thread as it is, where only its own part is known, and the other's where it is not.
    fn step(&self, cells: &[u8], steps: u8, thread: usize, other: Option<u8>) -> Option<Step> {
        // A lie shows once the other thread has made a step, of which `moves` knows nothing.
        let lies = |lie: Lie| self.lie == lie && other.is_some_and(|steps| steps > 0);
        if lies(Lie::Moves) || steps == 2 {
            return None;
        }
        if lies(Lie::Ends) {
            return Some((Letter(1), Err(7)));
        }
        let mut cells = [cells[0], cells[1]];
        cells[thread] += 1;
        if self.lie == Lie::Accesses && thread == 0 {
            cells[1] = 0;
        }
        let steps = if lies(Lie::Parts) { 2 } else { steps + 1 };
        Some((Letter(if lies(Lie::Letters) { 2 } else { 1 }), Ok((cells, steps))))
    }
}

impl Model for Counters {
    fn threads(&self) -> usize {
        2
    }

    fn starts(&mut self) -> Vec<Start> {
        vec![Start::At { global: vec![0, 0], locals: vec![vec![0]; 2] }]
    }

    fn moves(&mut self, at: View<'_>, thread: usize, out: &mut Vec<Move>) -> Enabled {
        let cell = Accesses::bit(thread);
        self.touched = Accesses { reads: cell, writes: cell, alone: false, returns: false };
        let Some((letter, to)) = self.step(at.global, at.local[0], thread, None) else {
            return Enabled::Done;
        };
        let to = match to {
            Ok((cells, steps)) => To::Parts { global: Some(cells.to_vec()), local: vec![steps], rename: 0 },
            Err(code) => To::End(code),
        };
        out.push(Move { letter, to });
        Enabled::Yes
    }

    fn accesses(&self) -> Accesses {
        self.touched
    }

    fn whole(&mut self, at: Whole<'_>, thread: usize) -> Vec<WholeMove> {
        let step = self.step(at.global, at.locals[thread][0], thread, Some(at.locals[1 - thread][0]));
        let parts = |(cells, steps): ([u8; 2], u8)| {
            let mut locals: Vec<Vec<u8>> = at.locals.iter().map(|local| local.to_vec()).collect();
            locals[thread] = vec![steps];
            (cells.to_vec(), locals)
        };
        step.into_iter().map(|(letter, to)| WholeMove { letter, to: to.map(parts) }).collect()
    }
}

/// Explores everything, with every claim verified; the number of states.
fn checked(lie: Lie, order: Order) -> usize {
    let mut space = Space::new(Counters::new(lie), Always);
    space.checked = true;
    space.leave_out(order);
    let explored = explore(&mut space, &Meter::start(Limits::default()), &mut Silent, &mut ());
    assert_eq!(explored.answer, Answer::Complete);
    explored.search.states.len()
}

#[test]
fn the_truth_passes() {
    assert_eq!(checked(Lie::None, Order::Full), 9);
    assert!(checked(Lie::None, Order::Static) <= 9);
    assert!(checked(Lie::None, Order::Cartesian) <= 9);
}

#[test]
#[should_panic(expected = "parts of the move as on the whole state")]
fn moves_that_lead_elsewhere_are_caught() {
    checked(Lie::Parts, Order::Full);
}

#[test]
#[should_panic(expected = "the same moves in order")]
fn moves_that_look_otherwise_are_caught() {
    checked(Lie::Letters, Order::Full);
}

#[test]
#[should_panic(expected = "no further move on the whole state")]
fn moves_that_do_not_exist_are_caught() {
    checked(Lie::Moves, Order::Full);
}

#[test]
#[should_panic(expected = "the move ends as on the whole state")]
fn ends_that_come_too_late_are_caught() {
    checked(Lie::Ends, Order::Full);
}

#[test]
#[should_panic(expected = "independent moves commute")]
fn cells_that_are_written_in_secret_are_caught() {
    checked(Lie::Accesses, Order::Static);
}
