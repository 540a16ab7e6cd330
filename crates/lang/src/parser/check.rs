//! Checks: their clauses and the properties that they ask for.

use trueline_base::{Diagnostic, Span};

use super::cursor::{Mode, Parser};
use super::suggest::suggest;
use crate::lexer::TokenKind;
use crate::syntax::{Check, Clause, ClauseKind, ClientBlock, Expect, Expr, ExprKind, Name, Property};

const CLAUSES: [&str; 7] = ["threads", "ops", "values", "call", "role", "before", "after"];
const PROPERTIES: [&str; 12] = [
    "safe",
    "linearizable",
    "refines",
    "equivalent",
    "lock_free",
    "wait_free",
    "obstruction_free",
    "deadlock_free",
    "starvation_free",
    "leak_free",
    "invariant",
    "ltl",
];

impl Parser<'_> {
    /// A `check`.
    pub(super) fn check(&mut self) -> Check {
        let start = self.bump();
        let object = self.name("an object");
        let args = self.optional_args();
        let mut with = Vec::new();
        if self.eat_word("with") {
            loop {
                let name = self.name("a parameter");
                self.expect(TokenKind::Assign, "and the value of the parameter");
                with.push((name, self.expr()));
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let clauses = self.clauses();
        Check { object, args, with, clauses, span: self.since(start) }
    }

    fn clauses(&mut self) -> Vec<Clause> {
        let open = self.span();
        let mut clauses = Vec::new();
        if !self.expect(TokenKind::LBrace, "and the clauses of the check") {
            self.skip_to(&[TokenKind::LBrace]);
            if !self.eat(TokenKind::LBrace) {
                return clauses;
            }
        }
        while !self.at(TokenKind::RBrace) && !self.at(TokenKind::Eof) && !self.starts_item() {
            let before = self.pos();
            let start = self.span();
            if let Some(kind) = self.clause() {
                clauses.push(Clause { kind, span: self.since(start) });
            }
            if self.pos() == before {
                self.bump();
            }
        }
        self.close(TokenKind::RBrace, open);
        clauses
    }

    fn clause(&mut self) -> Option<ClauseKind> {
        let mut word = self.word();
        if !CLAUSES.contains(&word) && !PROPERTIES.contains(&word) {
            word = match self.stray_clause() {
                Some(word) => word,
                None => return self.unknown_property(),
            };
        }
        let start = self.bump();
        let kind = match word {
            "threads" => ClauseKind::Threads(self.expr()),
            "ops" => ClauseKind::Ops(self.number_or("forever")),
            "values" => ClauseKind::Values(self.number_or("tid")),
            "call" => ClauseKind::Calls(self.calls()),
            "role" => return Some(self.role()),
            "before" => return Some(ClauseKind::Before(self.program("`before`"))),
            "after" => return Some(ClauseKind::After(self.program("`after`"))),
            _ => {
                let property = self.property(word, start);
                ClauseKind::Property { property, expect: self.expectation() }
            }
        };
        self.semi("this clause");
        Some(kind)
    }

    /// Reports what is no clause; gives the word that was probably meant.
    fn stray_clause(&mut self) -> Option<&'static str> {
        let known: Vec<&str> = CLAUSES.into_iter().chain(PROPERTIES).collect();
        let message = format!("expected a clause or a property, found {}", self.found());
        let error = Diagnostic::error("E0021", self.span(), message);
        let hyphen = self.nth(1) == TokenKind::Minus && self.nth_word(2) == "free";
        let meant = suggest(self.word(), &known);
        let help = match (meant, self.word()) {
            (_, word) if hyphen => format!("did you mean `{word}_free`?"),
            (Some(meant), _) => format!("did you mean `{meant}`?"),
            (_, "lockfree" | "lock") => "did you mean `lock_free`?".to_string(),
            (_, "property") => "a property is written without a word before it: `linearizable;`".to_string(),
            _ => format!("the properties are `{}`", PROPERTIES.join("`, `")),
        };
        self.report(error.help(help));
        meant.filter(|_| !hyphen)
    }

    fn unknown_property(&mut self) -> Option<ClauseKind> {
        if !self.at(TokenKind::Word) {
            self.skip_stmt();
            return None;
        }
        let name = self.name("a property");
        self.skip_to(&[]);
        self.eat(TokenKind::Semi);
        Some(ClauseKind::Property { property: Property::Unknown(name), expect: None })
    }

    /// An expression, or `None` for the word that stands for no number.
    fn number_or(&mut self, word: &str) -> Option<Expr> {
        if self.at_word(word) && matches!(self.nth(1), TokenKind::Semi | TokenKind::RBrace) {
            self.bump();
            return None;
        }
        Some(self.expr())
    }

    fn role(&mut self) -> ClauseKind {
        let name = self.name("a role");
        let count = self.eat_word("x").then(|| self.expr());
        let body = self.program("the name of the role");
        ClauseKind::Role { name, count, body }
    }

    /// The program of a thread, after `what`.
    fn program(&mut self, what: &str) -> ClientBlock {
        let mode = std::mem::replace(&mut self.mode, Mode::Client);
        let body = self.client_block(what);
        self.mode = mode;
        body
    }

    fn calls(&mut self) -> Vec<Expr> {
        let mode = std::mem::replace(&mut self.mode, Mode::Client);
        let mut calls = vec![self.call()];
        while self.eat(TokenKind::Comma) {
            calls.push(self.call());
        }
        self.mode = mode;
        calls
    }

    fn property(&mut self, word: &str, start: Span) -> Property {
        match word {
            "linearizable" => Property::Linearizable { to: self.eat_word("to").then(|| self.spec_ref()) },
            "refines" => Property::Refines(self.spec_ref()),
            "equivalent" => {
                let other = self.spec_ref();
                let by = self.eat_word("by").then(|| self.name("an equivalence"));
                Property::Equivalent { other, by }
            }
            "wait_free" => {
                // A property on the next line is rather one after a missing `;`.
                let other = self.starts_line()
                    && (PROPERTIES.contains(&self.word()) || CLAUSES.contains(&self.word()));
                let op = self.at(TokenKind::Word) && !self.at_expectation() && !other;
                Property::WaitFree { op: op.then(|| self.name("an operation")) }
            }
            "invariant" => Property::Invariant(self.condition()),
            "ltl" => self.ltl(),
            _ => match Property::alone(word) {
                Some(property) => property.clone(),
                None => Property::Unknown(Name { text: word.to_string(), span: start }),
            },
        }
    }

    fn ltl(&mut self) -> Property {
        let mut formula = String::new();
        if self.at(TokenKind::String) {
            formula = self.text().trim_matches('"').to_string();
            self.bump();
        } else {
            self.expected("E0006", "a formula in quotes");
        }
        let fair = self.eat_word("fair").then(|| self.name("a fairness: none, weak or strong"));
        Property::Ltl { formula, fair }
    }

    fn at_expectation(&self) -> bool {
        self.at_word("expect") && self.nth(1) == TokenKind::Word && self.nth_word(1) != "expect"
    }

    fn expectation(&mut self) -> Option<Expect> {
        if !self.at_word("expect") {
            return None;
        }
        let start = self.bump();
        if !self.eat_word("fails") {
            self.expected("E0006", "`fails` after `expect`");
            if self.at(TokenKind::Word) && !self.starts_line() {
                self.bump();
            }
        }
        let mut kind = None;
        if self.at(TokenKind::LParen) {
            let open = self.bump();
            kind = Some(self.name("a finding"));
            self.close(TokenKind::RParen, open);
        }
        Some(Expect { kind, span: self.since(start) })
    }

    /// A call of an operation.
    pub(super) fn call(&mut self) -> Expr {
        let start = self.span();
        let expr = if self.at(TokenKind::Word) && self.nth(1) == TokenKind::LParen {
            self.postfix()
        } else {
            Expr { kind: ExprKind::Error, span: start }
        };
        if !matches!(expr.kind, ExprKind::Call { .. }) {
            let message = match self.span() == start {
                true => format!("expected a call of an operation, found {}", self.found()),
                false => "expected a call of an operation, found another expression".to_string(),
            };
            let error = Diagnostic::error("E0022", expr.span, message);
            self.report(error.help("write the operation and its arguments: `enq(1)`, `deq()`"));
            if self.at(TokenKind::Word) && self.span() == start && self.nth(1) != TokenKind::Word {
                self.bump();
            }
        }
        expr
    }
}
