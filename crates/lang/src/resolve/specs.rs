//! Specifications by name: of the file, or ready-made, relaxed ones included.

use std::collections::HashMap;
use std::sync::OnceLock;

use trueline_base::{Diagnostic, Span};

use super::scope::NameScope;
use super::types::fits;
use super::words::close;
use crate::syntax::{self, ExprKind, File, Item, Member, SpecRef, TypeKind};
use crate::typed::{ConstantId, Expr, Length, Module, Routine, Type, TypeSize};

/// The text of the ready-made specifications.
pub const PRELUDE: &str = include_str!("../prelude/specs.tl");

/// The ready-made specifications.
pub(crate) fn prelude() -> &'static File {
    static TREE: OnceLock<File> = OnceLock::new();
    TREE.get_or_init(|| {
        let (tree, problems) = crate::parser::file(PRELUDE, crate::compile::PRELUDE_SOURCE);
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

/// The names of the types that operations of a specification return.
pub(crate) fn returned(spec: &syntax::Spec) -> impl Iterator<Item = &str> {
    spec.members.iter().filter_map(|member| match member {
        Member::Op(syntax::Routine {
            result: Some(syntax::Type { kind: TypeKind::Named(name), .. }),
            ..
        }) => Some(name.text.as_str()),
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

/// A specification in the making: its names, and the arguments that it is given.
pub(crate) struct Wanted<'a> {
    pub scope: NameScope<'a>,
    /// The parameters that have a value, each with an expression over the constants of the object.
    pub given: Vec<(ConstantId, Expr)>,
    /// How many parameters it has.
    pub params: usize,
    /// Whether it begins with the constants of the object; otherwise it begins with those of the file.
    pub of_object: bool,
    /// What is wrong inside is a misfit between the object and this.
    pub ready_made: Option<String>,
}

/// The specification that `wanted` names, for an object with these operations. `object` has the object's names.
pub(crate) fn specification<'a>(
    file: &'a File,
    wanted: &'a SpecRef,
    object: &mut NameScope<'a>,
) -> Option<Wanted<'a>> {
    let target = target(file, wanted, object)?;
    let spec = target.spec;
    let mut scope;
    if target.ready_made {
        // Its types may be those of the object, with their sizes.
        scope = NameScope {
            library: object.library.clone(),
            data: bind_data(spec, object),
            ..NameScope::default()
        };
        scope.module.constants = object.module.constants.clone();
        scope.module.sizes = object.module.sizes.clone();
        scope.module.enums = object.module.enums.clone();
    } else {
        scope = super::file::globals(file);
        scope.data.clone_from(&object.data);
        // Both begin with the types of the file, so that an enum has the same number in both.
        let declared = scope.module.enums.len();
        scope.module.enums.extend(object.module.enums.iter().skip(declared).cloned());
    }
    scope.module.name = spec.name.text.clone();
    scope.module.is_spec = true;
    if !target.relaxed {
        named(object, &spec.params, &target.args, &spec.name.text)?;
    }
    let first = ConstantId(scope.module.constants.len() as u32);
    scope.parameters(&spec.params);
    let params = scope.module.constants.len() - first.0 as usize;
    let given = arguments(&scope, first, object, &spec.params, &target.args, wanted.span, &spec.name.text)?;
    scope.declare_members(&spec.members);
    let complete = scope.resolve_members(&spec.members);
    let mut problems = std::mem::take(&mut scope.diagnostics);
    let ready_made = target.ready_made.then(|| spec.name.text.clone());
    if let Some(name) = &ready_made
        && !problems.is_empty()
    {
        problems = vec![misfit(name, wanted.span, &problems[0])];
    }
    let failed = !problems.is_empty() || !complete;
    object.diagnostics.extend(problems);
    if failed || !signatures(object, &scope.module, wanted) {
        return None;
    }
    Some(Wanted { scope, given, params, of_object: target.ready_made, ready_made })
}

/// What is wrong inside a ready-made specification, as a fault of the reference to it.
pub(crate) fn misfit(name: &str, span: Span, problem: &Diagnostic) -> Diagnostic {
    let text = format!("`{name}` does not fit this object: {}", problem.message);
    Diagnostic::error("E0401", span, text)
}

fn target<'a>(file: &'a File, wanted: &'a SpecRef, object: &mut NameScope<'a>) -> Option<Target<'a>> {
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
    let close = close(name, known.into_iter());
    object.error("E0109", wanted.name.span, format!("there is no specification `{name}`")).help =
        Some(match close {
            Some(close) => format!("did you mean `{close}`?"),
            None => "declare it with `spec`, or use a ready-made one, such as `Queue`".into(),
        });
    None
}

/// `Quasi(Queue, deq: 2)` is `QuasiQueue(2)`.
fn relaxed<'a>(wanted: &'a SpecRef, object: &mut NameScope<'a>) -> Option<Target<'a>> {
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
    values: &mut NameScope<'a>,
    params: &[syntax::Field],
    args: &[&'a syntax::Arg],
    what: &str,
) -> Option<()> {
    for name in args.iter().filter_map(|a| a.name.as_ref()) {
        if !params.iter().any(|p| p.name.text == name.text) {
            let known: Vec<&str> = params.iter().map(|p| p.name.text.as_str()).collect();
            let close = close(&name.text, known.iter().copied());
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

/// Arguments of an object or a specification, by name or by position: for each parameter, whose number counts from
/// `first` among the constants of `scope`, an expression over the names of `values`.
pub(crate) fn arguments<'a>(
    scope: &NameScope<'a>,
    first: ConstantId,
    values: &mut NameScope<'a>,
    params: &'a [syntax::Field],
    args: &[&'a syntax::Arg],
    span: Span,
    what: &str,
) -> Option<Vec<(ConstantId, Expr)>> {
    if args.len() > params.len() {
        let text = format!("`{what}` takes {} arguments, not {}", params.len(), args.len());
        values.error("E0224", span, text);
        return None;
    }
    let mut given = Vec::new();
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
        let known = scope.module.constants[first.0 as usize..].iter().position(|c| c.name == param.name.text);
        let id = ConstantId(first.0 + known? as u32);
        let ty = scope.module.constants[id.0 as usize].ty.clone();
        // Sizes of the one module mean nothing in the other.
        let hint = (!has_open_size(&ty)).then_some(&ty);
        let value = values.constant_any(&arg.value, hint)?;
        if !fits(&value, &value.ty, &ty) {
            values.coerce(value, &ty, arg.value.span);
            return None;
        }
        given.push((id, value));
    }
    Some(given)
}

/// Whether the type depends on numbers that are not known.
fn has_open_size(ty: &Type) -> bool {
    let open = |size: &TypeSize| matches!(size, TypeSize::Of(_));
    let here = match ty {
        Type::Range(low, high) => open(low) || open(high),
        Type::Array { len: Length::Size(len), .. } => open(len),
        _ => false,
    };
    here || ty.parts().into_iter().any(has_open_size)
}

/// What `data` and `key` stand for: the types at the same places in the object's operations.
fn bind_data(spec: &syntax::Spec, scope: &NameScope<'_>) -> HashMap<String, Type> {
    let object = &scope.module;
    let mut data = HashMap::new();
    let ops = || {
        spec.members.iter().filter_map(|m| match m {
            Member::Op(op) => object.ops.iter().find(|o| o.name == op.name.text).map(|o| (op, o)),
            _ => None,
        })
    };
    for (op, actual) in ops() {
        for (param, ty) in op.params.iter().zip(taken(actual)) {
            unify(&param.ty, ty, &mut data);
        }
    }
    for (op, actual) in ops() {
        if let Some(result) = &op.result {
            unify(result, &actual.result, &mut data);
        }
    }
    for name in ["data", "key"] {
        let otherwise = scope.data.get(name).cloned().unwrap_or(Type::Val);
        data.entry(name.to_string()).or_insert(otherwise);
    }
    data
}

fn unify(written: &syntax::Type, actual: &Type, data: &mut HashMap<String, Type>) {
    match (&written.kind, actual) {
        (TypeKind::Named(name), ty) if name.text == "data" || name.text == "key" => {
            data.entry(name.text.clone()).or_insert_with(|| ty.present().clone());
        }
        (TypeKind::Optional(inner), ty) => unify(inner, ty.present(), data),
        (TypeKind::Tuple(parts), Type::Tuple(types)) => {
            parts.iter().zip(types).for_each(|(p, t)| unify(p, t, data));
        }
        (TypeKind::Array { element, .. }, Type::Array { element: ty, .. }) => unify(element, ty, data),
        (TypeKind::Seq(t) | TypeKind::Set(t), Type::Seq(ty) | Type::Set(ty)) => unify(t, ty, data),
        _ => {}
    }
}

/// The types of what an operation takes.
fn taken(op: &Routine) -> Vec<&Type> {
    op.params.iter().map(|param| &op.locals[param.0 as usize].ty).collect()
}

/// Every operation of the object must be one of the specification, with comparable arguments and results.
fn signatures(object: &mut NameScope<'_>, spec: &Module, wanted: &SpecRef) -> bool {
    let before = object.diagnostics.len();
    for op in object.module.ops.clone() {
        let Some(abstract_op) = spec.ops.iter().find(|o| o.name == op.name) else {
            let close = close(&op.name, spec.ops.iter().map(|o| o.name.as_str()));
            let text = format!("`{}` has no operation `{}`", spec.name, op.name);
            let d = object.error("E0403", op.span, text);
            d.labels.push(trueline_base::RelatedSpan {
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
        let fits = |a: &Type, b: &Type| a == b || a.comparable(b) || arrays(a, b);
        if !counts || taken(&op).iter().zip(taken(abstract_op)).any(|(a, b)| !fits(a, b)) {
            let text = format!("`{}` takes other arguments than in `{}`", op.name, spec.name);
            object.error("E0404", op.span, text);
        } else if !fits(&op.result, &abstract_op.result) {
            let text = format!(
                "`{}` gives `{}`, but `{}` in the specification",
                op.name,
                object.module.show(&op.result),
                spec.show(&abstract_op.result)
            );
            object.error("E0404", op.span, text);
        }
    }
    object.diagnostics.len() == before
}

/// Arrays whose elements can be compared.
fn arrays(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Array { element: a, len: n, .. }, Type::Array { element: b, len: m, .. }) => {
            n.may_be(*m) && (a.comparable(b) || arrays(a, b))
        }
        (Type::Seq(a), Type::Seq(b)) | (Type::Set(a), Type::Set(b)) => a.comparable(b),
        _ => false,
    }
}
