//! Where variables and fields live: cells of shared memory and of structs.

use trueline_base::{Span, Value};

use super::instance::{Instance, MOST_CELLS};
use crate::ir::{self, SlotInfo, Ty};
use crate::typed::{self, Module, Type};

/// The cells of a module, and the types that describe them.
#[derive(Default)]
pub(crate) struct CellLayout {
    pub structs: Vec<ir::Struct>,
    pub enums: Vec<ir::Enum>,
    pub variables: Vec<ir::Variable>,
    pub shared: Vec<Value>,
    pub persistent: Vec<SlotInfo>,
}

impl CellLayout {
    /// The layout of a module; what does not fit is reported.
    pub fn of(module: &Module, instance: &mut Instance) -> CellLayout {
        let mut layout = CellLayout { enums: enums(module, instance), ..CellLayout::default() };
        for decl in &module.structs {
            let made = layout.structure(module, decl, instance);
            layout.structs.push(made);
        }
        for variable in &module.shared {
            let ty = instance.ty(module, &variable.ty);
            let first = layout.shared.len() as u32;
            // In a specification an array is one value: everything is one step there.
            let (len, value) = match module.is_spec {
                true => (1, default_value(&ty, &layout.enums)),
                false => (cells(&ty), default_value(cell_type(&ty), &layout.enums)),
            };
            if first.saturating_add(len) > MOST_CELLS {
                let text = format!("the variables take more than {MOST_CELLS} cells");
                instance.error("E0205", variable.ty_span, text);
                continue;
            }
            layout.shared.extend(std::iter::repeat_n(value, len as usize));
            layout.variables.push(named(&variable.name, ty, first, len, variable.name_span));
        }
        let slot = |v: &typed::Variable, instance: &mut Instance| SlotInfo {
            name: v.name.clone(),
            ty: instance.ty(module, &v.ty),
        };
        layout.persistent = module.persistent.iter().map(|v| slot(v, instance)).collect();
        layout
    }

    fn structure(&self, module: &Module, decl: &typed::Struct, instance: &mut Instance) -> ir::Struct {
        let mut fields: Vec<ir::Variable> = Vec::new();
        let mut all = Vec::new();
        for field in &decl.fields {
            let ty = instance.ty(module, &field.ty);
            let (first, len) = (all.len() as u32, cells(&ty));
            if first.saturating_add(len) > MOST_CELLS {
                let text = format!("this takes more than {MOST_CELLS} cells");
                instance.error("E0205", field.ty_span, text);
                continue;
            }
            let value = default_value(cell_type(&ty), &self.enums);
            all.extend(std::iter::repeat_n(value, len as usize));
            fields.push(named(&field.name, ty, first, len, field.span));
        }
        ir::Struct { name: decl.name.clone(), fields, cells: all, kept: Vec::new() }
    }
}

fn named(name: &str, ty: Ty, first: u32, len: u32, span: Span) -> ir::Variable {
    ir::Variable { name: name.to_string(), ty, first, len, span }
}

fn enums(module: &Module, instance: &mut Instance) -> Vec<ir::Enum> {
    let types = |payload: &[Type], instance: &mut Instance| -> Vec<Ty> {
        payload.iter().map(|t| instance.ty(module, t)).collect()
    };
    let made = |e: &typed::Enum, instance: &mut Instance| ir::Enum {
        name: e.name.clone(),
        variants: e.variants.iter().map(|v| (v.name.clone(), types(&v.payload, instance))).collect(),
    };
    module.enums.iter().map(|e| made(e, instance)).collect()
}

/// What a cell of this type holds before anything is stored.
pub(super) fn default_value(ty: &Ty, enums: &[ir::Enum]) -> Value {
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
            let payload = enums.get(e.0 as usize).and_then(|e| e.variants.first()).map_or(&[][..], |v| &v.1);
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
pub(super) fn cells(ty: &Ty) -> u32 {
    match ty {
        Ty::Array { element, len, .. } => cells(element).saturating_mul(*len),
        _ => 1,
    }
}

/// The type of one cell of a variable of this type.
pub(super) fn cell_type(ty: &Ty) -> &Ty {
    match ty {
        Ty::Array { element, .. } => cell_type(element),
        other => other,
    }
}
