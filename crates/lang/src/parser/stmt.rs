//! Blocks and statements.

use trueline_base::{Diagnostic, Span};

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::syntax::{Arg, Block, Expr, ExprKind, Lin, Name, Stmt, StmtKind};

impl Parser<'_> {
    /// A block after `what`. A single statement without braces is reported and taken as the block.
    pub(super) fn block(&mut self, what: &str) -> Block {
        let start = self.span();
        if !self.at(TokenKind::LBrace) {
            let message = format!("expected `{{` after {what}, found {}", self.found());
            self.report(Diagnostic::error("E0025", start, message).help("a body stands in braces"));
            if self.at(TokenKind::Word) && !self.starts_member() && !self.starts_item() {
                let stmts = self.deeper(Self::stmt).into_iter().collect();
                return Block { stmts, span: self.since(start) };
            }
            self.skip_to(&[TokenKind::LBrace]);
            if !self.at(TokenKind::LBrace) {
                self.eat(TokenKind::Semi);
                return Block { stmts: Vec::new(), span: self.since(start) };
            }
        }
        let start = self.span();
        let stmts = self.deeper(Self::stmts).unwrap_or_else(|| {
            self.skip_braces();
            Vec::new()
        });
        Block { stmts, span: self.since(start) }
    }

    fn stmts(&mut self) -> Vec<Stmt> {
        let open = self.bump();
        let mut stmts = Vec::new();
        while !self.at(TokenKind::RBrace)
            && !self.at(TokenKind::Eof)
            && !self.starts_member()
            && !self.starts_item()
        {
            let before = self.pos();
            stmts.push(self.stmt());
            if self.pos() == before {
                self.bump();
            }
        }
        self.close(TokenKind::RBrace, open);
        stmts
    }

    pub(super) fn stmt(&mut self) -> Stmt {
        let lin = self.at(TokenKind::At).then(|| self.lin());
        let start = self.span();
        let label = self.at(TokenKind::Label).then(|| self.loop_label());
        let kind = self.core();
        Stmt { lin, label, kind, span: self.since(start) }
    }

    /// `@lin` or `@lin(if e)`.
    fn lin(&mut self) -> Lin {
        let start = self.bump();
        if !self.eat_word("lin") {
            self.expected("E0006", "`lin` after `@`");
            if self.at(TokenKind::Word) && self.adjacent() {
                self.bump();
            }
        }
        let mut condition = None;
        if self.at(TokenKind::LParen) && (self.adjacent() || self.nth_word(1) == "if") {
            let open = self.bump();
            if !self.eat_word("if") {
                self.expected("E0006", "`if` and a condition");
            }
            condition = Some(self.condition());
            self.close(TokenKind::RParen, open);
        }
        Lin { condition, span: self.since(start) }
    }

    fn core(&mut self) -> StmtKind {
        let word = self.word();
        let next = self.nth(1);
        // A word followed by one of these names a variable; with `()` it is called.
        let list =
            matches!(word, "let" | "if" | "match" | "while" | "return" | "await" | "assume" | "assert");
        let assigned = next == TokenKind::Assign || Self::compound(next).is_some();
        let named = assigned || next == TokenKind::Dot || next == TokenKind::LBracket && !list;
        let called = next == TokenKind::LParen && self.nth(2) == TokenKind::RParen;
        let kind = match word {
            _ if named => return self.expr_stmt(),
            "let" => self.let_stmt(),
            "if" => return self.if_stmt(),
            "match" => return self.match_stmt(),
            "while" => {
                self.bump();
                let condition = self.condition();
                return StmtKind::While { condition, body: self.block("the condition") };
            }
            "for" => return self.for_stmt(),
            "return" => {
                self.bump();
                let value = (!self.at(TokenKind::Semi) && !self.at(TokenKind::RBrace)).then(|| self.expr());
                StmtKind::Return(value)
            }
            "choose" if next != TokenKind::LParen => self.choose(),
            "await" | "assume" | "assert" | "lock" | "unlock" | "free" if !called => self.operation(word),
            _ if next == TokenKind::LParen => return self.expr_stmt(),
            "loop" => {
                self.bump();
                return StmtKind::Loop(self.block("`loop`"));
            }
            "atomic" => {
                self.bump();
                return StmtKind::Atomic(self.block("`atomic`"));
            }
            "either" => return self.either(),
            "break" => StmtKind::Break(self.jump_label()),
            "continue" => StmtKind::Continue(self.jump_label()),
            "skip" => {
                self.bump();
                StmtKind::Skip
            }
            "else" => return self.stray_else(),
            _ => return self.expr_stmt(),
        };
        self.semi("this statement");
        kind
    }

    /// `'name:` before a loop.
    fn loop_label(&mut self) -> Name {
        let label = self.label();
        self.expect(TokenKind::Colon, "after the label of a loop");
        if !["loop", "while", "for"].contains(&self.word()) {
            let message = format!("expected a loop after its label, found {}", self.found());
            let error = Diagnostic::error("E0011", self.span(), message);
            self.report(error.help("labels name `loop`, `while` and `for`, for `break 'name;`"));
        }
        label
    }

    /// The label after `break` or `continue`.
    fn jump_label(&mut self) -> Option<Name> {
        self.bump();
        if self.at(TokenKind::Word) && self.nth(1) == TokenKind::Semi {
            let message = format!("expected a label or `;`, found {}", self.found());
            let help = format!("a label has a quote: `'{}`", self.word());
            self.report(Diagnostic::error("E0017", self.span(), message).help(help));
            self.bump();
            return None;
        }
        self.at(TokenKind::Label).then(|| self.label())
    }

    fn label(&mut self) -> Name {
        let text = self.text().trim_start_matches('\'').to_string();
        Name { text, span: self.bump() }
    }

    fn let_stmt(&mut self) -> StmtKind {
        self.bump();
        if self.at_word("mut") && self.nth(1) == TokenKind::Word {
            let error = Diagnostic::error("E0019", self.span(), "expected a pattern, found `mut`");
            self.report(error.help("every variable may be assigned; leave `mut` out"));
            self.bump();
        }
        let pattern = self.pattern();
        let ty = self.eat(TokenKind::Colon).then(|| self.ty());
        let value = if self.eat(TokenKind::Assign) {
            self.expr()
        } else {
            let start = self.span();
            let error = Diagnostic::error(
                "E0026",
                start,
                format!("expected `=` and a value, found {}", self.found()),
            );
            self.report(error.help("a variable has a value from the start: `let x = none;`"));
            Expr { kind: ExprKind::Error, span: self.since(start) }
        };
        StmtKind::Let { pattern, ty, value }
    }

    /// `e;`, `e = e;` or `e += e;`
    fn expr_stmt(&mut self) -> StmtKind {
        if matches!(
            self.kind(),
            TokenKind::Semi | TokenKind::RParen | TokenKind::RBracket | TokenKind::Comma | TokenKind::LBrace
        ) {
            self.expected("E0011", "a statement");
            match self.kind() {
                TokenKind::LBrace => self.skip_braces(),
                _ => _ = self.bump(),
            }
            return StmtKind::Skip;
        }
        let target = self.expr();
        if self.at(TokenKind::Colon) && self.nth(1) == TokenKind::Assign {
            let error = Diagnostic::error("E0017", self.span(), "expected `=`, found `:=`");
            self.report(error.help("`=` assigns, `let` declares"));
            self.bump();
        }
        let kind = if self.eat(TokenKind::Assign) {
            StmtKind::Assign { target, op: None, value: self.expr() }
        } else if let Some(op) = Self::compound(self.kind()) {
            self.bump();
            StmtKind::Assign { target, op: Some(op), value: self.expr() }
        } else {
            if self.at(TokenKind::RBrace) && !matches!(target.kind, ExprKind::Call { .. } | ExprKind::Error) {
                let message = "expected `;` after this statement, found `}`".to_string();
                let end = Span { start: target.span.end, ..target.span };
                let help = "a result is given with `return …;`, a value is kept with `let x = …;`";
                self.report(Diagnostic::error("E0007", end, message).help(help));
                return StmtKind::Return(Some(target));
            }
            StmtKind::Expr(target)
        };
        self.semi("this statement");
        kind
    }

    /// `await e` and its kin. With several values in parentheses it is a call of that name.
    fn operation(&mut self, word: &str) -> StmtKind {
        let name = self.name("an operation");
        let mut operand = self.condition();
        if let ExprKind::Tuple(parts) = operand.kind {
            let args = parts.into_iter().map(|value| Arg { name: None, value }).collect();
            operand.span = name.span.to(operand.span);
            operand.kind = ExprKind::Call { name, args, weak: false };
            return StmtKind::Expr(operand);
        }
        match word {
            "await" => StmtKind::Await(operand),
            "assume" => StmtKind::Assume(operand),
            "assert" => StmtKind::Assert(operand),
            "lock" => StmtKind::Lock(operand),
            "unlock" => StmtKind::Unlock(operand),
            _ => StmtKind::Free(operand),
        }
    }
}
