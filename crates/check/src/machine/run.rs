//! Runs code from one stop to the next, or a whole routine at once.

use super::access::access;
use super::collect::{collect, set_element};
use super::eval::{eval, list, number, truth};
use super::state::State;
use super::touched::Touched;
use super::ways::Ways;
use trueline_base::Value;
use trueline_base::verdict::Finding;
use trueline_lang::ir::{Choice, InstrKind, Memory, Module, Pc, Routine};

/// Whose code is run by whom.
#[derive(Clone, Copy)]
pub(crate) struct Context<'m> {
    pub module: &'m Module,
    pub me: u8,
}

/// How far to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Local code up to the first stop.
    Local,
    /// One access or block, then local code up to the next stop.
    Step,
    /// Everything, as if inside a block.
    Whole,
}

/// How one way ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RunEnd {
    /// Before this instruction.
    Stop(Pc),
    /// At a `Return`.
    Returned(Value),
    /// The way does not exist: somebody else has to act first (`await`, `lock`).
    Blocked,
    /// The way does not exist: it is left out (`assume`).
    Discarded,
    /// In a finding.
    Finding(Finding),
    /// The budget of the move is spent.
    Endless,
}

/// What one way executed.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// Instructions, in order.
    pub ran: Vec<Pc>,
    /// Those among them that carry a mark.
    pub marked: Vec<Pc>,
    /// Whether an `assume` was false.
    pub assumed: bool,
    /// What it read and wrote.
    pub touched: Touched,
}

impl Context<'_> {
    /// Whether an invariant is true in a state, whatever it chooses.
    pub fn holds(&self, invariant: &Routine, state: &State) -> bool {
        let (mut ways, mut log) = (Ways::default(), Log::default());
        ways.begin();
        loop {
            let mut copy = State::copied(state);
            let mut frame = vec![Value::Unit; invariant.slots.len().max(self.module.persistent.len())];
            match self.run(invariant, Extent::Whole, 0, &mut copy, &mut frame, &mut ways, &mut log) {
                RunEnd::Returned(Value::Bool(true)) | RunEnd::Blocked | RunEnd::Discarded => {}
                RunEnd::Returned(Value::Bool(false)) | RunEnd::Finding(_) | RunEnd::Endless => return false,
                other => panic!("an invariant ends in {other:?}"),
            }
            if !ways.advance() {
                return true;
            }
        }
    }

    /// Runs one way from `pc`. `frame` is the thread's, taken out of the state.
    #[allow(clippy::too_many_arguments)]
    pub fn run(
        &self,
        routine: &Routine,
        extent: Extent,
        mut pc: Pc,
        state: &mut State,
        frame: &mut [Value],
        ways: &mut Ways,
        log: &mut Log,
    ) -> RunEnd {
        log.ran.clear();
        log.marked.clear();
        log.touched.clear();
        let memory = self.module.memory;
        let mut may_access = extent != Extent::Local;
        let mut inside = extent == Extent::Whole;
        loop {
            let Some(instr) = routine.code.get(pc as usize) else { return RunEnd::Returned(Value::Unit) };
            let accesses = instr.kind.is_access(memory);
            if !inside && !may_access {
                use InstrKind::{Choose, Either, Enter};
                if accesses || matches!(instr.kind, Enter | Choose { .. } | Either(_)) {
                    return RunEnd::Stop(pc);
                }
            }
            if !ways.spend() {
                return RunEnd::Endless;
            }
            log.ran.push(pc);
            if instr.mark.is_some() {
                log.marked.push(pc);
            }
            if accesses {
                if let Err(halt) = access(self, &instr.kind, state, frame, ways, &mut log.touched) {
                    return halt.into();
                }
                may_access &= inside;
                pc += 1;
                continue;
            }
            match &instr.kind {
                InstrKind::Enter => inside = true,
                InstrKind::Leave if extent == Extent::Whole => {}
                InstrKind::Leave => {
                    inside = false;
                    may_access = false;
                }
                InstrKind::Return(value) => {
                    return match eval(value, frame, self.me) {
                        Ok(value) => RunEnd::Returned(value.into_owned()),
                        Err(finding) => RunEnd::Finding(finding),
                    };
                }
                kind => match self.local(kind, pc, state, frame, ways, log) {
                    Ok(next) => {
                        pc = next;
                        continue;
                    }
                    Err(end) => return end,
                },
            }
            pc += 1;
        }
    }

    /// Executes an instruction that is neither an access nor the border of a block; gives the next one.
    fn local(
        &self,
        kind: &InstrKind,
        pc: Pc,
        state: &mut State,
        frame: &mut [Value],
        ways: &mut Ways,
        log: &mut Log,
    ) -> Result<Pc, RunEnd> {
        let me = self.me;
        match kind {
            InstrKind::Set { slot, value } => {
                let value = eval(value, frame, me)?.into_owned();
                frame[slot.0 as usize] = value;
            }
            InstrKind::SetElement { slot, path, value } => {
                let path = list(path, frame, me)?;
                let value = eval(value, frame, me)?.into_owned();
                set_element(&mut frame[slot.0 as usize], &path, value)?;
            }
            InstrKind::Collect { slot, method, args, result } => {
                let args = list(args, frame, me)?;
                let answer = collect(*method, &mut frame[slot.0 as usize], args)?;
                if let Some(result) = result {
                    frame[result.0 as usize] = answer;
                }
            }
            InstrKind::Jump(target) => return Ok(*target),
            InstrKind::Branch { condition, yes, no } => {
                return Ok(if truth(condition, frame, me)? { *yes } else { *no });
            }
            InstrKind::Choose { slot, low, high } => {
                let (low, high) = (number(low, frame, me)? as i64, number(high, frame, me)? as i64);
                let options = (high - low + 1).clamp(0, u32::MAX as i64) as u32;
                let value = |option: u32| (low + option as i64) as i32;
                let option = ways.pick(options, |option| Choice::Value(value(option)));
                let option = option.ok_or(RunEnd::Discarded)?;
                frame[slot.0 as usize] = Value::Int(value(option));
            }
            InstrKind::Either(targets) => {
                let option = ways.pick(targets.len() as u32, |option| Choice::Branch(option as u16));
                return Ok(targets[option.ok_or(RunEnd::Discarded)? as usize]);
            }
            InstrKind::Assume(condition) => {
                if !truth(condition, frame, me)? {
                    log.assumed = true;
                    return Err(RunEnd::Discarded);
                }
            }
            InstrKind::Await(condition) => {
                if !truth(condition, frame, me)? {
                    return Err(RunEnd::Blocked);
                }
            }
            InstrKind::Assert(condition) => {
                if !truth(condition, frame, me)? {
                    return Err(RunEnd::Finding(Finding::Assert));
                }
            }
            InstrKind::Fail(finding) => return Err(RunEnd::Finding(*finding)),
            InstrKind::New { slot, kind, cells } => {
                debug_assert_eq!(self.module.memory, Memory::Gc, "elsewhere `new` is an access");
                let values: Vec<_> = cells
                    .iter()
                    .map(|(cell, value)| Ok((*cell, eval(value, frame, me)?.into_owned())))
                    .collect::<Result<_, Finding>>()?;
                let address = state.heap.push(*kind, &self.module.structs[kind.0 as usize].cells);
                let start = state.heap.heads[address as usize].start;
                for (cell, value) in values {
                    state.heap.cells[(start + cell) as usize] = value;
                }
                frame[slot.0 as usize] = Value::Ref(address);
            }
            other => panic!("{other:?} is no local instruction"),
        }
        Ok(pc + 1)
    }
}

impl From<Finding> for RunEnd {
    fn from(finding: Finding) -> RunEnd {
        RunEnd::Finding(finding)
    }
}
