//! Expressions.

use super::doc::Cmd;
use super::list::Layout;
use super::writer::Writer;
use crate::lexer::TokenKind;
use crate::syntax::{Arg, Expr, ExprKind};

impl Writer<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::None | ExprKind::Null => self.token(),
            ExprKind::SelfTid | ExprKind::Name(_) => self.token(),
            ExprKind::Unary { operand, .. } => {
                self.token();
                self.expr(operand);
            }
            ExprKind::Binary { .. } => self.binary(expr),
            ExprKind::Cast { operand, ty } => {
                self.expr(operand);
                self.space();
                self.take(TokenKind::Word);
                self.space();
                self.ty(ty);
            }
            ExprKind::Field { object, .. } | ExprKind::Component { object, .. } => {
                self.expr(object);
                self.take(TokenKind::Dot);
                self.token();
            }
            ExprKind::Index { object, index } => {
                self.expr(object);
                self.take(TokenKind::LBracket);
                self.expr(index);
                self.take(TokenKind::RBracket);
            }
            ExprKind::Call { args, weak, .. } => {
                self.take(TokenKind::Word);
                if *weak {
                    self.space();
                    self.take(TokenKind::Word);
                }
                self.args(args);
            }
            ExprKind::Method { object, args, .. } => {
                self.expr(object);
                self.take(TokenKind::Dot);
                self.take(TokenKind::Word);
                self.list(Layout::Plain, args.len(), |w, n| w.expr(&args[n]));
            }
            ExprKind::If { .. } => self.if_expr(expr),
            ExprKind::Quantified { over, body, .. } => {
                self.leading();
                self.push(Cmd::Open);
                self.for_heading(over);
                self.branch(body);
                self.push(Cmd::Close);
            }
            ExprKind::New { fields, .. } => {
                self.take(TokenKind::Word);
                self.space();
                self.take(TokenKind::Word);
                self.space();
                self.list(Layout::Braced, fields.len(), |w, n| {
                    w.take(TokenKind::Word);
                    w.take(TokenKind::Colon);
                    w.space();
                    w.expr(&fields[n].1);
                });
            }
            ExprKind::Tuple(parts) => self.list(Layout::Plain, parts.len(), |w, n| w.expr(&parts[n])),
            ExprKind::Paren(inner) => self.list(Layout::Plain, 1, |w, _| w.expr(inner)),
            ExprKind::Repeat { element, length } => self.list(Layout::Plain, 1, |w, _| {
                w.expr(element);
                w.take(TokenKind::Semi);
                w.space();
                w.length(length.as_deref());
            }),
            ExprKind::List(parts) => {
                let layout = if parts.iter().all(is_short) { Layout::Filled } else { Layout::Kept };
                self.list(layout, parts.len(), |w, n| w.expr(&parts[n]));
            }
            ExprKind::Range { low, high, .. } => {
                self.expr(low);
                self.token();
                self.expr(high);
            }
            ExprKind::Error => unreachable!("a text with errors is not laid out"),
        }
    }

    /// The length of an array, `tid` without an expression.
    pub(super) fn length(&mut self, length: Option<&Expr>) {
        match length {
            Some(length) => self.expr(length),
            None => self.take(TokenKind::Word),
        }
    }

    /// Arguments in parentheses.
    pub(super) fn args(&mut self, args: &[Arg]) {
        self.list(Layout::Plain, args.len(), |w, n| {
            if args[n].name.is_some() {
                w.take(TokenKind::Word);
                w.take(TokenKind::Colon);
                w.space();
            }
            w.expr(&args[n].value);
        });
    }

    /// A chain of operators of one precedence, broken before each of them.
    fn binary(&mut self, expr: &Expr) {
        let mut operands = Vec::new();
        let mut first = expr;
        let level = |expr: &Expr| match &expr.kind {
            ExprKind::Binary { op, .. } => Some(op.level()),
            _ => None,
        };
        while let ExprKind::Binary { left, right, .. } = &first.kind
            && level(first) == level(expr)
        {
            operands.push(&**right);
            first = left;
        }
        self.leading();
        self.push(Cmd::Open);
        self.expr(first);
        self.push(Cmd::Indent);
        for operand in operands.into_iter().rev() {
            self.push(Cmd::Line);
            self.token();
            self.space();
            self.expr(operand);
        }
        self.push(Cmd::Dedent);
        self.push(Cmd::Close);
    }

    /// `if c { a } else { b }`, broken in all its branches or in none.
    fn if_expr(&mut self, expr: &Expr) {
        self.leading();
        self.push(Cmd::Open);
        if !self.one_line(expr.span) {
            self.push(Cmd::Force);
        }
        let mut expr = expr;
        while let ExprKind::If { condition, then, otherwise } = &expr.kind {
            self.take(TokenKind::Word);
            self.space();
            self.expr(condition);
            self.branch(then);
            self.space();
            self.take(TokenKind::Word);
            if !self.at_word("if") {
                self.branch(otherwise);
                break;
            }
            self.space();
            expr = otherwise;
        }
        self.push(Cmd::Close);
    }

    fn branch(&mut self, value: &Expr) {
        self.space();
        self.take(TokenKind::LBrace);
        self.push(Cmd::Indent);
        self.push(Cmd::Line);
        self.expr(value);
        self.dangling();
        self.push(Cmd::Dedent);
        self.push(Cmd::Line);
        self.take(TokenKind::RBrace);
    }
}

/// Whether it may share a line with others of its list when they do not fit.
fn is_short(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::None | ExprKind::Null | ExprKind::Name(_) => true,
        ExprKind::Unary { operand, .. } => is_short(operand),
        _ => false,
    }
}
