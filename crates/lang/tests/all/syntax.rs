//! Files in `test_data`: those in `ok` are read without errors, those in `err` give the diagnostics beside them.
//! `BLESS=1` rewrites what is expected.

use std::fs;

use crate::common::{files, golden, render};
use trueline_lang::explain::syntax::SYNTAX;
use trueline_lang::parser::parse;

#[test]
fn good_files_have_no_errors() {
    for file in files("ok") {
        let source = fs::read_to_string(&file).expect("a test file can be read");
        let (_, errors) = parse(&source);
        assert!(errors.is_empty(), "{}:\n{}", file.display(), render(&source, &errors));
    }
}

#[test]
fn bad_files_give_the_expected_diagnostics() {
    for file in files("err") {
        let source = fs::read_to_string(&file).expect("a test file can be read");
        let (_, errors) = parse(&source);
        let found = render(&source, &errors);
        assert!(!errors.is_empty(), "{} has no error", file.display());
        golden(&file, &found);
    }
}

#[test]
fn every_code_is_explained_and_shown_by_a_file() {
    let mut seen: Vec<&str> = Vec::new();
    for file in files("err") {
        let source = fs::read_to_string(&file).expect("a test file can be read");
        seen.extend(parse(&source).1.iter().map(|error| error.code));
    }
    for code in &seen {
        assert!(SYNTAX.iter().any(|(known, _)| known == code), "{code} is not explained");
    }
    for (code, text) in SYNTAX {
        // E0005 and E0027 need very long texts and have tests of their own.
        assert!(seen.contains(code) || ["E0005", "E0027"].contains(code), "{code} is not shown");
        assert!(text.contains(".\n\n"), "{code} has no explanation below its title");
    }
}
