//! How the parser finds its feet again after an error.

use trueline_base::{Diagnostic, Span};

use super::cursor::Parser;
use crate::lexer::Kind;

const ITEMS: [&str; 7] = ["param", "const", "struct", "enum", "spec", "object", "check"];
const MEMBERS: [&str; 9] = ["memory", "struct", "enum", "const", "shared", "local", "state", "fn", "op"];
const STMTS: [&str; 19] = [
    "let", "if", "match", "while", "loop", "for", "break", "continue", "return", "atomic", "either",
    "choose", "await", "assume", "assert", "lock", "unlock", "free", "skip",
];

impl Parser<'_> {
    /// Whether an item begins here: two words, the first of them known.
    pub(super) fn starts_item(&self) -> bool {
        self.nth(1) == Kind::Word && ITEMS.contains(&self.word())
    }

    /// Whether a member of an object or specification begins here.
    pub(super) fn starts_member(&self) -> bool {
        match self.nth(1) {
            Kind::Word => MEMBERS.contains(&self.word()),
            Kind::LBrace => self.at_word("init"),
            _ => false,
        }
    }

    /// Whether a line begins here with a word that usually begins a statement.
    pub(super) fn starts_stmt_line(&self) -> bool {
        self.at(Kind::Word) && STMTS.contains(&self.word()) && self.starts_line()
    }

    /// Moves to the next of `stops` outside brackets, to a `;`, or to a bracket that closes what
    /// was open before.
    pub(super) fn skip_to(&mut self, stops: &[Kind]) {
        let (mut round, mut square, mut curly) = (0u32, 0u32, 0u32);
        loop {
            let kind = self.kind();
            let outside = round + square + curly == 0;
            match kind {
                Kind::Eof => return,
                Kind::Semi if square + curly == 0 => return,
                _ if outside && stops.contains(&kind) => return,
                Kind::RParen | Kind::RBracket if outside => return,
                Kind::RBrace if curly == 0 => return,
                Kind::LParen => round += 1,
                Kind::LBracket => square += 1,
                Kind::LBrace => curly += 1,
                Kind::RParen => round = round.saturating_sub(1),
                Kind::RBracket => square = square.saturating_sub(1),
                Kind::RBrace => curly -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// Moves past the rest of an expression.
    pub(super) fn skip_expr(&mut self) {
        let mut braced = false;
        loop {
            self.skip_to(&[
                Kind::Comma,
                Kind::Assign,
                Kind::LBrace,
                Kind::DotDot,
                Kind::DotDotEq,
                Kind::Word,
            ]);
            match self.kind() {
                Kind::Word => {
                    braced |= matches!(self.word(), "if" | "else" | "new");
                    self.bump();
                }
                Kind::LBrace if braced => {
                    braced = false;
                    self.skip_braces();
                }
                _ => return,
            }
        }
    }

    /// Moves past the rest of a statement, or to where another clearly begins.
    pub(super) fn skip_stmt(&mut self) {
        loop {
            self.skip_to(&[Kind::LBrace, Kind::Word]);
            match self.kind() {
                Kind::Semi => {
                    self.bump();
                    return;
                }
                Kind::LBrace => {
                    self.skip_braces();
                    if !self.at_word("else") && !self.at_word("or") {
                        return;
                    }
                }
                Kind::Word if self.starts_stmt_line() || self.starts_line() && self.starts_member() => return,
                Kind::Word if self.starts_line() && self.starts_item() => return,
                Kind::Word | Kind::RParen | Kind::RBracket => {
                    self.bump();
                }
                _ => return,
            }
        }
    }

    /// Moves past a pair of braces and what is between them.
    pub(super) fn skip_braces(&mut self) {
        let mut open = 0u32;
        loop {
            match self.kind() {
                Kind::Eof => return,
                Kind::LBrace => open += 1,
                Kind::RBrace => open -= 1,
                _ => {}
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }

    /// Reads the `;` that ends `what`, or says that it is missing.
    pub(super) fn semi(&mut self, what: &str) {
        if self.eat(Kind::Semi) {
            return;
        }
        let line = self.starts_line() || self.at(Kind::RBrace) || self.at(Kind::Eof);
        let message = format!("expected `;` after {what}, found {}", self.found());
        if line {
            let end = Span { start: self.previous().end, ..self.previous() };
            self.report(Diagnostic::error("E0007", end, message).help("end it with `;`"));
            return;
        }
        let mut error = Diagnostic::error("E0007", self.span(), message);
        if self.at(Kind::Question) {
            error = error.help("a choice between two values is `if e { a } else { b }`");
        }
        self.report(error);
        self.skip_stmt();
    }

    /// Reads `item`s between brackets, separated by commas, the last of which may be followed by one.
    pub(super) fn list<T>(&mut self, close: Kind, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let open = self.bump();
        let mut items = Vec::new();
        while !self.at(close) && !self.at(Kind::Eof) {
            let before = self.pos();
            items.push(item(self));
            if self.at(close) || self.eat(Kind::Comma) {
                continue;
            }
            self.expected("E0006", &format!("`,` or {}", close.spelling()));
            let missing = self.pos() > before && matches!(self.kind(), Kind::Word | Kind::Int);
            if missing && (close == Kind::RBrace || !self.starts_line()) {
                continue;
            }
            if close == Kind::RBrace && self.eat(Kind::Semi) {
                continue;
            }
            self.skip_to(&[Kind::Comma, Kind::LBrace]);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.close(close, open);
        items
    }
}
