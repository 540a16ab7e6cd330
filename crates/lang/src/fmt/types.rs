//! Types and patterns. Parentheses that only group are not in the tree; the tokens show them.

use super::list::Layout;
use super::writer::Writer;
use crate::lexer::TokenKind;
use crate::syntax::{Pattern, PatternKind, Type, TypeKind};

impl Writer<'_> {
    pub(super) fn ty(&mut self, ty: &Type) {
        let mut groups = 0;
        while self.groups_type(ty) {
            self.take(TokenKind::LParen);
            groups += 1;
        }
        match &ty.kind {
            TypeKind::Bool | TypeKind::Int | TypeKind::Tid | TypeKind::Val | TypeKind::Lock => self.token(),
            TypeKind::Named(_) => self.take(TokenKind::Word),
            TypeKind::Range { low, high, .. } => {
                self.expr(low);
                self.token();
                self.expr(high);
            }
            TypeKind::Tuple(parts) => self.list(Layout::Plain, parts.len(), |w, n| w.ty(&parts[n])),
            TypeKind::Array { element, length } => {
                self.take(TokenKind::LBracket);
                self.ty(element);
                self.take(TokenKind::Semi);
                self.space();
                self.length(length.as_deref());
                self.take(TokenKind::RBracket);
            }
            TypeKind::Seq(element) | TypeKind::Set(element) => self.container(&[element]),
            TypeKind::Multiset(element) | TypeKind::Heap(element) => self.container(&[element]),
            TypeKind::Map(key, value) => self.container(&[key, value]),
            TypeKind::Optional(inner) => {
                self.ty(inner);
                self.take(TokenKind::Question);
            }
        }
        self.close_groups(groups);
    }

    fn container(&mut self, parts: &[&Type]) {
        self.take(TokenKind::Word);
        for part in parts {
            self.space();
            self.ty(part);
        }
    }

    /// Whether a parenthesis stands here that only groups `ty`.
    fn groups_type(&self, ty: &Type) -> bool {
        let here = self.peek().span.start;
        self.at(TokenKind::LParen)
            && match &ty.kind {
                TypeKind::Optional(inner) => inner.span.start != here,
                TypeKind::Range { low, .. } => low.span.start != here,
                TypeKind::Tuple(parts) => self.peek_second().span.start != parts[0].span.start,
                _ => true,
            }
    }

    fn close_groups(&mut self, groups: usize) {
        for _ in 0..groups {
            if self.at(TokenKind::Comma) {
                self.omit();
            }
            self.take(TokenKind::RParen);
        }
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) {
        let mut groups = 0;
        while self.groups_pattern(pattern) {
            self.take(TokenKind::LParen);
            groups += 1;
        }
        match &pattern.kind {
            PatternKind::Tuple(parts) => self.list(Layout::Plain, parts.len(), |w, n| w.pattern(&parts[n])),
            PatternKind::Variant { payload, .. } => {
                self.take(TokenKind::Word);
                self.list(Layout::Plain, payload.len(), |w, n| w.pattern(&payload[n]));
            }
            PatternKind::Int(_) => {
                if self.at(TokenKind::Minus) {
                    self.token();
                }
                self.take(TokenKind::Int);
            }
            _ => self.take(TokenKind::Word),
        }
        self.close_groups(groups);
    }

    fn groups_pattern(&self, pattern: &Pattern) -> bool {
        self.at(TokenKind::LParen)
            && match &pattern.kind {
                PatternKind::Tuple(parts) => self.peek_second().span.start != parts[0].span.start,
                _ => true,
            }
    }
}
