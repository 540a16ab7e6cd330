//! Errors in texts that are given beside a model are about these texts.

use trueline_lang::compile::{Argument, Model, Overrides, Refusal};

const CELL: &str = "\
param SIZE = 2;
object Cell implements Register(0) {
    shared x: 0..SIZE = 0;
    op write(v: int) { x = v; }
    op read() -> int { return x; }
}
check Cell { call read(); linearizable; }
";

/// The argument that is refused, and what the first problem stands at.
fn refused(overrides: &Overrides) -> Option<(Argument, String)> {
    match Model::parse(CELL).instantiate(0, overrides) {
        Err(Refusal::Argument { argument, text, problems }) => {
            assert_eq!(text, overrides.text(argument));
            assert!(problems.iter().all(|d| d.span.source == argument.source()), "{problems:?}");
            Some((argument, problems[0].span.text(&text).to_string()))
        }
        Err(Refusal::Model(problems)) => {
            assert!(problems.iter().all(|d| d.span.source.is_file()), "{problems:?}");
            None
        }
        other => panic!("{:?}", other.map(|task| task.object)),
    }
}

fn client(text: &str) -> Overrides {
    Overrides { client: Some(text.into()), ..Overrides::default() }
}

fn set(values: &[(&str, &str)]) -> Overrides {
    let set = values.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    Overrides { set, ..Overrides::default() }
}

#[test]
fn an_error_in_a_client_is_in_its_text_whatever_its_code() {
    assert_eq!(Model::parse(CELL).diagnose().iter().filter(|d| d.is_error()).count(), 0);
    // Names, types, numbers of arguments, memory of the object: each has a code of its own.
    for (text, at) in [
        ("read() || wirte(1)", "wirte"),
        ("write(true)", "true"),
        ("write(none)", "none"),
        ("write(1, 2)", "write(1, 2)"),
        ("write(x)", "x"),
        ("write(y)", "y"),
        ("write(", ""),
        ("let r = read(); if r { read() }", "r"),
    ] {
        assert_eq!(refused(&client(text)), Some((Argument::Client, at.to_string())), "{text}");
    }
}

#[test]
fn an_error_in_a_value_is_in_that_value() {
    assert_eq!(refused(&set(&[("SIZE", "true")])), Some((Argument::Set(0), "true".into())));
    let second = set(&[("SIZE", "3"), ("SIZE", "SIZE + 1")]);
    assert_eq!(refused(&second), Some((Argument::Set(1), "SIZE".into())));
}

#[test]
fn an_error_in_the_name_of_a_specification_is_in_that_name() {
    let spec = |text: &str| Overrides { spec: Some(text.into()), ..Overrides::default() };
    assert_eq!(refused(&spec("Regster")), Some((Argument::Spec, "Regster".into())));
    assert_eq!(refused(&spec("BoundedQueue(true)")).map(|found| found.0), Some(Argument::Spec));
}

#[test]
fn what_a_value_breaks_in_the_file_is_in_the_file() {
    assert_eq!(refused(&set(&[("SIZE", "0")])), None);
}
