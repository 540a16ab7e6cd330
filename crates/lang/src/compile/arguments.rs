//! What the command line changes, parsed, and the names of the file with these changes.

use trueline_base::Diagnostic;

use super::{Overrides, Refusal};
use crate::ir::Ty;
use crate::lower::env::Env;
use crate::lower::specs;
use crate::syntax::{self, Expr, File, Item};

/// Texts of the command line, parsed; they live as long as the build.
pub(super) struct Parsed {
    pub set: Vec<(String, Expr)>,
    /// The same as arguments of objects.
    pub args: Vec<syntax::Arg>,
    pub client: Option<syntax::Client>,
    pub spec: Option<syntax::SpecRef>,
}

pub(super) fn parse_overrides(overrides: &Overrides) -> Result<Parsed, Refusal> {
    let refuse = |flag, text: &str, problems: Vec<Diagnostic>| match problems.is_empty() {
        true => Ok(()),
        false => Err(Refusal::Argument { flag, text: text.to_string(), problems }),
    };
    let mut set = Vec::new();
    for (name, text) in &overrides.set {
        let (e, problems) = crate::parser::parse_expr(text);
        refuse("--set", text, problems)?;
        set.push((name.clone(), e));
    }
    let client = match &overrides.client {
        None => None,
        Some(text) => {
            let (client, problems) = crate::parser::parse_client(text);
            refuse("--client", text, problems)?;
            Some(client)
        }
    };
    let spec = match &overrides.spec {
        None => None,
        Some(text) => {
            let (e, problems) = crate::parser::parse_expr(text);
            refuse("--spec", text, problems)?;
            match e.kind {
                syntax::ExprKind::Name(name) => Some(syntax::SpecRef {
                    name: syntax::Name { text: name, span: e.span },
                    args: Vec::new(),
                    span: e.span,
                }),
                syntax::ExprKind::Call { name, args, .. } => {
                    Some(syntax::SpecRef { name, args, span: e.span })
                }
                _ => {
                    return Err(Refusal::Usage(format!(
                        "--spec takes the name of a specification, not `{text}`"
                    )));
                }
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

/// Parameters, constants and types of the file, and the enums of the ready-made specifications.
pub(super) fn globals<'a>(
    env: &mut Env<'a>,
    file: &'a File,
    with: &'a [(syntax::Name, Expr)],
    parsed: &'a Parsed,
) {
    env.library = specs::prelude()
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Enum(e) => Some(e),
            _ => None,
        })
        .collect();
    env.objects = file
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Object(o) => Some(o.name.text.clone()),
            _ => None,
        })
        .collect();
    for name in ["data", "key"] {
        env.data.insert(name.into(), Ty::Val);
    }
    let own = |name: &str| {
        file.items.iter().any(|i| match i {
            Item::Struct(s) => s.name.text == name,
            Item::Enum(e) => e.name.text == name,
            _ => false,
        })
    };
    if own("data") || own("key") {
        env.data.clear();
    }
    for item in &file.items {
        match item {
            Item::Param(p) => {
                let changed = parsed.set.iter().rev().find(|(n, _)| *n == p.name.text).map(|(_, e)| e);
                let changed =
                    changed.or_else(|| with.iter().find(|(n, _)| n.text == p.name.text).map(|(_, e)| e));
                let default = env.constant_any(&p.value, None);
                let value = match (changed, default) {
                    (None, default) => default,
                    (Some(e), None) => env.constant_any(e, None),
                    (Some(e), Some((_, ty))) => env.constant(e, &ty).map(|v| (v, ty)),
                };
                match value {
                    Some(value) => {
                        env.consts.insert(p.name.text.clone(), value);
                    }
                    None => {
                        env.poisoned.insert(p.name.text.clone());
                    }
                }
            }
            Item::Struct(s) => env.declare_struct(s),
            Item::Enum(e) => {
                env.module.enums.push(crate::ir::Enum { name: e.name.text.clone(), variants: Vec::new() });
            }
            _ => {}
        }
    }
    for item in &file.items {
        if let Item::Enum(e) = item {
            env.fill_enum(e);
        }
    }
    env.fill_structs();
    for item in &file.items {
        if let Item::Const(c) = item {
            env.declare_const(c);
        }
    }
}
