//! The formatter on the files of `test_data/fmt` (`.tl` and what becomes of it), and its laws on all test files.
//! `BLESS=1` rewrites what is expected.

use std::fs;

use crate::common::{files, golden, same_tree};
use trueline_lang::fmt::format;

#[test]
fn files_are_laid_out_as_expected() {
    for file in files("fmt") {
        let source = fs::read_to_string(&file).expect("a test file can be read");
        let found = format(&source).unwrap_or_else(|errors| panic!("{}: {errors:?}", file.display()));
        golden(&file, &found);
    }
}

#[test]
fn formatting_keeps_the_tree_and_is_idempotent() {
    for file in files("fmt").into_iter().chain(files("ok")) {
        let source = fs::read_to_string(&file).expect("a test file can be read");
        let once = format(&source).unwrap_or_else(|errors| panic!("{}: {errors:?}", file.display()));
        same_tree(&source, &once);
        assert_eq!(format(&once).as_deref(), Ok(once.as_str()), "{}", file.display());
    }
}

#[test]
fn a_file_with_errors_is_not_laid_out() {
    let errors = format("object O {").expect_err("a brace is missing");
    assert_eq!(errors[0].code, "E0014");
}

#[test]
fn empty_files_stay_empty() {
    assert_eq!(format("").as_deref(), Ok(""));
    assert_eq!(format(" \n\n").as_deref(), Ok(""));
    assert_eq!(format("/* a */\nparam A = 1;").as_deref(), Ok("/* a */\nparam A = 1;\n"));
    assert_eq!(format("\n\n// only\n\n\n// comments").as_deref(), Ok("// only\n\n// comments\n"));
}
