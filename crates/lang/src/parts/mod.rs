//! Objects inside objects, written out: `shared l: Ticket;` becomes the members of `Ticket` with `l.` before their names.
//!
//! Operations of a part become helpers, so that a call `l.acquire()` is inlined as steps like any helper; its `init`
//! runs before that of the object, its `local` variables are the object's. What stands here turns a tree into a tree;
//! spans stay those of the text, so stories and messages point at the part's own lines.

mod rename;

use std::collections::HashMap;

use trueline_base::{Diagnostic, Span};

use crate::syntax::{
    Arg, Block, ClauseKind, Const, File, Item, Member, Memory, Name, Object, Property, Stmt, StmtKind,
    TypeKind, Variable,
};
use rename::Rename;

/// More parts than this in one object are refused: each is written out.
const MOST_PARTS: usize = 64;

/// A part of an object, as the code around it sees it.
#[derive(Clone, Debug, Default)]
struct Part {
    /// The object that it is.
    object: String,
    /// What stands before its names.
    prefix: String,
    operations: Vec<String>,
    variables: Vec<String>,
    parts: HashMap<String, Part>,
}

/// The file with all parts written out, and what is wrong with them.
pub(crate) fn written_out(file: &File) -> (File, Vec<Diagnostic>) {
    let objects: HashMap<&str, &Object> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Object(object) => Some((object.name.text.as_str(), object)),
            _ => None,
        })
        .collect();
    let types = file.items.iter().filter_map(|item| match item {
        Item::Struct(s) => Some(&s.name.text),
        Item::Enum(e) => Some(&e.name.text),
        _ => None,
    });
    let types: Vec<&String> = types.collect();
    let mut assembly = Assembly { objects: &objects, types: &types, problems: Vec::new(), count: 0 };
    let mut made = HashMap::new();
    let mut items = file.items.clone();
    for item in &mut items {
        if let Item::Object(object) = item
            && object.members.iter().any(|m| assembly.part_of(m, object).is_some())
        {
            assembly.count = 0;
            let memory = memory(&object.members);
            let mut whole = Whole { memory, ..Whole::default() };
            let part = assembly.add(object, "", &mut vec![object.name.text.clone()], &mut whole);
            object.members = whole.members(object.span);
            made.insert(object.name.text.clone(), part);
        }
    }
    for item in &mut items {
        let Item::Check(check) = item else { continue };
        let Some(part) = made.get(&check.object.text) else { continue };
        for clause in &mut check.clauses {
            if let ClauseKind::Property { property: Property::Invariant(e), .. } = &mut clause.kind {
                Rename::new(HashMap::new(), Vec::new(), &part.parts, false, &mut assembly.problems).expr(e);
            }
        }
    }
    (File { items, comments: file.comments.clone() }, assembly.problems)
}

fn memory(members: &[Member]) -> Memory {
    let mode = members.iter().rev().find_map(|m| match m {
        Member::Memory { mode, .. } => Some(*mode),
        _ => None,
    });
    mode.unwrap_or(Memory::Gc)
}

/// The members of an object with its parts, in the making.
#[derive(Default)]
struct Whole {
    memory: Memory,
    constants: Vec<Member>,
    others: Vec<Member>,
    init: Vec<Stmt>,
}

impl Whole {
    fn members(self, span: Span) -> Vec<Member> {
        let mut all = self.constants;
        all.extend(self.others);
        if !self.init.is_empty() {
            all.push(Member::Init(Block { stmts: self.init, span }));
        }
        all
    }
}

struct Assembly<'f> {
    objects: &'f HashMap<&'f str, &'f Object>,
    /// Names of structs and enums of the file, which come before those of objects.
    types: &'f [&'f String],
    problems: Vec<Diagnostic>,
    count: usize,
}

impl<'f> Assembly<'f> {
    /// The object that a member is, if it is one.
    fn part_of<'m>(&self, member: &'m Member, within: &Object) -> Option<(&'m Variable, &'f Object)> {
        let Member::Shared(variable) = member else { return None };
        let TypeKind::Named(name) = &variable.ty.kind else { return None };
        let own = within.members.iter().any(|m| match m {
            Member::Struct(s) => s.name.text == name.text,
            Member::Enum(e) => e.name.text == name.text,
            _ => false,
        });
        if own || self.types.contains(&&name.text) {
            return None;
        }
        self.objects.get(name.text.as_str()).map(|object| (variable, *object))
    }

    fn error(&mut self, code: &'static str, span: Span, text: String, help: &str) {
        self.problems.push(Diagnostic::error(code, span, text).help(help));
    }

    /// Adds the members of an object, its parts first, with `prefix` before its names; the object itself without.
    fn add(&mut self, object: &Object, prefix: &str, stack: &mut Vec<String>, whole: &mut Whole) -> Part {
        let mut part = Part { object: object.name.text.clone(), prefix: prefix.into(), ..Part::default() };
        let mut inner: Vec<(&Variable, &'f Object)> = Vec::new();
        for member in &object.members {
            match (self.part_of(member, object), member) {
                (Some(found), _) => inner.push(found),
                (None, Member::Shared(v) | Member::Local(v)) => part.variables.push(v.name.text.clone()),
                (None, Member::Op(op)) => part.operations.push(op.name.text.clone()),
                _ => {}
            }
        }
        let full = |name: &str| if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") };
        for (variable, of) in &inner {
            if !self.acceptable(variable, of, stack, whole.memory) {
                part.parts.insert(variable.name.text.clone(), Part::default());
                continue;
            }
            stack.push(of.name.text.clone());
            let name = full(&variable.name.text);
            let found = self.add(of, &name, stack, whole);
            stack.pop();
            part.parts.insert(variable.name.text.clone(), found);
        }
        let mut names = HashMap::new();
        let mut variants = Vec::new();
        if !prefix.is_empty() {
            declared(object, &mut names, &mut variants, &full);
        }
        let top = prefix.is_empty();
        let mut renaming = Rename::new(names, variants, &part.parts, !top, &mut self.problems);
        // Arguments of parts are over the names of this object.
        for (variable, of) in &inner {
            let arguments = given(&variable.args, of, variable, renaming.problems);
            for (param, mut value) in arguments {
                renaming.expr(&mut value);
                let name = Name {
                    text: format!("{}.{}", full(&variable.name.text), param.name.text),
                    span: param.name.span,
                };
                let span = variable.span;
                whole.constants.push(Member::Const(Const { name, ty: param.ty.clone(), value, span }));
            }
        }
        for member in &object.members {
            if inner.iter().any(|(v, _)| matches!(member, Member::Shared(other) if std::ptr::eq(*v, other))) {
                continue;
            }
            let mut member = member.clone();
            renaming.member(&mut member);
            match member {
                Member::Memory { .. } if !top => {}
                Member::Init(block) if top => whole.init.extend(block.stmts),
                Member::Init(block) => {
                    let (kind, span) = (StmtKind::Atomic(block.clone()), block.span);
                    whole.init.push(Stmt { lin: None, label: None, kind, span });
                }
                Member::Const(_) => whole.constants.push(member),
                Member::Op(op) if !top => whole.others.push(Member::Fn(rename::helper(op))),
                other => whole.others.push(other),
            }
        }
        part
    }

    fn acceptable(&mut self, variable: &Variable, of: &Object, stack: &[String], outer: Memory) -> bool {
        let name = &of.name.text;
        self.count += 1;
        if stack.contains(name) {
            let text = format!("`{name}` would contain itself");
            self.error(
                "E0244",
                variable.ty.span,
                text,
                "an object has a fixed size: use a struct and references",
            );
        } else if let Some(init) = &variable.init {
            let help = "leave the value out: its own initialisers run";
            self.error("E0245", init.span, format!("`{}` is an object", variable.name.text), help);
        } else if memory(&of.members) != outer {
            let text = format!("`{name}` manages memory in another way than the object that it is a part of");
            self.error("E0245", variable.ty.span, text, "give both the same `memory`");
        } else if self.count > MOST_PARTS {
            let text = format!("an object has at most {MOST_PARTS} parts that are objects");
            self.error("E0245", variable.ty.span, text, "small models show the same mistakes");
        } else {
            return true;
        }
        false
    }
}

/// The values of a part's parameters, by name or by position.
fn given<'o>(
    args: &[Arg],
    of: &'o Object,
    variable: &Variable,
    problems: &mut Vec<Diagnostic>,
) -> Vec<(&'o crate::syntax::Field, crate::syntax::Expr)> {
    let mut error = |text: String| {
        let help = match of.params.is_empty() {
            true => format!("write `shared {}: {};`", variable.name.text, of.name.text),
            false => {
                let params: Vec<String> = of.params.iter().map(|p| format!("{}: …", p.name.text)).collect();
                format!("write `shared {}: {}({});`", variable.name.text, of.name.text, params.join(", "))
            }
        };
        problems.push(Diagnostic::error("E0224", variable.ty.span, text).help(help));
    };
    if args.len() > of.params.len() {
        error(format!("`{}` takes {} arguments, not {}", of.name.text, of.params.len(), args.len()));
        return Vec::new();
    }
    let known = |arg: &Arg| {
        arg.name.as_ref().is_none_or(|name| of.params.iter().any(|param| param.name.text == name.text))
    };
    if let Some(name) = args.iter().find(|arg| !known(arg)).and_then(|arg| arg.name.as_ref()) {
        error(format!("`{}` has no parameter `{}`", of.name.text, name.text));
        return Vec::new();
    }
    let mut values = Vec::new();
    for (n, param) in of.params.iter().enumerate() {
        let named = args.iter().find(|a| a.name.as_ref().is_some_and(|name| name.text == param.name.text));
        match named.or_else(|| args.get(n).filter(|a| a.name.is_none())) {
            Some(arg) => values.push((param, arg.value.clone())),
            None => error(format!("`{}` needs a value for `{}`", of.name.text, param.name.text)),
        }
    }
    values
}

/// The names that an object declares, with what they become; variants of its enums as well.
fn declared(
    object: &Object,
    names: &mut HashMap<String, String>,
    variants: &mut Vec<String>,
    full: &dyn Fn(&str) -> String,
) {
    let mut add = |name: &Name| names.insert(name.text.clone(), full(&name.text));
    object.params.iter().for_each(|param| _ = add(&param.name));
    for member in &object.members {
        match member {
            Member::Struct(s) => _ = add(&s.name),
            Member::Enum(e) => {
                add(&e.name);
                for variant in &e.variants {
                    add(&variant.name);
                    variants.push(variant.name.text.clone());
                }
            }
            Member::Const(c) => _ = add(&c.name),
            Member::Shared(v) | Member::Local(v) | Member::State(v) => _ = add(&v.name),
            Member::Fn(r) | Member::Op(r) => _ = add(&r.name),
            Member::Memory { .. } | Member::Init(_) => {}
        }
    }
}
