//! The laws of the formatter on random programs: same tree, same comments, idempotent.

use crate::common::generate::{Generator, spell};
use crate::common::random::{Random, property};
use crate::common::{same_tree, tree};
use trueline_lang::fmt::format;

const PROGRAMS: u32 = 300;
/// Choices that make a program.
const CHOICES: usize = 2000;

fn check(source: &str) -> String {
    let once = format(source).unwrap_or_else(|errors| panic!("{errors:?} in\n{source}"));
    same_tree(source, &once);
    let twice = format(&once).unwrap_or_else(|errors| panic!("{errors:?} in\n{once}"));
    if let Some((one, two)) = once.lines().zip(twice.lines()).find(|(one, two)| one != two) {
        panic!("{one:?} becomes {two:?} in\n{once}\nfrom\n{source}");
    }
    assert_eq!(once, twice);
    once
}

fn program(random: &mut Random, comments: bool) -> String {
    let tokens = Generator::program(random);
    spell(&tokens, random, comments)
}

#[test]
fn programs_survive_formatting() {
    property(PROGRAMS, CHOICES, |random| drop(check(&program(random, false))));
}

#[test]
fn comments_survive_formatting() {
    property(PROGRAMS, CHOICES, |random| drop(check(&program(random, true))));
}

#[test]
fn layout_does_not_depend_on_blanks() {
    property(PROGRAMS, CHOICES, |random| {
        let tokens = Generator::program(random);
        let (one, other) = (tokens.join(" "), tokens.join("  \t "));
        assert_eq!(format(&one), format(&other));
        assert_eq!(tree(&one), tree(&tokens.join("\r\n")));
    });
}

#[test]
fn lines_have_no_blanks_at_their_end() {
    property(PROGRAMS, CHOICES, |random| {
        let text = format(&program(random, true)).expect("the program can be read");
        assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    });
}
