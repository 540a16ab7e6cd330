//! States that memory has no room for: the same are found.

use std::io;
use std::sync::{Arc, Mutex};
use trueline_base::{Limits, Meter, Scratch, Silent, Spill, Stop};
use trueline_space::{Always, Answer, Enabled, Letter, Model, Move, Space, Start, To, View, explore};

/// Threads that count round and round, each for itself.
struct Clocks;

const HOURS: u8 = 64;

impl Model for Clocks {
    fn threads(&self) -> usize {
        3
    }

    fn starts(&mut self) -> Vec<Start> {
        vec![Start::At { global: vec![0], locals: vec![vec![0]; 3] }]
    }

    fn moves(&mut self, at: View<'_>, _: usize, out: &mut Vec<Move>) -> Enabled {
        let local = vec![(at.local[0] + 1) % HOURS];
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

/// How a search with so much memory ends, how many states and transitions it has, and how much is elsewhere.
fn search(memory: u64, room: usize, jobs: usize) -> (Answer<std::convert::Infallible>, usize, u64, usize) {
    let elsewhere = Arc::new(Elsewhere { room, ..Elsewhere::default() });
    let spill: Option<Arc<dyn Spill>> = Some(elsewhere.clone());
    let meter = Meter::start(Limits { memory: Some(memory), spill, jobs, ..Limits::default() });
    let explored = explore(&mut Space::new(Clocks, Always), &meter, &mut Silent, &mut ());
    let places = elsewhere.places.lock().expect("no panic");
    let moved = places.iter().map(|place| place.bytes.lock().expect("no panic").len()).sum();
    (explored.answer, explored.search.states.len(), explored.search.transitions, moved)
}

#[test]
fn states_go_elsewhere_when_memory_gets_short() {
    let all = (HOURS as usize).pow(3);
    let transitions = 3 * all as u64;
    assert_eq!(search(u64::MAX, 0, 1), (Answer::Complete, all, transitions, 0));
    const MEMORY: u64 = 4_500_000;
    let (answer, states, ..) = search(MEMORY, 0, 1);
    assert_eq!(answer, Answer::Stopped(Stop::Memory), "there is no room at all");
    assert!(states < all);
    for jobs in [1, 3] {
        let (answer, states, found, moved) = search(MEMORY, usize::MAX, jobs);
        assert_eq!((answer, states, found), (Answer::Complete, all, transitions));
        assert!(moved >= all / 4 * 8, "{moved} bytes went elsewhere");
    }
}
