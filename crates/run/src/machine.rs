//! A machine with one memory executes a graph: whether it is sequentially consistent.
//!
//! Each thread goes on as long as its next read finds what it is to read, and its next write is the next of its location
//! and nobody is left who must read the last one. That ends with all events exactly when po, rf, co and fr have no cycle.
//! The pasts of the events come with it. Cost: linear in the events, but for their clocks.

use crate::clock::Clock;
use crate::graph::{Graph, INIT, Id};

/// Where a location is that nobody writes.
const NO_WRITES: usize = usize::MAX;

/// What the machine knows of a location.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// Writes that are done.
    done: usize,
    /// Reads of the initial value that are not done.
    initial: u16,
    /// What the reads of the last write have seen.
    seen: Clock,
}

/// The machine, whose lists are used again.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    order: Vec<Id>,
    next: Vec<usize>,
    /// Where each location is in co, by its number.
    places: Vec<usize>,
    cells: Vec<Cell>,
    /// Reads of each write that are not done.
    readers: Vec<u16>,
}

impl Machine {
    /// Executes a graph. Answers whether it could; then the order and the pasts of the events are those of the execution.
    pub fn execute(&mut self, graph: &mut Graph) -> bool {
        self.begin(graph);
        let count = graph.events.len();
        while self.order.len() < count {
            let before = self.order.len();
            for thread in 0..graph.threads.len() {
                while self.step(graph, thread) {}
            }
            if self.order.len() == before {
                return false;
            }
        }
        graph.order.clone_from(&self.order);
        true
    }

    fn begin(&mut self, graph: &Graph) {
        self.order.clear();
        self.next.clear();
        self.next.resize(graph.threads.len(), 0);
        self.places.fill(NO_WRITES);
        for (at, (loc, _)) in graph.co.iter().enumerate() {
            let loc = *loc as usize;
            if self.places.len() <= loc {
                self.places.resize(loc + 1, NO_WRITES);
            }
            self.places[loc] = at;
        }
        self.cells.clear();
        self.cells.resize(graph.co.len(), Cell::default());
        self.readers.clear();
        self.readers.resize(graph.events.len(), 0);
        for event in graph.events.iter().filter(|e| !e.write) {
            match (event.rf, self.place(event.loc)) {
                (INIT, NO_WRITES) => {}
                (INIT, at) => self.cells[at].initial += 1,
                (write, _) => self.readers[usize::from(write)] += 1,
            }
        }
    }

    /// Where a location is in co; fences are nowhere.
    fn place(&self, loc: u32) -> usize {
        self.places.get(loc as usize).copied().unwrap_or(NO_WRITES)
    }

    /// The next event of a thread, if it can be now.
    fn step(&mut self, graph: &mut Graph, thread: usize) -> bool {
        let ids = &graph.threads[thread];
        let Some(&id) = ids.get(self.next[thread]) else { return false };
        let event = graph.event(id);
        let (place, mine, index) = (self.place(event.loc), event.thread, event.index);
        let mut past = match self.next[thread].checked_sub(1) {
            Some(i) => graph.event(ids[i]).past,
            None => Clock::default(),
        };
        if place != NO_WRITES {
            let (writes, cell) = (&graph.co[place].1, &mut self.cells[place]);
            let last = cell.done.checked_sub(1).map_or(INIT, |i| writes[i]);
            let waiting = match last {
                INIT => &mut cell.initial,
                write => &mut self.readers[usize::from(write)],
            };
            if event.write {
                if writes.get(cell.done) != Some(&id) || *waiting > 0 {
                    return false;
                }
                past.join(&cell.seen);
                cell.seen = Clock::default();
                cell.done += 1;
            } else {
                if event.rf != last {
                    return false;
                }
                *waiting -= 1;
            }
            if last != INIT {
                past.join(&graph.event(last).past);
            }
        }
        past.add(mine, index);
        if place != NO_WRITES && !event.write {
            self.cells[place].seen.join(&past);
        }
        graph.events[usize::from(id)].past = past;
        self.order.push(id);
        self.next[thread] += 1;
        true
    }
}
