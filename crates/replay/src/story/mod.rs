//! The story of an execution: rows, locals, memory, what can be left out.

mod deciding;
mod memory;
mod names;
mod quiet;
mod text;

pub use text::statement;

use crate::confirm::Case;
use crate::history::{History, Operation};
use crate::run::{Run, Taken};
use memory::Memory;
use names::cell_name;
use quiet::{quiet, touched};
use std::collections::BTreeSet;
use trueline_base::trace::{Counts, Reasons, Row, Trace, What};
use trueline_base::{Span, Value};
use trueline_lang::interp::{Cell, Effect, Executed, ObservableEvent, Phase};
use trueline_lang::ir::{InstrKind, Machine, Op, SlotInfo, show_value};

/// How a story ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With the last move.
    Plain,
    /// With something that goes wrong in it.
    Fault(String),
}

/// Tells an execution.
pub fn tell(
    case: &Case<'_>,
    run: &Run,
    history: &History,
    ending: Ending,
    summary: String,
    reasons: Option<Reasons>,
) -> Trace {
    let threads: BTreeSet<u8> = run.taken.iter().map(|t| t.thread).collect();
    let columns: Vec<u8> = threads.iter().copied().collect();
    let title = |thread: &u8| match &case.machine.threads[*thread as usize].role {
        Some(role) => format!("thread {} ({role})", thread + 1),
        None => format!("thread {}", thread + 1),
    };
    let mut rows = Vec::new();
    let deciding = deciding::reads(case.machine, run, history);
    for (index, taken) in run.taken.iter().enumerate() {
        let column = columns.iter().position(|t| *t == taken.thread).expect("every mover has a column");
        let decides = deciding.contains(&index);
        let teller = Teller { case, run, history, index, taken, column: column as u32, decides };
        teller.rows(&mut rows);
    }
    if let (Some(first), Ok(start)) = (rows.first_mut(), &run.start) {
        let written = run.taken.iter().flat_map(touched).collect();
        first.memory = Memory::new(&case.machine.object).beginning(start, &written);
    }
    if let (Ending::Fault(what), Some(last)) = (&ending, rows.last()) {
        let (notes, memory) = (Vec::new(), Vec::new());
        let fault = Row { what: What::Fault(what.clone()), notes, memory, ..last.clone() };
        rows.push(fault);
    }
    let switches = run.taken.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count();
    let counts = Counts {
        threads: columns.len() as u32,
        operations: history.operations.len() as u32,
        switches: switches as u32,
        steps: run.taken.len() as u32,
    };
    let threads = columns.iter().map(title).collect();
    let cycle = run.cycle.map(|index| index as u32 + 1);
    Trace { summary, threads, rows, reasons, counts, minimal: false, smaller: None, cycle }
}

struct Teller<'a> {
    case: &'a Case<'a>,
    run: &'a Run,
    history: &'a History,
    index: usize,
    taken: &'a Taken,
    column: u32,
    /// Whether it reads what the failure comes from.
    decides: bool,
}

impl Teller<'_> {
    fn machine(&self) -> &Machine {
        self.case.machine
    }

    fn operation(&self) -> Option<&Operation> {
        self.history.at(self.taken.thread, self.index)
    }

    fn op(&self) -> Option<&Op> {
        self.operation().map(|o| &self.machine().object.ops[o.op.0 as usize])
    }

    fn row(&self, what: What) -> Row {
        Row {
            step: self.index as u32 + 1,
            column: self.column,
            operation: self.operation().map_or(String::new(), |o| o.text.clone()),
            what,
            notes: Vec::new(),
            memory: Vec::new(),
            quiet: false,
        }
    }

    fn rows(&self, rows: &mut Vec<Row>) {
        let way = &self.taken.way;
        match &way.event {
            ObservableEvent::Call { .. } => {
                let text = self.operation().map_or(String::new(), |o| o.text.clone());
                let mut row = self.row(What::Call(text));
                row.notes = self.locals(&way.executed);
                rows.push(row);
                // A finding in local code belongs to a line.
                if let (Err(_), Some(last)) = (&way.result, way.executed.last()) {
                    rows.push(self.statement(last.span));
                }
            }
            ObservableEvent::Return { value, .. } => {
                let text = match value {
                    Value::Unit => "returns".into(),
                    _ => format!("returns {}", self.operation().map_or("", |o| &o.result)),
                };
                rows.push(self.row(What::Return(text)));
            }
            ObservableEvent::Silent => self.step(rows),
        }
    }

    fn statement(&self, span: Span) -> Row {
        let (line, text) = statement(self.case.source.text, span);
        self.row(What::Statement { line, text })
    }

    /// The rows of a step: one, or one per statement of a block.
    fn step(&self, rows: &mut Vec<Row>) {
        let executed = &self.taken.way.executed;
        let first = rows.len();
        for part in self.statements(executed) {
            let mut row = self.statement(part[0].span);
            row.notes = self.notes(part);
            rows.push(row);
        }
        if let (true, Some(row), Some(last)) =
            (self.taken.way.result.is_err(), rows.last_mut(), executed.last())
        {
            row.notes = self.operands(last);
        }
        let mut memory = Memory::new(&self.machine().object).changes(
            &self.taken.before,
            self.run.after(self.index),
            executed,
        );
        if self.taken.way.marks > 0 {
            memory.push("◆ linearization point".into());
        }
        let quiet = !self.decides && quiet(self.machine(), self.run, self.history, self.index);
        for row in &mut rows[first..] {
            row.quiet = quiet;
        }
        if let Some(last) = rows.last_mut() {
            last.memory = memory;
        }
    }

    /// Cuts what was executed into statements worth a row. Outside blocks that is the one with
    /// the access; local code after it only adds to its notes.
    fn statements<'b>(&self, executed: &'b [Executed]) -> Vec<&'b [Executed]> {
        let code = self.op().map_or(&[][..], |op| &op.routine.code[..]);
        let kind = |e: &Executed| code.get(e.pc as usize).map(|i| &i.kind);
        let enter = executed.iter().position(|e| kind(e) == Some(&InstrKind::Enter));
        let Some(enter) = enter else {
            // Begin at the access, so that choices before it do not give the step its line.
            let main = executed.iter().position(|e| !touched_by(e).is_empty()).unwrap_or(0);
            let failed = self.taken.way.result.is_err() && executed.len() > 1;
            let mut parts = vec![&executed[main.min(executed.len().saturating_sub(1))..]];
            let last = &executed[executed.len().saturating_sub(1)..];
            if failed && last[0].span != parts[0][0].span {
                parts.push(last);
            }
            return parts;
        };
        let inner = &executed[enter + 1..];
        let leave = inner.iter().position(|e| kind(e) == Some(&InstrKind::Leave));
        let body = &inner[..leave.unwrap_or(inner.len())];
        let mut parts: Vec<&[Executed]> = Vec::new();
        let mut from = 0;
        for at in 1..=body.len() {
            if at == body.len() || body[at].span != body[from].span {
                let part = &body[from..at];
                if part.iter().any(|e| !e.effects.is_empty()) || at == body.len() {
                    parts.push(part);
                }
                from = at;
            }
        }
        if parts.is_empty() {
            parts.push(&executed[enter..]);
        }
        parts
    }

    /// What the statement assigned or found out.
    fn notes(&self, part: &[Executed]) -> Vec<String> {
        let mut notes = Vec::new();
        let Some(op) = self.op() else {
            return notes;
        };
        let object = &self.machine().object;
        let span = part[0].span;
        let same = &part[..part.iter().take_while(|e| e.span == span).count()];
        // Local code after the statement is only worth a note where it changes something.
        let own = self.locals(same);
        let known = self.known();
        // What a helper gets under the caller's own name is no news either.
        let told = |note: &String| own.contains(note) || known.contains(note);
        let caller = |note: &String| note.split_once(": ").map(|(_, rest)| rest.to_string());
        let news = |note: &String| !told(note) && !caller(note).is_some_and(|note| told(&note));
        let later: Vec<String> = self.locals(&part[same.len()..]).into_iter().filter(news).collect();
        for executed in same {
            let kind = op.routine.code.get(executed.pc as usize).map(|i| &i.kind);
            let wrote = executed.effects.iter().any(|e| matches!(e, Effect::Write { .. }));
            match kind {
                Some(InstrKind::Cas { .. } | InstrKind::Dcas { .. } | InstrKind::StoreConditional { .. }) => {
                    notes.push(if wrote { "succeeds".into() } else { "fails".into() });
                    notes.extend(executed.effects.iter().filter_map(|effect| self.changed_since(effect)));
                }
                Some(InstrKind::Read { slot, .. } | InstrKind::LoadLinked { slot, .. }) => {
                    let unnamed = op.routine.slots[slot.0 as usize].name.is_empty();
                    let silent = !unnamed || !own.is_empty();
                    if let (false, Some(Effect::Read { cell, value })) = (silent, executed.effects.first()) {
                        let (name, ty) = cell_name(object, &self.taken.before, *cell);
                        notes.push(format!("{name}={}", show_value(object, &ty, value)));
                    }
                }
                Some(InstrKind::Branch { .. }) if own.is_empty() => {
                    let decided = notes.iter().any(|n| n == "succeeds" || n == "fails");
                    for effect in executed.effects.iter().filter(|_| !decided) {
                        if let Effect::Branch(taken) = effect {
                            notes.push(if *taken { "true".into() } else { "false".into() });
                        }
                    }
                }
                _ => {}
            }
        }
        notes.extend(own);
        notes.extend(later);
        notes
    }

    /// Of a cell that a compare-and-set finds as the operation has read it: whether it was changed in between.
    fn changed_since(&self, effect: &Effect) -> Option<String> {
        let Effect::Write { cell, old, .. } = effect else { return None };
        let reads = |taken: &Taken| {
            let mut effects = taken.way.executed.iter().flat_map(|e| &e.effects);
            effects.any(|e| matches!(e, Effect::Read { cell: read, value } if read == cell && value == old))
        };
        let from = self.operation()?.called;
        let own = |index: &usize| self.run.taken[*index].thread == self.taken.thread;
        let read = (from..self.index).rev().filter(own).find(|index| reads(&self.run.taken[*index]))?;
        let between = self.run.taken[read + 1..self.index].iter();
        let changed = between.filter(|t| t.thread != self.taken.thread).any(|t| quiet::changes(t, *cell));
        let (name, _) = cell_name(&self.machine().object, &self.taken.before, *cell);
        changed.then(|| format!("ABA: {name} was changed since step {}", read + 1))
    }

    /// The named locals that an instruction reads: of one that failed, what is to blame.
    fn operands(&self, executed: &Executed) -> Vec<String> {
        let Some(op) = self.op() else {
            return Vec::new();
        };
        let mut frame = match &self.taken.before.threads[self.taken.thread as usize].phase {
            Phase::Running { frame, .. } => frame.clone(),
            _ => vec![Value::Unit; op.routine.slots.len()],
        };
        for effect in self.taken.way.executed.iter().flat_map(|e| &e.effects) {
            if let Effect::Assign { slot, value } = effect {
                frame[slot.0 as usize] = value.clone();
            }
        }
        let mut read = BTreeSet::new();
        op.routine.code[executed.pc as usize].kind.uses(&mut |slot| {
            read.insert(slot);
        });
        let named = read.iter().map(|slot| (&op.routine.slots[slot.0 as usize], &frame[slot.0 as usize]));
        named.filter(|(info, _)| !info.name.is_empty()).map(|(info, value)| self.local(info, value)).collect()
    }

    /// The named locals before the move.
    fn known(&self) -> Vec<String> {
        let (Some(op), Phase::Running { frame, .. }) =
            (self.op(), &self.taken.before.threads[self.taken.thread as usize].phase)
        else {
            return Vec::new();
        };
        let show = |(info, v): (&SlotInfo, &Value)| self.local(info, v);
        op.routine.slots.iter().zip(frame).map(show).collect()
    }

    fn local(&self, info: &SlotInfo, value: &Value) -> String {
        format!("{}={}", info.name, show_value(&self.machine().object, &info.ty, value))
    }

    /// The named locals that were assigned, with their last values.
    fn locals(&self, part: &[Executed]) -> Vec<String> {
        let Some(op) = self.op() else {
            return Vec::new();
        };
        let mut last: Vec<(u16, &Value)> = Vec::new();
        for effect in part.iter().flat_map(|e| &e.effects) {
            if let Effect::Assign { slot, value } = effect {
                match last.iter_mut().find(|(n, _)| *n == slot.0) {
                    Some(entry) => entry.1 = value,
                    None => last.push((slot.0, value)),
                }
            }
        }
        let info = |n: u16| &op.routine.slots[n as usize];
        let named = last.into_iter().filter(|(n, _)| !info(*n).name.is_empty());
        // Inlined helpers have variables of the same name: the last assignment counts.
        let named: Vec<(u16, &Value)> = named.collect();
        let later = |n: usize| named[n + 1..].iter().any(|(m, _)| info(*m).name == info(named[n].0).name);
        let last = (0..named.len()).filter(|n| !later(*n)).map(|n| named[n]);
        last.map(|(n, value)| self.local(info(n), value)).collect()
    }
}

/// The cells that an instruction reads or writes.
fn touched_by(executed: &Executed) -> Vec<Cell> {
    let cell = |effect: &Effect| match effect {
        Effect::Read { cell, .. } | Effect::Write { cell, .. } => Some(*cell),
        _ => None,
    };
    executed.effects.iter().filter_map(cell).collect()
}
