//! Code: all ways from one stop to the next.

use super::client::script_op;
use super::eval::{Environment, eval, index_of, int, truth};
use super::memory::{allocate, offered};
use super::{Effect, Executed, Moves, ObservableEvent, Phase, State, Way, collection};
use crate::ir::{Action, BUDGET, Choice, Expr, Instr, InstrKind, Machine, Memory, Module, Pc, Routine, Slot};
use std::collections::BTreeSet;
use trueline_base::Value;
use trueline_base::verdict::Finding;

/// How far code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Local code up to the first stop: a call.
    Local,
    /// Through one access or block, then local code up to the next stop: a step.
    Step,
    /// Up to the `Return`, whatever comes: `init`, a specification, an invariant.
    Whole,
}

/// Where a way ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WayEnd {
    /// At a stop.
    Stop(Pc),
    /// At a `Return` with this value.
    Return(Value),
    /// In a finding.
    Finding(Finding),
}

/// One way through code, under way.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// The state, which grows with the way.
    pub(super) state: State,
    /// The frame.
    pub(super) frame: Vec<Value>,
    pub(super) pc: Pc,
    /// The choice that begins this way, with the instruction that offered it.
    pub(super) choice: Option<(Choice, Executed)>,
    /// The finding of its last instruction, where only this way has one.
    pub(super) failed: Option<Finding>,
    /// Its last entry in the log.
    last: Option<usize>,
    /// The marks on what was executed.
    marks: BTreeSet<Pc>,
    /// Whether the step's access or block has begun.
    accessed: bool,
    /// Whether the way is inside a block.
    inside: bool,
}

/// What all ways together executed: a tree, so that ways share their beginnings.
#[derive(Default)]
struct Log(Vec<Entry>);

struct Entry {
    before: Option<usize>,
    choice: Option<Choice>,
    executed: Executed,
}

impl Log {
    fn push(&mut self, path: &mut Path, choice: Option<Choice>, executed: Executed) {
        self.0.push(Entry { before: path.last, choice, executed });
        path.last = Some(self.0.len() - 1);
    }

    /// The choices and instructions up to an entry.
    fn up_to(&self, last: Option<usize>) -> (Vec<Choice>, Vec<Executed>) {
        let (mut choices, mut executed) = (Vec::new(), Vec::new());
        let mut at = last;
        while let Some(entry) = at.map(|n| &self.0[n]) {
            choices.extend(entry.choice);
            executed.push(entry.executed.clone());
            at = entry.before;
        }
        choices.reverse();
        executed.reverse();
        (choices, executed)
    }
}

/// One way through code, at its end.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Where it ended.
    pub end: WayEnd,
    /// The state there.
    pub state: State,
    /// The frame there.
    pub frame: Vec<Value>,
    /// The choices made.
    pub choices: Vec<Choice>,
    /// What was executed.
    pub executed: Vec<Executed>,
    /// How many marks were passed.
    pub marks: u32,
}

/// All ways.
#[derive(Debug, Default)]
pub struct Passages {
    /// Those that exist, in the order of their choices.
    pub ways: Vec<Passage>,
    /// Where ways wait that do not exist because of an `await` or a `lock`.
    pub waits: Vec<Executed>,
    /// Whether some way does not exist because of an `assume`.
    pub discarded: bool,
}

/// What becomes of a way after one instruction.
pub(super) enum Next {
    Go(Pc),
    End(WayEnd),
    /// The way does not exist.
    Discard,
    /// The same, because it waits.
    Wait,
    /// It goes on in several ways.
    Fork(Vec<Path>),
}

/// Runs code from an instruction. With more than [`BUDGET`] instructions over all ways the only
/// way is the finding `endless`.
pub fn run(
    module: &Module,
    routine: &Routine,
    from: (State, Vec<Value>, Pc),
    thread: u8,
    extent: Extent,
) -> Passages {
    let (state, frame, pc) = from;
    let mut open = vec![Path {
        state,
        frame,
        pc,
        choice: None,
        failed: None,
        last: None,
        marks: BTreeSet::new(),
        accessed: extent == Extent::Local,
        inside: false,
    }];
    let mut log = Log::default();
    let mut ends: Vec<(Path, WayEnd)> = Vec::new();
    let (mut waits, mut discarded) = (Vec::new(), false);
    let code = Code { module, routine, thread, extent };
    while let Some(mut path) = open.pop() {
        if let Some((choice, executed)) = path.choice.take() {
            log.push(&mut path, Some(choice), executed);
        }
        let end = loop {
            if let Some(finding) = path.failed {
                break Some(WayEnd::Finding(finding));
            }
            let Some(instr) = routine.code.get(path.pc as usize) else {
                break Some(WayEnd::Return(Value::Unit));
            };
            if code.stops(instr, &path) {
                break Some(WayEnd::Stop(path.pc));
            }
            if log.0.len() >= BUDGET as usize {
                let executed = vec![Executed { pc: path.pc, span: instr.span, effects: Vec::new() }];
                let Path { state, frame, .. } = path;
                let end = WayEnd::Finding(Finding::Endless);
                let way = Passage { end, state, frame, choices: Vec::new(), executed, marks: 0 };
                return Passages { ways: vec![way], ..Passages::default() };
            }
            let (next, executed) = code.execute(instr, &mut path);
            if let Next::Wait = next {
                waits.push(executed);
                break None;
            }
            if !matches!(next, Next::Fork(_)) {
                log.push(&mut path, None, executed);
            }
            match next {
                Next::Go(pc) => path.pc = pc,
                Next::End(end) => break Some(end),
                Next::Discard => {
                    discarded = true;
                    break None;
                }
                Next::Wait => unreachable!("it waits, which is handled above"),
                Next::Fork(ways) => {
                    open.extend(ways.into_iter().rev());
                    break None;
                }
            }
        };
        ends.extend(end.map(|end| (path, end)));
    }
    let ways = ends.into_iter().map(|(path, end)| {
        let (end, marks) = code.finish(&path, end);
        let (choices, executed) = log.up_to(path.last);
        Passage { end, state: path.state, frame: path.frame, choices, executed, marks }
    });
    Passages { ways: ways.collect(), waits, discarded }
}

/// All steps of a running thread.
pub fn steps(machine: &Machine, state: &State, thread: u8) -> Moves {
    let Phase::Running { alternative, pc, frame } = &state.threads[thread as usize].phase else {
        return Moves::default();
    };
    let op = &machine.object.ops[script_op(machine, state, thread, *alternative).0 as usize];
    let from = (state.clone(), frame.clone(), *pc);
    let passages = run(&machine.object, &op.routine, from, thread, Extent::Step);
    let (waits, discarded) = (passages.waits, passages.discarded);
    let ways = passages.ways.into_iter().map(|way| Way {
        action: Action::Step(way.choices),
        event: ObservableEvent::Silent,
        marks: way.marks,
        executed: way.executed,
        result: settle(way.state, way.frame, way.end, thread, *alternative),
    });
    Moves { ways: ways.collect(), waits, discarded }
}

/// The state at the end of a way.
pub fn settle(
    mut state: State,
    frame: Vec<Value>,
    end: WayEnd,
    thread: u8,
    alternative: u16,
) -> Result<State, Finding> {
    state.threads[thread as usize].phase = match end {
        WayEnd::Stop(pc) => Phase::Running { alternative, pc, frame },
        WayEnd::Return(value) => Phase::Returning { alternative, value, frame },
        WayEnd::Finding(finding) => return Err(finding),
    };
    Ok(state)
}

/// Code that a thread runs.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub(super) module: &'a Module,
    routine: &'a Routine,
    pub(super) thread: u8,
    extent: Extent,
}

impl Code<'_> {
    fn is_access(self, kind: &InstrKind) -> bool {
        kind.is_access(self.module.memory)
    }

    fn stops(self, instr: &Instr, path: &Path) -> bool {
        let waits = matches!(instr.kind, InstrKind::Enter | InstrKind::Choose { .. } | InstrKind::Either(_));
        self.extent != Extent::Whole
            && path.accessed
            && !path.inside
            && (waits || self.is_access(&instr.kind))
    }

    /// Evaluates the marks at the end of a way.
    fn finish(self, path: &Path, end: WayEnd) -> (WayEnd, u32) {
        if matches!(end, WayEnd::Finding(_)) {
            return (end, 0);
        }
        let mut passed = 0;
        for pc in &path.marks {
            let condition = self.routine.code[*pc as usize].mark.as_ref().expect("only marks are kept");
            match truth(condition, Environment { frame: &path.frame, thread: self.thread }) {
                Ok(yes) => passed += u32::from(yes),
                Err(finding) => return (WayEnd::Finding(finding), 0),
            }
        }
        (end, passed)
    }

    fn execute(self, instr: &Instr, path: &mut Path) -> (Next, Executed) {
        path.accessed |= self.is_access(&instr.kind) || instr.kind == InstrKind::Enter;
        if instr.mark.is_some() {
            path.marks.insert(path.pc);
        }
        let mut effects = Vec::new();
        let next = self.effect(&instr.kind, path, &mut effects);
        let next = next.unwrap_or_else(|finding| Next::End(WayEnd::Finding(finding)));
        (next, Executed { pc: path.pc, span: instr.span, effects })
    }

    fn effect(self, kind: &InstrKind, path: &mut Path, effects: &mut Vec<Effect>) -> Result<Next, Finding> {
        let go = Ok(Next::Go(path.pc + 1));
        let ev = |e: &Expr, path: &Path| eval(e, Environment { frame: &path.frame, thread: self.thread });
        let yes = |e: &Expr, path: &Path| truth(e, Environment { frame: &path.frame, thread: self.thread });
        match kind {
            InstrKind::Set { slot, value } => {
                let value = ev(value, path)?;
                assign(path, *slot, value, effects);
                go
            }
            InstrKind::SetElement { slot, path: indices, value } => {
                let indices = indices.iter().map(|e| ev(e, path)).collect::<Result<Vec<_>, _>>()?;
                let value = ev(value, path)?;
                let mut whole = path.frame[slot.0 as usize].clone();
                *element(&mut whole, &indices)? = value;
                assign(path, *slot, whole, effects);
                go
            }
            InstrKind::Collect { slot, method, args, result } => {
                let args = args.iter().map(|e| ev(e, path)).collect::<Result<Vec<_>, _>>()?;
                let mut whole = path.frame[slot.0 as usize].clone();
                let answer = collection::change(*method, &mut whole, &args)?;
                assign(path, *slot, whole, effects);
                if let Some(result) = result {
                    assign(path, *result, answer, effects);
                }
                go
            }
            InstrKind::Jump(pc) => Ok(Next::Go(*pc)),
            InstrKind::Branch { condition, yes: then, no } => {
                let taken = yes(condition, path)?;
                effects.push(Effect::Branch(taken));
                Ok(Next::Go(if taken { *then } else { *no }))
            }
            InstrKind::Choose { slot, low, high } => {
                let (low, high) = (int(&ev(low, path)?), int(&ev(high, path)?));
                // More ways than the budget has instructions are endless anyhow.
                let high = high.min(low.saturating_add(BUDGET as i32 + 1));
                let ways = (low..=high).map(|n| {
                    self.fork(path, path.pc + 1, Choice::Value(n), |way, effects| {
                        assign(way, *slot, Value::Int(n), effects);
                    })
                });
                Ok(Next::Fork(ways.collect()))
            }
            InstrKind::Either(targets) => {
                let ways = targets.iter().enumerate();
                let ways = ways.map(|(n, pc)| self.fork(path, *pc, Choice::Branch(n as u16), |_, _| {}));
                Ok(Next::Fork(ways.collect()))
            }
            InstrKind::Assume(e) => Ok(if yes(e, path)? { Next::Go(path.pc + 1) } else { Next::Discard }),
            InstrKind::Await(e) => Ok(if yes(e, path)? { Next::Go(path.pc + 1) } else { Next::Wait }),
            InstrKind::Assert(e) => {
                if !yes(e, path)? {
                    return Err(Finding::Assert);
                }
                go
            }
            InstrKind::Fail(finding) => Err(*finding),
            InstrKind::Return(e) => Ok(Next::End(WayEnd::Return(ev(e, path)?))),
            InstrKind::Enter => {
                path.inside = true;
                go
            }
            InstrKind::Leave => {
                path.inside = false;
                go
            }
            InstrKind::New { slot, kind, cells } => {
                if self.module.memory == Memory::Gc {
                    let values = cells.iter().map(|(_, e)| ev(e, path)).collect::<Result<Vec<_>, _>>()?;
                    let address = path.state.heap.len() as u32;
                    effects.push(allocate(self.module, &mut path.state, *kind, address));
                    let object = &mut path.state.heap[address as usize];
                    for ((at, _), value) in cells.iter().zip(values) {
                        object.cells[*at as usize] = value;
                    }
                    assign(path, *slot, Value::Ref(address), effects);
                    return go;
                }
                let addresses = offered(self.module, &path.state, &path.frame, *kind);
                let ways = addresses.into_iter().map(|address| {
                    self.fork(path, path.pc + 1, Choice::Address(address), |way, effects| {
                        effects.push(allocate(self.module, &mut way.state, *kind, address));
                        assign(way, *slot, Value::Ref(address), effects);
                    })
                });
                Ok(Next::Fork(ways.collect()))
            }
            InstrKind::Free(e) => match ev(e, path)? {
                Value::Null => Err(Finding::Null),
                Value::Ref(address) => {
                    let object = &mut path.state.heap[address as usize];
                    if object.freed {
                        return Err(Finding::DoubleFree);
                    }
                    object.freed = true;
                    effects.push(Effect::Free { address });
                    go
                }
                other => panic!("free of {other:?}"),
            },
            _ => self.access(kind, path, effects),
        }
    }
}

pub(super) fn assign(path: &mut Path, slot: Slot, value: Value, effects: &mut Vec<Effect>) {
    path.frame[slot.0 as usize] = value.clone();
    effects.push(Effect::Assign { slot, value });
}

impl Code<'_> {
    /// A copy of the way that takes a choice at the present instruction and goes on at `next`.
    pub(super) fn fork(
        self,
        path: &Path,
        next: Pc,
        choice: Choice,
        act: impl FnOnce(&mut Path, &mut Vec<Effect>),
    ) -> Path {
        let mut way = path.clone();
        let mut effects = Vec::new();
        act(&mut way, &mut effects);
        let span = self.routine.code[path.pc as usize].span;
        way.choice = Some((choice, Executed { pc: path.pc, span, effects }));
        way.pc = next;
        way
    }
}

/// The element of a nested array or tuple.
fn element<'a>(mut whole: &'a mut Value, indices: &[Value]) -> Result<&'a mut Value, Finding> {
    for index in indices {
        let at = usize::try_from(index_of(index)).map_err(|_| Finding::Bounds)?;
        whole = match whole {
            Value::Array(items) | Value::Tuple(items) | Value::Seq(items) => {
                items.get_mut(at).ok_or(Finding::Bounds)?
            }
            other => panic!("element of {other:?}"),
        };
    }
    Ok(whole)
}
