//! The smallest quasi factor for which a history passes.

use trueline_base::{Meter, Observer, Stop};

use super::whole::quasi_ops;
use super::{Piece, relaxed};
use crate::build::Problem;
use crate::condition::Quasi;
use crate::history::{History, NEVER};
use crate::search::{Control, Found, Instance, Span, search};
use crate::spec::Spec;

/// How far a history is from being linearizable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// It passes with this factor and with none smaller.
    Exactly(u32),
    /// It passes with no factor: no order of its operations at all is legal.
    Never,
    /// It does not pass with any smaller factor; a limit was reached there.
    AtLeast(u32, Stop),
}

/// The smallest K for which `quasi=K` holds, or with an operation the smallest K for `quasi=operation:K`.
pub fn distance<S: Spec>(
    spec: &S,
    history: &History,
    operation: Option<&str>,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Distance, Problem> {
    let piece = Piece::decode(spec, history)?;
    let ops = quasi_ops(spec, &piece);
    // No displacement is larger than the number of operations.
    let most = ops.len() as u32;
    for factor in 0..=most {
        let mut control = Control::new(meter, observer);
        let found = match operation {
            None => search(&Quasi { spec, factor }, &Instance::new(ops.iter().cloned()), &mut control).found,
            Some(operation) => {
                let queue = relaxed(spec, history, &[(operation.to_string(), factor)])?;
                let piece = Piece::decode(&queue, history)?;
                let ops = piece.ops.into_iter().zip(piece.spans);
                search(&queue, &Instance::new(ops), &mut control).found
            }
        };
        match found {
            Found::Order(_) => return Ok(Distance::Exactly(factor)),
            Found::Stopped(stop) => return Ok(Distance::AtLeast(factor, stop)),
            Found::Impossible => {}
        }
        if factor == 0 && never(spec, &ops, meter, observer) {
            return Ok(Distance::Never);
        }
    }
    Ok(Distance::Never)
}

/// Whether a quick look already shows that no order at all is legal.
fn never<S: Spec>(
    spec: &S,
    ops: &[(crate::condition::QuasiOp<S::Op>, Span)],
    meter: &Meter,
    observer: &mut dyn Observer,
) -> bool {
    let n = ops.len() as u32;
    let loose = ops.iter().filter(|(o, _)| !o.virtual_removal).enumerate().map(|(i, (o, s))| {
        let ret = if s.ret == NEVER { NEVER } else { n + i as u32 };
        (o.op.clone(), Span { call: i as u32, ret })
    });
    let mut control = Control { cap: 100_000, ..Control::new(meter, observer) };
    search(spec, &Instance::new(loose), &mut control).found == Found::Impossible
}
