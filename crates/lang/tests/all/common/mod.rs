//! What the tests of the front end share; each uses a part of it.
#![allow(dead_code)]

pub mod generate;
pub mod random;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use trueline_base::Diagnostic;
use trueline_lang::parser::parse;

/// The `.tl` files of a folder of `test_data`, by name.
pub fn files(folder: &str) -> Vec<PathBuf> {
    files_of(&format!("test_data/{folder}"), "tl")
}

/// The files of a folder of this crate with this extension, by name.
pub fn files_of(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Compares with the `.txt` beside the file, which `BLESS=1` writes.
pub fn golden(file: &Path, found: &str) {
    let expected = file.with_extension("txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&expected, found).expect("the expectation can be written");
    }
    let expected = fs::read_to_string(&expected).unwrap_or_default();
    assert_eq!(found, expected, "{}", file.display());
}

/// Diagnostics with everything that they say.
pub fn render(source: &str, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for d in diagnostics {
        let (line, column) = d.span.line_column(source);
        writeln!(text, "{line}:{column} {} {}", d.code, d.message).expect("a string takes all");
        writeln!(text, "    at `{}`", d.span.text(source).replace('\n', "\\n")).expect("a string takes all");
        for label in &d.labels {
            let (line, column) = label.span.line_column(source);
            writeln!(text, "    {line}:{column} {}", label.text).expect("a string takes all");
        }
        if let Some(help) = &d.help {
            writeln!(text, "    help: {help}").expect("a string takes all");
        }
    }
    text
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
