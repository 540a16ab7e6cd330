//! Printing that does not mind a reader who has gone: `trueline check … | head -2` ends quietly.
//!
//! The macros here stand in for those of the standard library, which panic when a pipe is closed.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

use crate::exit::Exit;

/// What a shell shows for a process that a closed pipe ended (128 + SIGPIPE).
const CLOSED_PIPE: i32 = 141;

/// Prints to standard output. Nobody reads on: the process ends. Another error is told.
pub fn print(text: Arguments<'_>) {
    give(std::io::stdout().lock().write_fmt(text));
}

/// Prints to standard error, as far as that is possible.
pub fn print_error(text: Arguments<'_>) {
    let _ = std::io::stderr().lock().write_fmt(text);
}

/// Ends the process where what was written to standard output did not arrive.
pub fn give(written: std::io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::BrokenPipe => std::process::exit(CLOSED_PIPE),
        Err(e) => {
            print_error(format_args!("error: standard output: {e}\n"));
            std::process::exit(Exit::Input.code().into());
        }
    }
}

macro_rules! print {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

macro_rules! println {
    () => { $crate::output::print(format_args!("\n")) };
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

macro_rules! eprint {
    ($($text:tt)*) => { $crate::output::print_error(format_args!($($text)*)) };
}

macro_rules! eprintln {
    () => { $crate::output::print_error(format_args!("\n")) };
    ($($text:tt)*) => { $crate::output::print_error(format_args!("{}\n", format_args!($($text)*))) };
}
