//! Types.

use trueline_base::{Diagnostic, Span};

use super::cursor::{MAX_HEIGHT, Parser};
use super::expr::BOUND;
use crate::lexer::TokenKind;
use crate::syntax::{Name, Type, TypeKind};

/// How many tokens the lower bound of a range may have that begins with brackets; the limit keeps parsing linear.
const LOOKAHEAD: usize = 100;
/// The words that are types, or begin one.
const TYPES: [&str; 10] = ["bool", "int", "tid", "val", "lock", "seq", "set", "multiset", "heap", "map"];

impl Parser<'_> {
    /// A type.
    pub(super) fn ty(&mut self) -> Type {
        self.type_with(true)
    }

    /// The type of a cast, which a `..` does not continue: `for i in a as int..b`.
    pub(super) fn cast_type(&mut self) -> Type {
        self.type_with(false)
    }

    fn type_with(&mut self, ranges: bool) -> Type {
        let start = self.span();
        let ty = self.deeper(|p| p.base(ranges));
        let mut ty = ty.unwrap_or_else(|| {
            self.skip_to(&[TokenKind::Comma, TokenKind::Assign, TokenKind::LBrace]);
            missing(start)
        });
        while self.at(TokenKind::Question) {
            self.height += 1;
            if self.height > MAX_HEIGHT {
                self.too_deep();
                ty = missing(start);
                self.height = 1;
            }
            self.bump();
            ty = Type { kind: TypeKind::Optional(Box::new(ty)), span: self.since(start) };
        }
        ty
    }

    fn base(&mut self, ranges: bool) -> Type {
        let start = self.span();
        self.height = 1;
        let kind = match self.kind() {
            _ if ranges && self.starts_range() => self.range(),
            TokenKind::Word => self.word_type(),
            TokenKind::LParen => {
                let mut height = 0;
                let mut types = self.list(TokenKind::RParen, |p| {
                    let ty = p.ty();
                    height = height.max(p.height);
                    ty
                });
                self.height = height + 1;
                match types.len() {
                    0 => self.misread("E0009", "a type between the parentheses"),
                    1 => return Type { kind: types.remove(0).kind, span: self.since(start) },
                    _ => {}
                }
                TypeKind::Tuple(types)
            }
            TokenKind::LBracket => self.array(),
            _ => {
                self.expected("E0009", "a type");
                return missing(start);
            }
        };
        Type { kind, span: self.since(start) }
    }

    fn word_type(&mut self) -> TypeKind {
        let word = self.word();
        let span = self.bump();
        match word {
            "bool" => TypeKind::Bool,
            "int" => TypeKind::Int,
            "tid" => TypeKind::Tid,
            "val" => TypeKind::Val,
            "lock" => TypeKind::Lock,
            "seq" => TypeKind::Seq(self.element()),
            "set" => TypeKind::Set(self.element()),
            "multiset" => TypeKind::Multiset(self.element()),
            "heap" => TypeKind::Heap(self.element()),
            "map" => {
                let key = self.element();
                let height = self.height;
                let value = self.element();
                self.height = self.height.max(height);
                TypeKind::Map(key, value)
            }
            _ if self.at(TokenKind::Lt) => self.foreign_generic(word, span),
            _ => TypeKind::Named(Name { text: word.to_string(), span }),
        }
    }

    /// `Option<val>` and its kin: says how they are written here, and reads them so.
    fn foreign_generic(&mut self, word: &str, span: Span) -> TypeKind {
        let open = self.span();
        self.bump();
        let inner = Box::new(self.ty());
        let (ours, kind): (&str, fn(Box<Type>) -> TypeKind) = match word {
            "Option" | "Optional" | "Maybe" => ("val?", TypeKind::Optional),
            "Vec" | "VecDeque" | "List" | "Queue" => ("seq val", TypeKind::Seq),
            "Set" | "HashSet" | "BTreeSet" => ("set val", TypeKind::Set),
            "BinaryHeap" | "PriorityQueue" => ("heap int", TypeKind::Heap),
            _ => ("T", |ty| ty.kind),
        };
        let help = match ours {
            "T" => format!("types have no parameters: write what `{word}` holds, as in `shared x: int;`"),
            ours => format!("write `{ours}`"),
        };
        let message = format!("expected a type of this language, found `{word}<`");
        self.report(Diagnostic::error("E0009", span.to(open), message).help(help));
        if self.at(TokenKind::Comma) {
            self.bump();
            self.ty();
        }
        if !self.eat(TokenKind::Gt) && !self.eat(TokenKind::Ge) {
            self.hush();
        }
        kind(inner)
    }

    fn element(&mut self) -> Box<Type> {
        let element = Box::new(self.ty());
        self.height += 1;
        element
    }

    fn array(&mut self) -> TypeKind {
        let open = self.bump();
        let element = self.element();
        let height = self.height;
        let length = self.length();
        self.height = self.height.max(height);
        self.close(TokenKind::RBracket, open);
        TypeKind::Array { element, length }
    }

    fn range(&mut self) -> TypeKind {
        let low = Box::new(self.operand(BOUND));
        let height = self.height;
        let inclusive = self.at(TokenKind::DotDotEq);
        if !inclusive && !self.at(TokenKind::DotDot) {
            self.expected("E0009", "`..` of a range type");
            self.height = 1;
            return missing(low.span).kind;
        }
        self.bump();
        let high = Box::new(self.operand(BOUND));
        self.height = self.height.max(height) + 1;
        TypeKind::Range { low, high, inclusive }
    }

    /// Whether a bound of a range, not a type, begins here.
    fn starts_range(&self) -> bool {
        use TokenKind::{Dot, DotDot, DotDotEq, LBracket, LParen, Minus, Percent, Plus, Slash, Star};
        match (self.kind(), self.nth(1)) {
            (TokenKind::Int | Minus, _) => true,
            (TokenKind::Word, DotDot | DotDotEq) => true,
            (TokenKind::Word, _) if TYPES.contains(&self.word()) => false,
            (TokenKind::Word, Plus | Minus | Star | Slash | Percent | Dot) => true,
            (TokenKind::Word, LParen | LBracket) | (LParen, _) => self.arithmetic_to_range(),
            _ => false,
        }
    }

    /// Whether only arithmetic stands between here and the next `..` outside brackets.
    fn arithmetic_to_range(&self) -> bool {
        use TokenKind::{
            Dot, Int, LBracket, LParen, Minus, Percent, Plus, RBracket, RParen, Slash, Star, Word,
        };
        let mut open = 0u32;
        for n in 0..LOOKAHEAD {
            match self.nth(n) {
                LParen | LBracket => open += 1,
                RParen | RBracket if open > 0 => open -= 1,
                Word | Int | Plus | Minus | Star | Slash | Percent | Dot => {}
                TokenKind::DotDot | TokenKind::DotDotEq => return open == 0,
                _ => return false,
            }
        }
        false
    }
}

/// What stands for a type that could not be read.
fn missing(at: Span) -> Type {
    let span = Span { end: at.start, ..at };
    Type { kind: TypeKind::Named(Name { text: String::new(), span }), span }
}
