//! What the command line changes, parsed, and the values that it gives to parameters.

use trueline_base::Diagnostic;

use super::{Argument, Misuse, Overrides, Refusal};
use crate::resolve::scope::NameScope;
use crate::syntax::{self, Expr};
use crate::typed::{self, ConstantId, DefinitionKind};

/// Texts of the command line, parsed; they live as long as the build.
#[derive(Default)]
pub(super) struct Parsed {
    pub set: Vec<(String, Expr)>,
    /// The same as arguments of objects.
    pub args: Vec<syntax::Arg>,
    pub client: Option<syntax::Client>,
    pub spec: Option<syntax::SpecRef>,
}

pub(super) fn parse_overrides(overrides: &Overrides) -> Result<Parsed, Refusal> {
    let refuse = |problems: Vec<Diagnostic>| match problems.is_empty() {
        true => Ok(()),
        false => Err(Refusal::of(problems, overrides)),
    };
    let mut set = Vec::new();
    for (at, (name, text)) in overrides.set.iter().enumerate() {
        let (e, problems) = crate::parser::expr(text, Argument::Set(at).source());
        refuse(problems)?;
        set.push((name.clone(), e));
    }
    let client = match &overrides.client {
        None => None,
        Some(text) => {
            let (client, problems) = crate::parser::client(text, Argument::Client.source());
            refuse(problems)?;
            Some(client)
        }
    };
    let spec = match &overrides.spec {
        None => None,
        Some(text) => {
            let (e, problems) = crate::parser::expr(text, Argument::Spec.source());
            refuse(problems)?;
            match e.kind {
                syntax::ExprKind::Name(name) => Some(syntax::SpecRef {
                    name: syntax::Name { text: name, span: e.span },
                    args: Vec::new(),
                    span: e.span,
                }),
                syntax::ExprKind::Call { name, args, .. } => {
                    Some(syntax::SpecRef { name, args, span: e.span })
                }
                _ => return Err(Refusal::Usage(Misuse::NoSpecification(text.clone()))),
            }
        }
    };
    let named = |(name, value): &(String, Expr)| syntax::Arg {
        name: Some(syntax::Name { text: name.clone(), span: value.span }),
        value: value.clone(),
    };
    let args = set.iter().map(named).collect();
    Ok(Parsed { set, args, client, spec })
}

/// The parameters of the file that a check or the command line gives other values. The scope is that of the file.
pub(super) fn given<'a>(
    scope: &mut NameScope<'a>,
    with: &'a [(syntax::Name, Expr)],
    parsed: &'a Parsed,
) -> Vec<(ConstantId, typed::Expr)> {
    let mut all = Vec::new();
    for id in 0..scope.module.constants.len() {
        let constant = &scope.module.constants[id];
        if !constant.open {
            continue;
        }
        let (name, ty) = (constant.name.clone(), constant.ty.clone());
        let changed = parsed.set.iter().rev().find(|(n, _)| *n == name).map(|(_, e)| e);
        let set = with.iter().find(|(n, _)| n.text == name);
        if let Some((at, _)) = set {
            let declared = scope.module.constants[id].span;
            scope.note(at.span, DefinitionKind::Constant, &name, declared, Some(&ty));
        }
        let changed = changed.or(set.map(|(_, e)| e));
        let Some(e) = changed else { continue };
        // A value is over the parameters before this one.
        let names = scope.constants.clone();
        scope.constants.retain(|_, other| (other.0 as usize) < id);
        let value = scope.constant(e, &ty);
        scope.constants = names;
        all.extend(value.map(|value| (ConstantId(id as u32), value)));
    }
    all
}
