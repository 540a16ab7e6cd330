//! The members of objects and specifications.

use trueline_base::Diagnostic;

use super::cursor::Parser;
use super::suggest::suggest;
use crate::lexer::TokenKind;
use crate::syntax::{Member, Memory, Routine, TypeKind, Variable};

const IN_OBJECT: [&str; 9] = ["memory", "struct", "enum", "const", "shared", "local", "init", "fn", "op"];
const IN_SPEC: [&str; 3] = ["state", "fn", "op"];

impl Parser<'_> {
    /// `{ members }` of an item of the sort `of`, `object` or `spec`.
    pub(super) fn members(&mut self, of: &'static str) -> Vec<Member> {
        let open = self.span();
        let mut members = Vec::new();
        if !self.expect(TokenKind::LBrace, &format!("and the members of the {of}")) {
            self.skip_to(&[TokenKind::LBrace]);
            if !self.eat(TokenKind::LBrace) {
                return members;
            }
        }
        while !self.at(TokenKind::RBrace) && !self.at(TokenKind::Eof) {
            if self.starts_item() && !self.starts_member() {
                break;
            }
            let before = self.pos();
            members.extend(self.member(Some(of)));
            if self.pos() == before {
                self.bump();
            }
        }
        self.close(TokenKind::RBrace, open);
        members
    }

    /// A member; `of` is the sort of item around it, if any.
    pub(super) fn member(&mut self, of: Option<&str>) -> Option<Member> {
        let known: &[&str] = if of == Some("spec") { &IN_SPEC } else { &IN_OBJECT };
        let mut word = self.word();
        if of.is_some() && !known.contains(&word) {
            word = self.stray_member(of, known)?;
        }
        Some(match word {
            "memory" => self.memory(),
            "struct" => Member::Struct(self.structure()),
            "enum" => Member::Enum(self.enumeration()),
            "const" => Member::Const(self.constant()),
            "shared" => Member::Shared(self.variable()),
            "local" => Member::Local(self.variable()),
            "state" => Member::State(self.variable()),
            "init" => {
                self.bump();
                Member::Init(self.block("`init`"))
            }
            "fn" => Member::Fn(self.routine(false)),
            _ => Member::Op(self.routine(true)),
        })
    }

    /// Reports what does not belong here; gives the word of the member that can be read all the same.
    fn stray_member<'w>(&mut self, of: Option<&str>, known: &[&'w str]) -> Option<&'w str> {
        let of = of.unwrap_or("object");
        let message = format!("expected a member of the {of}, found {}", self.found());
        let error = Diagnostic::error("E0013", self.span(), message);
        let word = self.word();
        if self.starts_member() {
            let help = match word {
                "state" => "the variables of an object are `shared` or `local`",
                "shared" | "local" => "the variables of a specification are `state`",
                "struct" | "enum" | "const" => "declare it outside the specification",
                "init" => "the state of a specification is initialised where it is declared",
                _ => "a specification has `state`, `fn` and `op`",
            };
            self.report(error.help(help));
            self.member(None);
            return None;
        }
        if let Some(meant) = suggest(word, known).filter(|_| self.nth(1) == TokenKind::Word) {
            self.report(error.help(format!("did you mean `{meant}`?")));
            return Some(meant);
        }
        self.report(error.help(format!(
            "the members of {} {of} begin with {}",
            if of == "spec" { "a" } else { "an" },
            quoted(known)
        )));
        self.skip_stmt();
        None
    }

    fn memory(&mut self) -> Member {
        let start = self.bump();
        let mode = match self.word() {
            "gc" => Memory::Gc,
            "manual" => Memory::Manual,
            "pool" => Memory::Pool,
            _ => {
                self.expected("E0006", "`gc`, `manual` or `pool`");
                Memory::Gc
            }
        };
        if self.at(TokenKind::Word) {
            self.bump();
        }
        self.semi("this member");
        Member::Memory { mode, span: self.since(start) }
    }

    fn variable(&mut self) -> Variable {
        let start = self.bump();
        let name = self.name("a variable");
        self.expect(TokenKind::Colon, "and the type of the variable");
        let ty = self.ty();
        let applied = self.at(TokenKind::LParen) && matches!(ty.kind, TypeKind::Named(_));
        let args = if applied { self.args() } else { Vec::new() };
        let init = self.eat(TokenKind::Assign).then(|| self.expr());
        self.semi("this member");
        Variable { name, ty, args, init, span: self.since(start) }
    }

    fn routine(&mut self, op: bool) -> Routine {
        let start = self.bump();
        let name = self.name(if op { "an operation" } else { "a function" });
        if !self.at(TokenKind::LParen) {
            self.expected("E0006", "`(` and the parameters");
        }
        let params = self.params();
        if self.at(TokenKind::Colon) {
            let error = Diagnostic::error("E0020", self.span(), "expected `->` or `{`, found `:`");
            self.report(error.help("the type of the result follows `->`"));
        }
        let result = (self.eat(TokenKind::Arrow) || self.eat(TokenKind::Colon)).then(|| self.ty());
        if !op && self.at_word("requires") {
            let error = Diagnostic::error("E0028", self.span(), "expected `{`, found `requires`");
            self.report(error.help("only an `op` has a precondition; use `assert` in a `fn`"));
        }
        let requires = self.eat_word("requires").then(|| self.condition());
        let body = self.block("this heading");
        Routine { name, params, result, requires, body, span: self.since(start) }
    }
}

fn quoted(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let (last, first) = quoted.split_last().expect("some word is known");
    format!("{} or {last}", first.join(", "))
}
