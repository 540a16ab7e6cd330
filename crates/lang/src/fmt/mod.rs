//! The formatter: one layout for every file, with all tokens and comments of the author.
//!
//! The tree says what stands where; the text comes from the tokens, so that nothing can be lost.
//! [`writer`] puts comments back between the tokens, [`render`] decides which lines break. Kept
//! from the author: single blank lines, blocks on one line that fit, lists that were broken after
//! their bracket. Formatting twice is the same as formatting once.

mod check;
mod client;
mod doc;
mod expr;
mod item;
mod list;
mod render;
mod stmt;
mod types;
mod writer;

use trueline_base::{Diagnostic, SourceId};

use crate::lexer::lex;
use crate::parser::parse;
use writer::Writer;

/// The width that lines stay within where they can.
const WIDTH: usize = 110;
/// How far a level is indented.
const INDENT: usize = 4;

/// Lays out the text of a file; the errors when it cannot be read.
pub fn format(source: &str) -> Result<String, Vec<Diagnostic>> {
    let (file, errors) = parse(source);
    if errors.iter().any(Diagnostic::is_error) {
        return Err(errors);
    }
    let mut writer = Writer::new(source, lex(source, SourceId::default()).tokens, &file.comments);
    writer.file(&file);
    Ok(render::render(source, &writer.finish()))
}
