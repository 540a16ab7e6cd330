//! The specification beside the implementation: sets of configurations.
//!
//! Linearizability as trace refinement of a specification whose operations take effect in one silent step between
//! call and return (Liu, Chen, Liu, Sun, Zhang, Dong, IEEE TSE 2013, sections 3 and 4.1): the specification is
//! determinised on the fly. A configuration is a state of the specification and, per thread, idle, pending with its
//! call, or linearized with a result. Invariant: a set is closed under linearizing pending operations, so that it
//! holds every configuration that the visible trace so far allows; a return keeps it closed, a call closes it again.
//! With points (theorem 2 there), an operation that has marks is linearized by its mark alone. Sets are sorted,
//! stored once and numbered; each (set, label) is computed once. Claim: exact. Oracle: `naive`.

pub(crate) mod client;
mod code;
mod object;

use crate::label::Label;
use crate::monitor::{Halt, LabelMonitor, MonitorInput, Reaction, SILENT, SetId};
pub(crate) use code::{SpecCall, SpecState, SpecValue, ThreadCode, ThreadStatus};
use hashbrown::{HashMap, HashSet};
pub(crate) use object::SequentialSpec;
use trueline_base::{Interner, Meter, Stop, Watch};
use trueline_base::{PointFault, Violation};
use trueline_lang::ir::{Machine, Module};

type Hash = foldhash::fast::FixedState;

/// Sets of configurations, flat: `1 + threads` numbers each, ascending. The first is the state, then a code per thread.
pub(crate) struct SpecMonitor<'m> {
    object: SequentialSpec<'m>,
    /// Per operation of the machine: linearized at its marks only.
    marked: Vec<bool>,
    width: usize,
    sets: Interner<Box<[u32]>, SetId>,
    memo: HashMap<(SetId, MonitorInput), Reaction, Hash>,
}

type Code = ThreadCode<SpecCall>;

/// What a configuration says of a thread.
fn code(configuration: &[u32], thread: usize) -> Code {
    Code::of(configuration[thread + 1])
}

/// A configuration with another code for a thread.
fn with(configuration: &[u32], thread: usize, code: Code) -> Vec<u32> {
    let mut configuration = configuration.to_vec();
    configuration[thread + 1] = code.number();
    configuration
}

/// What a thread does, as far as the specification is concerned; packed into a letter.
#[derive(Clone, Copy)]
enum Event {
    Call(SpecCall),
    Point,
    /// Two points in one move.
    Points,
    /// With a result.
    Return(SpecValue),
}

impl Event {
    fn pack(self, thread: u8) -> MonitorInput {
        let (kind, number) = match self {
            Event::Call(call) => (1, call.0),
            Event::Point => (2, 0),
            Event::Points => (3, 0),
            Event::Return(value) => (4, value.0),
        };
        MonitorInput(kind | (thread as u64) << 8 | (number as u64) << 16)
    }

    fn unpack(MonitorInput(letter): MonitorInput) -> (usize, Event) {
        let number = (letter >> 16) as u32;
        let event = match letter & 0xff {
            1 => Event::Call(SpecCall(number)),
            2 => Event::Point,
            3 => Event::Points,
            4 => Event::Return(SpecValue(number)),
            other => unreachable!("{other} is no event"),
        };
        ((letter >> 8 & 0xff) as usize, event)
    }
}

/// What is wrong with a return that nothing explains, where these operations take effect at their marks: as soon as one
/// does, also what others return depends on where the marks are.
pub(crate) fn unexplained(marked: &[bool]) -> Violation {
    match marked.contains(&true) {
        true => Violation::Point(PointFault::ResultDiffers),
        false => Violation::NotLinearizable,
    }
}

impl<'m> SpecMonitor<'m> {
    /// For the operations of a machine; with `points`, marks count.
    pub fn new(spec: &'m Module, machine: &Machine, points: bool) -> SpecMonitor<'m> {
        SpecMonitor {
            object: SequentialSpec::new(spec, machine),
            marked: machine.object.ops.iter().map(|op| points && op.marked()).collect(),
            width: 1 + machine.threads.len(),
            sets: Interner::default(),
            memo: HashMap::default(),
        }
    }

    /// Whether a call takes effect at its marks only.
    fn is_marked(&self, call: SpecCall) -> bool {
        self.marked[self.object.op_of(call).0 as usize]
    }

    fn intern(&mut self, configurations: Vec<Vec<u32>>, meter: &Meter) -> Result<SetId, Stop> {
        let mut configurations = sort(configurations, meter)?;
        configurations.dedup();
        let flat = configurations.concat();
        let (id, new) = self.sets.intern(flat.as_slice(), || flat.clone().into_boxed_slice());
        if new {
            self.sets.owns(4 * flat.len());
        }
        Ok(id)
    }

    /// Adds what pending operations without marks can lead to.
    fn close(&mut self, mut configurations: Vec<Vec<u32>>, meter: &Meter) -> Result<Vec<Vec<u32>>, Halt> {
        let mut watch = Watch::new(meter);
        // Each is held twice.
        let bytes = 2 * (4 * self.width + std::mem::size_of::<Vec<u32>>() + 16) as u64;
        let mut seen: HashSet<Vec<u32>, Hash> = configurations.iter().cloned().collect();
        let mut at = 0;
        while at < configurations.len() {
            for thread in 0..self.width - 1 {
                let Some(call) = code(&configurations[at], thread).is_pending() else { continue };
                if self.is_marked(call) {
                    continue;
                }
                for next in self.linearize(&configurations[at], thread, call, meter)? {
                    if seen.insert(next.clone()) {
                        configurations.push(next);
                    }
                    watch.goes_on(|| self.bytes() + bytes * configurations.len() as u64);
                    watch.result()?;
                }
            }
            at += 1;
        }
        Ok(configurations)
    }

    /// The pending operation of a thread takes effect.
    fn linearize(
        &mut self,
        configuration: &[u32],
        thread: usize,
        call: SpecCall,
        meter: &Meter,
    ) -> Result<Vec<Vec<u32>>, Halt> {
        let effects = self.object.effects(SpecState(configuration[0]), thread as u8, call, meter)?;
        let after = effects.iter().map(|(state, value)| {
            let mut next = with(configuration, thread, Code::linearized(*value));
            next[0] = state.0;
            next
        });
        Ok(after.collect())
    }

    fn compute(&mut self, set: SetId, letter: MonitorInput, meter: &Meter) -> Result<Reaction, Halt> {
        let (thread, event) = Event::unpack(letter);
        let flat = self.sets.get(set).clone();
        let mut next: Vec<Vec<u32>> = Vec::new();
        if flat.is_empty() {
            return Ok(Reaction::Violation(Violation::NotLinearizable));
        }
        // Before its mark an operation is pending in every configuration, afterwards in none.
        let waits = code(&flat, thread).is_pending().filter(|call| self.is_marked(*call));
        match event {
            Event::Call(call) => {
                for configuration in flat.chunks_exact(self.width) {
                    debug_assert_eq!(
                        code(configuration, thread),
                        Code::IDLE,
                        "a thread calls when it is idle"
                    );
                    next.push(with(configuration, thread, Code::pending(call)));
                }
            }
            Event::Points => return Ok(Reaction::Violation(Violation::Point(PointFault::PassedTwice))),
            Event::Point => {
                let Some(call) = waits else {
                    return Ok(Reaction::Violation(Violation::Point(PointFault::PassedTwice)));
                };
                for configuration in flat.chunks_exact(self.width) {
                    next.extend(self.linearize(configuration, thread, call, meter)?);
                }
                if next.is_empty() {
                    return Ok(Reaction::Violation(Violation::Point(PointFault::Disabled)));
                }
            }
            Event::Return(_) if waits.is_some() => {
                return Ok(Reaction::Violation(Violation::Point(PointFault::ReturnedWithout)));
            }
            Event::Return(value) => {
                for configuration in flat.chunks_exact(self.width) {
                    if code(configuration, thread) == Code::linearized(value) {
                        next.push(with(configuration, thread, Code::IDLE));
                    }
                }
                if next.is_empty() {
                    return Ok(Reaction::Violation(unexplained(&self.marked)));
                }
                return Ok(Reaction::At(self.intern(next, meter)?));
            }
        }
        let next = self.close(next, meter)?;
        Ok(Reaction::At(self.intern(next, meter)?))
    }
}

/// Configurations that are sorted at once; a search that is to end does not wait for more.
const AT_ONCE: usize = 1 << 14;

/// Sorts, in parts and then merging them where there are many.
fn sort(mut all: Vec<Vec<u32>>, meter: &Meter) -> Result<Vec<Vec<u32>>, Stop> {
    if all.len() <= AT_ONCE {
        all.sort_unstable();
        return Ok(all);
    }
    let half = all.split_off(all.len() / 2);
    meter.check_beyond(0)?;
    let (mut left, mut right) =
        (sort(all, meter)?.into_iter().peekable(), sort(half, meter)?.into_iter().peekable());
    let mut merged = Vec::with_capacity(left.len() + right.len());
    loop {
        let first = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if a <= b => left.next(),
            (Some(_), None) => left.next(),
            (_, Some(_)) => right.next(),
            (None, None) => return Ok(merged),
        };
        merged.extend(first);
        if merged.len().is_multiple_of(AT_ONCE) {
            meter.check_beyond(0)?;
        }
    }
}

impl LabelMonitor for SpecMonitor<'_> {
    fn initial(&mut self, meter: &Meter) -> Result<SetId, Halt> {
        let idle = |state: SpecState| {
            let mut configuration = vec![Code::IDLE.number(); self.width];
            configuration[0] = state.0;
            configuration
        };
        let states = self.object.initial(meter)?;
        let configurations = states.into_iter().map(idle).collect();
        Ok(self.intern(configurations, meter)?)
    }

    fn letter(&mut self, label: Label<'_>, thread: u8, points: u32) -> MonitorInput {
        let event = match label {
            Label::Tau => match points {
                0 => return SILENT,
                1 => Event::Point,
                _ => Event::Points,
            },
            Label::Call { op, args, .. } => Event::Call(self.object.call(op, args)),
            Label::Return { value, .. } => Event::Return(self.object.value(value)),
        };
        event.pack(thread)
    }

    fn next(&mut self, set: SetId, letter: MonitorInput, meter: &Meter) -> Result<Reaction, Halt> {
        if letter == SILENT {
            return Ok(Reaction::At(set));
        }
        if let Some(known) = self.memo.get(&(set, letter)) {
            return Ok(*known);
        }
        let answer = self.compute(set, letter, meter)?;
        self.memo.insert((set, letter), answer);
        Ok(answer)
    }

    /// Sets are closed: what could take effect has, in some configuration.
    fn must_wait(&self, set: SetId, thread: usize) -> bool {
        let all = self.sets.get(set);
        let waits = |configuration: &[u32]| code(configuration, thread).is_pending().is_some();
        !all.is_empty() && all.chunks_exact(self.width).all(waits)
    }

    fn below(&self, smaller: SetId, larger: SetId) -> bool {
        // Both are sorted, and closed.
        let mut larger = self.sets.get(larger).chunks(self.width);
        self.sets.get(smaller).chunks(self.width).all(|wanted| larger.any(|other| other == wanted))
    }

    fn len(&self) -> u64 {
        self.sets.len() as u64
    }

    fn bytes(&self) -> u64 {
        let entry = std::mem::size_of::<((SetId, MonitorInput), Reaction)>() + 1;
        self.object.bytes() + self.sets.bytes() + (self.memo.capacity() * entry) as u64
    }
}
