//! Checks.

use trueline_base::Span;

use super::doc::Cmd;
use super::writer::Writer;
use crate::lexer::TokenKind;
use crate::syntax::{Check, Clause, ClauseKind, Expect, Expr, Property};

impl Writer<'_> {
    pub(super) fn check(&mut self, check: &Check) {
        self.words(2);
        if self.at(TokenKind::LParen) {
            self.args(&check.args);
        }
        if !check.with.is_empty() {
            self.space();
            self.take(TokenKind::Word);
            self.space();
            self.filled(check.with.len(), |w, n| {
                w.take(TokenKind::Word);
                w.space();
                w.take(TokenKind::Assign);
                w.space();
                w.expr(&check.with[n].1);
            });
        }
        let span = Span { start: self.peek().span.start, ..check.span };
        self.braces(span, true, check.clauses.len(), |w, n| w.clause(&check.clauses[n]));
    }

    /// Parts without brackets, as many on a line as fit.
    fn filled(&mut self, count: usize, mut part: impl FnMut(&mut Self, usize)) {
        self.leading();
        self.push(Cmd::Open);
        self.push(Cmd::Indent);
        for n in 0..count {
            part(self, n);
            if n + 1 < count {
                self.take(TokenKind::Comma);
                self.push(Cmd::FillLine);
            }
        }
        self.push(Cmd::Dedent);
        self.push(Cmd::Close);
    }

    fn clause(&mut self, clause: &Clause) {
        match &clause.kind {
            ClauseKind::Threads(count) => self.bound(Some(count)),
            ClauseKind::Ops(count) | ClauseKind::Values(count) => self.bound(count.as_ref()),
            ClauseKind::Calls(calls) => {
                self.take(TokenKind::Word);
                self.space();
                self.filled(calls.len(), |w, n| w.expr(&calls[n]));
            }
            ClauseKind::Role { count, body, .. } => {
                self.words(2);
                if let Some(count) = count {
                    self.space();
                    self.take(TokenKind::Word);
                    self.space();
                    self.expr(count);
                }
                return self.client_block(body, true);
            }
            ClauseKind::Before(body) | ClauseKind::After(body) => {
                self.take(TokenKind::Word);
                return self.client_block(body, true);
            }
            ClauseKind::Property { property, expect } => {
                self.property(property);
                self.expectation(expect.as_ref());
            }
        }
        self.take(TokenKind::Semi);
    }

    fn bound(&mut self, count: Option<&Expr>) {
        self.take(TokenKind::Word);
        self.space();
        match count {
            Some(count) => self.expr(count),
            None => self.take(TokenKind::Word),
        }
    }

    fn property(&mut self, property: &Property) {
        match property {
            Property::Linearizable { to: Some(spec) } => {
                self.words(2);
                self.space();
                self.spec_ref(spec);
            }
            Property::Refines(spec) => {
                self.take(TokenKind::Word);
                self.space();
                self.spec_ref(spec);
            }
            Property::Equivalent { other, by } => {
                self.take(TokenKind::Word);
                self.space();
                self.spec_ref(other);
                if by.is_some() {
                    self.space();
                    self.words(2);
                }
            }
            Property::WaitFree { op: Some(_) } => self.words(2),
            Property::Invariant(expr) => {
                self.take(TokenKind::Word);
                self.space();
                self.expr(expr);
            }
            Property::Ltl { fair, .. } => {
                self.take(TokenKind::Word);
                self.space();
                self.take(TokenKind::String);
                if fair.is_some() {
                    self.space();
                    self.words(2);
                }
            }
            _ => self.take(TokenKind::Word),
        }
    }

    fn expectation(&mut self, expect: Option<&Expect>) {
        let Some(expect) = expect else { return };
        self.space();
        self.words(2);
        if expect.kind.is_some() {
            self.take(TokenKind::LParen);
            self.take(TokenKind::Word);
            self.take(TokenKind::RParen);
        }
    }
}
