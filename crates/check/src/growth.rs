//! What grows without end: the maxima of variables over the layers of a search.

use crate::machine::state::State;
use trueline_base::Value;
use trueline_lang::ir::{Module, Variable};

/// Maxima seen so far, and the layers in which they grew.
pub(crate) struct Growth {
    tracked: Vec<Tracked>,
    /// Where the fields of each struct begin in `tracked`.
    structs: Vec<usize>,
    /// Per cell of the shared memory, of each struct: its place in `tracked`.
    shared: Vec<usize>,
    fields: Vec<Vec<usize>>,
    persistent: usize,
}

struct Tracked {
    name: String,
    max: i64,
    grew: Vec<u64>,
}

impl Growth {
    /// Follows shared variables, fields, `local` variables and the size of the heap.
    pub fn new(module: &Module) -> Growth {
        let mut tracked = vec![Tracked { name: "the heap".into(), max: 0, grew: Vec::new() }];
        let mut follow = |name: String| {
            tracked.push(Tracked { name, max: i64::MIN, grew: Vec::new() });
            tracked.len() - 1
        };
        let mut run = |variables: &[Variable], cells: usize, prefix: &str| {
            let mut places = vec![0; cells];
            for variable in variables {
                let at = follow(format!("{prefix}{}", variable.name));
                let first = variable.first as usize;
                places[first..first + variable.len as usize].fill(at);
            }
            places
        };
        let shared = run(&module.variables, module.shared.len(), "");
        let fields: Vec<_> =
            module.structs.iter().map(|s| run(&s.fields, s.cells.len(), &format!("{}.", s.name))).collect();
        let structs = fields.iter().map(|f| f.first().copied().unwrap_or(0)).collect();
        let persistent = module.persistent.iter().map(|slot| follow(slot.name.clone())).min().unwrap_or(0);
        Growth { tracked, structs, shared, fields, persistent }
    }

    /// Looks at a state found in a layer.
    pub fn look(&mut self, state: &State, layer: u64) {
        let live = state.heap.heads.len() as i64;
        self.raise(0, live, layer);
        for cell in 0..state.shared.len() {
            self.raise(self.shared[cell], measure(&state.shared[cell]), layer);
        }
        for (address, head) in state.heap.heads.iter().enumerate() {
            if self.structs[head.kind.0 as usize] == 0 {
                continue;
            }
            for (cell, value) in state.heap.cells(address as u32).iter().enumerate() {
                self.raise(self.fields[head.kind.0 as usize][cell], measure(value), layer);
            }
        }
        for thread in &state.threads {
            let slots = self.tracked.len() - self.persistent;
            if self.persistent == 0 {
                break;
            }
            for (at, value) in thread.frame.iter().take(slots).enumerate() {
                self.raise(self.persistent + at, measure(value), layer);
            }
        }
    }

    fn raise(&mut self, at: usize, value: i64, layer: u64) {
        let tracked = &mut self.tracked[at];
        if value > tracked.max {
            tracked.max = value;
            if tracked.grew.last() != Some(&layer) {
                tracked.grew.push(layer);
            }
        }
    }

    /// What grew in each quarter of the second half of the layers.
    pub fn growing(&self, layers: u64) -> Vec<String> {
        let half = layers / 2;
        let border = |quarter: u64| half + (layers - half) * quarter / 4;
        let grew = |t: &&Tracked| {
            (0..4).all(|q| t.grew.iter().any(|layer| *layer > border(q) && *layer <= border(q + 1)))
        };
        if layers < 8 {
            return Vec::new();
        }
        self.tracked.iter().filter(grew).map(|t| t.name.clone()).collect()
    }
}

/// How large a value is: the magnitude of a number, the length of a collection, the largest part of others.
fn measure(value: &Value) -> i64 {
    match value {
        Value::Int(i) => (*i as i64).abs(),
        Value::Seq(items) | Value::Set(items) | Value::Bag(items) => {
            let parts = items.iter().map(measure).max().unwrap_or(0);
            parts.max(items.len() as i64)
        }
        Value::Map(entries) => entries.len() as i64,
        Value::Tuple(items) | Value::Variant(_, items) | Value::Array(items) => {
            items.iter().map(measure).max().unwrap_or(0)
        }
        _ => 0,
    }
}
