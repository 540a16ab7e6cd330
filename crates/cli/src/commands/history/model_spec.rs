//! Specifications of models for recorded histories: `--spec my.tl:Spec`.
//!
//! Numbers from 0 are the `val`s of the same number, all other data are numbered as they come. Processes are the
//! threads, in ascending order.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use trueline_base::{Meter, Observer, Value};
use trueline_history::check::Distance;
use trueline_history::check::{Asked, Follow};
use trueline_history::spec::{Hints, Next, Spec};
use trueline_history::{
    Call, CheckError, Condition, Datum, History, Options, Problem, Report, Undecided, Verdict,
};
use trueline_lang::compile::{Model, Refusal};
use trueline_lang::interp::{spec_initial, spec_step};
use trueline_lang::ir::{InstrKind, Module, OpId, Ty};

use crate::files;

/// The first number of data that are no numbers.
const OTHER: u32 = 1 << 31;

/// The most processes of a history whose specification names threads.
const MOST_THREADS: usize = 64;

/// A specification of a model.
#[derive(Clone)]
pub(super) struct ModelSpec {
    name: String,
    module: Arc<Module>,
    starts: Vec<Vec<Value>>,
    processes: Vec<i64>,
    other: Arc<Mutex<HashMap<Datum, u32>>>,
    trouble: Arc<OnceLock<String>>,
}

/// An operation with its arguments and what it answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ModelOp {
    op: u16,
    thread: u8,
    args: Vec<Value>,
    result: Recorded,
}

/// What the log says that an operation answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Recorded {
    /// Nothing.
    Unknown,
    /// This.
    Value(Value),
    /// Something that the operation never answers.
    Impossible,
}

/// Why a datum is no value of a type.
enum Misfit {
    Kind,
    Range,
}

/// The parts of `my.tl:Spec`.
pub(super) fn parts(text: &str) -> Option<(&str, Option<&str>)> {
    match text.find(".tl:") {
        Some(at) => Some((&text[..at + 3], Some(text[at + 4..].trim()))),
        None => text.ends_with(".tl").then_some((text, None)),
    }
}

impl ModelSpec {
    /// Reads `my.tl:Spec`. Without a history, specifications that name threads are refused.
    pub(super) fn read(text: &str, history: Option<&History>) -> Result<ModelSpec, String> {
        let (path, name) = parts(text).ok_or_else(|| format!("`{text}` names no .tl file"))?;
        let source = files::read(Path::new(path))?;
        let declared = source.model.specifications();
        let name = match (name, declared.as_slice()) {
            (Some(name), _) => name.to_string(),
            (None, [only]) => only.to_string(),
            (None, []) => return Err(format!("{path}: the file declares no specification")),
            (None, many) => {
                return Err(format!("{path}: say which specification, as in {path}:{}", many[0]));
            }
        };
        ModelSpec::of(&source.model, &name, history).map_err(|e| format!("{path}: {e}"))
    }

    /// A specification of a model.
    pub(super) fn of(model: &Model, name: &str, history: Option<&History>) -> Result<ModelSpec, String> {
        let mut processes: Vec<i64> =
            history.map_or_else(Vec::new, |h| h.ops.iter().map(|op| op.process).collect());
        processes.sort_unstable();
        processes.dedup();
        let threads = processes.len().clamp(1, MOST_THREADS) as u32;
        let lower = |data: &Ty| model.specification(name, threads, data).map_err(|r| refusal(model, r));
        // What is kept in order must be numbers; all other data is opaque.
        let module = lower(&Ty::Val).or_else(|why| lower(&Ty::Int).map_err(|_| why))?;
        if module.names_threads() {
            if history.is_none() {
                return Err(format!("`{name}` names threads, which are not known while a log grows"));
            }
            if processes.len() > MOST_THREADS {
                return Err(format!(
                    "`{name}` names threads, but the log has more than {MOST_THREADS} processes"
                ));
            }
        } else {
            processes.clear();
        }
        let starts = spec_initial(&module)
            .into_iter()
            .collect::<Result<Vec<_>, _>>()
            .map_err(|finding| format!("`{name}` has no initial state: {}", finding.word()))?;
        let (other, trouble) = (Arc::default(), Arc::default());
        Ok(ModelSpec { name: name.to_string(), module: Arc::new(module), starts, processes, other, trouble })
    }

    /// What went wrong inside the specification, if anything did.
    pub(super) fn trouble(&self) -> Option<&String> {
        self.trouble.get()
    }

    fn thread(&self, process: i64) -> Option<u8> {
        self.processes.binary_search(&process).ok().map(|at| at as u8)
    }

    fn number(&self, datum: &Datum) -> Value {
        if let Datum::Int(i) = datum
            && (0..i64::from(OTHER)).contains(i)
        {
            return Value::Val(*i as u32);
        }
        let mut other = self.other.lock().expect("no holder panicked");
        let next = OTHER + other.len() as u32;
        Value::Val(*other.entry(datum.clone()).or_insert(next))
    }

    fn value(&self, ty: &Ty, datum: &Datum) -> Result<Value, Misfit> {
        let each = |ty: &Ty| -> Result<Vec<Value>, Misfit> {
            datum.as_list().ok_or(Misfit::Kind)?.iter().map(|d| self.value(ty, d)).collect()
        };
        let number = |low: i32, high: i32| match datum {
            Datum::Int(i) => match i32::try_from(*i) {
                Ok(i) if (low..=high).contains(&i) => Ok(Value::Int(i)),
                _ => Err(Misfit::Range),
            },
            _ => Err(Misfit::Kind),
        };
        Ok(match ty {
            Ty::Optional(inner) if matches!(**inner, Ty::Ref(_)) => return Err(Misfit::Kind),
            Ty::Optional(_) if datum.is_empty_answer() => Value::None,
            Ty::Optional(inner) => self.value(inner, datum)?,
            Ty::Bool => match datum {
                Datum::Bool(b) => Value::Bool(*b),
                _ => return Err(Misfit::Kind),
            },
            Ty::Int => number(i32::MIN, i32::MAX)?,
            Ty::Range(low, high) => number(*low, *high)?,
            Ty::Val => self.number(datum),
            Ty::Tid => match datum {
                Datum::Int(i) => Value::Tid(self.thread(*i).ok_or(Misfit::Range)?),
                _ => return Err(Misfit::Kind),
            },
            Ty::Enum(e) => {
                let (word, payload) = match datum.as_list() {
                    Some([word, payload @ ..]) => (word.as_str(), payload),
                    _ => (datum.as_str(), &[][..]),
                };
                let word = word.ok_or(Misfit::Kind)?;
                let variants = &self.module.enums[e.0 as usize].variants;
                let found = variants.iter().position(|(name, _)| name.eq_ignore_ascii_case(word));
                let at = found.ok_or(Misfit::Kind)?;
                if variants[at].1.len() != payload.len() {
                    return Err(Misfit::Kind);
                }
                let inside = variants[at].1.iter().zip(payload).map(|(ty, d)| self.value(ty, d));
                Value::Variant(at as u16, inside.collect::<Result<_, _>>()?)
            }
            Ty::Tuple(types) => match datum.as_list() {
                Some(items) if items.len() == types.len() => {
                    let parts = types.iter().zip(items).map(|(ty, d)| self.value(ty, d));
                    Value::Tuple(parts.collect::<Result<_, _>>()?)
                }
                _ => return Err(Misfit::Kind),
            },
            Ty::Array { element, len, .. } => match each(element)? {
                items if items.len() == *len as usize => Value::Array(items),
                _ => return Err(Misfit::Kind),
            },
            Ty::Seq(inner) => Value::Seq(each(inner)?),
            Ty::Set(inner) => {
                let mut items = each(inner)?;
                items.sort();
                items.dedup();
                Value::Set(items)
            }
            Ty::Multiset(inner) | Ty::Heap(inner) => {
                let mut items = each(inner)?;
                items.sort();
                Value::Bag(items)
            }
            Ty::Unit | Ty::Lock | Ty::Ref(_) | Ty::Map(..) => return Err(Misfit::Kind),
        })
    }

    fn show_value(&self, ty: &Ty, value: &Value) -> String {
        let list = |items: &[Value], ty: &Ty| {
            items.iter().map(|v| self.show_value(ty, v)).collect::<Vec<_>>().join(", ")
        };
        let each = |items: &[Value], types: &[Ty]| {
            items.iter().zip(types).map(|(v, ty)| self.show_value(ty, v)).collect::<Vec<_>>().join(", ")
        };
        match (value, ty) {
            (Value::None, _) => "none".into(),
            (_, Ty::Optional(inner)) => self.show_value(inner, value),
            (Value::Unit, _) => "()".into(),
            (Value::Bool(b), _) => b.to_string(),
            (Value::Int(i), _) => i.to_string(),
            (Value::Val(v), _) if *v >= OTHER => {
                let other = self.other.lock().expect("no holder panicked");
                other.iter().find(|(_, n)| *n == v).map_or_else(|| v.to_string(), |(d, _)| d.to_string())
            }
            (Value::Val(v), _) => v.to_string(),
            (Value::Tid(t), _) => {
                self.processes.get(*t as usize).map_or_else(|| t.to_string(), i64::to_string)
            }
            (Value::Variant(at, payload), Ty::Enum(e)) => {
                let (name, types) = &self.module.enums[e.0 as usize].variants[*at as usize];
                if payload.is_empty() { name.clone() } else { format!("{name}({})", each(payload, types)) }
            }
            (Value::Tuple(items), Ty::Tuple(types)) => format!("({})", each(items, types)),
            (Value::Array(items), Ty::Array { element, .. }) => format!("[{}]", list(items, element)),
            (Value::Seq(items), Ty::Seq(ty)) => format!("[{}]", list(items, ty)),
            (Value::Set(items), Ty::Set(ty)) | (Value::Bag(items), Ty::Multiset(ty) | Ty::Heap(ty)) => {
                format!("{{{}}}", list(items, ty))
            }
            (Value::Map(entries), Ty::Map(key, item)) => {
                let show = |(k, v): &(Value, Value)| {
                    format!("{}: {}", self.show_value(key, k), self.show_value(item, v))
                };
                format!("{{{}}}", entries.iter().map(show).collect::<Vec<_>>().join(", "))
            }
            (other, _) => format!("{other:?}"),
        }
    }

    fn starts<'a>(&'a self, state: &'a Option<Vec<Value>>) -> &'a [Vec<Value>] {
        match state {
            Some(state) => std::slice::from_ref(state),
            None => &self.starts,
        }
    }
}

fn refusal(model: &Model, refusal: Refusal) -> String {
    let problems = match refusal {
        Refusal::Usage(misuse) => return crate::advice::misuse(&misuse),
        Refusal::Roles | Refusal::NoCheck => return "there is no such specification".into(),
        Refusal::Argument { problems, .. } => {
            let Some(first) = problems.first() else { return "the specification cannot be built".into() };
            let help = first.help.as_ref().map_or(String::new(), |h| format!("\n  help: {h}"));
            return format!("{}{help}", first.message);
        }
        Refusal::Model(problems) => problems,
    };
    let Some(first) = problems.first() else { return "the specification has errors".into() };
    let (path, text) = model.file_of(first.span);
    let (line, _) = first.span.line_column(text);
    let path = path.map_or(String::new(), |path| format!("{path}, "));
    format!("{path}line {line}: {}", first.message)
}

impl Spec for ModelSpec {
    type Op = ModelOp;
    /// `None` where it may start in several states and has not started.
    type State = Option<Vec<Value>>;

    fn name(&self) -> String {
        self.name.clone()
    }

    fn decode(&self, call: &Call<'_>) -> Result<ModelOp, String> {
        let Some(op) = self.module.ops.iter().position(|o| o.name == call.name) else {
            let known: Vec<&str> = self.module.ops.iter().map(|o| o.name.as_str()).collect();
            let (spec, known) = (&self.name, known.join(", "));
            return Err(format!("`{spec}` has no operation `{}`; it has {known}", call.name));
        };
        let of = &self.module.ops[op];
        let given: Vec<&Datum> = match (of.params.len(), call.key, call.input) {
            (0, _, Datum::Nil) => Vec::new(),
            (0, ..) => return Err(format!("`{}` takes no argument, not `{}`", call.name, call.input)),
            (1, Some(key), Datum::Nil) => vec![key],
            (1, _, input) => vec![input],
            (2, Some(key), input) if input.as_list().is_none() => vec![key, input],
            (n, _, input) => match input.as_list() {
                Some(items) if items.len() == n => items.iter().collect(),
                _ => return Err(format!("`{}` takes a list of {n} arguments, not `{input}`", call.name)),
            },
        };
        let mut args = Vec::with_capacity(given.len());
        for ((_, ty), datum) in of.params.iter().zip(given) {
            let fits = *datum != Datum::Nil || matches!(ty, Ty::Optional(_));
            match self.value(ty, datum) {
                Ok(value) if fits => args.push(value),
                _ => return Err(format!("`{datum}` does not fit as argument of `{}`", call.name)),
            }
        }
        let result = match call.output {
            None => Recorded::Unknown,
            Some(Datum::Bool(false)) if of.result == Ty::Unit => {
                return Err(format!("`{}` answered false, but it answers nothing", call.name));
            }
            Some(_) if of.result == Ty::Unit => Recorded::Unknown,
            Some(datum) => match self.value(&of.result, datum) {
                Ok(value) => Recorded::Value(value),
                Err(Misfit::Range) => Recorded::Impossible,
                Err(Misfit::Kind) => return Err(format!("`{}` cannot answer `{datum}`", call.name)),
            },
        };
        Ok(ModelOp { op: op as u16, thread: self.thread(call.process).unwrap_or(0), args, result })
    }

    fn initial(&self) -> Option<Vec<Value>> {
        match self.starts.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    fn step(&self, state: &Self::State, op: &ModelOp, next: &mut Next<'_, Self::State>) {
        for from in self.starts(state) {
            for way in spec_step(&self.module, from, op.thread, OpId(op.op), &op.args) {
                match way {
                    Ok((after, value)) => {
                        let explained = match &op.result {
                            Recorded::Unknown => true,
                            Recorded::Value(recorded) => *recorded == value,
                            Recorded::Impossible => false,
                        };
                        if explained {
                            next.push(Some(after));
                        }
                    }
                    Err(finding) => {
                        let name = &self.module.ops[op.op as usize].name;
                        let _ = self.trouble.set(format!(
                            "`{name}` of `{}` ends in {}",
                            self.name,
                            finding.word()
                        ));
                    }
                }
            }
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Self::State, op: &ModelOp) -> Option<String> {
        if op.result == Recorded::Unknown {
            return None;
        }
        let mut values: Vec<String> = Vec::new();
        for from in self.starts(state) {
            for (_, value) in
                spec_step(&self.module, from, op.thread, OpId(op.op), &op.args).into_iter().flatten()
            {
                let shown = self.show_value(&self.module.ops[op.op as usize].result, &value);
                if !values.contains(&shown) && values.len() < 4 {
                    values.push(shown);
                }
            }
        }
        Some(if values.is_empty() {
            "must wait".into()
        } else {
            format!("must answer {}", values.join(" or "))
        })
    }

    fn show(&self, state: &Self::State) -> String {
        let Some(cells) = state else { return "not chosen yet".into() };
        let shown = |v: &trueline_lang::ir::Variable| {
            let own = &cells[v.first as usize..(v.first + v.len) as usize];
            let mut ty = &v.ty;
            while let Ty::Array { element, .. } = ty {
                ty = element;
            }
            let parts: Vec<String> = own.iter().map(|c| self.show_value(ty, c)).collect();
            if matches!(v.ty, Ty::Array { .. }) { format!("[{}]", parts.join(", ")) } else { parts.concat() }
        };
        match self.module.variables.as_slice() {
            [only] => shown(only),
            all => all.iter().map(|v| format!("{} = {}", v.name, shown(v))).collect::<Vec<_>>().join(", "),
        }
    }
}

impl Hints<ModelOp, Option<Vec<Value>>> for ModelSpec {
    fn observes(&self, op: &ModelOp) -> bool {
        self.starts.len() == 1
            && self.module.ops[op.op as usize].routine.code.iter().all(|i| {
                use InstrKind::*;
                matches!(
                    i.kind,
                    Set { .. } | Jump(_) | Branch { .. } | Read { .. } | Return(_) | Enter | Leave
                )
            })
    }

    fn heap_bytes(&self, state: &<Self as Spec>::State) -> usize {
        fn count(value: &Value) -> usize {
            1 + value.children().map(count).sum::<usize>()
        }
        state.iter().flatten().map(count).sum::<usize>() * std::mem::size_of::<Value>()
    }
}

/// A specification of a model for histories that nobody has recorded in a file: what may be owed to a mistake inside of it is
/// not known.
pub(super) struct Trusted(pub(super) ModelSpec);

impl Asked for Trusted {
    fn check(
        &self,
        history: &History,
        options: &Options,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<Report, CheckError> {
        let mut report = self.0.check(history, options, meter, observer)?;
        let unknown = |why: String| Verdict::Unknown(Undecided::because(why));
        if matches!(options.condition, Condition::Quasi(_)) {
            let why = "quasi=K must know how an object is emptied, which a .tl specification does not say";
            report.verdict = unknown(why.into());
        } else if let (false, Some(trouble)) = (report.verdict.holds(), self.0.trouble()) {
            report.verdict = unknown(format!("the specification is wrong: {trouble}"));
        }
        Ok(report)
    }

    fn expanded(&self, history: &History) -> Result<Option<History>, Problem> {
        self.0.expanded(history)
    }

    fn is_series(&self, name: &str) -> bool {
        self.0.is_series(name)
    }

    fn distance(
        &self,
        history: &History,
        operation: Option<&str>,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<Distance, Problem> {
        self.0.distance(history, operation, meter, observer)
    }

    fn follow(&self, condition: &Condition) -> Result<Box<dyn Follow>, Problem> {
        self.0.follow(condition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_base::{Limits, Meter, Silent};
    use trueline_history::Options;
    use trueline_history::check::{Asked, named};
    use trueline_history::generate::{ObjectKind, Plan, history};

    fn holds(spec: &dyn Asked, history: &History) -> bool {
        let options = Options { reasons: false, ..Options::default() };
        let meter = Meter::start(Limits::default());
        let report = spec.check(history, &options, &meter, &mut Silent).expect("it fits");
        assert!(report.verdict.holds() || report.verdict.fails());
        report.verdict.holds()
    }

    #[test]
    fn ready_made_specifications_agree_with_the_native_ones() {
        let model = Model::parse("");
        let pairs = [
            (ObjectKind::Queue, "queue", "Queue"),
            (ObjectKind::Stack, "stack", "Stack"),
            (ObjectKind::Set, "set", "Set"),
            (ObjectKind::Register, "register(1)", "Register(1)"),
            (ObjectKind::Counter, "counter", "FetchAndAdd"),
            (ObjectKind::PriorityQueue, "priority-queue", "PriorityQueue"),
            (ObjectKind::Queue, "Quasi(Queue, deq: 1)", "Quasi(Queue, deq: 1)"),
            (ObjectKind::Stack, "OutOfOrder(Stack, pop: 1)", "OutOfOrder(Stack, pop: 1)"),
        ];
        for (object, native, ready) in pairs {
            let mut fails = 0;
            for seed in 0..500 {
                let (operations, clients) = (4 + seed as usize % 5, 2 + seed as usize % 2);
                let (values, crashes) = ([0, 2, 3][seed as usize % 3], [0, 6][seed as usize % 2]);
                let plan =
                    Plan { object, operations, clients, values, crashes, spoiled: seed % 4 != 0, seed };
                let mut made = history(&plan);
                for name in &mut made.names {
                    match (object, name.as_str()) {
                        (ObjectKind::Set, "insert") => *name = "add".into(),
                        (ObjectKind::PriorityQueue, "insert") => *name = "enq".into(),
                        (ObjectKind::PriorityQueue, "poll") => *name = "deqMin".into(),
                        _ => {}
                    }
                }
                let spec = ModelSpec::of(&model, ready, Some(&made)).unwrap();
                let expected = holds(&*named(native).unwrap(), &made);
                assert_eq!(holds(&spec, &made), expected, "{ready}, seed {seed}: {made:?}");
                fails += u32::from(!expected);
            }
            assert!((20..480).contains(&fails), "{ready}: {fails} of 500 fail");
        }
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let model = Model::parse("spec Flag { state up: bool = false; op raise() { up = true; } }");
        assert!(ModelSpec::of(&model, "Flog", None).err().unwrap().contains("Flog"));
        assert!(ModelSpec::of(&model, "BoundedQueue", None).is_err());
        let spec = ModelSpec::of(&model, "Flag", None).unwrap();
        let call = |name, input| {
            spec.decode(&Call { process: 0, name, key: None, input, output: None, place: None })
        };
        assert!(call("raise", &Datum::Nil).is_ok());
        assert!(call("raise", &Datum::Int(1)).is_err());
        assert!(call("lower", &Datum::Nil).unwrap_err().contains("it has raise"));
    }
}
