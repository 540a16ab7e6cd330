//! The laws of the formatter on random programs: same tree, same comments, idempotent.

use crate::common::generate::{Generator, spell};
use crate::common::random::Random;
use crate::common::{same_tree, tree};
use trueline_lang::fmt::format;

const PROGRAMS: u64 = 300;

fn check(source: &str, seed: u64) -> String {
    let once = format(source).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?} in\n{source}"));
    same_tree(source, &once);
    let twice = format(&once).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?} in\n{once}"));
    if let Some((one, two)) = once.lines().zip(twice.lines()).find(|(one, two)| one != two) {
        panic!("seed {seed}: {one:?} becomes {two:?} in\n{once}\nfrom\n{source}");
    }
    assert_eq!(once, twice, "seed {seed}");
    once
}

#[test]
fn programs_survive_formatting() {
    for seed in 0..PROGRAMS {
        let tokens = Generator::program(seed);
        let source = spell(&tokens, &mut Random(seed), false);
        check(&source, seed);
    }
}

#[test]
fn comments_survive_formatting() {
    for seed in 0..PROGRAMS {
        let tokens = Generator::program(seed);
        let source = spell(&tokens, &mut Random(seed), true);
        check(&source, seed);
    }
}

#[test]
fn layout_does_not_depend_on_blanks() {
    for seed in 0..PROGRAMS {
        let tokens = Generator::program(seed);
        let (one, other) = (tokens.join(" "), tokens.join("  \t "));
        assert_eq!(format(&one), format(&other));
        assert_eq!(tree(&one), tree(&tokens.join("\r\n")));
    }
}

#[test]
fn lines_have_no_blanks_at_their_end() {
    for seed in 0..PROGRAMS {
        let source = spell(&Generator::program(seed), &mut Random(seed), true);
        let text = format(&source).expect("the program can be read");
        assert!(text.lines().all(|line| line.trim_end() == line), "seed {seed}:\n{text}");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    }
}
