//! Damaged texts: a fixed number of inputs, made by changing tokens and bytes of good files. Nothing panics, every
//! error has a place in the text, and what still can be read can be laid out.

use std::fs;

use crate::common::files;
use crate::common::random::property;
use trueline_lang::explain::syntax::SYNTAX;
use trueline_lang::fmt::format;
use trueline_lang::lexer::lex;
use trueline_lang::parser::{parse, parse_client, parse_expr};

fn check(source: &str) {
    let (file, errors) = parse(source);
    drop(format!("{file:?}"));
    for error in &errors {
        assert!(error.span.start <= error.span.end && error.span.end as usize <= source.len());
        assert!(!error.message.is_empty() && !error.message.ends_with('.'), "{}", error.message);
        assert!(SYNTAX.iter().any(|(code, _)| *code == error.code));
    }
    match format(source) {
        Ok(once) => assert_eq!(format(&once).as_deref(), Ok(once.as_str()), "in\n{source}"),
        Err(reported) => assert_eq!(reported, errors),
    }
    drop(parse_client(source));
    drop(parse_expr(source));
}

/// The tokens of a text with what follows them up to the next.
fn pieces(source: &str) -> Vec<&str> {
    let starts: Vec<usize> = lex(source, trueline_base::SourceId::default())
        .tokens
        .iter()
        .map(|token| token.span.start as usize)
        .collect();
    starts.windows(2).map(|pair| &source[pair[0]..pair[1]]).collect()
}

#[test]
fn changed_tokens_do_no_harm() {
    for file in files("ok") {
        let source = fs::read_to_string(&file).expect("a test file can be read");
        let pieces = pieces(&source);
        property(300, 12, |random| {
            let mut changed = pieces.clone();
            for _ in 0..random.below(3) + 1 {
                let at = random.below(changed.len());
                let other = *random.pick(&pieces);
                match random.below(4) {
                    0 => _ = changed.remove(at),
                    1 => changed.insert(at, other),
                    2 => changed[at] = other,
                    _ => {
                        let to = random.below(changed.len());
                        changed.swap(at, to);
                    }
                }
            }
            check(&changed.join(" "));
        });
    }
}

#[test]
fn cut_and_changed_texts_do_no_harm() {
    let signs = ['{', '}', '(', ')', ';', '"', '/', '*', '@', '.', '=', '?', '\n', 'é', '\u{0}', '9'];
    for file in files("ok") {
        let source = fs::read_to_string(&file).expect("a test file can be read");
        property(150, 3, |random| {
            let mut text: Vec<char> = source.chars().collect();
            let at = random.below(text.len());
            match random.below(3) {
                0 => text.truncate(at),
                1 => text[at] = *random.pick(&signs),
                _ => text.insert(at, *random.pick(&signs)),
            }
            check(&text.into_iter().collect::<String>());
        });
    }
}

#[test]
fn random_tokens_do_no_harm() {
    let source = fs::read_to_string(&files("ok")[0]).expect("a test file can be read");
    let pieces = pieces(&source);
    property(500, 61, |random| {
        let count = random.below(60) + 1;
        let text: Vec<&str> = (0..count).map(|_| *random.pick(&pieces)).collect();
        check(&text.join(" "));
    });
}
