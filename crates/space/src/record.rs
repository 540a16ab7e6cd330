//! What a monitor was asked, in order: another one that is asked the same has the same states with the same numbers.
//!
//! So a search can be kept without knowing what the states of its monitor are, at the price of asking again.

use crate::model::Letter;
use crate::monitor::{After, Monitor};
use crate::permute::{packed, unpacked};
use crate::wire;
use std::io::{self, Read, Write};
use trueline_base::interner::Id;

/// A violation among answers.
const VIOLATION: u64 = 1 << 32;

/// One question and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    kind: Kind,
    at: u32,
    thread: u8,
    with: u64,
    answer: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    Initial,
    After,
    Permute,
    Least,
    Below,
}

/// Questions and answers so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record(Vec<Asked>);

/// Why what was kept cannot be had again.
#[derive(Debug)]
pub enum Unloaded<H> {
    /// It is not what was written, or belongs to something else.
    Damaged(io::Error),
    /// The monitor cannot go on.
    Halted(H),
}

impl<H> From<io::Error> for Unloaded<H> {
    fn from(error: io::Error) -> Unloaded<H> {
        Unloaded::Damaged(error)
    }
}

impl Record {
    pub fn bytes(&self) -> u64 {
        (self.0.capacity() * std::mem::size_of::<Asked>()) as u64
    }

    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        wire::put_list(out, self.0.iter(), |out, asked| {
            out.write_all(&[asked.kind as u8, asked.thread])?;
            out.write_all(&asked.at.to_le_bytes())?;
            wire::put(out, asked.with)?;
            wire::put(out, asked.answer)
        })
    }

    pub fn load(input: &mut dyn Read) -> io::Result<Record> {
        let list = wire::get_list(input, |input| {
            let mut head = [0; 6];
            input.read_exact(&mut head)?;
            let kind = match head[0] {
                0 => Kind::Initial,
                1 => Kind::After,
                2 => Kind::Permute,
                3 => Kind::Least,
                4 => Kind::Below,
                _ => return Err(wire::damaged("no monitor is asked that")),
            };
            let at = u32::from_le_bytes([head[2], head[3], head[4], head[5]]);
            Ok(Asked { kind, at, thread: head[1], with: wire::get(input)?, answer: wire::get(input)? })
        })?;
        Ok(Record(list))
    }

    /// Asks a monitor everything again; its answers must be the same. An exchange has so many names.
    pub fn replay<B: Monitor>(&self, monitor: &mut B, names: usize) -> Result<(), Unloaded<B::Halt>> {
        for asked in &self.0 {
            let (at, with) = (asked.at, asked.with);
            if asked.kind != Kind::Initial && at as usize >= monitor.len() {
                return Err(wire::damaged("the monitor has no such state").into());
            }
            let state = B::State::of(at);
            let answer = match asked.kind {
                Kind::Initial => monitor.initial().map(|state| state.number() as u64),
                Kind::After => {
                    let after = monitor.after(state, asked.thread as usize, Letter(with as u32));
                    after.map(|after| number(bare(after)))
                }
                Kind::Permute => Ok(monitor.permute(state, &unpacked(with)[..names]).number() as u64),
                Kind::Least => Ok(monitor.least(state, &groups(with as u32, names)).number() as u64),
                Kind::Below if with as usize >= monitor.len() => {
                    return Err(wire::damaged("the monitor has no such state").into());
                }
                Kind::Below => monitor.below(state, B::State::of(with as u32)).map(|below| below as u64),
            };
            if answer.map_err(Unloaded::Halted)? != asked.answer {
                return Err(wire::damaged("the monitor answers otherwise now").into());
            }
        }
        Ok(())
    }
}

/// The same with the number of the state.
fn bare<S: Id>(after: After<S>) -> After {
    match after {
        After::At(state) => After::At(state.number()),
        After::Violation(code) => After::Violation(code),
    }
}

fn number(after: After) -> u64 {
    match after {
        After::At(state) => state as u64,
        After::Violation(code) => VIOLATION | code as u64,
    }
}

/// Groups of neighbouring places, given the places that belong to the group of the one before.
pub(crate) fn groups(ties: u32, names: usize) -> Vec<(usize, usize)> {
    let mut groups = Vec::new();
    let mut at = 0;
    while at < names {
        let from = at;
        at += 1;
        while at < names && ties >> at & 1 == 1 {
            at += 1;
        }
        if at > from + 1 {
            groups.push((from, at));
        }
    }
    groups
}

/// A monitor whose answers are noted where that is wanted, and whose states are numbers.
pub(crate) struct RecordedMonitor<'a, B> {
    pub monitor: &'a mut B,
    pub record: &'a mut Option<Record>,
}

impl<B: Monitor> RecordedMonitor<'_, B> {
    fn note(&mut self, kind: Kind, at: u32, thread: usize, with: u64, answer: u64) {
        if let Some(Record(list)) = self.record {
            list.push(Asked { kind, at, thread: thread as u8, with, answer });
        }
    }

    pub fn initial(&mut self) -> Result<u32, B::Halt> {
        let state = self.monitor.initial()?.number();
        self.note(Kind::Initial, 0, 0, 0, state as u64);
        Ok(state)
    }

    pub fn after(&mut self, at: u32, thread: usize, letter: Letter) -> Result<After, B::Halt> {
        let after = bare(self.monitor.after(B::State::of(at), thread, letter)?);
        self.note(Kind::After, at, thread, letter.0 as u64, number(after));
        Ok(after)
    }

    pub fn permute(&mut self, at: u32, by: &[u8]) -> u32 {
        let state = self.monitor.permute(B::State::of(at), by).number();
        self.note(Kind::Permute, at, 0, packed(by), state as u64);
        state
    }

    /// The least image under exchanges of places with those before them.
    pub fn least(&mut self, at: u32, ties: u32, names: usize) -> u32 {
        let state = self.monitor.least(B::State::of(at), &groups(ties, names)).number();
        self.note(Kind::Least, at, 0, ties as u64, state as u64);
        state
    }

    pub fn below(&mut self, smaller: u32, larger: u32) -> Result<bool, B::Halt> {
        let below = self.monitor.below(B::State::of(smaller), B::State::of(larger))?;
        self.note(Kind::Below, smaller, 0, larger as u64, below as u64);
        Ok(below)
    }
}
