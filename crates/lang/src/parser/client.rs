//! Client programs: the bodies of roles, and the client of a command line.

use trueline_base::Diagnostic;

use super::cursor::{Mode, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{Client, ClientBlock, ClientStmt, ClientStmtKind};

impl Parser<'_> {
    /// The client of a command line.
    pub(super) fn client(&mut self) -> Client {
        self.mode = Mode::CommandLine;
        let mut client = Client { before: self.part("before"), ..Client::default() };
        loop {
            let start = self.span();
            if matches!(self.kind(), TokenKind::Eof | TokenKind::OrOr) || self.at_part("after") {
                self.expected("E0022", "a call of an operation");
            }
            let stmts = self.client_stmts();
            client.threads.push(ClientBlock { stmts, span: self.since(start) });
            if client.after.is_none() {
                client.after = self.part("after");
            }
            match self.kind() {
                TokenKind::Eof => return client,
                TokenKind::OrOr if client.after.is_none() => {}
                _ if client.after.is_some() => self.expected("E0006", "nothing behind `after { … }`"),
                _ => self.expected("E0006", "`||` before the next thread"),
            }
            self.bump();
        }
    }

    /// Whether `before { … }` or `after { … }` begins here, and no call of an operation of that name.
    fn at_part(&self, word: &str) -> bool {
        self.at_word(word) && self.nth(1) == TokenKind::LBrace
    }

    fn part(&mut self, word: &str) -> Option<ClientBlock> {
        self.at_part(word).then(|| {
            self.bump();
            self.client_block(word)
        })
    }

    /// `{ … }` after `what`.
    pub(super) fn client_block(&mut self, what: &str) -> ClientBlock {
        let start = self.span();
        if !self.at(TokenKind::LBrace) {
            let message = format!("expected `{{` after {what}, found {}", self.found());
            self.report(Diagnostic::error("E0025", start, message).help("a body stands in braces"));
            self.skip_to(&[TokenKind::LBrace]);
            if !self.at(TokenKind::LBrace) {
                self.eat(TokenKind::Semi);
                return ClientBlock { stmts: Vec::new(), span: self.since(start) };
            }
        }
        let open = self.span();
        let stmts = self.deeper(|p| {
            p.bump();
            let stmts = p.client_stmts();
            p.close(TokenKind::RBrace, open);
            stmts
        });
        let stmts = stmts.unwrap_or_else(|| {
            self.skip_braces();
            Vec::new()
        });
        ClientBlock { stmts, span: self.since(open) }
    }

    fn client_stmts(&mut self) -> Vec<ClientStmt> {
        let mut stmts = Vec::new();
        let ends = |p: &Self| {
            matches!(p.kind(), TokenKind::RBrace | TokenKind::OrOr | TokenKind::Eof)
                || p.starts_item()
                || p.mode == Mode::CommandLine && p.at_part("after")
        };
        while !ends(self) {
            let before = self.pos();
            let start = self.span();
            let kind = self.client_stmt();
            stmts.push(ClientStmt { kind, span: self.since(start) });
            if self.pos() == before {
                self.bump();
            }
        }
        stmts
    }

    fn client_stmt(&mut self) -> ClientStmtKind {
        match self.word() {
            "let" => {
                self.bump();
                let name = self.name("a variable");
                self.expect(TokenKind::Assign, "and a call");
                let call = self.call();
                self.client_semi();
                ClientStmtKind::Let { name, call }
            }
            "if" => self.client_if(),
            "repeat" if self.starts_repeat() => {
                self.bump();
                let count = self.expr();
                ClientStmtKind::Repeat { count, body: self.client_block("the number of repetitions") }
            }
            "forever" if self.nth(1) == TokenKind::LBrace => {
                self.bump();
                ClientStmtKind::Forever(self.client_block("`forever`"))
            }
            _ => {
                let mut calls = vec![self.call()];
                while self.eat_word("or") {
                    calls.push(self.call());
                }
                self.client_semi();
                ClientStmtKind::Calls(calls)
            }
        }
    }

    fn client_if(&mut self) -> ClientStmtKind {
        self.bump();
        let condition = self.condition();
        let then = self.client_block("the condition");
        let otherwise = self.eat_word("else").then(|| {
            let start = self.span();
            if !self.at_word("if") {
                return self.client_block("`else`");
            }
            let kind = self.deeper(Self::client_if);
            if kind.is_none() {
                self.skip_stmt();
            }
            let span = self.since(start);
            ClientBlock { stmts: kind.into_iter().map(|kind| ClientStmt { kind, span }).collect(), span }
        });
        ClientStmtKind::If { condition, then, otherwise }
    }

    /// Whether `repeat` is followed by a number and a block, not by the arguments of a call.
    fn starts_repeat(&self) -> bool {
        if self.nth(1) != TokenKind::LParen {
            return !matches!(self.nth(1), TokenKind::Semi | TokenKind::RBrace);
        }
        let (mut n, mut open) = (1, 0u32);
        loop {
            match self.nth(n) {
                TokenKind::LParen => open += 1,
                TokenKind::RParen => open -= 1,
                TokenKind::Eof | TokenKind::Semi | TokenKind::LBrace | TokenKind::RBrace => return false,
                _ => {}
            }
            n += 1;
            if open == 0 {
                return !matches!(
                    self.nth(n),
                    TokenKind::Semi | TokenKind::RBrace | TokenKind::OrOr | TokenKind::Eof
                ) && self.nth_word(n) != "or";
            }
        }
    }

    fn client_semi(&mut self) {
        let last = matches!(self.kind(), TokenKind::RBrace | TokenKind::OrOr | TokenKind::Eof)
            || self.at_part("after");
        if !(self.mode == Mode::CommandLine && last) {
            self.semi("this statement");
        }
    }
}
