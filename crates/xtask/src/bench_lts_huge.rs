//! `cargo xtask bench lts --huge`: a system that barely exists anywhere else, read as a stream of
//! text that is made while it is read, then reduced; bytes per transition and peak memory.

use std::io::Read;
use std::process::ExitCode;

use trueline_base::{Event, Limits, Meter, Observer};
use trueline_lts::{Equivalence, partition, read};

use crate::usage::{own_seconds, peak_bytes};

const MOVES: u64 = 10;

/// Text of a system with ten moves per state: a long counter that wanders, with inert steps.
struct Text {
    states: u64,
    at: u64,
    line: Vec<u8>,
    sent: usize,
}

impl Text {
    fn new(transitions: u64) -> Text {
        let states = transitions / MOVES;
        let header = format!("des (0, {}, {states})\n", states * MOVES);
        Text { states, at: 0, line: header.into_bytes(), sent: 0 }
    }
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            if self.sent == self.line.len() {
                if self.at == self.states {
                    break;
                }
                self.line.clear();
                self.sent = 0;
                for i in 0..MOVES {
                    // Groups of eight states, joined by silent steps, lead to five others each.
                    let target = match i {
                        0 if self.at % 8 != 7 => self.at + 1,
                        0..4 => (self.at & !7) + (self.at + i + 1) % 8,
                        _ => (self.at / 8 * 5 + i * 8) % (self.states & !7).max(1),
                    };
                    // Silent steps go forward only; a rare label keeps the states apart.
                    let label = match i {
                        0 if self.at % 8 != 7 => "tau",
                        1 if self.at.is_multiple_of(1009) => "e",
                        _ => ["a", "b", "c", "d"][i as usize % 4],
                    };
                    let target = target.min(self.states - 1);
                    use std::io::Write;
                    writeln!(self.line, "({},\"{label}\",{target})", self.at)?;
                }
                self.at += 1;
            }
            let n = (buffer.len() - filled).min(self.line.len() - self.sent);
            buffer[filled..filled + n].copy_from_slice(&self.line[self.sent..self.sent + n]);
            filled += n;
            self.sent += n;
        }
        Ok(filled)
    }
}

/// Shows progress now and then.
struct Dots(std::time::Instant);

impl Observer for Dots {
    fn event(&mut self, event: &Event) {
        if self.0.elapsed().as_secs() >= 5 {
            self.0 = std::time::Instant::now();
            eprintln!("{event:?}");
        }
    }
}

/// Reads and reduces a system with about so many transitions.
pub fn command(transitions: u64) -> ExitCode {
    let meter = Meter::start(Limits::default());
    let mut observer = Dots(std::time::Instant::now());
    let lts = match read::aut(Text::new(transitions), &read::Options::default(), &meter, &mut observer) {
        Ok(lts) => lts,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    };
    let per = |bytes: u64| bytes as f64 / lts.transitions() as f64;
    println!(
        "read: {} states, {} transitions, {:.1} bytes per transition, peak {} MB ({:.1} per transition), {:.1} CPU s",
        lts.states(),
        lts.transitions(),
        per(lts.bytes()),
        peak_bytes() >> 20,
        per(peak_bytes()),
        own_seconds()
    );
    let start = own_seconds();
    match partition(&lts, Equivalence::Branching, &meter, &mut observer) {
        Ok(classes) => {
            println!(
                "branching: {} classes, peak {} MB ({:.1} bytes per transition), {:.1} CPU s",
                classes.classes(),
                peak_bytes() >> 20,
                per(peak_bytes()),
                own_seconds() - start
            );
            ExitCode::SUCCESS
        }
        Err(stop) => {
            eprintln!("{stop}");
            ExitCode::FAILURE
        }
    }
}
