//! Expressions with parts in brackets and braces: `if`, `new`, lists and arrays.

use trueline_base::Diagnostic;

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::syntax::{Expr, ExprKind};

impl Parser<'_> {
    pub(super) fn if_expr(&mut self) -> ExprKind {
        self.bump();
        let condition = Box::new(self.condition());
        let mut height = self.height;
        let then = self.braced();
        height = height.max(self.height);
        if !self.eat_word("else") {
            let error =
                Diagnostic::error("E0006", self.span(), format!("expected `else`, found {}", self.found()));
            self.report(error.help("an `if` that gives a value has both branches"));
            return ExprKind::Error;
        }
        let otherwise = if self.at_word("if") {
            Box::new(self.nested(|p| {
                let start = p.span();
                let kind = p.if_expr();
                p.node(start, p.height, kind)
            }))
        } else {
            self.braced()
        };
        self.height = self.height.max(height);
        ExprKind::If { condition, then, otherwise }
    }

    /// `forall x in r { e }` and `exists x in r { e }`.
    pub(super) fn quantified(&mut self) -> ExprKind {
        let all = self.at_word("forall");
        self.height = 0;
        let (variable, over) = self.for_heading();
        let height = self.height;
        let body = self.braced();
        self.height = self.height.max(height);
        ExprKind::Quantified { all, variable, over: Box::new(over), body }
    }

    /// `{ e }`, a branch of an `if` that gives a value, what a quantifier says.
    fn braced(&mut self) -> Box<Expr> {
        let open = self.span();
        let braces = self.expect(TokenKind::LBrace, "before the value of this branch");
        let value = Box::new(self.expr());
        if braces {
            if self.at(TokenKind::Semi) && self.nth(1) == TokenKind::RBrace {
                self.expected("E0006", "`}` after the value of this branch");
                self.bump();
            }
            self.close(TokenKind::RBrace, open);
        }
        value
    }

    pub(super) fn new_expr(&mut self) -> ExprKind {
        self.bump();
        let name = self.name("a struct");
        if !self.at(TokenKind::LBrace) {
            self.expected("E0006", "`{` with the fields of the new cell");
            return ExprKind::Error;
        }
        let mut height = 0;
        let fields = self.list(TokenKind::RBrace, |p| {
            let name = p.name("a field");
            p.expect(TokenKind::Colon, "after the name of a field");
            let value = p.expr();
            height = height.max(p.height);
            (name, value)
        });
        self.height = height;
        ExprKind::New { name, fields }
    }

    /// `[a, b]`, `[e; n]` or `[]`.
    pub(super) fn bracketed(&mut self) -> ExprKind {
        if self.nth(1) == TokenKind::RBracket {
            self.bump();
            self.bump();
            return ExprKind::List(Vec::new());
        }
        let mut repeat = None;
        let (mut height, mut first) = (0, true);
        let mut items = self.list(TokenKind::RBracket, |p| {
            let item = p.expr();
            height = height.max(p.height);
            let one = std::mem::replace(&mut first, false) || p.nth(2) == TokenKind::RBracket;
            if one && p.at(TokenKind::Semi) && repeat.is_none() {
                repeat = Some(p.length());
                height = height.max(p.height);
            }
            item
        });
        self.height = height;
        match repeat {
            Some(length) if items.len() == 1 => {
                ExprKind::Repeat { element: Box::new(items.remove(0)), length }
            }
            Some(_) => {
                self.misread("E0006", "a single value before `;` in `[value; length]`");
                ExprKind::Error
            }
            None => ExprKind::List(items),
        }
    }

    /// `; n` or `; tid` of an array; leaves the height of `n`.
    pub(super) fn length(&mut self) -> Option<Box<Expr>> {
        self.height = 0;
        if !self.expect(TokenKind::Semi, "and the length of the array") {
            return None;
        }
        if self.at_word("tid") && self.nth(1) == TokenKind::RBracket {
            self.bump();
            return None;
        }
        Some(Box::new(self.expr()))
    }
}
