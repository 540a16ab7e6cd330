//! A process with pipes, that is ended when it keeps its reader waiting.
//!
//! Who waits for an answer reads the pipe itself: a thread that passes it on would be woken up for every batch. So that nobody
//! waits for ever, another thread looks from time to time whether a wait has become too long, and ends the process then.

use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use crate::numbers::lock;

/// How often waits are looked at.
const LOOK: Duration = Duration::from_millis(100);
/// When nobody waits.
const NEVER: u64 = u64::MAX;

/// A process.
#[derive(Debug)]
pub struct Process {
    watched: Arc<Watched>,
    input: ChildStdin,
    output: ChildStdout,
    patience: Duration,
    said: Arc<Mutex<String>>,
}

/// What the thread that looks at waits knows of a process.
#[derive(Debug)]
struct Watched {
    child: Mutex<Child>,
    begun: Instant,
    /// Milliseconds after the beginning at which a wait has become too long.
    until: AtomicU64,
    late: AtomicBool,
}

impl Watched {
    fn now(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }
}

/// Looks at the waits of a process until nobody needs it any more.
fn watch(watched: &Weak<Watched>) {
    loop {
        std::thread::sleep(LOOK);
        let Some(watched) = watched.upgrade() else { return };
        if watched.now() > watched.until.load(Ordering::Relaxed) {
            watched.late.store(true, Ordering::Relaxed);
            let _ = lock(&watched.child).kill();
            return;
        }
    }
}

impl Process {
    /// Starts a program. Who waits for it longer than so is told that it has ended.
    pub fn start(program: &Path, patience: Duration) -> Result<Process, String> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env_remove("LD_PRELOAD")
            .spawn()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the player has no pipes".into());
        };
        let said = Arc::new(Mutex::new(String::new()));
        if let Some(mut errors) = child.stderr.take() {
            let said = said.clone();
            std::thread::spawn(move || {
                let mut buffer = vec![0; 1 << 12];
                while let Ok(n) = errors.read(&mut buffer) {
                    if n == 0 {
                        return;
                    }
                    // The last of what it says is enough; the rest is read so that it can go on.
                    *lock(&said) = String::from_utf8_lossy(&buffer[..n]).into_owned();
                }
            });
        }
        let watched = Arc::new(Watched {
            child: Mutex::new(child),
            begun: Instant::now(),
            until: AtomicU64::new(NEVER),
            late: AtomicBool::new(false),
        });
        let weak = Arc::downgrade(&watched);
        std::thread::spawn(move || watch(&weak));
        Ok(Process { watched, input, output, patience, said })
    }

    /// Does something that may take long.
    fn wait<T>(&mut self, what: impl FnOnce(&mut Process) -> T) -> T {
        let until = self.watched.now() + self.patience.as_millis() as u64;
        self.watched.until.store(until, Ordering::Relaxed);
        let done = what(self);
        self.watched.until.store(NEVER, Ordering::Relaxed);
        done
    }

    /// Gives it something to read. One that has ended is noticed when it does not answer.
    pub fn write(&mut self, bytes: &[u8]) {
        let _ = self.wait(|process| process.input.write_all(bytes));
    }

    /// Reads some of what it writes; how much that is, and nothing when it has ended.
    pub fn read(&mut self, to: &mut [u8]) -> usize {
        self.wait(|process| {
            loop {
                match process.output.read(to) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    read => return read.unwrap_or(0),
                }
            }
        })
    }

    /// Whether it was ended because it took too long.
    pub fn was_late(&self) -> bool {
        self.watched.late.load(Ordering::Relaxed)
    }

    /// What it said last on its standard error, and how it ended, where it has ended.
    pub fn last_words(&self) -> String {
        let said = || lock(&self.said).trim().to_string();
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(20));
            if let Ok(Some(status)) = lock(&self.watched.child).try_wait() {
                return format!("{status} {}", said()).trim().to_string();
            }
        }
        said()
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        lock(&self.watched.child).id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let mut child = lock(&self.watched.child);
        let _ = child.kill();
        let _ = child.wait();
    }
}
