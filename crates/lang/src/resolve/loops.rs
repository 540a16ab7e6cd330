//! Loops: what they run over, where `break` and `continue` lead; quantifiers, which are loops that give a value.

use std::collections::HashMap;

use trueline_base::Span;

use super::routine::Body;
use crate::syntax::{self, ForOver, Name, Stmt};
use crate::typed::{Block, Expr, ExprKind, Over, Type};

impl<'a> Body<'_, 'a> {
    /// The body of a loop.
    pub(super) fn loop_body(&mut self, stmt: &'a Stmt, body: &'a syntax::Block) -> Block {
        let label = stmt.label.as_ref().map(|label| label.text.as_str());
        if let Some(label) = &stmt.label
            && self.loops.contains(&Some(label.text.as_str()))
        {
            let text = format!("a loop around this one has the label `'{}` already", label.text);
            self.error("E0102", label.span, text).help = Some("give one of them another name".into());
        }
        self.loops.push(label);
        let block = self.block(body);
        self.loops.pop();
        block
    }

    /// How many loops around the innermost one `break` or `continue` leaves.
    pub(super) fn jump_out(&mut self, stmt: &'a Stmt, word: &str, label: Option<&'a Name>) -> Option<usize> {
        let wanted = label.map(|label| label.text.as_str());
        let found = self.loops.iter().rev().position(|l| wanted.is_none() || *l == wanted);
        if found.is_none() {
            match label {
                None => self.error("E0233", stmt.span, format!("`{word}` stands outside of a loop")),
                Some(label) => {
                    let text = format!("no loop around this one has the label `'{}`", label.text);
                    self.error("E0233", label.span, text)
                }
            };
        }
        found
    }

    /// `forall x in r { e }` and `exists x in r { e }`.
    pub(super) fn quantified(
        &mut self,
        all: bool,
        variable: &'a Name,
        over: &'a ForOver,
        body: &'a syntax::Expr,
        span: Span,
    ) -> Option<Expr> {
        let (over, ty) = self.over(over, true)?;
        self.scopes.push(HashMap::new());
        let variable = self.declare(&variable.text, ty, variable.span);
        let body = self.value_as(body, &Type::Bool);
        self.scopes.pop();
        let kind = ExprKind::Quantified { all, variable, over: Box::new(over), body: Box::new(body?) };
        Some(Expr { kind, ty: Type::Bool, span })
    }

    /// What a loop runs over, and the type of its variable. Sets and multisets have an order only where it cannot be
    /// seen (`unordered`).
    pub(super) fn over(&mut self, over: &'a ForOver, unordered: bool) -> Option<(Over, Type)> {
        Some(match over {
            ForOver::Range { reverse, low, high, inclusive } => {
                let low = self.value_as(low, &Type::Int)?;
                let high = self.value_as(high, &Type::Int)?;
                (Over::Range { reverse: *reverse, low, high, inclusive: *inclusive }, Type::Int)
            }
            ForOver::Threads => (Over::Threads, Type::Tid),
            ForOver::Collection(e) => {
                let value = self.value(e, None)?;
                let element = match &value.ty {
                    Type::Seq(element) | Type::Array { element, .. } => (**element).clone(),
                    Type::Set(element) | Type::Multiset(element) if unordered => (**element).clone(),
                    other => {
                        let set = matches!(other, Type::Set(_) | Type::Multiset(_));
                        let (word, all) = match unordered {
                            true => ("a quantifier", "threads, sequences and sets"),
                            false => ("`for`", "threads and sequences"),
                        };
                        let text = format!(
                            "{word} runs over ranges, {all}, not over {}",
                            self.scope.module.a(other)
                        );
                        self.error("E0202", e.span, text).help =
                            (set && !unordered).then(|| "`forall` and `exists` look at every element".into());
                        return None;
                    }
                };
                (Over::Collection(value), element)
            }
        })
    }
}
