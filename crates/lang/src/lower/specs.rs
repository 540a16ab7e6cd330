//! Specifications by name: of the file, or ready-made, relaxed ones included.

use std::collections::HashMap;
use std::sync::OnceLock;

use trueline_base::{Diagnostic, Span};

use super::env::{Env, strip_optional};
use crate::ir::{Module, Ty};
use crate::syntax::{self, ExprKind, File, Item, Member, SpecRef, TypeKind};

/// The text of the ready-made specifications.
pub const PRELUDE: &str = include_str!("../prelude/specs.tl");

/// The ready-made specifications.
pub(crate) fn prelude() -> &'static File {
    static TREE: OnceLock<File> = OnceLock::new();
    TREE.get_or_init(|| {
        let (tree, problems) = crate::parser::parse(PRELUDE);
        assert!(problems.is_empty(), "the ready-made specifications have errors: {problems:?}");
        tree
    })
}

/// A specification of that name in a file.
pub(crate) fn find<'a>(file: &'a File, name: &str) -> Option<&'a syntax::Spec> {
    file.items.iter().find_map(|item| match item {
        Item::Spec(spec) if spec.name.text == name => Some(spec),
        _ => None,
    })
}

/// All specifications of a file.
pub(crate) fn all(file: &File) -> impl Iterator<Item = &syntax::Spec> {
    file.items.iter().filter_map(|item| match item {
        Item::Spec(spec) => Some(spec),
        _ => None,
    })
}

/// A reference with its relaxation taken off: the specification and its arguments.
struct Target<'a> {
    spec: &'a syntax::Spec,
    args: Vec<&'a syntax::Arg>,
    ready_made: bool,
    /// The factor carries the name of the operation.
    relaxed: bool,
}

/// The specification that `wanted` names, for an object with these operations. `env` is the object's.
pub(crate) fn lower_spec<'a>(
    file: &'a File,
    wanted: &'a SpecRef,
    object: &mut Env<'a>,
    globals: &dyn Fn(&mut Env<'a>),
) -> Option<Module> {
    let target = target(file, wanted, object)?;
    let spec = target.spec;
    let mut env = Env::new(&spec.name.text, object.threads, true);
    env.library = object.library.clone();
    if target.ready_made {
        env.data = bind_data(spec, object);
    } else {
        globals(&mut env);
    }
    // Both begin with the types of the file, so that an enum has the same number in both.
    let declared = env.module.enums.len();
    env.module.enums.extend(object.module.enums.iter().skip(declared).cloned());
    if !target.relaxed {
        named(object, &spec.params, &target.args, &spec.name.text)?;
    }
    arguments(&mut env, object, &spec.params, &target.args, wanted.span, &spec.name.text)?;
    env.declare_members(spec.members.iter());
    env.lower_members(spec.members.iter());
    let mut problems = std::mem::take(&mut env.diagnostics);
    if target.ready_made && !problems.is_empty() {
        let text = format!("`{}` does not fit this object: {}", spec.name.text, problems[0].message);
        problems = vec![Diagnostic::error("E0401", wanted.span, text)];
    }
    let failed = !problems.is_empty();
    object.diagnostics.extend(problems);
    let module = env.module;
    if failed || !signatures(object, &module, wanted) {
        return None;
    }
    Some(module)
}

fn target<'a>(file: &'a File, wanted: &'a SpecRef, object: &mut Env<'a>) -> Option<Target<'a>> {
    let name = &wanted.name.text;
    if let Some(spec) = find(file, name) {
        return Some(Target { spec, args: wanted.args.iter().collect(), ready_made: false, relaxed: false });
    }
    if name == "Quasi" || name == "OutOfOrder" {
        return relaxed(wanted, object);
    }
    if let Some(spec) = find(prelude(), name) {
        return Some(Target { spec, args: wanted.args.iter().collect(), ready_made: true, relaxed: false });
    }
    let known: Vec<&str> = all(file)
        .chain(all(prelude()))
        .map(|s| s.name.text.as_str())
        .chain(["Quasi", "OutOfOrder"])
        .collect();
    let close = Env::close(name, known.into_iter());
    object.error("E0109", wanted.name.span, format!("there is no specification `{name}`")).help =
        Some(match close {
            Some(close) => format!("did you mean `{close}`?"),
            None => "declare it with `spec`, or see `trueline show --spec` for the ready-made ones".into(),
        });
    None
}

/// `Quasi(Queue, deq: 2)` is `QuasiQueue(2)`.
fn relaxed<'a>(wanted: &'a SpecRef, object: &mut Env<'a>) -> Option<Target<'a>> {
    let name = &wanted.name.text;
    let base = match wanted.args.first().map(|a| &a.value.kind) {
        Some(ExprKind::Name(base)) => base.as_str(),
        _ => {
            object.error("E0402", wanted.span, format!("`{name}` relaxes another specification")).help =
                Some(format!("write `{name}(Queue, deq: 2)`"));
            return None;
        }
    };
    let removes = match base {
        "Queue" => "deq",
        "Stack" => "pop",
        "PriorityQueue" | "KeyedPriorityQueue" => "deqMin",
        _ => {
            let possible = "Queue, Stack, PriorityQueue and KeyedPriorityQueue";
            let text = format!("`{name}` is defined for {possible}, not for `{base}`");
            object.error("E0402", wanted.span, text);
            return None;
        }
    };
    let form = format!("write `{name}({base}, {removes}: 2)`");
    let spec = find(prelude(), &format!("{name}{base}"));
    let (Some(spec), [_, factor]) = (spec, &wanted.args[..]) else {
        object.error("E0402", wanted.span, format!("`{name}` takes one factor")).help = Some(form);
        return None;
    };
    let named = factor.name.as_ref();
    let has = |op: &str| spec.members.iter().any(|m| matches!(m, Member::Op(o) if o.name.text == op));
    if let Some(op) = named
        && (!has(&op.text) || ["enq", "push", "insert"].contains(&op.text.as_str()))
    {
        let text = format!("`{name}({base}, …)` relaxes `{removes}`, not `{}`", op.text);
        object.error("E0402", op.span, text).help = Some(form);
        return None;
    }
    Some(Target { spec, args: vec![factor], ready_made: true, relaxed: true })
}

/// Reports arguments with names that no parameter has.
pub(crate) fn named<'a>(
    values: &mut Env<'a>,
    params: &[syntax::Field],
    args: &[&'a syntax::Arg],
    what: &str,
) -> Option<()> {
    for name in args.iter().filter_map(|a| a.name.as_ref()) {
        if !params.iter().any(|p| p.name.text == name.text) {
            let known: Vec<&str> = params.iter().map(|p| p.name.text.as_str()).collect();
            let close = Env::close(&name.text, known.iter().copied());
            let text = format!("`{what}` has no parameter `{}`", name.text);
            values.error("E0224", name.span, text).help = match (close, known.is_empty()) {
                (Some(close), _) => Some(format!("did you mean `{close}`?")),
                (None, false) => Some(format!("it has {}", known.join(", "))),
                (None, true) => None,
            };
            return None;
        }
    }
    Some(())
}

/// Arguments of an object or a specification, by name or by position.
pub(crate) fn arguments<'a>(
    env: &mut Env<'a>,
    values: &mut Env<'a>,
    params: &'a [syntax::Field],
    args: &[&'a syntax::Arg],
    span: Span,
    what: &str,
) -> Option<()> {
    if args.len() > params.len() {
        let text = format!("`{what}` takes {} arguments, not {}", params.len(), args.len());
        values.error("E0224", span, text);
        return None;
    }
    for (i, param) in params.iter().enumerate() {
        let by_name = args.iter().find(|a| a.name.as_ref().is_some_and(|n| n.text == param.name.text));
        // The factor of a relaxed specification carries the name of the operation.
        let by_place = args
            .get(i)
            .filter(|a| a.name.as_ref().is_none_or(|n| !params.iter().any(|p| p.name.text == n.text)));
        let Some(arg) = by_name.or(by_place) else {
            let text = format!("`{what}` needs a value for `{}`", param.name.text);
            values.error("E0224", span, text).help = Some(format!("write `{what}({}: …)`", param.name.text));
            return None;
        };
        let ty = env.resolve(&param.ty)?;
        let value = values.constant(&arg.value, &ty)?;
        env.consts.insert(param.name.text.clone(), (value, ty));
    }
    Some(())
}

/// What `data` and `key` stand for: the types at the same places in the object's operations.
fn bind_data(spec: &syntax::Spec, env: &Env<'_>) -> HashMap<String, Ty> {
    let object = &env.module;
    let mut data = HashMap::new();
    let ops = || {
        spec.members.iter().filter_map(|m| match m {
            Member::Op(op) => object.ops.iter().find(|o| o.name == op.name.text).map(|o| (op, o)),
            _ => None,
        })
    };
    for (op, actual) in ops() {
        for (param, (_, ty)) in op.params.iter().zip(&actual.params) {
            unify(&param.ty, ty, &mut data);
        }
    }
    for (op, actual) in ops() {
        if let Some(result) = &op.result {
            unify(result, &actual.result, &mut data);
        }
    }
    for name in ["data", "key"] {
        let otherwise = env.data.get(name).cloned().unwrap_or(Ty::Val);
        data.entry(name.to_string()).or_insert(otherwise);
    }
    data
}

fn unify(written: &syntax::Type, actual: &Ty, data: &mut HashMap<String, Ty>) {
    match (&written.kind, actual) {
        (TypeKind::Named(name), ty) if name.text == "data" || name.text == "key" => {
            data.entry(name.text.clone()).or_insert_with(|| strip_optional(ty).clone());
        }
        (TypeKind::Optional(inner), ty) => unify(inner, strip_optional(ty), data),
        (TypeKind::Tuple(parts), Ty::Tuple(types)) => {
            parts.iter().zip(types).for_each(|(p, t)| unify(p, t, data));
        }
        (TypeKind::Array { element, .. }, Ty::Array { element: ty, .. }) => unify(element, ty, data),
        (TypeKind::Seq(t) | TypeKind::Set(t), Ty::Seq(ty) | Ty::Set(ty)) => unify(t, ty, data),
        _ => {}
    }
}

/// Every operation of the object must be one of the specification, with comparable arguments and results.
fn signatures(object: &mut Env, spec: &Module, wanted: &SpecRef) -> bool {
    let before = object.diagnostics.len();
    for op in object.module.ops.clone() {
        let Some(abstract_op) = spec.ops.iter().find(|o| o.name == op.name) else {
            let close = Env::close(&op.name, spec.ops.iter().map(|o| o.name.as_str()));
            let text = format!("`{}` has no operation `{}`", spec.name, op.name);
            let d = object.error("E0403", op.span, text);
            d.labels.push(trueline_base::Label {
                span: wanted.span,
                text: "the specification is named here".into(),
            });
            d.help = Some(match close {
                Some(close) => format!("did you mean `{close}`?"),
                None => {
                    let known: Vec<String> = spec.ops.iter().map(|o| format!("`{}`", o.name)).collect();
                    format!("it has {}", known.join(", "))
                }
            });
            continue;
        };
        let counts = op.params.len() == abstract_op.params.len();
        let fits = |a: &Ty, b: &Ty| {
            *a == Ty::Unit && *b == Ty::Unit || a == b || Env::comparable(a, b) || arrays(a, b)
        };
        if !counts || op.params.iter().zip(&abstract_op.params).any(|(a, b)| !fits(&a.1, &b.1)) {
            let text = format!("`{}` takes other arguments than in `{}`", op.name, spec.name);
            object.error("E0404", op.span, text);
        } else if !fits(&op.result, &abstract_op.result) {
            let text = format!(
                "`{}` gives `{}`, but `{}` in the specification",
                op.name,
                object.show(&op.result),
                object.show(&abstract_op.result)
            );
            object.error("E0404", op.span, text);
        }
    }
    object.diagnostics.len() == before
}

/// Arrays whose elements can be compared.
fn arrays(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Array { element: a, len: n, .. }, Ty::Array { element: b, len: m, .. }) => {
            n == m && (Env::comparable(a, b) || arrays(a, b))
        }
        (Ty::Seq(a), Ty::Seq(b)) | (Ty::Set(a), Ty::Set(b)) => Env::comparable(a, b),
        _ => false,
    }
}
