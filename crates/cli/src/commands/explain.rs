//! `trueline explain CODE`

use crate::exit::Exit;

/// Prints what a code means.
pub fn run(code: &str) -> Exit {
    match trueline_lang::explain::explain(code).or_else(|| trueline_run::explain::explain(code)) {
        Some(text) => {
            println!("{}\n\n{text}", code.to_ascii_uppercase());
            Exit::Expected
        }
        None => {
            eprintln!("error: there is no diagnostic `{code}`; codes look like E0202 or R0102");
            Exit::Input
        }
    }
}
