//! The names of one module: constants, types, variables, helpers, and where errors go.

use std::collections::{HashMap, HashSet};

use trueline_base::{Diagnostic, Span, Value};

use crate::ir::{self, StructId, Ty};
use crate::syntax::{self, Name};

/// What a module is lowered in.
pub(crate) struct Env<'a> {
    /// Parameters, constants and the arguments of the object, folded.
    pub consts: HashMap<String, (Value, Ty)>,
    /// Helpers by name.
    pub fns: HashMap<String, &'a syntax::Routine>,
    /// How many threads there are.
    pub threads: u32,
    /// What `data` and `key` stand for in a ready-made specification.
    pub data: HashMap<String, Ty>,
    /// Whether this is a specification: everything is atomic, `self` is allowed.
    pub is_spec: bool,
    /// The module so far.
    pub module: ir::Module,
    /// The declarations behind `module.structs`.
    pub struct_decls: Vec<&'a syntax::Struct>,
    /// The names of the objects of the file, which are no types.
    pub objects: Vec<String>,
    /// Enums of the prelude that become known when they are first named.
    pub library: Vec<&'a syntax::Enum>,
    /// Helpers that are called.
    pub called: HashSet<String>,
    /// Names whose declarations are wrong, which is reported already.
    pub poisoned: HashSet<String>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Env<'a> {
    pub fn new(name: &str, threads: u32, is_spec: bool) -> Env<'a> {
        Env {
            consts: HashMap::new(),
            fns: HashMap::new(),
            threads,
            data: HashMap::new(),
            is_spec,
            module: ir::Module {
                name: name.to_string(),
                memory: syntax::Memory::Gc,
                structs: Vec::new(),
                enums: Vec::new(),
                variables: Vec::new(),
                shared: Vec::new(),
                persistent: Vec::new(),
                init: ir::Routine::default(),
                thread_init: ir::Routine::default(),
                ops: Vec::new(),
            },
            struct_decls: Vec::new(),
            objects: Vec::new(),
            library: Vec::new(),
            called: HashSet::new(),
            poisoned: HashSet::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Reports an error; the last one can be given help and labels.
    pub fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.push(Diagnostic::error(code, span, message));
        self.diagnostics.last_mut().expect("just pushed")
    }

    /// A shared variable by name.
    pub fn variable(&self, name: &str) -> Option<&ir::Variable> {
        self.module.variables.iter().find(|v| v.name == name)
    }

    /// A struct by name.
    pub fn struct_id(&self, name: &str) -> Option<StructId> {
        self.module.structs.iter().position(|s| s.name == name).map(|i| StructId(i as u16))
    }

    /// An enum by name; one of the library is taken into the module.
    pub fn enum_id(&mut self, name: &str) -> Option<u16> {
        if let Some(i) = self.module.enums.iter().position(|e| e.name == name) {
            return Some(i as u16);
        }
        let decl = *self.library.iter().find(|e| e.name.text == name)?;
        Some(self.add_enum(decl))
    }

    /// Takes an enum into the module.
    pub fn add_enum(&mut self, decl: &'a syntax::Enum) -> u16 {
        let id = self.module.enums.len() as u16;
        self.module.enums.push(ir::Enum { name: decl.name.text.clone(), variants: Vec::new() });
        for variant in &decl.variants {
            let payload = variant.payload.iter().map(|t| self.resolve(t).unwrap_or(Ty::Int)).collect();
            self.module.enums[id as usize].variants.push((variant.name.text.clone(), payload));
        }
        id
    }

    /// The variant of that name: of the enum expected here, or of the only enum that has one.
    pub fn variant(&mut self, name: &str, expected: Option<&Ty>) -> Option<(u16, u16)> {
        let wanted = expected.and_then(|ty| match strip_optional(ty) {
            Ty::Enum(e) => Some(*e),
            _ => None,
        });
        for library in self.library.clone() {
            if library.variants.iter().any(|v| v.name.text == name)
                && !self.module.enums.iter().any(|e| e.variants.iter().any(|v| v.0 == name))
            {
                self.enum_id(&library.name.text);
            }
        }
        let find = |e: &ir::Enum| e.variants.iter().position(|v| v.0 == name).map(|i| i as u16);
        if let Some(e) = wanted
            && let Some(v) = find(&self.module.enums[e as usize])
        {
            return Some((e, v));
        }
        self.module.enums.iter().enumerate().find_map(|(e, decl)| find(decl).map(|v| (e as u16, v)))
    }

    /// A name close to `name` among `candidates`.
    pub fn close<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
        candidates
            .map(|c| (strsim::damerau_levenshtein(&name.to_lowercase(), &c.to_lowercase()), c))
            .filter(|(d, c)| {
                let shorter = c.len().min(name.len());
                *d <= 1 + shorter / 4 && *d < shorter
            })
            .min()
            .map(|(_, c)| c.to_string())
    }

    /// Reports the second of two declarations of one name.
    pub fn duplicate(&mut self, first: Span, second: &Name) {
        let text = format!("`{}` is declared twice", second.text);
        let d = self.error("E0102", second.span, text);
        d.labels.push(trueline_base::Label { span: first, text: "first declared here".into() });
        d.help = Some("give one of them another name".into());
    }

    /// A type with its article, as in "an `int`".
    pub fn a(&self, ty: &Ty) -> String {
        let text = self.show(ty);
        let vowel = text.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
        format!("{} `{text}`", if vowel { "an" } else { "a" })
    }

    /// A type as it is written.
    pub fn show(&self, ty: &Ty) -> String {
        let inner = |t: &Ty| self.show(t);
        match ty {
            Ty::Unit => "nothing".into(),
            Ty::Bool => "bool".into(),
            Ty::Int => "int".into(),
            Ty::Range(a, b) => format!("{a}..={b}"),
            Ty::Tid => "tid".into(),
            Ty::Val => "val".into(),
            Ty::Lock => "lock".into(),
            Ty::Ref(s) => self.module.structs[s.0 as usize].name.clone(),
            Ty::Enum(e) => self.module.enums[*e as usize].name.clone(),
            Ty::Optional(t) => format!("{}?", inner(t)),
            Ty::Tuple(parts) => format!("({})", parts.iter().map(inner).collect::<Vec<_>>().join(", ")),
            Ty::Array { element, by_tid: true, .. } => format!("[{}; tid]", inner(element)),
            Ty::Array { element, len, .. } => format!("[{}; {len}]", inner(element)),
            Ty::Seq(t) => format!("seq {}", inner(t)),
            Ty::Set(t) => format!("set {}", inner(t)),
            Ty::Multiset(t) => format!("multiset {}", inner(t)),
            Ty::Heap(t) => format!("heap {}", inner(t)),
            Ty::Map(k, v) => format!("map {} {}", inner(k), inner(v)),
        }
    }
}

/// `T` of `T?`, or the type itself.
pub(crate) fn strip_optional(ty: &Ty) -> &Ty {
    match ty {
        Ty::Optional(inner) => inner,
        other => other,
    }
}

/// What a cell of this type holds before anything is stored.
pub(crate) fn default_value(ty: &Ty, enums: &[ir::Enum]) -> Value {
    match ty {
        Ty::Unit => Value::Unit,
        Ty::Bool => Value::Bool(false),
        Ty::Int => Value::Int(0),
        Ty::Range(low, high) => Value::Int(0.clamp(*low, (*high).max(*low))),
        Ty::Tid => Value::Tid(0),
        Ty::Val => Value::Val(0),
        Ty::Lock => Value::Lock(None),
        Ty::Ref(_) => Value::Null,
        Ty::Optional(inner) if matches!(**inner, Ty::Ref(_)) => Value::Null,
        Ty::Optional(_) => Value::None,
        Ty::Enum(e) => {
            let payload = enums.get(*e as usize).and_then(|e| e.variants.first()).map_or(&[][..], |v| &v.1);
            Value::Variant(0, payload.iter().map(|t| default_value(t, enums)).collect())
        }
        Ty::Tuple(parts) => Value::Tuple(parts.iter().map(|t| default_value(t, enums)).collect()),
        Ty::Array { element, len, .. } => Value::Array(vec![default_value(element, enums); *len as usize]),
        Ty::Seq(_) => Value::Seq(Vec::new()),
        Ty::Set(_) => Value::Set(Vec::new()),
        Ty::Multiset(_) | Ty::Heap(_) => Value::Bag(Vec::new()),
        Ty::Map(..) => Value::Map(Vec::new()),
    }
}

/// The cells that a variable of this type takes: an array one per element, all else one.
pub(crate) fn cells(ty: &Ty) -> u32 {
    match ty {
        Ty::Array { element, len, .. } => cells(element).saturating_mul(*len),
        _ => 1,
    }
}

/// The type of one cell of a variable of this type.
pub(crate) fn cell_type(ty: &Ty) -> &Ty {
    match ty {
        Ty::Array { element, .. } => cell_type(element),
        other => other,
    }
}
