//! Reading systems: Aldebaran `.aut` and JSON lines, plain or gzip, as a stream.
//!
//! Errors carry line and column. Nothing is allocated because a header says so: memory follows
//! what has been read.

mod ahead;
mod aut;
mod error;
mod jsonl;
mod lines;
mod scan;
mod threads;

pub use error::{ReadError, ReadFault};

use crate::labels::Labels;
use crate::system::{Builder, LabelId, Lts, StateId};
use ahead::ahead;
use lines::Lines;
use scan::Sink;
use std::io::{BufRead, BufReader, Read};
use trueline_base::{Event, Meter, Observer};

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Labels that mean the internal action: `tau` (mCRL2, LTSmin) and `i` (CADP) unless told
    /// otherwise.
    pub tau: Vec<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options { tau: vec!["tau".into(), "i".into()] }
    }
}

/// Reads any supported format: gzip is known by its first two bytes, JSON lines by a brace.
pub fn any(
    input: impl Read + Send,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, ReadError> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let start = input.fill_buf().map_err(|e| ReadError::io(1, 1, &e))?;
    if start.starts_with(&[0x1f, 0x8b]) {
        let input = flate2::bufread::MultiGzDecoder::new(input);
        // Decompressing takes longer than reading what comes out.
        ahead(input, meter.jobs(), |input| text(input, options, 1, meter, observer))
    } else {
        text(input, options, meter.jobs(), meter, observer)
    }
}

fn text(
    input: impl Read,
    options: &Options,
    jobs: usize,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, ReadError> {
    let mut lines = Lines::new(input);
    if lines.first_byte()? == Some(b'{') {
        jsonl::read(&mut lines, options, meter, observer)
    } else {
        aut::read(&mut lines, options, jobs, meter, observer)
    }
}

/// Reads Aldebaran text, not compressed.
///
/// ```
/// use trueline_base::{Limits, Meter, Silent};
/// use trueline_lts::read;
///
/// let meter = Meter::start(Limits::default());
/// let read = |text: &str| read::aut(text.as_bytes(), &read::Options::default(), &meter, &mut Silent);
/// let lts = read("des (0, 2, 2)\n(0, put(1,2), 1)\n(1, i, 0)\n").unwrap();
/// assert_eq!((lts.states(), lts.transitions(), lts.internal()), (2, 2, 1));
/// let error = read("des (0, 1, 2)\n(0, a, 7)\n").unwrap_err();
/// assert_eq!((error.line, error.column), (2, 8));
/// ```
pub fn aut(
    input: impl Read,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, ReadError> {
    aut::read(&mut Lines::new(input), options, meter.jobs(), meter, observer)
}

/// Reads JSON lines, not compressed: an object with `initial`, `states` and `transitions`, then
/// one object per transition with `from`, `label` (`null` for tau) and `to`.
pub fn jsonl(
    input: impl Read,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, ReadError> {
    jsonl::read(&mut Lines::new(input), options, meter, observer)
}

/// What a file announces.
#[derive(Clone, Copy)]
struct Header {
    initial: u32,
    transitions: u64,
    states: u32,
}

impl Header {
    fn check_state(&self, state: u64) -> Result<StateId, ReadFault> {
        match u32::try_from(state) {
            Ok(id) if id < self.states => Ok(StateId(id)),
            _ => Err(ReadFault::StateOutOfRange { state, states: self.states }),
        }
    }
}

/// A transition.
#[derive(Clone, Copy)]
struct Step {
    source: StateId,
    label: LabelId,
    target: StateId,
}

/// States beyond those that the transitions can touch: more than this is a mistake.
const ISOLATED: u64 = 1 << 24;
/// After so many transitions the limits are asked.
const LOOK: u64 = 1 << 16;
/// A file that has shown so many transitions is believed about the rest.
const BELIEVED: u64 = 1 << 20;

/// Collects transitions and watches over what the header promised.
struct Collector<'a> {
    header: Header,
    builder: Builder,
    tau: &'a [String],
    meter: &'a Meter,
    observer: &'a mut dyn Observer,
    /// How many transitions are read then.
    next_look: u64,
    /// Bytes in use besides what is collected.
    beside: u64,
}

impl Sink for Collector<'_> {
    fn label(&mut self, name: &str) -> LabelId {
        label(name, self.tau, &mut self.builder.labels)
    }

    #[inline]
    fn add(&mut self, step: Step) -> Result<(), ReadFault> {
        if self.builder.len() as u64 == self.next_look {
            self.look()?;
        }
        self.builder.add(step.source, step.label, step.target);
        Ok(())
    }
}

fn label(name: &str, tau: &[String], labels: &mut Labels) -> LabelId {
    if tau.iter().any(|tau| tau == name) { LabelId::TAU } else { labels.intern(name) }
}

impl<'a> Collector<'a> {
    fn new(
        header: Header,
        options: &'a Options,
        meter: &'a Meter,
        observer: &'a mut dyn Observer,
    ) -> Result<Collector<'a>, ReadFault> {
        if header.states == 0 || header.initial >= header.states {
            return Err(ReadFault::NoInitial { initial: header.initial, states: header.states });
        }
        if header.transitions > u64::from(u32::MAX) {
            return Err(ReadFault::TooLarge { what: "transitions" });
        }
        if u64::from(header.states) > 2 * header.transitions + 1 + ISOLATED {
            let (states, transitions) = (header.states, header.transitions);
            return Err(ReadFault::TooManyStates { states, transitions });
        }
        let builder = Builder::new(Labels::new());
        let next_look = header.transitions.min(LOOK);
        Ok(Collector { header, builder, tau: &options.tau, meter, observer, next_look, beside: 0 })
    }

    /// Before a transition is added: is it too many, is there room for it?
    #[cold]
    fn look(&mut self) -> Result<(), ReadFault> {
        let (read, announced) = (self.next_look, self.header.transitions);
        if read == announced {
            return Err(ReadFault::TooManyTransitions { announced });
        }
        let bytes = self.builder.bytes() + self.builder.labels.bytes() + self.beside;
        self.meter.check(bytes, 0).map_err(ReadFault::Stopped)?;
        self.observer.event(&Event::Work { what: "reading", done: read, total: Some(announced), bytes });
        if read == BELIEVED {
            let rest = announced - read;
            self.meter.check(bytes + rest * 8, 0).map_err(ReadFault::Stopped)?;
            self.builder.expect(rest as usize);
        }
        self.next_look = announced.min(read + LOOK);
        Ok(())
    }

    fn finish(self) -> Result<Lts, ReadFault> {
        let found = self.builder.len() as u64;
        if found != self.header.transitions {
            return Err(ReadFault::TooFewTransitions { announced: self.header.transitions, found });
        }
        let bytes = self.builder.bytes() + self.builder.labels.bytes() + u64::from(self.header.states) * 8;
        self.meter.check(bytes, 0).map_err(ReadFault::Stopped)?;
        Ok(self.builder.finish(self.header.states, StateId(self.header.initial)))
    }
}
