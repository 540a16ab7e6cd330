//! `check --watch`: checks again whenever a model, or a file that it uses, was saved.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use crate::exit::Exit;
use crate::files;

/// How often files are looked at.
const PAUSE: Duration = Duration::from_millis(200);

/// What is known of a file: when it was written, and its size.
type Stamp = (PathBuf, Option<(SystemTime, u64)>);

/// Runs `check` now and after every change, until `cancel`; gives the last answer.
pub fn repeat(paths: &[PathBuf], cancel: &AtomicBool, mut check: impl FnMut() -> Exit) -> Exit {
    loop {
        let before = stamps(paths);
        let exit = check();
        if exit == Exit::Usage {
            return exit;
        }
        eprintln!("watching {} files; Ctrl-C ends", before.len());
        while stamps(paths) == before {
            std::thread::sleep(PAUSE);
            if cancel.load(Ordering::Relaxed) {
                return exit;
            }
        }
        eprintln!();
    }
}

/// The models and all files that they use.
fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    let mut all = files::models(paths).unwrap_or_else(|_| paths.to_vec());
    let used: Vec<PathBuf> = all
        .iter()
        .filter_map(|path| files::read(path).ok())
        .flat_map(|source| source.model.used().map(PathBuf::from).collect::<Vec<_>>())
        .collect();
    all.extend(used);
    all.into_iter().map(|path| (path.clone(), stamp(&path))).collect()
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}
