//! Names of cells: `n`, `slots[2]`, `n1.next`.

use trueline_lang::interp::{Cell, State};
use trueline_lang::ir::{Module, Ty, Variable};

/// The name of a cell and the type of what it holds.
pub fn cell_name(module: &Module, state: &State, cell: Cell) -> (String, Ty) {
    match cell {
        Cell::Shared(at) => within(&module.variables, at, ""),
        Cell::Heap(address, at) => {
            let kind = state.heap.get(address as usize).map(|o| o.kind);
            let fields = kind.map_or(&[][..], |k| &module.structs[k.0 as usize].fields[..]);
            within(fields, at, &format!("n{}.", address + 1))
        }
    }
}

fn within(variables: &[Variable], at: u32, before: &str) -> (String, Ty) {
    let holds = |v: &&Variable| (v.first..v.first + v.len).contains(&at);
    let Some(variable) = variables.iter().find(holds) else {
        return (format!("{before}{at}"), Ty::Unit);
    };
    let mut name = format!("{before}{}", variable.name);
    let (mut ty, mut rest, mut cells) = (&variable.ty, at - variable.first, variable.len);
    while let Ty::Array { element, len, by_tid } = ty {
        if *len == 0 {
            break;
        }
        cells /= len;
        let index = rest / cells.max(1);
        // Threads count from 1 wherever a reader sees them.
        name += &format!("[{}]", if *by_tid { index + 1 } else { index });
        rest %= cells.max(1);
        ty = element;
    }
    (name, ty.clone())
}
