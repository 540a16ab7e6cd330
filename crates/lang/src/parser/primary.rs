//! Expressions: what operators stand between.

use trueline_base::Diagnostic;

use super::cursor::{Mode, Parser, shorten};
use super::expr::BOUND;
use crate::lexer::TokenKind;
use crate::syntax::{Arg, Expr, ExprKind, Name};

impl Parser<'_> {
    /// A primary expression followed by fields, components, indices and calls.
    pub(super) fn postfix(&mut self) -> Expr {
        let start = self.span();
        let mut expr = self.primary();
        loop {
            let height = self.height;
            let object = Box::new(expr);
            let kind = match self.kind() {
                TokenKind::Dot => {
                    self.bump();
                    match self.kind() {
                        TokenKind::Int => ExprKind::Component { object, index: self.component() },
                        _ => {
                            let name = self.name("a field");
                            if self.at(TokenKind::LParen) {
                                let (args, below) = self.exprs(TokenKind::RParen);
                                self.height = below.max(height);
                                ExprKind::Method { object, name, args }
                            } else {
                                ExprKind::Field { object, name }
                            }
                        }
                    }
                }
                TokenKind::LBracket => {
                    let open = self.bump();
                    let index = Box::new(self.expr());
                    self.height = self.height.max(height);
                    self.close(TokenKind::RBracket, open);
                    ExprKind::Index { object, index }
                }
                TokenKind::LParen if !self.starts_line() && !matches!(object.kind, ExprKind::Error) => {
                    let error =
                        Diagnostic::error("E0006", self.span(), "expected an operator or `;`, found `(`");
                    self.report(error.help("only a name can be called"));
                    let (_, below) = self.exprs(TokenKind::RParen);
                    self.height = below.max(height);
                    ExprKind::Error
                }
                _ => return *object,
            };
            expr = self.node(start, self.height, kind);
        }
    }

    fn primary(&mut self) -> Expr {
        let start = self.span();
        self.height = 0;
        let kind = match self.kind() {
            TokenKind::Int => ExprKind::Int(self.int()),
            TokenKind::Word => self.word_expr(),
            TokenKind::LParen => {
                let (mut parts, height) = self.exprs(TokenKind::RParen);
                self.height = height;
                match parts.len() {
                    0 => {
                        self.misread("E0008", "an expression between the parentheses");
                        ExprKind::Error
                    }
                    1 => ExprKind::Paren(Box::new(parts.remove(0))),
                    _ => ExprKind::Tuple(parts),
                }
            }
            TokenKind::LBracket => self.bracketed(),
            _ => {
                self.expected("E0008", "an expression");
                ExprKind::Error
            }
        };
        self.node(start, self.height, kind)
    }

    fn word_expr(&mut self) -> ExprKind {
        let word = self.word();
        match word {
            "if" => return self.if_expr(),
            "new" if self.nth(1) == TokenKind::Word => return self.new_expr(),
            "forall" | "exists" if self.nth(1) == TokenKind::Word => return self.quantified(),
            _ => {}
        }
        let span = self.bump();
        match word {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "none" => ExprKind::None,
            "null" => ExprKind::Null,
            "self" => ExprKind::SelfTid,
            _ => self.name_expr(Name { text: word.to_string(), span }),
        }
    }

    fn name_expr(&mut self, name: Name) -> ExprKind {
        let weak = name.text == "sc" && self.at_word("weak") && self.nth(1) == TokenKind::LParen;
        if weak {
            self.bump();
        }
        if self.at(TokenKind::LParen) {
            let args = self.args();
            return ExprKind::Call { name, args, weak };
        }
        if self.at(TokenKind::Colon) && self.nth(1) == TokenKind::Colon && self.nth(2) == TokenKind::Word {
            let error = Diagnostic::error("E0017", self.span(), "expected an operator or `;`, found `::`");
            self.report(error.help("variants are written bare: `Value(v)`, not `Word::Value(v)`"));
            self.bump();
            self.bump();
            let name = self.name("a variant");
            return self
                .nested(|p| {
                    let start = name.span;
                    let kind = p.name_expr(name);
                    p.node(start, p.height, kind)
                })
                .kind;
        }
        ExprKind::Name(name.text)
    }

    /// The arguments of a call; leaves their height.
    pub(super) fn args(&mut self) -> Vec<Arg> {
        let mut height = 0;
        let args = self.list(TokenKind::RParen, |p| {
            let named = p.at(TokenKind::Word) && p.nth(1) == TokenKind::Colon && p.nth(2) != TokenKind::Colon;
            let name = named.then(|| {
                let name = p.name("an argument");
                p.bump();
                name
            });
            let value = p.argument();
            height = height.max(p.height);
            Arg { name, value }
        });
        self.height = height;
        args
    }

    /// An argument: an expression, or a range in a client's call.
    fn argument(&mut self) -> Expr {
        let low = self.expr();
        let inclusive = self.at(TokenKind::DotDotEq);
        if !inclusive && !self.at(TokenKind::DotDot) {
            return low;
        }
        if self.mode == Mode::Body {
            let message = format!("expected `,` or `)`, found {}", self.found());
            let error = Diagnostic::error("E0024", self.span(), message);
            self.report(error.help("a range stands in `for`, `choose`, types, and calls of a check"));
        }
        self.bump();
        let (start, height) = (low.span, self.height);
        let high = Box::new(self.operand(BOUND));
        let height = height.max(self.height);
        self.node(start, height, ExprKind::Range { low: Box::new(low), high, inclusive })
    }

    /// Expressions between brackets, and the greatest of their heights.
    fn exprs(&mut self, close: TokenKind) -> (Vec<Expr>, u32) {
        let mut height = 0;
        let exprs = self.list(close, |p| {
            let expr = p.expr();
            height = height.max(p.height);
            expr
        });
        (exprs, height)
    }

    /// A number.
    pub(super) fn int(&mut self) -> i64 {
        if !self.at(TokenKind::Int) {
            self.expected("E0008", "a number");
            return 0;
        }
        let text = self.text();
        let digits: String = text.chars().filter(|&c| c != '_').collect();
        let value = digits.parse();
        if value.is_err() {
            let message = match digits.bytes().all(|b| b.is_ascii_digit()) {
                true => format!("expected a number below 2^63, found `{}`", shorten(text)),
                false => format!("expected a decimal number, found `{}`", shorten(text)),
            };
            self.report(Diagnostic::error("E0004", self.span(), message));
        }
        self.bump();
        value.unwrap_or(0)
    }

    /// The number of a component.
    fn component(&mut self) -> u32 {
        let span = self.span();
        u32::try_from(self.int()).unwrap_or_else(|_| {
            self.report(Diagnostic::error(
                "E0004",
                span,
                "expected the number of a component, found a large number",
            ));
            0
        })
    }
}
