//! The counter and the register of `peers/spin` as models of stateright, for `cargo xtask bench explore`.
//!
//! The steps are those of the `.tl` models without reductions: calls and returns are steps of their own, and what is not
//! read again is not part of a state. Usage: `counter THREADS` or `register READERS`. Prints the number of states.

use stateright::{Checker, Model, Property};

/// Most elements of the counter, and values of the register.
const SIZE: u8 = 4;
const VALUES: usize = 4;

/// Where a client of the counter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Client {
    Idle,
    Read { push: bool },
    Swap { push: bool, seen: u8 },
    Return { push: bool, value: u8 },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Counter {
    size: u8,
    clients: Vec<Client>,
}

/// How many clients call for ever.
struct Counting(usize);

impl Model for Counting {
    type State = Counter;
    /// Who moves, and which operation is called.
    type Action = (usize, bool);

    fn init_states(&self) -> Vec<Counter> {
        vec![Counter { size: 0, clients: vec![Client::Idle; self.0] }]
    }

    fn actions(&self, state: &Counter, actions: &mut Vec<(usize, bool)>) {
        for (at, client) in state.clients.iter().enumerate() {
            actions.push((at, false));
            if *client == Client::Idle {
                actions.push((at, true));
            }
        }
    }

    fn next_state(&self, state: &Counter, (at, push): (usize, bool)) -> Option<Counter> {
        let mut next = state.clone();
        next.clients[at] = match state.clients[at] {
            Client::Idle => Client::Read { push },
            Client::Read { push: true } if state.size == SIZE => {
                Client::Return { push: true, value: SIZE + 5 }
            }
            Client::Read { push: false } if state.size == 0 => Client::Return { push: false, value: 0 },
            Client::Read { push } => Client::Swap { push, seen: state.size },
            Client::Swap { push, seen } if seen != state.size => Client::Read { push },
            Client::Swap { push, seen } => {
                next.size = if push { seen + 1 } else { seen - 1 };
                Client::Return { push, value: if push { seen + 1 } else { seen } }
            }
            Client::Return { .. } => Client::Idle,
        };
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Counting>> {
        vec![Property::always("within its size", |_, state: &Counter| state.size <= SIZE)]
    }
}

/// Where a reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reader {
    Idle,
    Up { at: u8 },
    Down { at: u8, found: u8 },
    Return { found: u8 },
}

/// Where the writer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Writer {
    Idle,
    Set { value: u8 },
    Clear { at: u8 },
    Return,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Register {
    bits: [bool; VALUES],
    readers: Vec<Reader>,
    writer: Writer,
}

/// How many readers there are beside the writer.
struct Reading(usize);

impl Model for Reading {
    type State = Register;
    /// A reader moves, or the writer, which may call with a value.
    type Action = Result<usize, u8>;

    fn init_states(&self) -> Vec<Register> {
        let mut bits = [false; VALUES];
        bits[0] = true;
        vec![Register { bits, readers: vec![Reader::Idle; self.0], writer: Writer::Idle }]
    }

    fn actions(&self, state: &Register, actions: &mut Vec<Result<usize, u8>>) {
        actions.extend((0..state.readers.len()).map(Ok));
        let values = if state.writer == Writer::Idle { VALUES as u8 } else { 1 };
        actions.extend((0..values).map(Err));
    }

    fn next_state(&self, state: &Register, action: Result<usize, u8>) -> Option<Register> {
        let mut next = state.clone();
        match action {
            Ok(reader) => next.readers[reader] = read(&state.bits, state.readers[reader])?,
            Err(value) => {
                next.writer = match state.writer {
                    Writer::Idle => Writer::Set { value },
                    Writer::Set { value } => {
                        next.bits[value as usize] = true;
                        clear(value)
                    }
                    Writer::Clear { at } => {
                        next.bits[at as usize] = false;
                        clear(at)
                    }
                    Writer::Return => Writer::Idle,
                };
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Reading>> {
        vec![Property::always("some bit is set", |_, state: &Register| state.bits.contains(&true))]
    }
}

/// Clears what is below.
fn clear(below: u8) -> Writer {
    if below == 0 { Writer::Return } else { Writer::Clear { at: below - 1 } }
}

fn read(bits: &[bool; VALUES], reader: Reader) -> Option<Reader> {
    let down = |below: u8, found: u8| match below {
        0 => Reader::Return { found },
        below => Reader::Down { at: below - 1, found },
    };
    Some(match reader {
        Reader::Idle => Reader::Up { at: 0 },
        Reader::Up { at } if *bits.get(at as usize)? => down(at, at),
        Reader::Up { at } => Reader::Up { at: at + 1 },
        Reader::Down { at, found } => down(at, if bits[at as usize] { at } else { found }),
        Reader::Return { .. } => Reader::Idle,
    })
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let states = match (words.first().map(String::as_str), words.get(1).and_then(|n| n.parse().ok())) {
        (Some("counter"), Some(threads)) => {
            Counting(threads).checker().spawn_bfs().join().unique_state_count()
        }
        (Some("register"), Some(readers)) => {
            Reading(readers).checker().spawn_bfs().join().unique_state_count()
        }
        _ => {
            eprintln!("usage: trueline-peer-stateright counter THREADS | register READERS");
            std::process::exit(64);
        }
    };
    println!("{states}");
}
