//! Files in `test_data`: those in `ok` are read without errors, those in `err` give the diagnostics beside them.
//! `BLESS=1` rewrites what is expected.

mod common;

use std::fmt::Write;
use std::fs;

use common::files;
use trueline_base::Diagnostic;
use trueline_lang::explain::syntax::SYNTAX;
use trueline_lang::parser::parse;

fn render(source: &str, errors: &[Diagnostic]) -> String {
    let mut text = String::new();
    for error in errors {
        let (line, column) = error.span.line_column(source);
        writeln!(text, "{line}:{column} {} {}", error.code, error.message).expect("a string takes all");
        writeln!(text, "    at `{}`", error.span.text(source).replace('\n', "\\n"))
            .expect("a string takes all");
        for label in &error.labels {
            let (line, column) = label.span.line_column(source);
            writeln!(text, "    {line}:{column} {}", label.text).expect("a string takes all");
        }
        if let Some(help) = &error.help {
            writeln!(text, "    help: {help}").expect("a string takes all");
        }
    }
    text
}

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
        let expected = file.with_extension("txt");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, &found).expect("the expectation can be written");
        }
        let expected = fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(found, expected, "{}", file.display());
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
