//! The moves of a machine: its beginnings, and what each thread can do in a state.

use super::eval::{can_fail, eval, truth};
use super::run::{Context, Extent, Log, RunEnd};
use super::state::{Cell, Phase, SHARED, State};
use super::touched::Touched;
use super::ways::Ways;
use crate::canonical::liveness::Liveness;
use crate::coverage::Coverage;
use crate::label::Label;
use std::rc::Rc;
use trueline_base::verdict::Finding;
use trueline_base::{Meter, Stop, Value, Watch};
use trueline_lang::ir::{
    Action, Alternative, Choice, Machine, Main, NodeId, OpId, Pc, Routine, ScriptNode, Slot,
};

/// Executes moves of one machine; keeps its buffers.
pub(crate) struct Explorer<'m> {
    /// The machine.
    pub machine: &'m Machine,
    /// Which slots are kept at a stop.
    pub live: Rc<Liveness>,
    /// Whether marks are looked at.
    pub points: bool,
    /// What was executed so far.
    pub coverage: Coverage,
    /// Whether an `assume` left out executions.
    pub assumed: bool,
    /// Where a way of the move at hand waits.
    waits: Option<(OpId, Pc)>,
    /// Whether a way of the move at hand was left out.
    discarded: bool,
    /// What the moves that were asked for last read and write, all ways together.
    pub touched: Touched,
    /// Ends a move with many ways. What was visited before that is not to be used: see [`Explorer::goes_on`].
    pub(super) watch: Watch,
    pub(super) ways: Ways,
    pub(super) log: Log,
    /// The ways of the move at hand; only the first `used` count.
    pool: Vec<Way>,
    used: usize,
    args: Vec<Value>,
}

#[derive(Default)]
struct Way {
    state: State,
    finding: Option<Finding>,
    choices: Vec<Choice>,
    points: u32,
}

/// Whether a thread can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enabled {
    /// It can.
    Yes,
    /// Not before somebody else acts: it waits at this instruction.
    Blocked(OpId, Pc),
    /// All its ways are left out.
    Discarded,
    /// There is nothing that it would do.
    Done,
}

/// One move that a thread can make.
pub(crate) struct Edge<'a> {
    /// The thread, from 0.
    pub thread: u8,
    /// What is seen of it.
    pub label: Label<'a>,
    /// How many linearization points it passes.
    pub points: u32,
    /// Where it leads; whoever visits it may take the state and leave another.
    pub target: Result<&'a mut State, Finding>,
    act: Act<'a>,
}

enum Act<'a> {
    Call(u16),
    Step(&'a [Choice]),
    Return,
}

impl Edge<'_> {
    /// The move, for a schedule.
    pub fn action(&self) -> Action {
        match self.act {
            Act::Call(alternative) => Action::Call(alternative),
            Act::Step(choices) => Action::Step(choices.to_vec()),
            Act::Return => Action::Return,
        }
    }
}

impl<'m> Explorer<'m> {
    /// With dead slots cleared.
    pub fn new(machine: &'m Machine, points: bool) -> Explorer<'m> {
        Explorer::with(machine, Liveness::of(&machine.object, points), points)
    }

    /// With dead slots cleared, those apart that the condition of a mark reads though points do not matter: what is
    /// lost does not depend on that.
    pub fn for_leaks(machine: &'m Machine) -> Explorer<'m> {
        Explorer::with(machine, Liveness::for_leaks(&machine.object), false)
    }

    fn with(machine: &'m Machine, live: Liveness, points: bool) -> Explorer<'m> {
        Explorer {
            machine,
            live: Rc::new(live),
            points,
            coverage: Coverage::new(&machine.object),
            assumed: false,
            waits: None,
            discarded: false,
            touched: Touched::default(),
            watch: Watch::default(),
            ways: Ways::default(),
            log: Log::default(),
            pool: Vec::new(),
            used: 0,
            args: Vec::new(),
        }
    }

    /// Ends moves and beginnings with many ways when the meter says so.
    pub fn limit(&mut self, meter: &Meter) {
        self.watch = Watch::new(meter);
    }

    /// Ends nothing any more: for moves that were executed before.
    pub fn unlimited(&mut self) {
        self.watch = Watch::default();
    }

    /// Whether the moves and beginnings visited so far were all there are.
    pub fn goes_on(&self) -> Result<(), Stop> {
        self.watch.result()
    }

    /// Every move of a thread.
    pub fn moves(&mut self, from: &State, t: usize, visit: &mut dyn FnMut(Edge<'_>)) -> Enabled {
        let mut moved = false;
        (self.waits, self.discarded) = (None, false);
        self.touched.clear();
        self.visit_moves(from, t, &mut |edge| {
            moved = true;
            visit(edge);
        });
        match self.waits {
            _ if moved => Enabled::Yes,
            Some((op, pc)) => Enabled::Blocked(op, pc),
            None if self.discarded => Enabled::Discarded,
            None => Enabled::Done,
        }
    }

    fn visit_moves(&mut self, from: &State, t: usize, visit: &mut dyn FnMut(Edge<'_>)) {
        let machine = self.machine;
        match from.threads[t].phase {
            Phase::Idle => {
                let node = machine.threads[t].script.node(from.threads[t].node);
                let ScriptNode::Call(alternatives) = node else { return };
                self.touched.reads.extend(counted(machine));
                if !may_call(machine, from, t) {
                    return;
                }
                for (at, alternative) in alternatives.iter().enumerate() {
                    self.call(from, t, at as u16, alternative, visit);
                }
            }
            Phase::Running => self.step(from, t, visit),
            Phase::Returning => self.give_back(from, t, visit),
        }
    }

    fn call(
        &mut self,
        from: &State,
        t: usize,
        at: u16,
        alternative: &Alternative,
        visit: &mut dyn FnMut(Edge<'_>),
    ) {
        let (machine, me) = (self.machine, t as u8);
        let op = &machine.object.ops[alternative.op.0 as usize];
        self.args.clear();
        for arg in &alternative.args {
            match eval(arg, &from.threads[t].script, me) {
                Ok(value) => self.args.push(value.into_owned()),
                Err(finding) => {
                    let label = Label::Call { thread: me, op: alternative.op, args: &[] };
                    return visit(Edge {
                        thread: me,
                        label,
                        points: 0,
                        target: Err(finding),
                        act: Act::Call(at),
                    });
                }
            }
        }
        let offered = match &op.requires {
            None => Ok(true),
            Some(requires) => truth(requires, &from.threads[t].frame, me),
        };
        let refused = match offered {
            Ok(true) => None,
            Ok(false) if alternative.role => Some(Finding::Requires),
            Ok(false) => return,
            Err(finding) => Some(finding),
        };
        self.ways.begin();
        self.used = 0;
        if refused.is_none() {
            let way = self.next_way(from);
            let thread = &mut way.state.threads[t];
            thread.phase = Phase::Running;
            thread.op = alternative.op;
            thread.node = alternative.next;
            thread.into = alternative.result;
            let slots = op.routine.slots.len().max(thread.frame.len());
            thread.frame.resize(slots, Value::Unit);
            for ((slot, _), value) in op.params.iter().zip(&self.args) {
                self.pool[0].state.threads[t].frame[slot.0 as usize] = value.clone();
            }
            self.run_way(t, 0, Extent::Local);
        }
        let label = Label::Call { thread: me, op: alternative.op, args: &self.args };
        if let Some(finding) = refused {
            return visit(Edge { thread: me, label, points: 0, target: Err(finding), act: Act::Call(at) });
        }
        if self.used == 1 {
            let way = &mut self.pool[0];
            let target = way.finding.map_or(Ok(&mut way.state), Err);
            visit(Edge { thread: me, label, points: 0, target, act: Act::Call(at) });
        }
    }

    fn step(&mut self, from: &State, t: usize, visit: &mut dyn FnMut(Edge<'_>)) {
        let pc = from.threads[t].pc;
        self.ways.begin();
        self.used = 0;
        loop {
            self.next_way(from);
            let endless = self.run_way(t, pc, Extent::Step);
            if endless {
                // Nothing else of this move counts.
                let last = self.used - 1;
                self.pool.swap(0, last);
                self.used = 1;
                break;
            }
            let (used, pool) = (self.used as u64, &self.pool);
            if !self.watch.goes_on(|| used * pool[0].state.bytes()) {
                self.used = 0;
                break;
            }
            if !self.ways.advance() {
                break;
            }
        }
        for way in &mut self.pool[..self.used] {
            let target = way.finding.map_or(Ok(&mut way.state), Err);
            let act = Act::Step(&way.choices);
            visit(Edge { thread: t as u8, label: Label::Tau, points: way.points, target, act });
        }
    }

    fn give_back(&mut self, from: &State, t: usize, visit: &mut dyn FnMut(Edge<'_>)) {
        let machine = self.machine;
        self.used = 0;
        let value = from.threads[t].result.as_ref().expect("a returning thread has a result");
        let op = from.threads[t].op;
        self.coverage.returned[op.0 as usize] = true;
        let state = &mut self.next_way(from).state;
        let thread = &mut state.threads[t];
        thread.frame.truncate(machine.object.persistent.len());
        thread.phase = Phase::Idle;
        let result = thread.result.take();
        if let Some(variable) = thread.into {
            thread.script[variable.0 as usize] = result.expect("a returning thread has a result");
        }
        (thread.op, thread.pc, thread.into) = (OpId::default(), 0, None);
        thread.node = resolve_tests(machine, t, thread.node, &thread.script);
        count_over(machine, state, t);
        self.touched.writes.extend(counted(machine));
        let label = Label::Return { thread: t as u8, op, value };
        let target = Ok(&mut self.pool[0].state);
        visit(Edge { thread: t as u8, label, points: 0, target, act: Act::Return });
    }

    /// A further entry of the pool, with a copy of the state.
    fn next_way(&mut self, from: &State) -> &mut Way {
        if self.used == self.pool.len() {
            self.pool.push(Way::default());
        }
        self.used += 1;
        let way = &mut self.pool[self.used - 1];
        way.state.copy_from(from);
        way.finding = None;
        way.choices.clear();
        way.points = 0;
        way
    }

    /// Runs the way that was prepared last, and drops it again if it does not exist. Says whether it is endless.
    fn run_way(&mut self, t: usize, pc: u32, extent: Extent) -> bool {
        let module = &self.machine.object;
        let way = &mut self.pool[self.used - 1];
        let op = way.state.threads[t].op;
        let routine = &module.ops[op.0 as usize].routine;
        let mut frame = std::mem::take(&mut way.state.threads[t].frame);
        let context = Context { module, me: t as u8 };
        let mut end =
            context.run(routine, extent, pc, &mut way.state, &mut frame, &mut self.ways, &mut self.log);
        self.assumed |= std::mem::take(&mut self.log.assumed);
        self.touched.absorb(&self.log.touched);
        if let RunEnd::Blocked | RunEnd::Discarded = end {
            let at = *self.log.ran.last().expect("it ended at an instruction");
            self.coverage.stuck[op.0 as usize][at as usize] = true;
            match end {
                RunEnd::Blocked => self.waits = self.waits.or(Some((op, at))),
                _ => self.discarded = true,
            }
            way.state.threads[t].frame = frame;
            self.used -= 1;
            return false;
        }
        let covered = &mut self.coverage.ops[op.0 as usize];
        self.log.ran.iter().for_each(|pc| covered[*pc as usize] = true);
        if !self.log.marked.is_empty() && matches!(end, RunEnd::Stop(_) | RunEnd::Returned(_)) {
            match passed(routine, &mut self.log.marked, &frame, t as u8, self.points) {
                Ok(points) => way.points = points,
                Err(finding) => end = RunEnd::Finding(finding),
            }
        }
        let thread = &mut way.state.threads[t];
        match end {
            RunEnd::Stop(pc) => {
                thread.pc = pc;
                clear(&mut frame[module.persistent.len()..], self.live.at(op, pc), module.persistent.len());
            }
            RunEnd::Returned(value) => {
                thread.phase = Phase::Returning;
                thread.pc = 0;
                thread.result = Some(value);
                frame.truncate(module.persistent.len());
            }
            RunEnd::Finding(finding) => way.finding = Some(finding),
            RunEnd::Endless => way.finding = Some(Finding::Endless),
            RunEnd::Blocked | RunEnd::Discarded => unreachable!("handled above"),
        }
        thread.frame = frame;
        way.choices.extend(self.ways.choices());
        way.finding == Some(Finding::Endless)
    }
}

/// How many of the marks that were met count; none without `points`, but their conditions can still fail.
fn passed(
    routine: &Routine,
    marked: &mut Vec<u32>,
    frame: &[Value],
    me: u8,
    points: bool,
) -> Result<u32, Finding> {
    marked.sort_unstable();
    marked.dedup();
    let mut passed = 0;
    for pc in marked.iter() {
        let condition = routine.code[*pc as usize].mark.as_ref().expect("it was logged for its mark");
        if points || can_fail(condition) {
            passed += truth(condition, frame, me)? as u32;
        }
    }
    Ok(if points { passed } else { 0 })
}

/// Sets the slots that are not listed to `Unit`; `rest` are the slots from `first`.
fn clear(rest: &mut [Value], live: &[Slot], first: usize) {
    let mut live = live.iter().map(|slot| slot.0 as usize - first).peekable();
    for (at, value) in rest.iter_mut().enumerate() {
        if live.peek() == Some(&at) {
            live.next();
        } else if *value != Value::Unit {
            *value = Value::Unit;
        }
    }
}

/// What is over, by the count of a client with a main thread; nothing without one.
fn over(machine: &Machine, state: &State) -> Option<(Main, i32)> {
    let main = machine.main?;
    match state.shared[main.cell as usize] {
        Value::Int(over) => Some((main, over)),
        _ => None,
    }
}

/// The cell that counts what is over, where there is one.
fn counted(machine: &Machine) -> Option<Cell> {
    machine.main.map(|main| Cell { address: SHARED, index: main.cell })
}

/// Whether the turn of an idle thread has come: the main thread begins and ends alone.
fn may_call(machine: &Machine, state: &State, t: usize) -> bool {
    let Some((main, over)) = over(machine, state) else { return true };
    let threads = machine.threads.len() as i32;
    if t != main.thread as usize {
        return over >= threads;
    }
    let second = state.threads[t].node >= main.after;
    !second || over == 2 * threads - 1
}

/// Counts what is over once the script of a thread has moved on.
pub(super) fn count_over(machine: &Machine, state: &mut State, t: usize) {
    let Some((main, over)) = over(machine, state) else { return };
    let threads = machine.threads.len() as i32;
    let node = state.threads[t].node;
    let more = if t == main.thread as usize {
        if over < threads && node >= main.after { threads } else { 0 }
    } else {
        matches!(machine.threads[t].script.node(node), ScriptNode::Done) as i32
    };
    if more > 0 {
        state.shared[main.cell as usize] = Value::Int(over + more);
    }
}

/// The node at which a script stands once its tests are resolved.
pub(crate) fn resolve_tests(machine: &Machine, t: usize, mut node: NodeId, variables: &[Value]) -> NodeId {
    let script = &machine.threads[t].script;
    // A cycle of tests changes nothing: the thread calls nothing more.
    for _ in 0..=script.nodes.len() {
        let ScriptNode::Test { condition, yes, no } = script.node(node) else { break };
        let holds = truth(condition, variables, t as u8).expect("the condition of a script does not fail");
        node = if holds { *yes } else { *no };
    }
    node
}
