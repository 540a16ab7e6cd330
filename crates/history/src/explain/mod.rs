//! Why a history fails: a smallest part that cannot be explained, confirmed, with reasons.

mod choice;
mod minimise;
mod projected;
mod reasons;
mod whole;

use trueline_base::{Meter, Observer, Stop};

use crate::check::{Options, Piece};
use crate::history::{History, NEVER};
use crate::search::{Span, layers};
use crate::spec::Spec;
use crate::verdict::{Engine, Failure, Verdict};

use minimise::{Minimiser, Smaller};
pub(crate) use projected::projected;
pub(crate) use reasons::text as reason;
pub(crate) use whole::{Part, smallest};

/// Operations up to which each gets its reason.
const MOST_REASONS: usize = 24;

pub(crate) fn not_confirmed_in_time(stop: Stop) -> Verdict {
    Verdict::Unknown {
        why: format!("a violation was found, but before it was confirmed {stop}"),
        stop: Some(stop),
        progress: None,
    }
}

/// The verdict for a piece that an engine found to fail.
#[expect(clippy::too_many_arguments, reason = "the one place where everything of a failure meets")]
pub(crate) fn failure<S: Spec>(
    spec: &S,
    history: &History,
    piece: &Piece<S::Op>,
    core: Vec<usize>,
    engine: Engine,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Verdict {
    let lost = piece.ids.iter().any(|id| history.output(*id) == crate::Output::Lost);
    let smaller = Minimiser::new(spec, piece, !lost, options.monitors, meter, observer).run(core);
    match confirm(spec, piece, &smaller, meter) {
        Ok(false) => {}
        Ok(true) => {
            return Verdict::Unconfirmed {
                why: format!("the {} and the confirming search disagree about this history", engine.name()),
            };
        }
        Err(stop) => return not_confirmed_in_time(stop),
    }
    let (reasons, partials) = if options.reasons {
        reasons::of(spec, history, piece, &smaller, meter, observer)
    } else {
        (Vec::new(), Vec::new())
    };
    let ops: Vec<&S::Op> = smaller.kept.iter().map(|i| &piece.ops[*i]).collect();
    let sentence =
        spec.sentence(&ops, &piece.ops).unwrap_or_else(|| reasons::sentence(history, ops.len(), &partials));
    Verdict::Fails(Box::new(Failure {
        part: piece.part.clone(),
        sentence,
        operations: smaller.kept.iter().map(|i| piece.ids[*i]).collect(),
        minimal: smaller.minimal,
        reasons,
        partials,
        engine,
    }))
}

/// What is kept, together with what is left out but may still take effect once at any time.
pub(crate) fn with_wild<O>(
    piece: &Piece<O>,
    kept: &[usize],
    wild: &[usize],
) -> impl Iterator<Item = (usize, Span)> {
    let kept = kept.iter().map(|i| (*i, piece.spans[*i]));
    kept.chain(wild.iter().map(|i| (*i, Span { call: 0, ret: NEVER })))
}

/// Decides the minimal part again with the other search.
fn confirm<S: Spec>(spec: &S, piece: &Piece<S::Op>, smaller: &Smaller, meter: &Meter) -> Result<bool, Stop> {
    let free: Vec<S::Op> = smaller.left_out.free.iter().map(|i| piece.ops[*i].clone()).collect();
    let ops = with_wild(piece, &smaller.kept, &smaller.left_out.wild);
    let ops: Vec<(S::Op, Span)> = ops.map(|(i, span)| (piece.ops[i].clone(), span)).collect();
    layers::decide(spec, &ops, &free, meter)
}
