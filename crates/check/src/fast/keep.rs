//! Searches that are kept when they are stopped, and go on where they stopped when they are asked for again.

use super::answer::why;
use super::concrete::Fast;
use crate::monitor::Halt;
use crate::outcome::Why;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;
use std::io::{self, Read, Write};
use trueline_base::{Checkpoints, Meter, Observer, Stop};
use trueline_space::{Answer, Edge, Explored, Found, Node, Search, Standing, Unloaded, Visit, wire};

/// Which form of what is kept this program writes and reads.
const FORM: u64 = 1;

/// The name under which searches for one question are kept.
pub(super) struct Keeper {
    name: String,
}

/// A search that was kept: where it stood among the searches for its question, and the rest.
pub(super) struct Kept {
    pub stage: Vec<u8>,
    rest: Box<dyn Read>,
}

/// What ends an attempt to go on before anything was searched.
pub(super) enum Lost {
    /// What was kept is of no use.
    Damaged(String),
    Halted(Halt),
}

impl Lost {
    /// Why the answer is not known.
    pub fn why(self) -> Why {
        match self {
            Lost::Halted(halt) => why(halt),
            Lost::Damaged(error) => {
                Why::Refused(format!("the search cannot go on from where it was kept: {error}"))
            }
        }
    }
}

impl Keeper {
    /// For a question: whatever decides which states there are is part of it.
    pub fn new(question: &dyn std::fmt::Debug) -> Keeper {
        let text = format!("{FORM} {} {question:?}", env!("CARGO_PKG_VERSION"));
        let half = |seed: u64| FixedState::with_seed(seed).hash_one(&text);
        Keeper { name: format!("{:016x}{:016x}", half(1), half(2)) }
    }

    /// What was kept, if anything was.
    pub fn load(&self, meter: &Meter) -> Result<Option<Kept>, Lost> {
        let Some(checkpoints) = &meter.limits().checkpoints else { return Ok(None) };
        let read = || {
            let Some(mut rest) = checkpoints.load(&self.name)? else { return Ok(None) };
            let stage = wire::get_bytes(&mut rest)?;
            Ok(Some(Kept { stage, rest }))
        };
        read().map_err(|error: io::Error| Lost::Damaged(error.to_string()))
    }

    /// Nothing is to go on any longer.
    pub fn done(&self, meter: &Meter) {
        if let Some(checkpoints) = &meter.limits().checkpoints {
            // What cannot be removed is found to be decided again.
            let _ = checkpoints.remove(&self.name);
        }
    }

    /// Explores, from where a kept search stood. A search that limits stop is kept, unless that is the limit on states
    /// and `bounded` says that it is none of the user's.
    pub fn explore(
        &self,
        space: &mut Fast<'_>,
        kept: Option<Kept>,
        stage: &[u8],
        (meter, bounded): (&Meter, bool),
        observer: &mut dyn Observer,
        visit: &mut dyn Visit,
    ) -> Result<Explored<Halt>, Lost> {
        let checkpoints = meter.limits().checkpoints.as_deref();
        if checkpoints.is_some() {
            space.record();
        }
        let mut search = match kept {
            Some(mut kept) => Search::load(space, visit, &mut kept.rest).map_err(|why| match why {
                Unloaded::Damaged(error) => Lost::Damaged(error.to_string()),
                Unloaded::Halted(halt) => Lost::Halted(halt),
            })?,
            None => Search::new(space, u32::MAX),
        };
        loop {
            let mut pausing = Pausing { visit: &mut *visit, checkpoints, moved: false, paused: false };
            let answer = search.go_on(space, meter, observer, &mut pausing);
            let paused = pausing.paused;
            let stopped = match &answer {
                Answer::Stopped(stop) | Answer::Halted(Halt::Stop(stop)) => {
                    !(bounded && *stop == Stop::States)
                }
                _ => false,
            };
            if let Some(checkpoints) = checkpoints.filter(|_| paused || stopped) {
                let write = &mut |out: &mut dyn Write| {
                    wire::put_bytes(out, stage)?;
                    search.save(space, visit, out)
                };
                // The one who gave the handle knows, and tells.
                let _ = checkpoints.save(&self.name, write);
            }
            if !paused {
                return Ok(Explored { search, answer });
            }
        }
    }
}

/// A visitor that has seen enough for now when it is time to keep the search.
struct Pausing<'v> {
    visit: &'v mut dyn Visit,
    checkpoints: Option<&'v dyn Checkpoints>,
    /// Whether anything was seen since the last pause.
    moved: bool,
    paused: bool,
}

impl Visit for Pausing<'_> {
    fn state(&mut self, id: u32, node: &dyn Fn() -> Node, standing: Standing) {
        self.moved = true;
        self.visit.state(id, node, standing);
    }

    fn edges(&self) -> bool {
        self.visit.edges()
    }

    fn edge(&mut self, from: u32, edge: &Edge, to: u32) {
        self.visit.edge(from, edge, to);
    }

    fn enough(&mut self) -> bool {
        if self.visit.enough() {
            return true;
        }
        self.paused = self.moved && self.checkpoints.is_some_and(|checkpoints| checkpoints.due());
        self.paused
    }

    fn bytes(&self) -> u64 {
        self.visit.bytes()
    }

    fn end(&mut self, found: Found) -> bool {
        self.visit.end(found)
    }
}
