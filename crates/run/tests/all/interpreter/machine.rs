//! Plays plans as a player process does, on interpreted code: the same log, and no real memory.
//!
//! All memory is shared from the beginning, so that every access is a step. The local state of a thread is its place in the
//! code and its registers, exactly: equal numbers of the player's states are a guess about bytes, these are not.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use trueline_run::log::Run;
use trueline_run::player::Plan;

use super::code::{At, Instruction, NULL, Operation, Register};

/// Numbers of the records, as the player's.
const LOAD: u64 = 1;
const STORE: u64 = 2;
const UPDATE: u64 = 3;
const CALL: u64 = 20;
const RETURN: u64 = 21;
const BLOCK: u64 = 22;
const COMPARE: u64 = 8;
const SEQUENTIALLY_CONSISTENT: u64 = 5;
/// Blocks of a thread.
const BLOCKS: u64 = 0x1_0000;
const SIZE: u64 = 16;

/// A call: the operation and its argument.
pub type Call = (Operation, u64);

/// What is played.
pub struct Program {
    /// What variables and blocks contain at the beginning.
    pub memory: Vec<(u64, u64)>,
    pub threads: Vec<Vec<Call>>,
    /// Whether a thread is stopped that is about to repeat a read in the same local state.
    pub cut: bool,
}

#[derive(Default)]
struct Thread {
    calls: usize,
    at: usize,
    registers: [u64; 8],
    blocks: u64,
    accesses: u64,
    planned: usize,
    stopped: bool,
    ended: bool,
    /// Reads since it did something that others may see: the local state, and the accesses before it.
    reads: Vec<(u64, u64)>,
    /// A block of the operation that nobody knows.
    fresh: Option<u64>,
}

struct Machine<'a> {
    program: &'a Program,
    memory: HashMap<u64, u64>,
    threads: Vec<Thread>,
    log: Vec<u64>,
}

impl Program {
    /// The granules that the calls can touch.
    pub fn granules(&self) -> Vec<(u64, u64)> {
        let known = self.memory.iter().map(|(address, _)| *address);
        let fresh = (0..self.threads.len()).flat_map(|thread| {
            let blocks = self.threads[thread].len() as u64;
            (0..blocks * SIZE / 8).map(move |word| first_block(thread) + word * 8)
        });
        known.chain(fresh).map(|address| (address >> 3, address >> 3)).collect()
    }

    /// Plays a plan, and goes on with the first thread that can.
    pub fn play(&self, plan: &Plan) -> Run {
        let threads: Vec<Thread> = (1..=self.threads.len() as u8)
            .map(|t| Thread { planned: plan.steps.iter().filter(|s| **s == t).count(), ..Thread::default() })
            .collect();
        let memory = self.memory.iter().copied().collect();
        let mut machine = Machine { program: self, memory, threads, log: Vec::new() };
        for thread in 0..self.threads.len() {
            machine.call(thread);
            machine.run_to_access(thread);
        }
        for step in &plan.steps {
            let thread = usize::from(*step) - 1;
            machine.threads[thread].planned -= 1;
            assert!(machine.able(thread), "thread {step} cannot make its step: {:?}", plan.steps);
            machine.step(thread);
        }
        let held = |thread: usize| plan.held >> (thread + 1) & 1 == 1;
        while let Some(thread) = (0..self.threads.len()).find(|t| machine.able(*t) && !held(*t)) {
            machine.step(thread);
        }
        let stuck = machine.threads.iter().any(|thread| !thread.ended);
        let mut words = vec![u64::from(stuck), 0, 0, 0];
        words.extend(machine.log);
        Run::decode(words).expect("a log of the form of a player's")
    }
}

fn first_block(thread: usize) -> u64 {
    BLOCKS * (thread as u64 + 1)
}

impl Machine<'_> {
    fn able(&self, thread: usize) -> bool {
        !self.threads[thread].ended && !self.threads[thread].stopped
    }

    /// Begins the next call of a thread, if there is one.
    fn call(&mut self, thread: usize) {
        let this = &mut self.threads[thread];
        match self.program.threads[thread].get(this.calls) {
            None => this.ended = true,
            Some((_, argument)) => {
                (this.at, this.registers, this.fresh) = (0, [0; 8], None);
                this.registers[0] = *argument;
                note(&mut self.log, CALL, thread, this.calls as u64, 0, &[]);
            }
        }
    }

    fn instruction(&self, thread: usize) -> Instruction {
        let this = &self.threads[thread];
        self.program.threads[thread][this.calls].0.code[this.at]
    }

    /// Does what needs no memory, until the thread is about to access it, has ended or is stopped.
    fn run_to_access(&mut self, thread: usize) {
        while !self.threads[thread].ended {
            let instruction = self.instruction(thread);
            let this = &mut self.threads[thread];
            match instruction {
                Instruction::New(to) => {
                    let address = first_block(thread) + SIZE * this.blocks;
                    this.blocks += 1;
                    (this.registers[to], this.fresh) = (address, Some(address));
                    this.at += 1;
                }
                Instruction::Same(a, b, to) => {
                    this.at = if this.registers[a] == this.registers[b] { to } else { this.at + 1 };
                }
                Instruction::Again(to, kept) => {
                    this.at = to;
                    this.registers[kept.max(1)..].fill(0);
                }
                Instruction::Return(register) => {
                    let answers = self.program.threads[thread][this.calls].0.answers;
                    let values = match register.map(|r| this.registers[r]) {
                        Some(value) => vec![1, value],
                        None if answers => vec![0, 0],
                        None => vec![0],
                    };
                    // All memory is shared: a thread keeps nothing for itself.
                    note(&mut self.log, RETURN, thread, this.calls as u64, 1, &values);
                    this.calls += 1;
                    self.effect(thread);
                    self.call(thread);
                }
                Instruction::Store(..) => return,
                Instruction::Load(..) | Instruction::Compare(..) => return self.before_read(thread),
            }
        }
    }

    /// What a thread does next depends on this and on what it reads.
    fn local(&self, thread: usize) -> u64 {
        let this = &self.threads[thread];
        let mut hasher = DefaultHasher::new();
        (thread, this.calls, this.at, this.registers).hash(&mut hasher);
        hasher.finish() | 1
    }

    /// Stops a thread that is about to read in the same state again and has done nothing in between that others may know of.
    fn before_read(&mut self, thread: usize) {
        let local = self.local(thread);
        let this = &mut self.threads[thread];
        if !self.program.cut || this.planned > 0 {
            return;
        }
        if let Some((_, before)) = this.reads.iter().rfind(|(known, _)| *known == local) {
            note(&mut self.log, BLOCK, thread, this.accesses - before, 0, &[local, 0]);
            this.stopped = true;
        }
    }

    fn effect(&mut self, thread: usize) {
        self.threads[thread].reads.clear();
    }

    fn address(&self, thread: usize, at: At) -> u64 {
        match at {
            At::Variable(address) => address,
            At::Field(register, offset) => self.threads[thread].registers[register] + offset,
        }
    }

    /// Makes the access that a thread is about to make, and what follows up to the next one.
    fn step(&mut self, thread: usize) {
        let local = self.local(thread);
        let instruction = self.instruction(thread);
        let register = |machine: &Machine<'_>, r: Register| machine.threads[thread].registers[r];
        let (kind, at, a, b) = match instruction {
            Instruction::Load(_, at) => (LOAD, at, 0, 0),
            Instruction::Store(at, from) => (STORE, at, register(self, from), 0),
            Instruction::Compare(at, a, b, ..) => (UPDATE, at, register(self, a), register(self, b)),
            other => unreachable!("{other:?} is no access"),
        };
        assert_eq!(register(self, NULL), 0, "nobody writes the null pointer");
        let address = self.address(thread, at);
        let old = *self.memory.get(&address).unwrap_or(&0);
        let new = match kind {
            STORE => a,
            UPDATE if old == a => b,
            _ => old,
        };
        let place = self.threads[thread].at as u64 + 1;
        let op = if kind == UPDATE { COMPARE } else { 0 };
        let order = SEQUENTIALLY_CONSISTENT | SEQUENTIALLY_CONSISTENT << 4;
        let head = kind | (thread as u64 + 1) << 8 | 8 << 16 | order << 24 | op << 32 | 1 << 40;
        self.log.extend([head, place, address, local, a, 0, b, 0, old, new]);
        self.memory.insert(address, new);
        let this = &mut self.threads[thread];
        this.accesses += 1;
        match (kind == STORE || old != new, this.fresh) {
            (false, _) => this.reads.push((local, this.accesses - 1)),
            (true, Some(block)) if (block..block + SIZE).contains(&address) => {}
            (true, _) => self.effect(thread),
        }
        let this = &mut self.threads[thread];
        this.at += 1;
        match instruction {
            Instruction::Load(to, _) => this.registers[to] = old,
            Instruction::Compare(_, expected, _, otherwise, found) if old != this.registers[expected] => {
                this.at = otherwise;
                if let Some(to) = found {
                    this.registers[to] = old;
                }
            }
            _ => {}
        }
        self.run_to_access(thread);
    }
}

/// A record that is no access.
fn note(log: &mut Vec<u64>, kind: u64, thread: usize, what: u64, more: u64, values: &[u64]) {
    log.extend([kind | (thread as u64 + 1) << 8 | (values.len() as u64) << 40, 0, what, more, 0, 0, 0, 0]);
    log.extend(values);
}
