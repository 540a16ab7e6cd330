//! Finds the moves of a named execution in a model that may have been edited since.
//!
//! A call is the same call when it reads the same (`enq(1)`), of the same thread and role. A step is the same step when
//! its operation and what it touches are the same; a block also when its line reads the same. Where the operation has
//! a further step that only reads, it is taken on the way; where a step that only read is gone, it is left out. Anything
//! else is named: from there on the model is another, and what it would do instead says nothing about the failure.

use crate::named::{NamedAct, NamedChoice, NamedMove, NamedStep, name};
use trueline_base::verdict::Finding;
use trueline_lang::interp::{self, State, Way};
use trueline_lang::ir::{Choice, Evidence, Machine, Move, Schedule};

/// An execution that was found again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// In the model as it is now.
    pub evidence: Evidence,
    /// What is different, in sentences.
    pub differences: Vec<String>,
}

/// Steps that may be taken on the way to one that is looked for.
const MOST_BETWEEN: usize = 16;

/// These moves in this machine, the last `cycle` of which are repeated for ever, or where it is another one.
pub fn follow(
    machine: &Machine,
    source: &str,
    init: &[NamedChoice],
    moves: &[NamedMove],
    cycle: usize,
) -> Result<Followed, String> {
    let init: Vec<Choice> = init.iter().map(Choice::from).collect();
    let starts = interp::initial(machine);
    let start =
        starts.into_iter().find(|(choices, result)| *choices == init || *result == Err(Finding::Endless));
    let Some((_, start)) = start else {
        return Err("the model no longer begins as it did".into());
    };
    let mut following = Following {
        machine,
        source,
        now: start,
        schedule: Schedule { init, moves: Vec::new() },
        differences: Vec::new(),
    };
    let prefix = moves.len().saturating_sub(cycle);
    let mut repeated = None;
    for (index, wanted) in moves.iter().enumerate() {
        if index == prefix {
            repeated = Some(following.schedule.moves.len());
        }
        following.take(index, wanted)?;
    }
    let mut prefix = following.schedule;
    let cycle = repeated.map_or(Vec::new(), |from| prefix.moves.split_off(from));
    Ok(Followed { evidence: Evidence { prefix, cycle }, differences: following.differences })
}

struct Following<'a> {
    machine: &'a Machine,
    source: &'a str,
    now: Result<State, Finding>,
    schedule: Schedule,
    differences: Vec<String>,
}

impl Following<'_> {
    fn take(&mut self, index: usize, wanted: &NamedMove) -> Result<(), String> {
        let differs = |what: String| match index {
            0 => Err(format!("the model differs from the first step on: {what}")),
            step => Err(format!("after step {step} the model differs: {what}")),
        };
        let number = wanted.thread;
        let thread = u8::try_from(number.wrapping_sub(1)).ok();
        let Some(of) = thread.and_then(|t| self.machine.threads.get(t as usize)) else {
            return differs(format!("there is no thread {number}"));
        };
        let thread = thread.expect("it has a script");
        if of.role != wanted.role {
            let role =
                |role: &Option<String>| role.as_ref().map_or("no role".into(), |r| format!("the role `{r}`"));
            return differs(format!(
                "thread {number} had {}, now it has {}",
                role(&wanted.role),
                role(&of.role)
            ));
        }
        // Further steps that only read are taken on the way, but only when they lead to the one that is wanted.
        let mut between: Vec<Way> = Vec::new();
        let before = self.now.clone();
        let (mut first, mut new): (Option<Vec<NamedAct>>, Vec<String>) = (None, Vec::new());
        while let (Ok(state), true) = (self.now.clone(), between.len() <= MOST_BETWEEN) {
            let offered = interp::moves(self.machine, &state, thread).ways;
            let named: Vec<NamedAct> =
                offered.iter().map(|way| name(self.machine, self.source, &state, thread, way)).collect();
            if let Some(at) = best(&wanted.act, &named) {
                self.differences.append(&mut new);
                self.note(number, index, &wanted.act, &named[at]);
                for way in between.into_iter().chain([offered[at].clone()]) {
                    self.now = way.result.clone();
                    self.schedule.moves.push(Move { thread, action: way.action });
                }
                return Ok(());
            }
            first.get_or_insert_with(|| named.clone());
            match (&offered[..], &named[..]) {
                ([way], [NamedAct::Step(step)]) if step.access.only_read() => {
                    new.push(format!("`{}` of {} is new (before step {})", step.text, step.op, index + 1));
                    self.now = way.result.clone();
                    between.push(way.clone());
                }
                _ => break,
            }
        }
        self.now = before;
        // A step that only read is not missed.
        if let NamedAct::Step(step) = &wanted.act
            && step.access.only_read()
            && self.now.is_ok()
        {
            self.differences.push(format!("`{}` of {} is gone (step {})", step.text, step.op, index + 1));
            return Ok(());
        }
        let instead = match (&self.now, first.as_deref()) {
            (Err(finding), _) => format!("the execution ends there, because a thread {}", finding.sentence()),
            (Ok(_), Some([]) | None) => "it cannot move".into(),
            (Ok(_), Some(named)) => {
                let all: Vec<String> = named.iter().map(NamedAct::to_string).collect();
                format!("it {}", all.join(", or "))
            }
        };
        differs(format!("thread {number} {} there; now {instead}", past(&wanted.act)))
    }

    fn note(&mut self, thread: u16, index: usize, was: &NamedAct, is: &NamedAct) {
        if let (NamedAct::Return(was), NamedAct::Return(is)) = (was, is)
            && was != is
        {
            let text = format!("thread {thread} returned {was} in step {}, now it returns {is}", index + 1);
            self.differences.push(text);
        }
    }
}

/// What a thread did.
fn past(act: &NamedAct) -> String {
    match act {
        NamedAct::Call(call) => format!("called {call}"),
        NamedAct::Step(step) => format!("executed `{}` of {} ({})", step.text, step.op, step.access),
        NamedAct::Return(value) if value == "()" => "returned".into(),
        NamedAct::Return(value) => format!("returned {value}"),
    }
}

/// The way that is the wanted one, best first: all the same; then the line may read otherwise; then the choices may
/// be numbered otherwise.
fn best(wanted: &NamedAct, offered: &[NamedAct]) -> Option<usize> {
    let find = |like: &dyn Fn(&NamedAct) -> bool| offered.iter().position(like);
    match wanted {
        NamedAct::Call(_) => find(&|act| act == wanted),
        NamedAct::Return(_) => find(&|act| matches!(act, NamedAct::Return(_))),
        NamedAct::Step(step) => {
            let like = |test: &dyn Fn(&NamedStep) -> bool| {
                find(&|act| matches!(act, NamedAct::Step(other) if other.op == step.op && test(other)))
            };
            let touches = |other: &NamedStep| other.access == step.access;
            let reads_same = |other: &NamedStep| other.text == step.text;
            let is_block = |step: &NamedStep| step.access.several();
            like(&|other| touches(other) && reads_same(other) && other.choices == step.choices)
                .or_else(|| like(&|other| touches(other) && other.choices == step.choices))
                .or_else(|| {
                    let blocks = |other: &NamedStep| is_block(other) || is_block(step);
                    like(&|other| reads_same(other) && blocks(other) && other.choices == step.choices)
                })
                .or_else(|| like(&|other| touches(other) && reads_same(other) && renumbered(step, other)))
        }
    }
}

/// Whether choices differ in the numbers of branches alone.
fn renumbered(step: &NamedStep, other: &NamedStep) -> bool {
    let alike = |pair: (&NamedChoice, &NamedChoice)| {
        pair.0 == pair.1 || matches!(pair, (NamedChoice::Branch(_), NamedChoice::Branch(_)))
    };
    step.choices.len() == other.choices.len() && step.choices.iter().zip(&other.choices).all(alike)
}
