//! Operations that are several: a `drain` is a series of removals, one after the other, each at a moment of its own
//! between the call and the return of the whole.
//!
//! [`expanded`] writes them out; they share the interval. Where nothing else is called or returns in between, their
//! order is that of smaller intervals, one after the other. Else, as when two clients drain at once, it is no order of
//! intervals, and [`InSeries`] makes it part of the specification. (Jepsen's checkers put all removals at the return of
//! the drain, which refuses two drains that took turns.) Claim: exact. Oracle: `naive::linearizable_in_series`.

use crate::build::Problem;
use crate::datum::Datum;
use crate::history::{Call, History, NEVER, OpId, Operation, Output, SeriesPlace};
use crate::search::Interval;
use crate::spec::{Hide, Hints, Next, Opaque, OpaqueSpec, Spec};
use crate::value::Value;
use crate::verdict::Verdict;

/// Operations of one call, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Series {
    /// The first of them.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// Whether nothing else is called or returns meanwhile.
    pub alone: bool,
}

/// How one operation of the log is written out.
enum Written {
    /// As it is.
    Alone,
    /// Answers of operations of another name, one after the other.
    Answers(Vec<Datum>),
    /// It never returned and may have done as many.
    Pending(u32),
}

/// The history with every series written out; nothing when it has none.
pub fn expanded<S: Spec>(spec: &S, history: &History) -> Result<Option<History>, Problem> {
    expanded_by(&Hide(spec), history)
}

fn expanded_by(spec: &OpaqueSpec<'_>, history: &History) -> Result<Option<History>, Problem> {
    let elements: Vec<Option<&'static str>> = history.names.iter().map(|n| spec.hints().series(n)).collect();
    if !history.ops.iter().any(|op| elements[op.name as usize].is_some()) {
        return Ok(None);
    }
    let mut written = Vec::with_capacity(history.ops.len());
    for id in history.ids() {
        let op = history.op(id);
        written.push(match (elements[op.name as usize], history.output(id)) {
            (None, _) => Written::Alone,
            (Some(_), Output::Known(Datum::List(answers))) => Written::Answers(answers.to_vec()),
            (Some(_), Output::Pending) => Written::Pending(0),
            (Some(_), answer) => return Err(no_list(history, op, &answer)),
        });
    }
    if written.iter().any(|w| matches!(w, Written::Pending(_))) {
        let most = left_inside(spec, history, &written)?;
        for w in written.iter_mut().filter(|w| matches!(w, Written::Pending(_))) {
            *w = Written::Pending(most);
        }
    }
    Ok(Some(write_out(history, &written, &elements)))
}

fn no_list(history: &History, op: &Operation, answer: &Output) -> Problem {
    let name = history.name(op);
    let message = match answer {
        Output::Known(d) => format!("`{name}` answers the list of what it took, not `{d}`"),
        _ => format!("`{name}` returned, but what it took is not known"),
    };
    Problem::at(op.line, message)
        .help("a series that may or may not have happened ends with `info`, one that took nothing answers []")
}

/// How many elements may have been taken by a series that never returned.
fn left_inside(spec: &OpaqueSpec<'_>, history: &History, written: &[Written]) -> Result<u32, Problem> {
    let mut ops = Vec::new();
    let mut taken = 0;
    for (id, written) in history.ids().zip(written) {
        match written {
            Written::Alone => ops.push(decoded(spec, history, id)?),
            Written::Answers(answers) => taken += answers.len(),
            Written::Pending(_) => {}
        }
    }
    Ok(spec.hints().drain(&ops.iter().collect::<Vec<_>>()).len().saturating_sub(taken) as u32)
}

fn decoded(spec: &OpaqueSpec<'_>, history: &History, id: OpId) -> Result<Opaque, Problem> {
    history.with_call(id, |call| spec.decode(call)).map_err(|e| Problem::at(history.op(id).line, e))
}

fn write_out(history: &History, written: &[Written], elements: &[Option<&'static str>]) -> History {
    let count = |w: &Written| match w {
        Written::Alone => 1,
        Written::Answers(answers) => answers.len() as u32,
        Written::Pending(most) => *most,
    };
    // How many positions each position becomes: a series has one for each call, and two at its end for each return.
    let mut places = vec![1u32; history.length as usize];
    for (op, w) in history.ops.iter().zip(written) {
        if !matches!(w, Written::Alone) {
            places[op.call as usize] = count(w);
            if !op.pending() {
                places[op.ret as usize] = 2 * count(w);
            }
        }
    }
    let mut length = 0;
    let mut starts = Vec::with_capacity(places.len());
    for count in places {
        starts.push(length);
        length += count;
    }
    let mut out = History { length, failed: history.failed, ..History::default() };
    (out.values, out.names) = (history.values.clone(), history.names.clone());
    out.notes = history.notes.clone();
    for note in &mut out.notes {
        note.position = starts.get(note.position as usize).copied().unwrap_or(length);
    }
    let start = |position: u32| if position == NEVER { NEVER } else { starts[position as usize] };
    for ((id, op), w) in history.ids().zip(&history.ops).zip(written) {
        let key = history.keys.get(id.index()).copied();
        let mut push = |op: Operation| {
            out.ops.push(op);
            out.keys.extend(key);
        };
        let (call, ret) = (start(op.call), start(op.ret));
        let Some(element) = elements[op.name as usize] else {
            push(Operation { call, ret, ..*op });
            continue;
        };
        let name = out.names.iter().position(|n| n == element).unwrap_or_else(|| {
            out.names.push(element.to_string());
            out.names.len() - 1
        }) as u32;
        let element = Operation { name, ..*op };
        match w {
            Written::Pending(most) => {
                (0..*most).for_each(|i| push(Operation { call: call + i, output: Value::NONE, ..element }));
            }
            Written::Alone => {}
            Written::Answers(answers) => {
                let first = out.ops.len() as u32;
                let alone = starts[op.ret as usize] == call + answers.len() as u32;
                for (i, answer) in (0..).zip(answers) {
                    let (at, output) = (ret + 2 * i, out.values.number(answer.clone()));
                    out.ops.push(Operation { call: call + i, ret: at + 1, output, ..element });
                    out.keys.extend(key);
                }
                if answers.len() > 1 {
                    out.series.push(Series { first, count: answers.len() as u32, alone });
                }
            }
        }
    }
    out
}

/// Whether an order that was found, if one was, has the operations of every series in their order.
pub(crate) fn kept(history: &History, verdict: &Verdict) -> bool {
    let order = match verdict {
        Verdict::Holds(Some(order)) => order,
        Verdict::Holds(None) => return false,
        _ => return true,
    };
    let mut next: Vec<u32> = history.series.iter().map(|s| s.first).collect();
    order.iter().all(|id| {
        let Some(at) = history.series_of(*id) else { return true };
        next[at] += 1;
        next[at] == id.0 + 1
    })
}

/// The spans of all operations, where those of a series that is alone follow each other just before it returns;
/// with `all` those of every series. Nothing where there are no series.
pub(crate) fn spans(history: &History, all: bool) -> Option<Vec<Interval>> {
    if history.series.is_empty() {
        return None;
    }
    let span = |id| {
        let op = history.op(id);
        let narrow = history.series_of(id).is_some_and(|at| all || history.series[at].alone);
        Interval { call: if narrow { op.ret - 1 } else { op.call }, ret: op.ret }
    };
    Some(history.ids().map(span).collect())
}

/// An object whose operations of one series take effect in their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InSeries<S>(pub S);

impl<S: Spec> Spec for InSeries<S> {
    type Op = (S::Op, Option<SeriesPlace>);
    /// With how far each series came, ascending.
    type State = (S::State, Vec<SeriesPlace>);

    fn name(&self) -> String {
        self.0.name()
    }

    fn decode(&self, call: &Call<'_>) -> Result<Self::Op, String> {
        Ok((self.0.decode(call)?, call.place))
    }

    fn initial(&self) -> Self::State {
        (self.0.initial(), Vec::new())
    }

    fn step(&self, (state, reached): &Self::State, (op, place): &Self::Op, next: &mut Next<'_, Self::State>) {
        let mut reached = reached.clone();
        if let Some(place) = place {
            match reached.binary_search_by_key(&place.series, |p| p.series) {
                Ok(at) if reached[at].index >= place.index => return,
                Ok(at) => reached[at] = *place,
                Err(at) => reached.insert(at, *place),
            }
        }
        next.through(|state| (state, reached.clone()), |next| self.0.step(state, op, next));
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, (state, reached): &Self::State, (op, place): &Self::Op) -> Option<String> {
        let later =
            |place: &SeriesPlace| reached.iter().any(|p| p.series == place.series && p.index >= place.index);
        if place.as_ref().is_some_and(later) {
            return Some("must come before what the same call took later".into());
        }
        self.0.expected(state, op)
    }

    fn show(&self, (state, _): &Self::State) -> String {
        self.0.show(state)
    }

    fn sentence(&self, ops: &[&Self::Op], all: &[&Self::Op]) -> Option<String> {
        let ops: Vec<&S::Op> = ops.iter().map(|(op, _)| op).collect();
        let all: Vec<&S::Op> = all.iter().map(|(op, _)| op).collect();
        self.0.sentence(&ops, &all)
    }
}

impl<S: Spec> Hints<(S::Op, Option<SeriesPlace>), (S::State, Vec<SeriesPlace>)> for InSeries<S> {
    fn observes(&self, (op, place): &<Self as Spec>::Op) -> bool {
        place.is_none() && self.0.hints().observes(op)
    }

    fn part(&self, (op, _): &<Self as Spec>::Op) -> Option<Datum> {
        self.0.hints().part(op)
    }

    fn touches(&self, (op, _): &<Self as Spec>::Op) -> Vec<Datum> {
        self.0.hints().touches(op)
    }

    fn restricted(&self, (op, place): &<Self as Spec>::Op, parts: &[Datum]) -> Option<<Self as Spec>::Op> {
        self.0.hints().restricted(op, parts).map(|op| (op, *place))
    }

    fn groups(&self, ops: &[&<Self as Spec>::Op]) -> Vec<Option<Datum>> {
        self.0.hints().groups(&ops.iter().map(|(op, _)| op).collect::<Vec<_>>())
    }

    fn repeatable(&self, (op, _): &<Self as Spec>::Op) -> bool {
        self.0.hints().repeatable(op)
    }

    fn heap_bytes(&self, (state, reached): &<Self as Spec>::State) -> usize {
        self.0.hints().heap_bytes(state) + std::mem::size_of_val(reached.as_slice())
    }

    fn drain(&self, ops: &[&<Self as Spec>::Op]) -> Vec<<Self as Spec>::Op> {
        let ops: Vec<&S::Op> = ops.iter().map(|(op, _)| op).collect();
        self.0.hints().drain(&ops).into_iter().map(|op| (op, None)).collect()
    }

    fn drained(&self, (state, _): &<Self as Spec>::State) -> bool {
        self.0.hints().drained(state)
    }

    fn series(&self, name: &str) -> Option<&'static str> {
        self.0.hints().series(name)
    }
}
