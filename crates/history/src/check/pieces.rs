//! Conditions that hold for the whole exactly when they hold for each independent part (Herlihy and Wing,
//! TOPLAS 1990, theorem 1; Horn and Kroening, FORTE 2015): the history is split by part and each is decided alone.

use trueline_base::{Meter, Observer};

use super::decide::{DecisionAnswer, PieceDecision};
use super::together::KeysTogether;
use super::{Options, linked, merge};
use crate::build::Problem;
use crate::datum::Datum;
use crate::explain::{self, EngineFinding, Others};
use crate::history::{History, OpId, Operation, Recorded};
use crate::search::{Control, Interval};
use crate::spec::{Hide, Opaque, Spec};
use crate::value::{Value, Values};
use crate::verdict::{CheckError, Report, Verdict};

/// Operations in the terms of a specification, with their spans.
#[derive(Clone, Debug)]
pub(crate) struct Piece<O> {
    pub ops: Vec<O>,
    pub spans: Vec<Interval>,
    pub ids: Vec<OpId>,
    pub part: Option<Datum>,
}

impl<O: Clone> Piece<O> {
    fn empty(part: Option<Datum>) -> Piece<O> {
        Piece { ops: Vec::new(), spans: Vec::new(), ids: Vec::new(), part }
    }

    /// One operation more. A pending one that changes nothing is left out.
    fn push<S: Spec<Op = O>>(&mut self, spec: &S, id: OpId, recorded: &Operation, op: O) {
        if recorded.pending() && spec.hints().observes(&op) {
            return;
        }
        let Operation { call, ret, .. } = *recorded;
        self.ops.push(op);
        self.spans.push(Interval { call, ret });
        self.ids.push(id);
    }

    /// The operations that were called before a position: no later one can explain what happened by then.
    pub fn before(&self, position: u32) -> Piece<O> {
        let called: Vec<usize> = (0..self.ops.len()).filter(|i| self.spans[*i].call < position).collect();
        self.only(&called)
    }

    /// Decodes a history.
    pub fn decode<S: Spec<Op = O>>(spec: &S, history: &History) -> Result<Piece<O>, Problem> {
        let mut piece = Piece::empty(None);
        for id in history.ids() {
            piece.push(spec, id, history.op(id), decoded(spec, history, id)?);
        }
        Ok(piece)
    }

    /// The operations without their types.
    fn hidden<S: Spec<Op = O>>(self) -> Piece<Opaque> {
        let Piece { ops, spans, ids, part } = self;
        Piece { ops: ops.into_iter().map(Hide::<S>::op).collect(), spans, ids, part }
    }

    /// Some of the operations.
    pub fn only(&self, items: &[usize]) -> Piece<O> {
        Piece {
            ops: items.iter().map(|i| self.ops[*i].clone()).collect(),
            spans: items.iter().map(|i| self.spans[*i]).collect(),
            ids: items.iter().map(|i| self.ids[*i]).collect(),
            part: self.part.clone(),
        }
    }
}

pub(super) fn decoded<S: Spec>(spec: &S, history: &History, id: OpId) -> Result<S::Op, Problem> {
    understood(spec, history, id, &history.recorded(id))
}

fn understood<S: Spec>(spec: &S, history: &History, id: OpId, recorded: &Recorded) -> Result<S::Op, Problem> {
    history
        .with_recorded(id, recorded, |call| spec.decode(call))
        .map_err(|e| Problem::at(recorded.op.line, e))
}

/// A history split by part. The operations are decoded when their part's turn comes, so that only one part is
/// in memory in the terms of the specification.
enum Split<O> {
    Whole(Piece<O>),
    Parts {
        /// Part and operation, in the order of both. Operations of no part come last and belong to every one.
        members: Vec<(Value, OpId)>,
        keys: Values,
    },
}

impl<O: Clone> Split<O> {
    fn new<S: Spec<Op = O>>(spec: &S, history: &History) -> Result<Split<O>, Problem> {
        let mut piece = Piece::empty(None);
        let mut members: Vec<(Value, OpId)> = Vec::new();
        let mut keys = Values::default();
        let mut together = KeysTogether::default();
        let mut first = None;
        for id in history.ids() {
            let op = decoded(spec, history, id)?;
            if history.op(id).pending() && spec.hints().observes(&op) {
                continue;
            }
            let touched = spec.hints().touches(&op);
            let key = match spec.hints().part(&op).or_else(|| history.key(id)) {
                // Where the log has keys too, each is a world of its own.
                Some(key) if !touched.is_empty() => {
                    together.join(touched.into_iter().map(|k| keys.number(Datum::list([key.clone(), k]))))
                }
                Some(key) => keys.number(key),
                None => together.join(touched.into_iter().map(|k| keys.number(k))),
            };
            // As long as all belong to one part, they are kept.
            if *first.get_or_insert(key) == key && members.is_empty() {
                piece.push(spec, id, history.op(id), op);
                continue;
            }
            if members.is_empty() {
                members = Vec::with_capacity(history.ops.len());
                members.extend(piece.ids.iter().map(|id| (first.unwrap_or(Value::NONE), *id)));
                piece = Piece::empty(None);
            }
            members.push((key, id));
        }
        if members.is_empty() {
            return Ok(Split::Whole(piece));
        }
        let names = together.names(&mut keys);
        if !names.is_empty() {
            members.iter_mut().for_each(|(key, _)| *key = names.get(key).copied().unwrap_or(*key));
        }
        members.sort_unstable();
        Ok(Split::Parts { members, keys })
    }

    /// Calls `each` with every part until it says that this is enough. Answers how many there are.
    fn each<S: Spec<Op = O>>(
        self,
        spec: &S,
        history: &History,
        mut each: impl FnMut(&mut Piece<O>) -> bool,
    ) -> Result<usize, Problem> {
        let (members, keys) = match self {
            Split::Whole(mut piece) => {
                each(&mut piece);
                return Ok(1);
            }
            Split::Parts { members, keys } => (members, keys),
        };
        let keyed = members.partition_point(|(key, _)| key.is_some());
        let (own, common) = members.split_at(keyed);
        let parts = || own.chunk_by(|a, b| a.0 == b.0);
        let mut piece = Piece::empty(None);
        let mut gathered = Gathered::default();
        let mut ids: Vec<OpId> = Vec::new();
        for part in parts() {
            piece.ops.clear();
            piece.spans.clear();
            piece.ids.clear();
            piece.part = keys.get(part[0].0);
            if common.is_empty() {
                for (_, id) in part {
                    let recorded = gathered.next(history, own);
                    piece.push(spec, *id, &recorded.op, understood(spec, history, *id, &recorded)?);
                }
            } else {
                ids.clear();
                ids.extend(part.iter().chain(common).map(|(_, id)| *id));
                ids.sort_unstable();
                for id in &ids {
                    piece.push(spec, *id, history.op(*id), decoded(spec, history, *id)?);
                }
            }
            if !each(&mut piece) {
                break;
            }
        }
        Ok(parts().count())
    }
}

/// What is recorded of the members of parts, a block at a time. The operations of one part are scattered over the
/// history; fetched by a loop that does nothing else, many come from memory at once, where decoding each would wait.
#[derive(Default)]
struct Gathered {
    block: Vec<Recorded>,
    /// How many of the block were given out.
    given: usize,
    /// How many members are in this block and those before.
    reached: usize,
}

impl Gathered {
    const BLOCK: usize = 128;

    /// The next of these members.
    fn next(&mut self, history: &History, members: &[(Value, OpId)]) -> Recorded {
        if self.given == self.block.len() {
            let end = members.len().min(self.reached + Self::BLOCK);
            self.block.clear();
            self.block.extend(members[self.reached..end].iter().map(|(_, id)| history.recorded(*id)));
            (self.given, self.reached) = (0, end);
        }
        self.given += 1;
        self.block[self.given - 1]
    }
}

/// Calls `each` with every part until it says that this is enough. Answers how many there are.
pub(super) fn each_part<S: Spec>(
    spec: &S,
    history: &History,
    each: impl FnMut(&mut Piece<S::Op>) -> bool,
) -> Result<usize, Problem> {
    Split::new(spec, history)?.each(spec, history, each)
}

/// Decides each part. `spans` are those of all operations where they are not the recorded ones.
pub(super) fn check<S: Spec>(
    spec: &S,
    history: &History,
    spans: Option<&[Interval]>,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Result<(), CheckError> {
    let mut orders: Vec<Vec<OpId>> = Vec::new();
    let (mut unknown, mut wrong) = (None, None);
    let mut failed: Option<(Piece<S::Op>, EngineFinding)> = None;
    let mut others = Others::default();
    let mut meter_left = meter.clone();
    let parts = each_part(spec, history, |part| {
        if let Some(spans) = spans {
            part.spans = part.ids.iter().map(|id| spans[id.index()]).collect();
        }
        let mut control = Control::new(&meter_left, observer);
        let ordered = options.witness && failed.is_none();
        let decision = linked::decide(spec, part, options.monitors, ordered, &mut control);
        report.used(decision.engine);
        report.configurations += decision.configurations;
        report.bytes = report.bytes.max(decision.bytes);
        match decision.answer {
            DecisionAnswer::Holds(order) => {
                if options.witness {
                    orders.extend(order.map(|o| o.into_iter().map(|i| part.ids[i]).collect()));
                }
                true
            }
            DecisionAnswer::Wrong(why) => {
                wrong = Some(why);
                false
            }
            DecisionAnswer::Fails(_) if failed.is_some() => {
                others.failing.extend(part.part.clone());
                true
            }
            // The first that fails is explained; the others are decided with half of the time that is left.
            DecisionAnswer::Fails(core) => {
                let part = std::mem::replace(part, Piece::empty(None));
                let PieceDecision { engine, until, .. } = decision;
                failed = Some((part, EngineFinding { core, engine, until }));
                meter_left = meter.share(2);
                true
            }
            // Another part may still fail, which settles it.
            DecisionAnswer::Stopped(stop, at, of) => {
                unknown = unknown.or(Some((stop, at, of)));
                others.undecided += 1;
                true
            }
        }
    })?;
    report.parts = parts;
    if let Some(why) = wrong {
        return Err(CheckError::Unconfirmed(why));
    }
    report.verdict = match (failed, unknown) {
        (Some((part, violation)), _) => {
            let hidden = Hide(spec);
            let part = part.hidden::<S>();
            Verdict::Fails(explain::failure(
                &hidden, history, part, violation, others, options, meter, observer,
            )?)
        }
        (None, Some((stop, at, of))) => {
            report.stopped(stop, Some((at, of)));
            return Ok(());
        }
        (None, None) => Verdict::Holds(options.witness.then(|| merge(history, orders))),
    };
    Ok(())
}
