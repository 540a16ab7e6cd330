//! A panic is a bug of this program: exit code 70, and what to report.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;

/// Runs a command; a panic in it, whichever thread it happens in, becomes an internal error.
pub fn guarded(run: impl FnOnce() -> Exit) -> Exit {
    let told = AtomicBool::new(false);
    std::panic::set_hook(Box::new(move |info| {
        // Whoever waits for a worker that panicked panics too: the first one says what happened.
        if !told.swap(true, Ordering::Relaxed) {
            eprintln!("{}", report(info));
        }
    }));
    let exit = catch_unwind(AssertUnwindSafe(run)).unwrap_or(Exit::Internal);
    let _ = std::panic::take_hook();
    exit
}

fn report(info: &PanicHookInfo<'_>) -> String {
    let said = info.payload();
    let what = (said.downcast_ref::<&str>().copied())
        .or_else(|| said.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason was given");
    let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    format!(
        "internal error: {what}{place}\nthis is a bug of trueline {}, and no verdict; please report it with the model and the \
         command line:\n  {}",
        env!("CARGO_PKG_VERSION"),
        words.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error() {
        assert_eq!(guarded(|| Exit::Unknown), Exit::Unknown);
        assert_eq!(guarded(|| panic!("a test of panics")), Exit::Internal);
        let worker = || std::thread::spawn(|| panic!("in a worker")).join().expect("a worker that ends");
        assert_eq!(guarded(worker), Exit::Internal);
    }
}
