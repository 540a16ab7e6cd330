//! Patterns.

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::syntax::{Name, Pattern, PatternKind};

impl Parser<'_> {
    /// A pattern; `_` when there is none.
    pub(super) fn pattern(&mut self) -> Pattern {
        let start = self.span();
        let kind = self.deeper(Self::pattern_kind).unwrap_or_else(|| {
            self.skip_to(&[TokenKind::Comma, TokenKind::Assign, TokenKind::FatArrow]);
            PatternKind::Wildcard
        });
        Pattern { kind, span: self.since(start) }
    }

    fn pattern_kind(&mut self) -> PatternKind {
        match self.kind() {
            TokenKind::LParen => {
                let mut parts = self.list(TokenKind::RParen, Self::pattern);
                match parts.len() {
                    0 => self.misread("E0023", "a pattern between the parentheses"),
                    1 => return parts.remove(0).kind,
                    _ => {}
                }
                PatternKind::Tuple(parts)
            }
            TokenKind::Minus => {
                self.bump();
                PatternKind::Int(-self.int())
            }
            TokenKind::Int => PatternKind::Int(self.int()),
            TokenKind::Word => self.word_pattern(),
            _ => {
                self.expected("E0023", "a pattern");
                PatternKind::Wildcard
            }
        }
    }

    fn word_pattern(&mut self) -> PatternKind {
        let text = self.word().to_string();
        let span = self.bump();
        if self.at(TokenKind::LParen) {
            let payload = self.list(TokenKind::RParen, Self::pattern);
            return PatternKind::Variant { name: Name { text, span }, payload };
        }
        match text.as_str() {
            "_" => PatternKind::Wildcard,
            "none" => PatternKind::None,
            "null" => PatternKind::Null,
            "true" => PatternKind::Bool(true),
            "false" => PatternKind::Bool(false),
            _ => PatternKind::Name(text),
        }
    }
}
