//! A player process: plans go in, logs come out, in batches.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::log::Run;
use crate::process::Process;

/// How much is read at once: what a pipe holds.
const PIECE: usize = 1 << 16;

/// Who makes each step, and who stays where it is after them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Threads, from 1.
    pub steps: Vec<u8>,
    /// Under a weak memory model: what each step reads, and whether memory keeps what it writes.
    pub sources: Vec<Source>,
    /// A bit per thread that must not go on.
    pub held: u64,
    /// Who goes on after these steps.
    pub then: Then,
}

impl Plan {
    /// As a message to a player.
    fn words(&self) -> Vec<u64> {
        let steps = self.steps.len().div_ceil(8);
        let (then, more) = self.then.words();
        let told = if self.sources.is_empty() { 0 } else { self.steps.len().div_ceil(2) };
        let mut message = vec![
            (steps + told + 3 + more.len()) as u64,
            2,
            self.held | u64::from(told > 0) << 48 | then << 56,
            self.steps.len() as u64,
        ];
        for chunk in self.steps.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            message.push(u64::from_le_bytes(word));
        }
        for at in 0..told {
            let word = |i: usize| self.sources.get(i).map_or(0, |s| u64::from(s.word()));
            message.push(word(2 * at) | word(2 * at + 1) << 32);
        }
        message.extend(more);
        message
    }
}

/// What a player reads that is told a scenario and plays one plan.
pub fn input(set_up: &[u64], plan: &Plan) -> Vec<u8> {
    bytes(&[&[set_up.len() as u64 + 1, 1], set_up, &plan.words(), &[1, 3]].concat())
}

/// What a step reads, where reads may see old writes; and whether what it writes is, of the writes so far, the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Where what it reads is.
    pub from: From,
    /// Whether memory does not keep what it writes.
    pub dropped: bool,
}

/// Where what a step reads is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// In memory: what was written last.
    #[default]
    Memory,
    /// Before all threads.
    Initial,
    /// What a step of the plan wrote, counted from 0.
    Step(u32),
}

impl Source {
    fn word(self) -> u32 {
        let from = match self.from {
            From::Memory => 0,
            From::Initial => 1,
            From::Step(step) => step + 2,
        };
        from | u32::from(self.dropped) << 31
    }
}

/// Who goes on when a plan is at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Then {
    /// The first thread that can.
    #[default]
    First,
    /// The thread that ran, as long as it can.
    Stay,
    /// By random priorities, of which so many are lowered within so many steps.
    Pct {
        /// The seed.
        seed: u64,
        /// Priorities that are lowered.
        depth: u64,
        /// Steps that a run has, about.
        length: u64,
    },
    /// By random priorities of steps.
    Pos {
        /// The seed.
        seed: u64,
    },
}

impl Then {
    fn words(self) -> (u64, Vec<u64>) {
        match self {
            Then::First => (0, Vec::new()),
            Then::Stay => (1, Vec::new()),
            Then::Pct { seed, depth, length } => (2, vec![seed, depth, length]),
            Then::Pos { seed } => (3, vec![seed]),
        }
    }
}

/// A thread that is played alone, with what it finds before each of its accesses: whether all of the unit is given, and its
/// words.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The thread, from 1.
    pub thread: usize,
    /// Access by access.
    pub values: Vec<Option<(bool, Box<[u64]>)>>,
}

impl Script {
    fn words(&self) -> Vec<u64> {
        let mut words = vec![4, self.thread as u64, self.values.len() as u64];
        for value in &self.values {
            match value {
                None => words.push(0),
                Some((whole, unit)) => {
                    words.extend([1 + u64::from(*whole), unit.len() as u64]);
                    words.extend(unit);
                }
            }
        }
        words
    }
}

/// Why a player does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// It has ended.
    Died,
    /// It took too long for one batch.
    Late,
}

/// A process that plays.
#[derive(Debug)]
pub struct Player {
    program: PathBuf,
    process: Process,
    /// What was read; its memory is used again.
    read: Vec<u8>,
    set_up: Vec<u64>,
    patience: Duration,
    /// Others of the same program that were started for a search, for the next one.
    others: Vec<Player>,
}

impl Player {
    /// Starts a program.
    pub fn start(program: &Path, patience: Duration) -> Result<Player, String> {
        Ok(Player {
            program: program.to_path_buf(),
            process: Process::start(program, patience)?,
            read: Vec::new(),
            set_up: Vec::new(),
            patience,
            others: Vec::new(),
        })
    }

    /// Tells it the scenario; sent again when it is restarted.
    pub fn set_up(&mut self, words: Vec<u64>) {
        self.set_up = words;
        self.send_set_up();
    }

    fn send_set_up(&mut self) {
        let mut message = vec![self.set_up.len() as u64 + 1, 1];
        message.extend(&self.set_up);
        self.process.write(&bytes(&message));
    }

    /// Starts again after it died.
    pub fn restart(&mut self) -> Result<(), String> {
        self.process = Process::start(&self.program, self.patience)?;
        self.send_set_up();
        Ok(())
    }

    /// What it said last on its standard error, and how it ended, where it has ended.
    pub fn last_words(&mut self) -> String {
        self.process.last_words()
    }

    /// Whether it is ready to play: what comes before the first run is done.
    pub fn is_ready(&mut self) -> Result<(), Silence> {
        self.process.write(&bytes(&[1, 5, 1, 3]));
        let mut answer = [0; 8];
        let mut filled = 0;
        while filled < answer.len() {
            match self.process.read(&mut answer[filled..]) {
                0 if self.process.was_late() => return Err(Silence::Late),
                0 => return Err(Silence::Died),
                more => filled += more,
            }
        }
        Ok(())
    }

    /// The numbers of its process and of the others that it keeps.
    pub fn processes(&self) -> Vec<u32> {
        std::iter::once(self.process.id()).chain(self.others.iter().map(|other| other.process.id())).collect()
    }

    /// Plays some plans.
    pub fn play(&mut self, plans: &[Plan]) -> Result<Vec<Run>, Silence> {
        self.begin(plans);
        self.receive(plans.len())
    }

    /// Begins to play some plans, for which [`Player::receive`] is to be called.
    pub fn begin(&mut self, plans: &[Plan]) {
        let message = plans.iter().flat_map(Plan::words).collect();
        self.send(message);
    }

    /// Begins to play threads alone, for which [`Player::receive`] is to be called.
    pub fn begin_probe(&mut self, scripts: &[&Script]) {
        let mut message = Vec::new();
        for script in scripts {
            let words = script.words();
            message.push(words.len() as u64);
            message.extend(words);
        }
        self.send(message);
    }

    fn send(&mut self, mut message: Vec<u64>) {
        message.extend([1, 3]);
        self.process.write(&bytes(&message));
    }

    /// So many other processes of the same program.
    pub fn others(&mut self, count: usize) -> Result<Vec<Player>, String> {
        let mut others = std::mem::take(&mut self.others);
        while others.len() < count {
            others.push(Player::start(&self.program, self.patience)?);
        }
        Ok(others)
    }

    /// Keeps others for the next search.
    pub fn keep(&mut self, others: Vec<Player>) {
        self.others = others;
    }

    /// The answers to plans that were begun.
    pub fn receive(&mut self, count: usize) -> Result<Vec<Run>, Silence> {
        let mut runs = Vec::with_capacity(count);
        let (mut at, mut filled) = (0, 0);
        while runs.len() < count {
            let known = &self.read[at..filled];
            let length = known.first_chunk().map(|head| u64::from_le_bytes(*head) as usize * 8);
            if let Some(answer) = length.and_then(|length| known.get(8..8 + length)) {
                let (words, _) = answer.as_chunks::<8>();
                let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
                at += 8 + answer.len();
                runs.push(Run::decode(words).ok_or(Silence::Died)?);
                continue;
            }
            if self.read.len() < filled + PIECE {
                self.read.resize(filled + 2 * PIECE, 0);
            }
            match self.process.read(&mut self.read[filled..]) {
                0 if self.process.was_late() => return Err(Silence::Late),
                0 => return Err(Silence::Died),
                more => filled += more,
            }
        }
        Ok(runs)
    }
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}
