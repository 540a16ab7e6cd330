//! Tokens into the tree, by recursive descent that never fails.
//!
//! What cannot be read is reported and left out: an expression becomes `ExprKind::Error`, a name
//! the empty text, a type a named type with an empty name. All errors of a text come at once; of
//! several at one token only the first is kept. Invariant: no tree is deeper than the limits in
//! [`cursor`], so that whoever walks, prints or drops it may recurse. Cost: linear in the text.

mod check;
mod client;
mod compound;
mod control;
mod cursor;
mod expr;
mod item;
mod member;
mod pattern;
mod primary;
mod recover;
mod stmt;
mod suggest;
mod types;

use trueline_base::{Diagnostic, SourceId};

use crate::lexer::{TokenKind, lex};
use crate::syntax::{Client, Expr, File};
use cursor::Parser;

/// Reads a file.
pub fn parse(source: &str) -> (File, Vec<Diagnostic>) {
    file(source, SourceId::default())
}

/// The same for the text with this number.
pub(crate) fn file(source: &str, id: SourceId) -> (File, Vec<Diagnostic>) {
    let mut lexed = lex(source, id);
    let comments = std::mem::take(&mut lexed.comments);
    let mut parser = Parser::new(source, lexed);
    let items = parser.file();
    (File { items, comments }, parser.finish())
}

/// Reads the client of a command line: `before { enq(1); } enq(2); deq() || deq() after { deq(); }`.
///
/// Threads are separated by `||`. The `;` after the last statement of a block may be missing.
pub fn parse_client(source: &str) -> (Client, Vec<Diagnostic>) {
    client(source, SourceId::default())
}

/// The same for the text with this number.
pub(crate) fn client(source: &str, id: SourceId) -> (Client, Vec<Diagnostic>) {
    let mut parser = Parser::new(source, lex(source, id));
    let client = parser.client();
    (client, parser.finish())
}

/// Reads a single expression, such as the value of a parameter.
pub fn parse_expr(source: &str) -> (Expr, Vec<Diagnostic>) {
    expr(source, SourceId::default())
}

/// The same for the text with this number.
pub(crate) fn expr(source: &str, id: SourceId) -> (Expr, Vec<Diagnostic>) {
    let mut parser = Parser::new(source, lex(source, id));
    let expr = parser.expr();
    if !parser.at(TokenKind::Eof) {
        parser.expected("E0006", "the end of the expression");
    }
    (expr, parser.finish())
}
