//! `--checkpoint FILE`: searches that limits have stopped, each with the name of its question, so that the same command
//! goes on with them.
//!
//! A file begins with what it is, the version of its form and what it was written for; a search is its name, its length,
//! a check sum and its bytes. A file is replaced as a whole, so that a crash while it is written leaves the one before.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use trueline_base::storage::Kept;
use trueline_base::{Checkpoints, words};

use crate::args::CheckArgs;
use crate::files;

const MAGIC: &[u8] = b"trueline checkpoint 1\n";

/// Searches that go on are kept so often, and no more than one part of so many of the time goes into it.
const OFTEN: Duration = Duration::from_secs(300);
const PART: u32 = 20;

/// A file of searches.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    /// What the searches belong to.
    key: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// When it is time to save again.
    next: Instant,
    /// Why the last search was not kept.
    failed: Option<String>,
}

/// A search in a file.
struct Section {
    name: String,
    start: u64,
    len: u64,
}

impl Checkpoint {
    /// The file for a command, read as far as there is one: a damaged one, or one of another command, is refused.
    pub fn open(path: &Path, key: u64) -> Result<Checkpoint, String> {
        let state = Mutex::new(State { next: Instant::now() + OFTEN, failed: None });
        let checkpoint = Checkpoint { path: path.to_path_buf(), key, state };
        match checkpoint.sections(true) {
            Ok(_) => Ok(checkpoint),
            Err(error) => Err(format!("{}: {}", path.display(), files::reason(&error))),
        }
    }

    /// Why the last search was not kept, if it was not.
    pub fn failure(&self) -> Option<String> {
        self.state.lock().expect("nobody panics with it").failed.take()
    }

    /// What the file takes, where it holds something.
    pub fn size(&self) -> Option<String> {
        let bytes = std::fs::metadata(&self.path).ok()?.len();
        Some(format!("{}, {} MB", self.path.display(), words::number((bytes >> 20).max(1))))
    }

    /// The searches of the file, undamaged as far as that is looked at.
    fn sections(&self, verify: bool) -> io::Result<Vec<Section>> {
        let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            file => file?,
        };
        let size = file.metadata()?.len();
        let mut input = BufReader::new(file);
        let mut magic = vec![0; MAGIC.len()];
        if input.read_exact(&mut magic).is_err() || magic != MAGIC {
            return Err(wrong("this is no checkpoint of this version of trueline"));
        }
        let damaged = || wrong("the checkpoint is damaged");
        let read = |result: io::Result<u64>| result.map_err(|_| damaged());
        if read(number(&mut input))? != self.key {
            return Err(wrong(
                "the checkpoint belongs to another model or to other flags; name another file, or remove it",
            ));
        }
        let mut sections = Vec::new();
        let mut at = MAGIC.len() as u64 + 8;
        while at < size {
            let mut name = [0; 32];
            input.read_exact(&mut name).map_err(|_| damaged())?;
            let len = read(number(&mut input))?;
            let sum = read(number(&mut input))?;
            at += 48;
            if size - at.min(size) < len {
                return Err(damaged());
            }
            match verify {
                true => {
                    let mut summing = Summing::new(io::sink());
                    io::copy(&mut (&mut input).take(len), &mut summing)?;
                    if summing.sum() != sum {
                        return Err(damaged());
                    }
                }
                false => input.seek_relative(len as i64)?,
            }
            let name = String::from_utf8(name.to_vec()).map_err(|_| damaged())?;
            sections.push(Section { name, start: at, len });
            at += len;
        }
        Ok(sections)
    }

    fn read(&self, section: &Section) -> io::Result<io::Take<BufReader<File>>> {
        let mut file = BufReader::new(File::open(&self.path)?);
        file.seek(SeekFrom::Start(section.start))?;
        Ok(file.take(section.len))
    }

    /// Writes the file anew: the searches of before, those with this name apart, and perhaps one more.
    fn replace(&self, name: &str, write: Option<Kept<'_>>) -> io::Result<()> {
        let mut kept = self.sections(false)?;
        kept.retain(|section| section.name != name);
        if kept.is_empty() && write.is_none() {
            return match std::fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let mut temporary = self.path.clone().into_os_string();
        temporary.push(".new");
        let result = (|| {
            let mut out = BufWriter::new(File::create(&temporary)?);
            out.write_all(MAGIC)?;
            out.write_all(&self.key.to_le_bytes())?;
            for section in &kept {
                let mut input = self.read(section)?;
                add(&mut out, &section.name, &mut |out| io::copy(&mut input, &mut { out }).map(drop))?;
            }
            if let Some(write) = write {
                add(&mut out, name, write)?;
            }
            out.into_inner()?.sync_all()?;
            std::fs::rename(&temporary, &self.path)
        })();
        if result.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        result
    }
}

/// Appends a search.
fn add(out: &mut BufWriter<File>, name: &str, write: Kept<'_>) -> io::Result<()> {
    assert_eq!(name.len(), 32, "names have 32 letters");
    out.write_all(name.as_bytes())?;
    let head = out.stream_position()?;
    out.write_all(&[0; 16])?;
    let mut summing = Summing::new(&mut *out);
    write(&mut summing)?;
    let sum = summing.sum();
    let end = out.stream_position()?;
    out.seek(SeekFrom::Start(head))?;
    out.write_all(&(end - head - 16).to_le_bytes())?;
    out.write_all(&sum.to_le_bytes())?;
    out.seek(SeekFrom::Start(end)).map(drop)
}

fn number(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Computes a check sum of what is written.
struct Summing<W> {
    out: W,
    hasher: crc32fast::Hasher,
    len: u64,
}

impl<W> Summing<W> {
    fn new(out: W) -> Summing<W> {
        Summing { out, hasher: crc32fast::Hasher::new(), len: 0 }
    }

    fn sum(&self) -> u64 {
        self.len << 32 | self.hasher.clone().finalize() as u64
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.len += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Checkpoints for Checkpoint {
    fn load(&self, name: &str) -> io::Result<Option<Box<dyn Read>>> {
        let sections = self.sections(false)?;
        let Some(section) = sections.iter().find(|section| section.name == name) else { return Ok(None) };
        Ok(Some(Box::new(self.read(section)?)))
    }

    fn save(&self, name: &str, write: Kept<'_>) -> io::Result<()> {
        let start = Instant::now();
        let result = self.replace(name, Some(write));
        let mut state = self.state.lock().expect("nobody panics with it");
        state.next = Instant::now() + OFTEN.max(start.elapsed() * PART);
        state.failed =
            result.as_ref().err().map(|e| format!("{}: {}", self.path.display(), files::reason(e)));
        result
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.replace(name, None)
    }

    fn due(&self) -> bool {
        Instant::now() >= self.state.lock().expect("nobody panics with it").next
    }
}

/// What the searches of a command depend on: the models as they are, and whatever changes the questions.
pub fn key(args: &CheckArgs, paths: &[PathBuf]) -> Result<u64, String> {
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), args.words(), &args.engine, &args.reduce, args.no_points).hash(&mut hasher);
    for path in paths {
        (path, files::read(path)?.model.source()).hash(&mut hasher);
    }
    Ok(hasher.finish())
}
