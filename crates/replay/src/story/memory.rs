//! Shared memory as a reader sees it: variables, and chains of structs.

use super::names::cell_name;
use std::collections::BTreeSet;
use trueline_base::Value;
use trueline_lang::interp::{Cell, Effect, Executed, State};
use trueline_lang::ir::{Memory as Managed, Module, StructId, Ty, Variable, show_value};

/// Structs in a chain before the rest is left out.
const LONGEST: usize = 12;

/// Draws the memory of one object.
pub struct Memory<'a> {
    module: &'a Module,
}

impl<'a> Memory<'a> {
    /// For an object.
    pub fn new(module: &'a Module) -> Memory<'a> {
        Memory { module }
    }

    /// The variables with these cells, and all that lead to the heap, as they are.
    pub fn beginning(&self, state: &State, cells: &BTreeSet<Cell>) -> Vec<String> {
        let used = |v: &Variable| (v.first..v.first + v.len).any(|at| cells.contains(&Cell::Shared(at)));
        let drawn = self.draw(state).into_iter().zip(&self.module.variables);
        let mut shown: Vec<String> = drawn.filter(|(_, v)| used(v)).map(|(text, _)| text).collect();
        shown.retain(|text| !text.is_empty());
        shown
    }

    /// What a move changed.
    pub fn changes(&self, before: &State, after: Option<&State>, executed: &[Executed]) -> Vec<String> {
        let mut shown = Vec::new();
        let managed = self.module.memory != Managed::Gc;
        for effect in executed.iter().flat_map(|e| &e.effects) {
            match effect {
                Effect::Free { address } => shown.push(format!("n{} is freed", address + 1)),
                Effect::New { address, reused: true } => {
                    shown.push(format!("n{} is used again", address + 1))
                }
                Effect::New { address, .. } if managed => shown.push(format!("n{} is new", address + 1)),
                _ => {}
            }
        }
        // Of each cell what it held first and what it holds last.
        let mut written: Vec<(Cell, &Value, &Value)> = Vec::new();
        for effect in executed.iter().flat_map(|e| &e.effects) {
            if let Effect::Write { cell, old, new } = effect {
                match written.iter_mut().find(|(c, ..)| c == cell) {
                    Some(entry) => entry.2 = new,
                    None => written.push((*cell, old, new)),
                }
            }
        }
        if written.is_empty() {
            return shown;
        }
        let (old, new) = (self.draw(before), self.draw(after.unwrap_or(before)));
        let mut drawn = false;
        for ((old, new), variable) in old.iter().zip(&new).zip(&self.module.variables) {
            if leads_to_heap(&variable.ty) && old != new {
                shown.push(new.clone());
                drawn = true;
            }
        }
        for (cell, old, new) in written {
            let (name, ty) = cell_name(self.module, after.unwrap_or(before), cell);
            let heap = matches!(cell, Cell::Heap(..));
            if drawn && (heap || leads_to_heap(&ty)) {
                continue;
            }
            let show = |value| show_value(self.module, &ty, value);
            shown.push(format!("{name} = {} → {}", show(old), show(new)));
        }
        shown
    }

    /// Each variable as text.
    fn draw(&self, state: &State) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let draw = |variable: &Variable| self.variable(state, variable, &mut seen);
        self.module.variables.iter().map(draw).collect()
    }

    fn variable(&self, state: &State, variable: &Variable, seen: &mut BTreeSet<u32>) -> String {
        let cells = &state.shared[variable.first as usize..(variable.first + variable.len) as usize];
        let name = &variable.name;
        if let (false, [cell]) = (matches!(variable.ty, Ty::Array { .. }), cells) {
            return match (link(cell), leads_to_heap(&variable.ty)) {
                (Some((address, label)), true) if seen.contains(&address) => {
                    format!("{name}{}n{}", self.arrow(&label).replace('→', "↗"), address + 1)
                }
                (Some((address, label)), true) => {
                    let arrow = self.arrow(&label);
                    format!("{name}{arrow}{}", self.chain(state, address, seen))
                }
                _ => format!("{name} = {}", show_value(self.module, &variable.ty, cell)),
            };
        }
        let mut element = &variable.ty;
        while let Ty::Array { element: inner, .. } = element {
            element = inner;
        }
        let items: Vec<String> = cells.iter().map(|v| show_value(self.module, element, v)).collect();
        let mut text = match items.first() {
            Some(first) if items.len() > 2 && items.iter().all(|i| i == first) => {
                format!("{name} = [{first} × {}]", items.len())
            }
            _ => format!("{name} = [{}]", items.join(", ")),
        };
        for address in cells.iter().filter_map(|v| link(v).map(|(a, _)| a)) {
            if !seen.contains(&address) {
                let chain = self.chain(state, address, seen);
                if chain != format!("n{}", address + 1) {
                    text += &format!(", {chain}");
                }
            }
        }
        text
    }

    /// `n1 → n2(5)`, along the field that leads to the next struct of the same type.
    fn chain(&self, state: &State, from: u32, seen: &mut BTreeSet<u32>) -> String {
        let mut text = String::new();
        let mut at = from;
        for _ in 0..LONGEST {
            let new = seen.insert(at);
            text += &format!("n{}", at + 1);
            if !new {
                return text;
            }
            let object = &state.heap[at as usize];
            let next = self.next_field(object.kind);
            text += &self.inside(state, at, next);
            match next.and_then(|cell| link(&object.cells[cell as usize])) {
                Some((address, label)) => {
                    text += &self.arrow(&label);
                    at = address;
                }
                None => return text,
            }
        }
        text + "…"
    }

    /// The field that leads to the next struct of the same type: the one that is named so, or the first.
    fn next_field(&self, kind: StructId) -> Option<u32> {
        let leads = |v: &&Variable| v.len == 1 && refers(&v.ty) == Some(kind);
        let fields = || self.module.structs[kind.0 as usize].fields.iter().filter(leads);
        let named = fields().find(|v| matches!(v.name.as_str(), "next" | "right"));
        named.or_else(|| fields().next()).map(|v| v.first)
    }

    /// The other fields in brackets, without what is absent.
    fn inside(&self, state: &State, address: u32, next: Option<u32>) -> String {
        let object = &state.heap[address as usize];
        let mut parts = Vec::new();
        if object.freed {
            parts.push("freed".to_string());
        }
        let fields = &self.module.structs[object.kind.0 as usize].fields;
        for field in fields.iter().filter(|f| Some(f.first) != next) {
            for at in field.first..field.first + field.len {
                let value = &object.cells[at as usize];
                if matches!(value, Value::None | Value::Null | Value::Lock(None)) {
                    continue;
                }
                let (name, ty) = cell_name(self.module, state, Cell::Heap(address, at));
                let shown = show_value(self.module, &ty, value);
                let field = name.split_once('.').map_or("", |(_, field)| field);
                // Data needs no name.
                let data = matches!(field, "val" | "value" | "key" | "data" | "item") || fields.len() <= 2;
                let alone = data && !matches!(value, Value::Ref(_) | Value::Lock(_));
                parts.push(if alone { shown } else { format!("{field}={shown}") });
            }
        }
        if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) }
    }

    fn label(&self, label: &[Value]) -> String {
        let worth = |v: &&Value| !matches!(v, Value::Bool(false));
        let parts: Vec<String> =
            label.iter().filter(worth).map(|v| show_value(self.module, &Ty::Unit, v)).collect();
        parts.join(",")
    }

    /// ` → `, or with the rest of a tuple ` ─3→ `.
    fn arrow(&self, label: &[Value]) -> String {
        match self.label(label) {
            text if text.is_empty() => " → ".into(),
            text => format!(" ─{text}→ "),
        }
    }
}

/// The address in a cell, alone or in a tuple, with the rest of the tuple.
fn link(value: &Value) -> Option<(u32, Vec<Value>)> {
    match value {
        Value::Ref(address) => Some((*address, Vec::new())),
        Value::Tuple(parts) => {
            let at = parts.iter().position(|p| matches!(p, Value::Ref(_)))?;
            let Value::Ref(address) = parts[at] else { return None };
            let rest = parts.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, v)| v.clone());
            Some((address, rest.collect()))
        }
        _ => None,
    }
}

/// The struct to which a type refers, alone or in a tuple.
fn refers(ty: &Ty) -> Option<StructId> {
    match ty {
        Ty::Ref(kind) => Some(*kind),
        Ty::Optional(inner) => refers(inner),
        Ty::Tuple(parts) => parts.iter().find_map(refers),
        _ => None,
    }
}

fn leads_to_heap(ty: &Ty) -> bool {
    match ty {
        Ty::Array { element, .. } => leads_to_heap(element),
        other => refers(other).is_some(),
    }
}
