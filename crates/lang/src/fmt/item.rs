//! Items and members.

use trueline_base::Span;

use super::list::Layout;
use super::writer::Writer;
use crate::lexer::TokenKind;
use crate::syntax::{
    Const, Enum, Expr, Field, File, Item, Member, Object, Routine, Spec, SpecRef, Struct, Variable,
};

impl Writer<'_> {
    /// The whole file.
    pub(super) fn file(&mut self, file: &File) {
        for (n, item) in file.items.iter().enumerate() {
            self.begin(n == 0);
            self.item(item);
        }
        if self.commented() {
            self.begin(file.items.is_empty());
            self.leading();
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Use(_) => {
                self.take(TokenKind::Word);
                self.space();
                self.take(TokenKind::String);
                self.take(TokenKind::Semi);
            }
            Item::Param(param) => {
                self.words(2);
                self.value(Some(&param.value));
                self.take(TokenKind::Semi);
            }
            Item::Const(constant) => self.constant(constant),
            Item::Struct(structure) => self.structure(structure),
            Item::Enum(enumeration) => self.enumeration(enumeration),
            Item::Spec(spec) => self.spec(spec),
            Item::Object(object) => self.object(object),
            Item::Check(check) => self.check(check),
        }
    }

    /// `= value`
    fn value(&mut self, value: Option<&Expr>) {
        if let Some(value) = value {
            self.space();
            self.take(TokenKind::Assign);
            self.space();
            self.expr(value);
        }
    }

    fn constant(&mut self, constant: &Const) {
        self.words(2);
        self.take(TokenKind::Colon);
        self.space();
        self.ty(&constant.ty);
        self.value(Some(&constant.value));
        self.take(TokenKind::Semi);
    }

    fn structure(&mut self, structure: &Struct) {
        self.words(2);
        self.space();
        self.fields(Layout::Braced, &structure.fields);
    }

    fn fields(&mut self, layout: Layout, fields: &[Field]) {
        self.list(layout, fields.len(), |w, n| {
            w.take(TokenKind::Word);
            w.take(TokenKind::Colon);
            w.space();
            w.ty(&fields[n].ty);
        });
    }

    fn enumeration(&mut self, enumeration: &Enum) {
        self.words(2);
        self.space();
        let variants = &enumeration.variants;
        self.list(Layout::Braced, variants.len(), |w, n| {
            w.take(TokenKind::Word);
            let payload = &variants[n].payload;
            if w.at(TokenKind::LParen) {
                w.list(Layout::Plain, payload.len(), |w, n| w.ty(&payload[n]));
            }
        });
    }

    /// Parameters of an object or specification, which may be missing.
    fn params(&mut self, params: &[Field]) {
        if self.at(TokenKind::LParen) {
            self.fields(Layout::Plain, params);
        }
    }

    fn spec(&mut self, spec: &Spec) {
        self.words(2);
        self.params(&spec.params);
        self.members(spec.span, &spec.members);
    }

    fn object(&mut self, object: &Object) {
        self.words(2);
        self.params(&object.params);
        if let Some(spec) = &object.implements {
            self.space();
            self.take(TokenKind::Word);
            self.space();
            self.spec_ref(spec);
        }
        self.members(object.span, &object.members);
    }

    /// A specification by name.
    pub(super) fn spec_ref(&mut self, spec: &SpecRef) {
        self.take(TokenKind::Word);
        if self.at(TokenKind::LParen) {
            self.args(&spec.args);
        }
    }

    fn members(&mut self, item: Span, members: &[Member]) {
        let span = Span { start: self.peek().span.start, ..item };
        self.braces(span, true, members.len(), |w, n| w.member(&members[n]));
    }

    fn member(&mut self, member: &Member) {
        match member {
            Member::Memory { .. } => {
                self.words(2);
                self.take(TokenKind::Semi);
            }
            Member::Struct(structure) => self.structure(structure),
            Member::Enum(enumeration) => self.enumeration(enumeration),
            Member::Const(constant) => self.constant(constant),
            Member::Shared(variable) | Member::Local(variable) | Member::State(variable) => {
                self.variable(variable);
            }
            Member::Init(block) => {
                self.take(TokenKind::Word);
                self.block(block);
            }
            Member::Fn(routine) | Member::Op(routine) => self.routine(routine),
        }
    }

    fn variable(&mut self, variable: &Variable) {
        self.words(2);
        self.take(TokenKind::Colon);
        self.space();
        self.ty(&variable.ty);
        if self.at(TokenKind::LParen) {
            self.args(&variable.args);
        }
        self.value(variable.init.as_ref());
        self.take(TokenKind::Semi);
    }

    fn routine(&mut self, routine: &Routine) {
        self.words(2);
        self.fields(Layout::Plain, &routine.params);
        if let Some(result) = &routine.result {
            self.space();
            self.take(TokenKind::Arrow);
            self.space();
            self.ty(result);
        }
        if let Some(requires) = &routine.requires {
            self.space();
            self.take(TokenKind::Word);
            self.space();
            self.expr(requires);
        }
        self.block(&routine.body);
    }
}
