//! States that memory has no room for, in files below the folder for temporary files (`TMPDIR`).

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use trueline_base::{Scratch, Spill};

/// Opens files without a name.
#[derive(Debug)]
pub struct Temporary;

impl Spill for Temporary {
    fn open(&self) -> io::Result<Arc<dyn Scratch>> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("trueline-{}-{number}.states", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        // Without a name it vanishes with the process, whatever ends that.
        std::fs::remove_file(&path)?;
        Ok(Arc::new(Unnamed(file)))
    }
}

#[derive(Debug)]
struct Unnamed(File);

impl Scratch for Unnamed {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, at)
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.0.read_exact_at(bytes, at)
    }
}
