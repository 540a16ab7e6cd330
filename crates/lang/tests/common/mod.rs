//! What the tests of the front end share; each uses a part of it.
#![allow(dead_code)]

pub mod generate;
pub mod random;

use std::fs;
use std::path::{Path, PathBuf};

use trueline_lang::parser::parse;

/// The `.tl` files of a folder of `test_data`, by name.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(folder);
    let entries = fs::read_dir(folder).expect("the folder of test files exists");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "tl"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The tree of a text without its places and comments, which must be readable.
pub fn tree(source: &str) -> String {
    let (file, errors) = parse(source);
    assert_eq!(errors, [], "in\n{source}");
    let tree = format!("{:?}", file.items);
    let after_span = |part: &str| part.split_once('}').map_or(String::new(), |(_, rest)| rest.to_string());
    let mut parts = tree.split("Span {");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |kept, part| kept + &after_span(part))
}

/// The comments of a text, in order.
pub fn comments(source: &str) -> Vec<String> {
    let (file, _) = parse(source);
    let text = |comment: &trueline_lang::syntax::Comment| comment.span.text(source).trim_end().to_string();
    file.comments.iter().map(text).collect()
}

/// Fails unless both texts have the same tree and the same comments.
pub fn same_tree(one: &str, other: &str) {
    assert_eq!(tree(one), tree(other), "in\n{one}\nand\n{other}");
    assert_eq!(comments(one), comments(other), "in\n{one}\nand\n{other}");
}
