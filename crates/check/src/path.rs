//! From the pairs on a way to the moves that lead along it.
//!
//! Pairs have no memory of addresses. The way is executed again from the beginning on states that are never
//! renumbered: there an address is the number of its allocation, as schedules want it. In each state the move is
//! taken whose canonical form is the next pair of the way.

use crate::machine::state::State;
use crate::monitor::SetId;
use crate::product::{Pair, Product, ProductTarget};
use trueline_lang::ir::{Move, Schedule};

/// The schedule along `way` whose last move leads to `last`; with `movers`, these threads make the moves.
pub(crate) fn schedule(
    product: &mut Product<'_>,
    way: &[Pair],
    last: ProductTarget,
    movers: Option<&[u8]>,
) -> Schedule {
    // Every move on the way was executed before, so that a search that was stopped can still tell of it.
    product.explorer.unlimited();
    let mut wanted = way.iter().map(|pair| ProductTarget::Pair(*pair)).chain([last]);
    let first = wanted.next().expect("a way ends somewhere");
    let (mut state, init) = begin(product, first);
    let mut moves = Vec::new();
    for (at, (pair, target)) in way.iter().zip(wanted).enumerate() {
        let (made, next) = advance(product, &state, pair.set, target, movers.map(|m| m[at]));
        moves.push(made);
        state = next;
    }
    Schedule { init, moves }
}

fn begin(product: &mut Product<'_>, first: ProductTarget) -> (State, Vec<trueline_lang::ir::Choice>) {
    for start in product.explorer.starts() {
        if product.judge.begin(&start.state) == Ok(first) {
            return (start.state.unwrap_or_default(), start.choices);
        }
    }
    panic!("the way begins in no initial state")
}

fn advance(
    product: &mut Product<'_>,
    from: &State,
    set: SetId,
    wanted: ProductTarget,
    mover: Option<u8>,
) -> (Move, State) {
    let judge = &mut product.judge;
    let mut found = None;
    for t in (0..from.threads.len()).filter(|t| mover.is_none_or(|m| m as usize == *t)) {
        product.explorer.moves(from, t, &mut |edge| {
            if found.is_none() && judge.judge(&edge, set) == Ok(wanted) {
                let made = Move { thread: edge.thread, action: edge.action() };
                found = Some((made, edge.target.map_or_else(|_| State::default(), std::mem::take)));
            }
        });
    }
    found.expect("the way can be executed again")
}
