//! The names of one module while it is resolved: constants, types, variables, helpers, and where errors go.

use std::collections::{HashMap, HashSet};

use trueline_base::{Diagnostic, Span};

use crate::syntax::{self, Name};
use crate::typed::{
    ConstantId, Definition, DefinitionKind, Enum, EnumId, HelperId, Module, Occurrence, SharedId, StructId,
    Type, Variant,
};

/// What a module is resolved in.
#[derive(Clone, Default)]
pub(crate) struct NameScope<'a> {
    /// The module so far.
    pub module: Module,
    /// Parameters and constants by name.
    pub constants: HashMap<String, ConstantId>,
    /// Helpers by name.
    pub helpers: HashMap<String, HelperId>,
    /// The helpers whose parameters and results have right types.
    pub sound: HashSet<HelperId>,
    /// What `data` and `key` stand for in a ready-made specification.
    pub data: HashMap<String, Type>,
    /// The declarations behind `module.structs`.
    pub struct_decls: Vec<&'a syntax::Struct>,
    /// The structs whose fields are known.
    pub filled: usize,
    /// The names of the objects of the file, which are no types.
    pub objects: Vec<String>,
    /// Enums of the prelude that become known when they are first named.
    pub library: Vec<&'a syntax::Enum>,
    /// Names whose declarations are wrong, which is reported already.
    pub poisoned: HashSet<String>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> NameScope<'a> {
    /// Reports an error; the last one can be given help and labels.
    pub fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.push(Diagnostic::error(code, span, message));
        self.diagnostics.last_mut().expect("just pushed")
    }

    /// Reports the second of two declarations of one name.
    pub fn duplicate(&mut self, first: Span, second: &Name) {
        let text = format!("`{}` is declared twice", second.text);
        let d = self.error("E0102", second.span, text);
        d.labels.push(trueline_base::RelatedSpan { span: first, text: "first declared here".into() });
        d.help = Some("give one of them another name".into());
    }

    /// Notes what a name means where it stands.
    pub fn note(
        &mut self,
        at: Span,
        kind: DefinitionKind,
        name: impl Into<String>,
        span: Span,
        ty: Option<&Type>,
    ) {
        let definition = Definition { kind, name: name.into(), span };
        self.module.names.push(Occurrence { span: at, definition, ty: ty.cloned() });
    }

    /// A shared variable by name.
    pub fn shared(&self, name: &str) -> Option<SharedId> {
        self.module.shared.iter().position(|v| v.name == name).map(|i| SharedId(i as u32))
    }

    /// A variable of each thread by name.
    pub fn persistent(&self, name: &str) -> Option<u32> {
        self.module.persistent.iter().position(|v| v.name == name).map(|i| i as u32)
    }

    /// A struct by name.
    pub fn struct_id(&self, name: &str) -> Option<StructId> {
        self.module.structs.iter().position(|s| s.name == name).map(|i| StructId(i as u16))
    }

    /// An enum by name; one of the library is taken into the module.
    pub fn enum_id(&mut self, name: &str) -> Option<EnumId> {
        if let Some(i) = self.module.enums.iter().position(|e| e.name == name) {
            return Some(EnumId(i as u16));
        }
        let decl = *self.library.iter().find(|e| e.name.text == name)?;
        let id = EnumId(self.module.enums.len() as u16);
        self.module.enums.push(Enum {
            name: decl.name.text.clone(),
            variants: Vec::new(),
            span: decl.name.span,
        });
        for variant in &decl.variants {
            let payload = variant.payload.iter().map(|t| self.resolve(t).unwrap_or(Type::Int)).collect();
            let (name, span) = (variant.name.text.clone(), variant.name.span);
            self.module.enums[id.0 as usize].variants.push(Variant { name, payload, span });
        }
        Some(id)
    }

    /// The variant of that name: of the enum expected here, or of the only enum that has one.
    pub fn variant(&mut self, name: &str, expected: Option<&Type>) -> Option<(EnumId, u16)> {
        let wanted = expected.and_then(|ty| match ty.present() {
            Type::Enum(e) => Some(*e),
            _ => None,
        });
        for library in self.library.clone() {
            if library.variants.iter().any(|v| v.name.text == name)
                && !self.module.enums.iter().any(|e| e.variants.iter().any(|v| v.name == name))
            {
                self.enum_id(&library.name.text);
            }
        }
        let find = |e: &Enum| e.variants.iter().position(|v| v.name == name).map(|i| i as u16);
        if let Some(e) = wanted
            && let Some(v) = find(&self.module.enums[e.0 as usize])
        {
            return Some((e, v));
        }
        self.module.enums.iter().enumerate().find_map(|(e, decl)| find(decl).map(|v| (EnumId(e as u16), v)))
    }

    /// Notes a variant where it is named.
    pub fn note_variant(&mut self, at: Span, id: EnumId, variant: u16) {
        let v = &self.module.enums[id.0 as usize].variants[variant as usize];
        let (name, span) = (v.name.clone(), v.span);
        self.note(at, DefinitionKind::Variant, name, span, Some(&Type::Enum(id)));
    }
}
