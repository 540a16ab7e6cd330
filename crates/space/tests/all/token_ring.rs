//! A model in a few lines of Rust: explored, drawn as a transition system, refuted, through the same interface.

use trueline_base::{Limits, Meter, Silent};
use trueline_space::{
    Always, Answer, Edge, Enabled, Found, Letter, Model, Move, Node, Space, Standing, Start, To, View, Visit,
    explore,
};

/// A token goes round; who has it works once, then passes it on. With `broken`, thread 1 works without it.
struct Ring {
    threads: usize,
    broken: bool,
}

impl Model for Ring {
    fn threads(&self) -> usize {
        self.threads
    }

    fn starts(&mut self) -> Vec<Start> {
        vec![Start::At { global: vec![0], locals: vec![vec![0]; self.threads] }]
    }

    fn moves(&mut self, at: View<'_>, t: usize, out: &mut Vec<Move>) -> Enabled {
        let (holder, works) = (at.global[0] as usize, at.local[0]);
        let next = ((t + 1) % self.threads) as u8;
        let parts = |global, local: u8| To::Parts { global, local: vec![local], rename: 0 };
        match (holder == t, works) {
            (true, 1) => out.push(Move { letter: Letter(2), to: parts(Some(vec![next]), 0) }),
            (true, _) => out.push(Move { letter: Letter(1), to: parts(None, 1) }),
            (false, 0) if self.broken && t == 1 => out.push(Move { letter: Letter(1), to: parts(None, 1) }),
            (false, 1) => out.push(Move { letter: Letter::SILENT, to: To::End(7) }),
            (false, _) => return Enabled::Blocked,
        }
        Enabled::Yes
    }
}

#[derive(Default)]
struct Seen {
    transitions: Vec<(u32, u8, u32, u32)>,
    states: u32,
    found: Option<Found>,
    /// Whether any number of threads may stand anyhow.
    any: bool,
}

impl Visit for Seen {
    fn state(&mut self, _: u32, _: &dyn Fn() -> Node, standing: Standing) {
        assert!(self.any || standing.enabled.count_ones() + standing.blocked.count_ones() == 3);
        self.states += 1;
    }

    fn edge(&mut self, from: u32, edge: &Edge, to: u32) {
        self.transitions.push((from, edge.thread, edge.letter.0, to));
    }

    fn end(&mut self, found: Found) -> bool {
        self.found = Some(found);
        true
    }
}

#[test]
fn a_ring_is_explored() {
    let mut space = Space::new(Ring { threads: 3, broken: false }, Always);
    let mut seen = Seen::default();
    let meter = Meter::start(Limits::default());
    let explored = explore(&mut space, &meter, &mut Silent, &mut seen);
    assert_eq!(explored.answer, Answer::Complete);
    assert_eq!((explored.search.states.len(), explored.search.depth(), seen.states), (6, 5, 6));
    let ring = [(0, 0, 1, 1), (1, 0, 2, 2), (2, 1, 1, 3), (3, 1, 2, 4), (4, 2, 1, 5), (5, 2, 2, 0)];
    assert_eq!(seen.transitions, ring);
}

#[test]
fn a_broken_ring_is_refuted_with_the_way_there() {
    let mut space = Space::new(Ring { threads: 3, broken: true }, Always);
    let mut seen = Seen::default();
    let meter = Meter::start(Limits::default());
    let explored = explore(&mut space, &meter, &mut Silent, &mut seen);
    assert_eq!(explored.answer, Answer::Enough);
    let found = seen.found.expect("thread 1 works without the token");
    assert_eq!((found.thread, found.end), (1, trueline_space::End::Model(7)));
    let Ok(way) = explored.search.way(&mut space, found.from.expect("after a move"));
    assert_eq!(way.len(), 2, "one move leads there");
    let (global, locals) = space.parts(&way[1]);
    assert_eq!((global, locals), (&[0u8][..], vec![&[0u8][..], &[1], &[0]]));
}

#[test]
fn a_limit_ends_the_search() {
    let mut space = Space::new(Ring { threads: 3, broken: false }, Always);
    let meter = Meter::start(Limits { states: Some(2), ..Limits::default() });
    let explored = explore(&mut space, &meter, &mut Silent, &mut ());
    assert_eq!(explored.answer, Answer::Stopped(trueline_base::Stop::States));
}

/// One thread that can go from anywhere to anywhere, by very many moves.
struct Anywhere;

impl Model for Anywhere {
    fn threads(&self) -> usize {
        1
    }

    fn starts(&mut self) -> Vec<Start> {
        vec![Start::At { global: vec![0, 0], locals: vec![vec![0]] }]
    }

    fn moves(&mut self, at: View<'_>, _: usize, out: &mut Vec<Move>) -> Enabled {
        let here = u16::from_le_bytes([at.global[0], at.global[1]]);
        for way in 0..1000 {
            let there = (here.wrapping_mul(7) + way) % 300;
            let to = To::Parts { global: Some(there.to_le_bytes().to_vec()), local: vec![0], rename: 0 };
            out.push(Move { letter: Letter::SILENT, to });
        }
        Enabled::Yes
    }
}

#[test]
fn very_many_moves_are_made_in_small_rounds() {
    let meter = Meter::start(Limits::default());
    let mut seen = Seen { any: true, ..Seen::default() };
    let explored = explore(&mut Space::new(Anywhere, Always), &meter, &mut Silent, &mut seen);
    assert_eq!(explored.answer, Answer::Complete);
    assert_eq!((explored.search.states.len(), explored.search.transitions, seen.states), (300, 300_000, 300));
    assert_eq!(seen.transitions.len(), 300_000);
    assert_eq!(explored.search.depth(), 1);
}
