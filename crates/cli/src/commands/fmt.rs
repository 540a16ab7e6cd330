//! `trueline fmt FILE…`

use std::path::PathBuf;

use crate::args::Common;
use crate::exit::Exit;
use crate::files;

/// Formats models in place, or says which would change.
pub fn run(paths: &[PathBuf], check: bool, common: &Common) -> Exit {
    let all = match files::models(paths) {
        Ok(all) => all,
        Err(message) => {
            eprintln!("error: {message}");
            return Exit::Input;
        }
    };
    let mut exit = Exit::Expected;
    for path in all {
        exit = exit.and(one(&path, check, common));
    }
    exit
}

fn one(path: &std::path::Path, check: bool, common: &Common) -> Exit {
    let text = match files::read_text(path) {
        Ok(text) => text,
        Err(message) => {
            eprintln!("error: {message}");
            return Exit::Input;
        }
    };
    match trueline_lang::fmt::format(&text) {
        Ok(formatted) if formatted == text => Exit::Expected,
        Ok(_) if check => {
            println!("{} would change", path.display());
            Exit::Unexpected
        }
        Ok(formatted) => match std::fs::write(path, formatted) {
            Ok(()) => {
                if !common.quiet {
                    println!("formatted {}", path.display());
                }
                Exit::Expected
            }
            Err(e) => {
                eprintln!("error: {}: {e}", path.display());
                Exit::Input
            }
        },
        Err(problems) => {
            crate::terminal::diagnostics(&path.display().to_string(), &text, &problems, common);
            Exit::Input
        }
    }
}
