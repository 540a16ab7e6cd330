//! How the parser finds its feet again after an error.

use trueline_base::{Diagnostic, Span};

use super::cursor::Parser;
use crate::lexer::TokenKind;

const ITEMS: [&str; 7] = ["param", "const", "struct", "enum", "spec", "object", "check"];
const MEMBERS: [&str; 9] = ["memory", "struct", "enum", "const", "shared", "local", "state", "fn", "op"];
const STMTS: [&str; 19] = [
    "let", "if", "match", "while", "loop", "for", "break", "continue", "return", "atomic", "either",
    "choose", "await", "assume", "assert", "lock", "unlock", "free", "skip",
];

impl Parser<'_> {
    /// Whether an item begins here: two words, the first of them known.
    pub(super) fn starts_item(&self) -> bool {
        self.nth(1) == TokenKind::Word && ITEMS.contains(&self.word())
    }

    /// Whether a member of an object or specification begins here.
    pub(super) fn starts_member(&self) -> bool {
        match self.nth(1) {
            TokenKind::Word => MEMBERS.contains(&self.word()),
            TokenKind::LBrace => self.at_word("init"),
            _ => false,
        }
    }

    /// Whether a line begins here with a word that usually begins a statement.
    pub(super) fn starts_stmt_line(&self) -> bool {
        self.at(TokenKind::Word) && STMTS.contains(&self.word()) && self.starts_line()
    }

    /// Moves to the next of `stops` outside brackets, to a `;`, or to a bracket that closes what
    /// was open before.
    pub(super) fn skip_to(&mut self, stops: &[TokenKind]) {
        let (mut round, mut square, mut curly) = (0u32, 0u32, 0u32);
        loop {
            let kind = self.kind();
            let outside = round + square + curly == 0;
            match kind {
                TokenKind::Eof => return,
                TokenKind::Semi if square + curly == 0 => return,
                _ if outside && stops.contains(&kind) => return,
                TokenKind::RParen | TokenKind::RBracket if outside => return,
                TokenKind::RBrace if curly == 0 => return,
                TokenKind::LParen => round += 1,
                TokenKind::LBracket => square += 1,
                TokenKind::LBrace => curly += 1,
                TokenKind::RParen => round = round.saturating_sub(1),
                TokenKind::RBracket => square = square.saturating_sub(1),
                TokenKind::RBrace => curly -= 1,
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
                TokenKind::Comma,
                TokenKind::Assign,
                TokenKind::LBrace,
                TokenKind::DotDot,
                TokenKind::DotDotEq,
                TokenKind::Word,
            ]);
            match self.kind() {
                TokenKind::Word => {
                    braced |= matches!(self.word(), "if" | "else" | "new");
                    self.bump();
                }
                TokenKind::LBrace if braced => {
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
            self.skip_to(&[TokenKind::LBrace, TokenKind::Word]);
            match self.kind() {
                TokenKind::Semi => {
                    self.bump();
                    return;
                }
                TokenKind::LBrace => {
                    self.skip_braces();
                    if !self.at_word("else") && !self.at_word("or") {
                        return;
                    }
                }
                TokenKind::Word if self.starts_stmt_line() || self.starts_line() && self.starts_member() => {
                    return;
                }
                TokenKind::Word if self.starts_line() && self.starts_item() => return,
                TokenKind::Word | TokenKind::RParen | TokenKind::RBracket => {
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
                TokenKind::Eof => return,
                TokenKind::LBrace => open += 1,
                TokenKind::RBrace => open -= 1,
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
        if self.eat(TokenKind::Semi) {
            return;
        }
        let line = self.starts_line() || self.at(TokenKind::RBrace) || self.at(TokenKind::Eof);
        let message = format!("expected `;` after {what}, found {}", self.found());
        if line {
            let end = Span { start: self.previous().end, ..self.previous() };
            self.report(Diagnostic::error("E0007", end, message).help("end it with `;`"));
            return;
        }
        let mut error = Diagnostic::error("E0007", self.span(), message);
        if self.at(TokenKind::Question) {
            error = error.help("a choice between two values is `if e { a } else { b }`");
        }
        self.report(error);
        self.skip_stmt();
    }

    /// Reads `item`s between brackets, separated by commas, the last of which may be followed by one.
    pub(super) fn list<T>(&mut self, close: TokenKind, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let open = self.bump();
        let mut items = Vec::new();
        while !self.at(close) && !self.at(TokenKind::Eof) {
            let before = self.pos();
            items.push(item(self));
            if self.at(close) || self.eat(TokenKind::Comma) {
                continue;
            }
            self.expected("E0006", &format!("`,` or {}", close.spelling()));
            let missing = self.pos() > before && matches!(self.kind(), TokenKind::Word | TokenKind::Int);
            if missing && (close == TokenKind::RBrace || !self.starts_line()) {
                continue;
            }
            if close == TokenKind::RBrace && self.eat(TokenKind::Semi) {
                continue;
            }
            self.skip_to(&[TokenKind::Comma, TokenKind::LBrace]);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(close, open);
        items
    }
}
