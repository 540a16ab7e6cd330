//! Where threads are named in data, whether they may be exchanged, and what an exchange does to values.
//!
//! The types say it: a `tid` is only stored, copied, compared and used as an index of `[T; tid]`, so any exchange of
//! threads with the same script is an automorphism. What breaks that is looked for in the code: a thread as a number,
//! a thread or a value by name where values are thread numbers.

use super::values;
use crate::canonical::bytes::{put_slot, tag};
use crate::machine::state::{Heap, State};
use trueline_base::Value;
use trueline_lang::ir::{Expr, Machine, Module, SlotInfo, Ty, Variable};

/// How a machine and its specification name threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Naming {
    /// Somewhere.
    pub named: bool,
    /// Values are thread numbers, and move with the threads.
    pub values: bool,
    /// Arrays by thread in shared cells: first cell, cells per thread.
    shared: Vec<(usize, usize)>,
    /// The same in structs.
    structs: Vec<Vec<(usize, usize)>>,
    /// Values that may be exchanged, class by class: the one at place `i` is exchanged as if it were thread
    /// `threads + i`.
    pub symbols: Vec<u32>,
    /// References stand in arrays by thread or in unordered collections: the order of names depends on threads.
    pub unordered: bool,
    threads: usize,
}

/// Beyond every value.
const TOKEN: u32 = 1 << 24;

/// Why threads may not be exchanged.
pub(super) type Refusal = &'static str;

impl Naming {
    /// Looks at all code and all types.
    pub fn of(machine: &Machine, spec: Option<&Module>) -> Result<Naming, Refusal> {
        let threads = machine.threads.len();
        let mut found = Mentions::default();
        let modules = || std::iter::once(&machine.object).chain(spec);
        for module in modules() {
            module.each_expression(&mut |e| found.look(e));
        }
        machine.each_client_expression(&mut |e| found.look(e));
        if found.number {
            return Err("the code looks at thread numbers");
        }
        if found.thread {
            return Err("a thread is named");
        }
        if found.to_value && found.value {
            return Err("values are thread numbers, and one is named");
        }
        let mut naming = Naming { values: found.to_value, threads, named: found.own, ..Naming::default() };
        for module in modules() {
            let slots = |slots: &[SlotInfo]| slots.iter().map(|slot| slot.ty.clone()).collect::<Vec<_>>();
            let mut local = slots(&module.persistent);
            local.extend(module.ops.iter().flat_map(|op| slots(&op.routine.slots)));
            local.extend(slots(&module.init.slots).into_iter().chain(slots(&module.thread_init.slots)));
            if local.iter().any(has_by_tid) {
                return Err("a local array is indexed by threads");
            }
            let cells = module.variables.iter().chain(module.structs.iter().flat_map(|s| &s.fields));
            naming.named |= local.iter().chain(cells.clone().map(|v| &v.ty)).any(names_threads);
            // A lock names its owner, whatever the types say.
            let first = module.shared.iter().chain(module.structs.iter().flat_map(|s| &s.cells));
            naming.named |= first.into_iter().any(|value| matches!(value, Value::Lock(_)));
            naming.unordered |= cells.map(|v| &v.ty).any(|ty| unordered_references(ty, false));
        }
        naming.shared = arrays(&machine.object.variables)?;
        for kind in &machine.object.structs {
            naming.structs.push(arrays(&kind.fields)?);
        }
        naming.named |= naming.values;
        Ok(naming)
    }

    /// Of a machine whose threads are not exchanged.
    pub fn of_values(machine: &Machine) -> Naming {
        let fields = machine.object.structs.iter().flat_map(|s| &s.fields);
        let mut cells = machine.object.variables.iter().chain(fields).map(|v| &v.ty);
        Naming {
            unordered: cells.any(|ty| unordered_references(ty, false)),
            structs: vec![Vec::new(); machine.object.structs.len()],
            threads: machine.threads.len(),
            ..Naming::default()
        }
    }

    /// Whether an exchange changes values.
    pub fn renames(&self) -> bool {
        self.named || !self.symbols.is_empty()
    }

    /// A value after an exchange; `to[t]` is the place of thread `t` afterwards.
    pub fn value(&self, value: &mut Value, to: &[u8]) {
        value.change(&mut |leaf| match leaf {
            Value::Tid(t) | Value::Lock(Some(t)) => *t = to[*t as usize],
            Value::Val(v) if self.values && (1..=self.threads as u32).contains(v) => {
                *v = to[*v as usize - 1] as u32 + 1;
            }
            Value::Val(v) => {
                if let Some(at) = self.symbols.iter().position(|symbol| symbol == v) {
                    *v = self.symbols[to[self.threads + at] as usize - self.threads];
                }
            }
            Value::Unit | Value::Bool(_) | Value::Int(_) | Value::None => {}
            Value::Null | Value::Ref(_) | Value::Lock(None) => {}
            Value::Variant(..) | Value::Tuple(_) | Value::Array(_) | Value::Seq(_) => {}
            Value::Set(_) | Value::Bag(_) | Value::Map(_) => {}
        });
    }

    /// The shared cells, structs and links after an exchange.
    pub fn state(&self, state: &mut State, to: &[u8]) {
        self.cells(&mut state.shared, &self.shared, to);
        self.structs(&mut state.heap, to);
        state.links.iter_mut().for_each(|link| link.thread = to[link.thread as usize]);
        state.links.sort_unstable();
    }

    /// A whole state after an exchange.
    pub fn exchange(&self, state: &mut State, to: &[u8]) {
        self.state(state, to);
        let mut old = std::mem::take(&mut state.threads);
        for thread in &mut old {
            let values = thread.script.iter_mut().chain(&mut thread.frame).chain(&mut thread.result);
            values.for_each(|value| self.value(value, to));
        }
        let mut placed: Vec<_> = old.into_iter().zip(to).collect();
        placed.sort_by_key(|(_, place)| **place);
        state.threads = placed.into_iter().map(|(thread, _)| thread).collect();
    }

    /// The structs after an exchange.
    pub fn structs(&self, heap: &mut Heap, to: &[u8]) {
        for head in heap.heads.iter().filter(|head| head.len > 0) {
            let cells = &mut heap.cells[head.start as usize..(head.start + head.len) as usize];
            self.cells(cells, &self.structs[head.kind.0 as usize], to);
        }
    }

    /// What is said of a thread, with `to` telling only itself from the others; `all` structs are global. Symbols are
    /// known by their tokens.
    pub fn key(&self, state: &State, thread: usize, all: u32, to: &[u8], tokens: &[u32]) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        let mine = &state.threads[thread];
        out.push(mine.phase as u8);
        out.extend(mine.op.0.to_le_bytes());
        put_slot(&mut out, mine.into);
        out.extend(mine.pc.to_le_bytes().into_iter().chain(mine.node.0.to_le_bytes()));
        let mut put = |value: &Value| {
            let mut value = value.clone();
            if self.unordered {
                // Names of structs depend on how the others are placed.
                super::canon::map_references(&mut value, &mut |a| if a < all { 0 } else { a });
            }
            if !self.symbols.is_empty() {
                let token = |v: u32| self.symbols.iter().position(|symbol| *symbol == v);
                values::map(&mut value, &|v| token(v).map_or(v, |at| TOKEN + tokens[at]));
            }
            self.value(&mut value, to);
            tag::whole(&mut out, &value);
        };
        mine.script.iter().chain(&mine.frame).chain(&mine.result).for_each(&mut put);
        let mut cells = |cells: &[Value], arrays: &[(usize, usize)]| {
            let shown = |at: usize| {
                let array =
                    arrays.iter().find(|(first, each)| (*first..first + each * self.threads).contains(&at));
                array.is_none_or(|(first, each)| (at - first) / each == thread)
            };
            cells.iter().enumerate().filter(|(at, _)| shown(*at)).for_each(|(_, value)| put(value));
        };
        cells(&state.shared, &self.shared);
        for (address, head) in state.heap.heads.iter().enumerate() {
            if address as u32 >= all || !self.unordered {
                cells(state.heap.cells(address as u32), &self.structs[head.kind.0 as usize]);
            }
        }
        for link in state.links.iter().filter(|link| link.thread as usize == thread) {
            out.extend(link.cell.address.to_le_bytes().into_iter().chain(link.cell.index.to_le_bytes()));
        }
        out
    }

    fn cells(&self, cells: &mut [Value], arrays: &[(usize, usize)], to: &[u8]) {
        cells.iter_mut().for_each(|value| self.value(value, to));
        for (first, each) in arrays {
            let before = cells[*first..first + each * self.threads].to_vec();
            for (t, element) in before.chunks(*each).enumerate() {
                let at = first + each * to[t] as usize;
                cells[at..at + each].clone_from_slice(element);
            }
        }
    }

    /// The cells of a module's variables after an exchange.
    pub fn variables(&self, module: &Module, cells: &mut [Value], to: &[u8]) {
        let arrays = arrays(&module.variables).expect("looked at before");
        self.cells(cells, &arrays, to);
    }
}

/// Where thread `by[q]` stands at place `q`: the place of each thread.
pub(super) fn places(by: &[u8]) -> Vec<u8> {
    let mut to = vec![0; by.len()];
    by.iter().enumerate().for_each(|(place, t)| to[*t as usize] = place as u8);
    to
}

/// What code says of threads and values.
#[derive(Default)]
struct Mentions {
    number: bool,
    thread: bool,
    value: bool,
    to_value: bool,
    own: bool,
}

impl Mentions {
    fn look(&mut self, e: &Expr) {
        match e {
            Expr::TidToInt(_) => self.number = true,
            Expr::TidToVal(_) => self.to_value = true,
            Expr::SelfTid => self.own = true,
            Expr::Const(value) => self.constant(value),
            _ => {}
        }
    }

    fn constant(&mut self, value: &Value) {
        match value {
            Value::Tid(_) | Value::Lock(Some(_)) => self.thread = true,
            Value::Val(_) => self.value = true,
            _ => value.children().for_each(|child| self.constant(child)),
        }
    }
}

fn parts(ty: &Ty) -> Vec<&Ty> {
    match ty {
        Ty::Optional(t) | Ty::Seq(t) | Ty::Set(t) | Ty::Multiset(t) | Ty::Heap(t) => vec![t],
        Ty::Array { element, .. } => vec![element],
        Ty::Map(k, v) => vec![k, v],
        Ty::Tuple(ts) => ts.iter().collect(),
        Ty::Unit | Ty::Bool | Ty::Int | Ty::Range(..) | Ty::Tid | Ty::Val | Ty::Lock => Vec::new(),
        Ty::Ref(_) | Ty::Enum(_) => Vec::new(),
    }
}

fn names_threads(ty: &Ty) -> bool {
    // A payload of an enum may hold anything.
    let here = matches!(ty, Ty::Tid | Ty::Lock | Ty::Enum(_) | Ty::Array { by_tid: true, .. });
    here || parts(ty).into_iter().any(names_threads)
}

fn has_by_tid(ty: &Ty) -> bool {
    matches!(ty, Ty::Array { by_tid: true, .. }) || parts(ty).into_iter().any(has_by_tid)
}

fn unordered_references(ty: &Ty, inside: bool) -> bool {
    let here = match ty {
        Ty::Array { by_tid, .. } => *by_tid,
        Ty::Set(_) | Ty::Multiset(_) | Ty::Heap(_) | Ty::Map(..) => true,
        Ty::Ref(_) => return inside,
        Ty::Enum(_) => return inside,
        _ => false,
    };
    parts(ty).into_iter().any(|part| unordered_references(part, inside || here))
}

/// Arrays by thread among variables: first cell and cells per thread.
fn arrays(variables: &[Variable]) -> Result<Vec<(usize, usize)>, Refusal> {
    let mut found = Vec::new();
    for variable in variables {
        match &variable.ty {
            Ty::Array { element, len, by_tid: true } => {
                if has_by_tid(element) {
                    return Err("an array by thread stands inside another");
                }
                found.push((variable.first as usize, (variable.len / len.max(&1)) as usize));
            }
            ty if has_by_tid(ty) => return Err("an array by thread stands inside another type"),
            _ => {}
        }
    }
    Ok(found)
}
