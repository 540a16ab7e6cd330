//! The items of a file.

use trueline_base::Diagnostic;

use super::cursor::Parser;
use super::suggest::suggest;
use crate::lexer::TokenKind;
use crate::syntax::{Arg, Const, Enum, Field, Item, Object, Param, Spec, SpecRef, Struct, Use, Variant};

const WORDS: [&str; 8] = ["use", "param", "const", "struct", "enum", "spec", "object", "check"];

impl Parser<'_> {
    /// All items up to the end.
    pub(super) fn file(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at(TokenKind::Eof) {
            self.deep = false;
            let before = self.pos();
            items.extend(self.item());
            if self.pos() == before {
                self.bump();
            }
        }
        items
    }

    fn item(&mut self) -> Option<Item> {
        let mut word = self.word();
        if !WORDS.contains(&word) {
            word = self.stray_item()?;
        }
        Some(match word {
            "use" => Item::Use(self.used()),
            "param" => Item::Param(self.param()),
            "const" => Item::Const(self.constant()),
            "struct" => Item::Struct(self.structure()),
            "enum" => Item::Enum(self.enumeration()),
            "spec" => Item::Spec(self.spec()),
            "object" => Item::Object(self.object()),
            _ => Item::Check(self.check()),
        })
    }

    /// Reports what is no item; gives the word that was probably meant.
    fn stray_item(&mut self) -> Option<&'static str> {
        let mut message = format!("expected an item, found {}", self.found());
        let meant = suggest(self.word(), &WORDS).filter(|_| self.nth(1) == TokenKind::Word);
        if let Some(meant) = meant {
            self.report(
                Diagnostic::error("E0012", self.span(), message).help(format!("did you mean `{meant}`?")),
            );
            return Some(meant);
        }
        if self.starts_member() {
            let help = "it stands in an `object` or a `spec`; perhaps a `}` above is one too many";
            self.report(Diagnostic::error("E0012", self.span(), message).help(help));
            self.member(None);
            return None;
        }
        match self.kind() {
            TokenKind::RBrace | TokenKind::RParen | TokenKind::RBracket => {
                message.push_str(" that closes nothing");
                self.report(Diagnostic::error("E0015", self.span(), message));
                self.bump();
            }
            TokenKind::Semi => {
                let error = Diagnostic::error("E0012", self.span(), message);
                self.report(error.help("no `;` follows an item that ends in `}`"));
                self.bump();
            }
            _ => {
                let help = "an item begins with `use`, `param`, `const`, `struct`, `enum`, `spec`, `object` or `check`";
                self.report(Diagnostic::error("E0012", self.span(), message).help(help));
                self.skip_item();
            }
        }
        None
    }

    /// Moves past what is no item, or to where one begins.
    fn skip_item(&mut self) {
        self.bump();
        loop {
            self.skip_to(&[TokenKind::LBrace, TokenKind::Word]);
            match self.kind() {
                TokenKind::LBrace => return self.skip_braces(),
                TokenKind::Word if !self.starts_item() => _ = self.bump(),
                TokenKind::RParen | TokenKind::RBracket => _ = self.bump(),
                TokenKind::Semi => {
                    self.bump();
                    return;
                }
                _ => return,
            }
        }
    }

    /// `use "file.tl";`
    fn used(&mut self) -> Use {
        let start = self.bump();
        let mut path = String::new();
        if self.at(TokenKind::String) {
            path = self.text().trim_matches('"').to_string();
            self.bump();
        } else {
            let message = format!("expected a path in quotes, found {}", self.found());
            self.report(Diagnostic::error("E0006", self.span(), message).help("write `use \"specs.tl\";`"));
            self.hush();
        }
        self.semi("this item");
        Use { path, span: self.since(start) }
    }

    fn param(&mut self) -> Param {
        let start = self.bump();
        let name = self.name("a parameter");
        self.expect(TokenKind::Assign, "and the default of the parameter");
        let value = self.expr();
        self.semi("this item");
        Param { name, value, span: self.since(start) }
    }

    pub(super) fn constant(&mut self) -> Const {
        let start = self.bump();
        let name = self.name("a constant");
        self.expect(TokenKind::Colon, "and the type of the constant");
        let ty = self.ty();
        self.expect(TokenKind::Assign, "and the value of the constant");
        let value = self.expr();
        self.semi("this item");
        Const { name, ty, value, span: self.since(start) }
    }

    pub(super) fn structure(&mut self) -> Struct {
        let start = self.bump();
        let name = self.name("a struct");
        let mut fields = Vec::new();
        if self.at(TokenKind::LBrace) {
            fields = self.list(TokenKind::RBrace, |p| p.field("a field"));
        } else {
            self.expected("E0006", "`{` and the fields of the struct");
            self.skip_stmt();
        }
        Struct { name, fields, span: self.since(start) }
    }

    /// `name: type`
    pub(super) fn field(&mut self, of: &str) -> Field {
        let name = self.name(of);
        self.expect(TokenKind::Colon, &format!("and the type of {of}"));
        Field { name, ty: self.ty() }
    }

    /// `(name: type, …)`; none when there is no parenthesis.
    pub(super) fn params(&mut self) -> Vec<Field> {
        if !self.at(TokenKind::LParen) {
            return Vec::new();
        }
        self.list(TokenKind::RParen, |p| p.field("a parameter"))
    }

    pub(super) fn enumeration(&mut self) -> Enum {
        let start = self.bump();
        let name = self.name("an enum");
        let mut variants = Vec::new();
        if self.at(TokenKind::LBrace) {
            variants = self.list(TokenKind::RBrace, |p| {
                let name = p.name("a variant");
                let payload =
                    if p.at(TokenKind::LParen) { p.list(TokenKind::RParen, Self::ty) } else { Vec::new() };
                Variant { name, payload }
            });
        } else {
            self.expected("E0006", "`{` and the variants of the enum");
            self.skip_stmt();
        }
        Enum { name, variants, span: self.since(start) }
    }

    fn spec(&mut self) -> Spec {
        let start = self.bump();
        let name = self.name("a specification");
        let params = self.params();
        let members = self.members("spec");
        Spec { name, params, members, span: self.since(start) }
    }

    fn object(&mut self) -> Object {
        let start = self.bump();
        let name = self.name("an object");
        let params = self.params();
        let implements = if self.at(TokenKind::Colon) {
            let error = Diagnostic::error("E0006", self.span(), "expected `implements` or `{`, found `:`");
            self.report(error.help("write `implements` and the specification"));
            self.bump();
            Some(self.spec_ref())
        } else {
            self.eat_word("implements").then(|| self.spec_ref())
        };
        let members = self.members("object");
        Object { name, params, implements, members, span: self.since(start) }
    }

    /// A specification by name, perhaps with arguments.
    pub(super) fn spec_ref(&mut self) -> SpecRef {
        let start = self.span();
        let name = self.name("a specification");
        let args = self.optional_args();
        SpecRef { name, args, span: self.since(start) }
    }

    /// `(arg, …)`; none when there is no parenthesis.
    pub(super) fn optional_args(&mut self) -> Vec<Arg> {
        if self.at(TokenKind::LParen) { self.args() } else { Vec::new() }
    }
}
