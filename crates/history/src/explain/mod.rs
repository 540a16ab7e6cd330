//! Why a history fails: a smallest part that cannot be explained, confirmed, with reasons.
//!
//! What an engine decided is never lost to its explanation. It is confirmed first, with a bound; then a smaller part is
//! looked for with half of the time that is left, and confirmed with the rest. When a limit comes in between, what was
//! found so far is shown, and the failure says how far that is.

mod choice;
mod impasse;
mod minimise;
mod projected;
mod reasons;
mod whole;

use trueline_base::{Meter, Observer, Stop};

use crate::check::{Options, Piece};
use crate::datum::Datum;
use crate::history::{History, NEVER};
use crate::search::{Interval, layers};
use crate::spec::{Opaque, OpaqueSpec, Spec};
use crate::verdict::{CheckError, Engine, Failure};

pub use crate::verdict::{Impasse, OpenOperation, PartialOrder, Reason};
pub(crate) use choice::smallest_choice;
use minimise::{Minimiser, Smaller};
pub(crate) use projected::projected;
pub(crate) use reasons::text as reason;
pub(crate) use whole::{SmallerPart, smallest};

/// Operations up to which each gets its reason.
const MOST_REASONS: usize = 24;

/// Operations of which all are looked at, also those that were called after everything had gone wrong.
const MOST_WHOLE: usize = 100;

/// Configurations of the first confirmation, of a part that is not yet small.
const FIRST_CAP: u64 = 100_000;
/// Configurations of the last confirmation.
const LAST_CAP: u64 = 2_000_000;

/// What an engine found.
pub(crate) struct EngineFinding {
    /// Operations that already show it.
    pub core: Vec<usize>,
    /// Who found it.
    pub engine: Engine,
    /// The position of a return that no order passes, where that is known.
    pub until: Option<u32>,
}

/// What became of the other parts of the history.
#[derive(Default)]
pub(crate) struct Others {
    /// Those that fail as well.
    pub failing: Vec<Datum>,
    /// How many are not decided.
    pub undecided: usize,
}

/// Why a piece fails that an engine found to fail, confirmed.
#[expect(clippy::too_many_arguments, reason = "the one place where everything of a failure meets")]
pub(crate) fn failure(
    object: &OpaqueSpec<'_>,
    history: &History,
    piece: Piece<Opaque>,
    violation: EngineFinding,
    others: Others,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Box<Failure>, CheckError> {
    let spec = &object;
    let EngineFinding { mut core, engine, until } = violation;
    // What comes later than where every order ends cannot help; of a short history it may still tell something.
    let prefix = until.filter(|_| piece.ops.len() > MOST_WHOLE).map(|position| {
        core.retain(|i| piece.spans[*i].call < position);
        piece.before(position)
    });
    let (all, piece) = (&piece.ops, prefix.as_ref().unwrap_or(&piece));
    let lost = piece.ids.iter().any(|id| history.output(*id) == crate::Output::Lost);
    let half = meter.share(2);
    let mut minimiser = Minimiser::new(spec, piece, !lost, options.monitors, &half, observer);
    let found = minimiser.begin(&core);
    let disagree = || {
        let searches = format!("the {} and the confirming search", engine.name());
        Err(CheckError::Unconfirmed(format!("{searches} disagree about this history")))
    };
    let mut confirmed = confirm(spec, piece, &found, FIRST_CAP, &half);
    if confirmed == Ok(true) {
        return disagree();
    }
    let smaller = minimiser.run();
    let is_smaller = smaller.kept.len() < found.kept.len();
    let again = match confirmed {
        Ok(_) if !is_smaller => Ok(false),
        _ => confirm(spec, piece, &smaller, LAST_CAP, meter),
    };
    // A smaller part that could not be confirmed does not stand for one that was.
    let (shown, cut) = match again {
        Ok(true) => return disagree(),
        Ok(false) => {
            confirmed = Ok(false);
            let cut = smaller.cut;
            (smaller, cut)
        }
        Err(stop) if confirmed.is_ok() => (found, Some(stop)),
        Err(stop) => (smaller, Some(stop)),
    };
    let (reasons, partials) = if options.reasons {
        reasons::of(spec, history, piece, &shown, meter, observer)
    } else {
        (Vec::new(), Vec::new())
    };
    let long = options.reasons && shown.kept.len() > MOST_REASONS;
    let impasse = if long { impasse::of(spec, piece, meter) } else { None };
    // Of a long part that need not be minimal, only what cannot be explained is surely to blame.
    let blamed: Vec<usize> = match &impasse {
        Some(impasse) if !shown.minimal => {
            (0..piece.ids.len()).filter(|i| piece.ids[*i] == impasse.blocked.operation).collect()
        }
        _ => shown.kept.clone(),
    };
    let ops: Vec<&Opaque> = blamed.iter().map(|i| &piece.ops[*i]).collect();
    let sentence = spec.sentence(&ops, &all.iter().collect::<Vec<_>>()).unwrap_or_else(|| match &impasse {
        Some(impasse) => impasse::sentence(history, impasse),
        None => reasons::sentence(history, ops.len(), &partials),
    });
    Ok(Box::new(Failure {
        part: piece.part.clone(),
        sentence,
        operations: shown.kept.iter().map(|i| piece.ids[*i]).collect(),
        minimal: shown.minimal,
        cut,
        confirmed: confirmed.is_ok(),
        reasons,
        partials,
        impasse,
        also: others.failing,
        undecided: others.undecided,
        engine,
    }))
}

/// What is kept, together with what is left out but may still take effect once at any time.
pub(crate) fn with_wild<O>(
    piece: &Piece<O>,
    kept: &[usize],
    wild: &[usize],
) -> impl Iterator<Item = (usize, Interval)> {
    let kept = kept.iter().map(|i| (*i, piece.spans[*i]));
    kept.chain(wild.iter().map(|i| (*i, Interval { call: 0, ret: NEVER })))
}

/// Decides a part again with the other search, which may visit so many configurations.
fn confirm<S: Spec>(
    spec: &S,
    piece: &Piece<S::Op>,
    smaller: &Smaller,
    cap: u64,
    meter: &Meter,
) -> Result<bool, Stop> {
    let free: Vec<S::Op> = smaller.left_out.free.iter().map(|i| piece.ops[*i].clone()).collect();
    let ops = with_wild(piece, &smaller.kept, &smaller.left_out.wild);
    let ops: Vec<(S::Op, Interval)> = ops.map(|(i, span)| (piece.ops[i].clone(), span)).collect();
    layers::decide_within(spec, &ops, &free, cap, meter)
}
