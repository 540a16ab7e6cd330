//! What tells two objects apart, in the words of both: two diagnostic paths and a formula.

use crate::confirm::Case;
use crate::history::History;
use crate::run::execute;
use crate::story::statement;
use trueline_base::Value;
use trueline_base::trace::{Reason, Reasons, Trace};
use trueline_lang::interp::ObservableEvent;
use trueline_lang::ir::{Machine, Schedule, show_call};

/// A difference between an object and another one.
#[derive(Clone, Copy, Debug)]
pub struct Apart<'a> {
    /// The other object under the same client.
    pub other: &'a Machine,
    /// What it does meanwhile.
    pub schedule: &'a Schedule,
    /// A formula that holds of one of them.
    pub formula: &'a str,
    /// Whether it holds of the first.
    pub holds_here: bool,
    /// Whether the last move is the first object's.
    pub moves_here: bool,
    /// What cannot be answered; none for going on silently for ever.
    pub threat: Option<&'a str>,
}

impl Apart<'_> {
    /// Replays the other object's path and adds it to the story.
    pub fn explain(&self, case: &Case<'_>, trace: &mut Trace) -> Result<(), String> {
        let run = execute(self.other, self.schedule)
            .map_err(|unfit| format!("{} does not do so: {unfit}", self.other.object.name))?;
        let history = History::of(self.other, &run);
        let (here, there) = (&case.machine.object.name, &self.other.object.name);
        let (mover, answerer) = if self.moves_here { (here, there) } else { (there, here) };
        let what = match self.threat {
            None => "go on silently for ever".to_string(),
            Some("tau") => "take a silent step to a state of a kind".to_string(),
            Some(label) => format!("do `{}`", label.trim_matches('"')),
        };
        let cannot = match self.threat {
            Some("tau") => format!("that {answerer} cannot reach"),
            _ => format!("which {answerer} cannot"),
        };
        trace.summary =
            format!("{here} and {there} are told apart: at the end {mover} can {what}, {cannot}.");
        let mut lines: Vec<Reason> = Vec::new();
        for (index, taken) in run.taken.iter().enumerate() {
            let operation = history.at(taken.thread, index);
            let refuted = match &taken.way.event {
                ObservableEvent::Call { op, args } => {
                    format!("calls {}", show_call(&self.other.object, *op, args))
                }
                ObservableEvent::Return { value: Value::Unit, .. } => "returns".to_string(),
                ObservableEvent::Return { .. } => format!("returns {}", operation.map_or("", |o| &o.result)),
                ObservableEvent::Silent => match taken.way.executed.first() {
                    Some(first) => {
                        let (line, text) = statement(case.source.text, first.span);
                        format!("line {line}, `{text}`")
                    }
                    None => "a silent step".to_string(),
                },
            };
            lines.push(Reason { case: format!("thread {}", taken.thread + 1), refuted });
        }
        if lines.is_empty() {
            lines.push(Reason { case: there.clone(), refuted: "has not moved".into() });
        }
        let (holds, not) = if self.holds_here { (here, there) } else { (there, here) };
        trace.reasons = Some(Reasons {
            title: format!("What {there} does meanwhile"),
            context: format!("in {holds} and not in {not} this holds: {}", self.formula),
            lines,
        });
        Ok(())
    }
}
