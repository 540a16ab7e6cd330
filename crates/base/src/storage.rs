//! What engines keep outside of memory, through a handle that the caller gives: they open no files.

use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Where searches are kept that are to go on later, by name.
pub trait Checkpoints: Debug + Send + Sync {
    /// What was kept under a name, read from its beginning and known to be undamaged; none where nothing was.
    fn load(&self, name: &str) -> io::Result<Option<Box<dyn Read>>>;

    /// Keeps what `write` writes, instead of what was kept under the name before.
    fn save(&self, name: &str, write: Kept<'_>) -> io::Result<()>;

    /// Keeps nothing under the name any longer.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Whether it is time to save a search that goes on.
    fn due(&self) -> bool;
}

/// Writes what is to be kept.
pub type Kept<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Gives room for what does not fit into memory.
pub trait Spill: Debug + Send + Sync {
    /// A new place, empty, that vanishes with the last handle to it.
    fn open(&self) -> io::Result<Arc<dyn Scratch>>;
}

/// Bytes outside of memory.
pub trait Scratch: Debug + Send + Sync {
    /// Writes at a place, which may be the end.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Reads what was written at a place.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;
}
