//! Where every order of a long failure ends: the first return that cannot be explained, the states possible just before
//! it, the operations open then, and what each would have needed.
//!
//! It needs no smallest part: the configurations of the breadth-first search just before that return are all there is to
//! tell. It is what a reader of a long log with few values can follow, where leaving anything out explains nothing.

use trueline_base::Meter;

use crate::check::Piece;
use crate::history::{History, NEVER};
use crate::search::{Interval, layers};
use crate::spec::{Next, Spec};
use crate::verdict::{Impasse, OpenOperation};

/// Configurations that are looked at.
const CAP: u64 = 200_000;
/// States that are told.
const MOST_STATES: usize = 12;
/// Answers that are told of an operation.
const MOST_NEEDS: usize = 4;

/// The impasse of a piece that no order explains; nothing where a limit comes first.
pub(super) fn of<S: Spec>(spec: &S, piece: &Piece<S::Op>, meter: &Meter) -> Option<Impasse> {
    let ops: Vec<(S::Op, Interval)> = piece.ops.iter().cloned().zip(piece.spans.iter().copied()).collect();
    // One state more than are told says that there are more.
    let end = layers::dead_end(spec, &ops, MOST_STATES + 1, CAP, meter).ok()??;
    let item = end.item as usize;
    let at = piece.spans[item].ret;
    let more = end.states.len() > MOST_STATES;
    let told = &end.states[..end.states.len().min(MOST_STATES)];
    let needs = |i: usize| {
        let mut needs: Vec<String> = Vec::new();
        let mut fits = 0;
        let mut next = Next::new();
        for state in told {
            spec.step(state, &piece.ops[i], &mut next);
            let possible = next.drain().next().is_some();
            fits += usize::from(possible);
            if let Some(need) = spec.expected(state, &piece.ops[i]).filter(|_| !possible)
                && !needs.contains(&need)
            {
                needs.push(need);
            }
        }
        needs.truncate(MOST_NEEDS);
        OpenOperation { operation: piece.ids[i], fits, needs }
    };
    let is_open = |i: &usize| *i != item && piece.spans[*i].call < at && piece.spans[*i].ret > at;
    let mut open: Vec<usize> = (0..piece.ops.len()).filter(is_open).collect();
    // What returns soon says most; what never returns comes last.
    open.sort_by_key(|i| (piece.spans[*i].ret == NEVER, piece.spans[*i].call));
    Some(Impasse {
        blocked: needs(item),
        states: told.iter().map(|state| spec.show(state)).collect(),
        more,
        open: open.into_iter().map(needs).collect(),
    })
}

/// The failure in a sentence, when the specification has none.
pub(super) fn sentence(history: &History, impasse: &Impasse) -> String {
    let shown = history.show(impasse.blocked.operation);
    match impasse.blocked.needs.is_empty() {
        true => format!("{shown} is the first that no order can explain"),
        false => format!("{shown} is the first that no order can explain: it {}", impasse.blocked.needed()),
    }
}
