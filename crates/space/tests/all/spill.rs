//! States that memory has no room for: the same are found.

use std::io;
use std::sync::{Arc, Mutex};
use trueline_base::{Limits, Meter, Scratch, Silent, Spill, Stop};
use trueline_space::{Always, Answer, Enabled, Letter, Model, Move, Space, Start, To, View, explore};

/// Threads that count round and round, each for itself, so many hours.
struct Clocks(&'static [u16]);

const ALIKE: Clocks = Clocks(&[64; 3]);

/// One goes on when the others have shown all that they have: its last hours need wider words.
const SLOW: Clocks = Clocks(&[300, 3, 3, 3, 3, 3, 3]);

impl Clocks {
    fn states(&self) -> usize {
        self.0.iter().map(|hours| *hours as usize).product()
    }
}

impl Model for Clocks {
    fn threads(&self) -> usize {
        self.0.len()
    }

    fn starts(&mut self) -> Vec<Start> {
        vec![Start::At { global: vec![0], locals: vec![vec![0; 2]; self.0.len()] }]
    }

    fn moves(&mut self, at: View<'_>, thread: usize, out: &mut Vec<Move>) -> Enabled {
        let hour = u16::from_le_bytes([at.local[0], at.local[1]]);
        let local = ((hour + 1) % self.0[thread]).to_le_bytes().to_vec();
        out.push(Move { letter: Letter::SILENT, to: To::Parts { global: None, local, rename: 0 } });
        Enabled::Yes
    }
}

#[derive(Debug, Default)]
struct Elsewhere {
    places: Mutex<Vec<Arc<Place>>>,
    /// Bytes that there is room for.
    room: usize,
}

#[derive(Debug, Default)]
struct Place {
    bytes: Mutex<Vec<u8>>,
    room: usize,
}

impl Spill for Elsewhere {
    fn open(&self) -> io::Result<Arc<dyn Scratch>> {
        let place = Arc::new(Place { room: self.room, ..Place::default() });
        self.places.lock().expect("no panic").push(place.clone());
        Ok(place)
    }
}

impl Scratch for Place {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let mut all = self.bytes.lock().expect("no panic");
        let end = at as usize + bytes.len();
        if end > self.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let len = all.len().max(end);
        all.resize(len, 0);
        all[at as usize..end].copy_from_slice(bytes);
        Ok(())
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let all = self.bytes.lock().expect("no panic");
        bytes.copy_from_slice(&all[at as usize..at as usize + bytes.len()]);
        Ok(())
    }
}

type Searched = (Answer<std::convert::Infallible>, usize, u64, Vec<usize>);

/// How a search with so much memory ends, how many states and transitions it has, and how many bytes are elsewhere: first
/// those of words in their first form, then those of wider ones.
fn search(clocks: Clocks, antichain: bool, memory: u64, room: usize, jobs: usize) -> Searched {
    let elsewhere = Arc::new(Elsewhere { room, ..Elsewhere::default() });
    let spill: Option<Arc<dyn Spill>> = Some(elsewhere.clone());
    let meter = Meter::start(Limits { memory: Some(memory), spill, jobs, ..Limits::default() });
    let mut space = Space::new(clocks, Always);
    space.antichain = antichain;
    let explored = explore(&mut space, &meter, &mut Silent, &mut ());
    let places = elsewhere.places.lock().expect("no panic");
    let moved = places.iter().map(|place| place.bytes.lock().expect("no panic").len()).collect();
    (explored.answer, explored.search.states.len(), explored.search.transitions, moved)
}

#[test]
fn states_go_elsewhere_when_memory_gets_short() {
    let all = ALIKE.states();
    let transitions = 3 * all as u64;
    assert_eq!(search(ALIKE, false, u64::MAX, 0, 1), (Answer::Complete, all, transitions, vec![]));
    const MEMORY: u64 = 4_500_000;
    let (answer, states, ..) = search(ALIKE, false, MEMORY, 0, 1);
    assert_eq!(answer, Answer::Stopped(Stop::Memory), "there is no room at all");
    assert!(states < all);
    for jobs in [1, 3] {
        let (answer, states, found, moved) = search(ALIKE, false, MEMORY, usize::MAX, jobs);
        assert_eq!((answer, states, found), (Answer::Complete, all, transitions));
        assert!(moved[0] >= all / 4 * 8, "{moved:?} bytes went elsewhere");
    }
}

#[test]
fn states_that_are_elsewhere_are_packed_again() {
    let all = SLOW.states();
    let transitions = SLOW.0.len() as u64 * all as u64;
    for (antichain, memory) in [(false, 4_400_000), (true, 16_000_000)] {
        for jobs in [1, 3] {
            let (answer, states, found, moved) = search(SLOW, antichain, memory, usize::MAX, jobs);
            assert_eq!(
                (answer, states, found),
                (Answer::Complete, all, transitions),
                "antichain: {antichain}"
            );
            assert!(moved.len() == 2 && moved[1] > moved[0], "{moved:?} bytes went elsewhere");
        }
    }
    let (answer, .., moved) = search(SLOW, false, 4_400_000, 1_500_000, 1);
    assert_eq!(answer, Answer::Stopped(Stop::Memory), "there is no room for the wider ones");
    assert_eq!(moved.len(), 2, "{moved:?}");
}
