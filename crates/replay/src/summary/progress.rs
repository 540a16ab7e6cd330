//! What does not complete, in a sentence and in reasons.

use super::operation_at;
use crate::confirm::Case;
use crate::history::History;
use crate::progress::{blocked, inside};
use crate::reasons::listing;
use crate::run::Run;
use crate::story::statement;
use std::collections::BTreeSet;
use trueline_base::Violation;
use trueline_base::trace::{Reason, Reasons};
use trueline_lang::interp::{ObservableEvent, State};
use trueline_lang::question::Progress;

/// The sentence and the reasons of an execution that was found to violate a property of progress.
pub fn progress(
    case: &Case<'_>,
    progress: Progress,
    run: &Run,
    end: &State,
    history: &History,
) -> (String, Reasons) {
    let story = Story { case, run, end, history };
    match (case.violation, run.cycle) {
        (Violation::Forever { thread }, Some(from)) => story.forever(progress, thread, from),
        (Violation::Stuck { .. }, _) => story.stuck(),
        (Violation::Blocked { thread }, _) => story.blocked(progress, thread),
        (other, _) => unreachable!("{other:?} is not about progress"),
    }
}

struct Story<'a> {
    case: &'a Case<'a>,
    run: &'a Run,
    end: &'a State,
    history: &'a History,
}

impl Story<'_> {
    fn who(&self, thread: u8) -> String {
        operation_at(self.history, thread, self.run.taken.len())
    }

    fn threads(&self) -> std::ops::Range<u8> {
        0..self.case.machine.threads.len() as u8
    }

    /// `line 4 (`lock m`)`
    fn place(&self, state: &State, thread: u8) -> Option<(u32, String)> {
        let at = blocked(self.case.machine, state, thread)?;
        Some(statement(self.case.source.text, at.span))
    }

    fn blocked(&self, progress: Progress, thread: u8) -> (String, Reasons) {
        let (line, text) = self.place(self.end, thread).unwrap_or((0, String::new()));
        let who = self.who(thread);
        let summary = format!(
            "{who} waits in line {line} (`{text}`): it cannot go on by itself, however long it is scheduled."
        );
        let others = self.threads().filter(|t| *t != thread && inside(self.end, *t));
        let mut lines = vec![Reason { case: who, refuted: format!("waits in line {line}, `{text}`") }];
        lines.extend(
            others.map(|t| Reason { case: self.who(t), refuted: "may never be scheduled again".into() }),
        );
        let title = match progress {
            Progress::LockFree => "Why no operation completes",
            _ => "Why it does not complete",
        };
        (summary, Reasons { title: title.into(), context: String::new(), lines })
    }

    fn stuck(&self) -> (String, Reasons) {
        let insiders: Vec<u8> = self.threads().filter(|t| inside(self.end, *t)).collect();
        let place = |t: &u8| self.place(self.end, *t).map(|(line, text)| (self.who(*t), line, text));
        let waits: Vec<(String, u32, String)> = insiders.iter().filter_map(place).collect();
        let verb = if waits.len() == 1 { "waits" } else { "wait" };
        let all = waits.iter().map(|(who, line, text)| format!("{who} in line {line} (`{text}`)")).collect();
        let summary = format!("No operation completes: {} {verb} for ever.", listing(all, "and"));
        let reason = |(who, line, text): &(String, u32, String)| Reason {
            case: who.clone(),
            refuted: format!("waits in line {line}, `{text}`"),
        };
        let mut lines: Vec<Reason> = waits.iter().map(reason).collect();
        let idle = self.threads().filter(|t| !inside(self.end, *t)).count();
        if idle > 0 {
            let case = if idle == 1 { "the other thread" } else { "the other threads" };
            lines.push(Reason { case: case.into(), refuted: "need not call anything".into() });
        }
        (summary, Reasons { title: "Why nothing completes".into(), context: String::new(), lines })
    }

    fn forever(&self, progress: Progress, thread: u8, from: usize) -> (String, Reasons) {
        let cycle = &self.run.taken[from..];
        let who = self.who(thread);
        let movers: Vec<u8> =
            self.threads().filter(|t| cycle.iter().any(|taken| taken.thread == *t)).collect();
        let steps = match cycle.len() {
            1 => format!("step {} is", from + 1),
            n => format!("steps {} to {} are", from + 1, from + n),
        };
        let summary = match progress {
            Progress::LockFree | Progress::DeadlockFree => {
                let all: Vec<String> =
                    movers.iter().map(|t| format!("{} in {}", self.who(*t), self.lines(*t, from))).collect();
                let verb = if all.len() == 1 { "goes round" } else { "go round" };
                format!("No operation completes: {} {verb} for ever.", listing(all, "and"))
            }
            Progress::ObstructionFree => {
                format!("{who} goes round in {} for ever although it runs alone.", self.lines(thread, from))
            }
            Progress::WaitFree(_) | Progress::StarvationFree => {
                let fair = if progress.fair() { ", though every thread gets its turn" } else { "" };
                let others = movers.iter().any(|t| *t != thread);
                let doing = match movers.contains(&thread) {
                    true => format!("goes round in {} for ever", self.lines(thread, from)),
                    false => "waits for ever".to_string(),
                };
                match others {
                    true => format!("{who} {doing} while others go on{fair}."),
                    false => format!("{who} {doing}{fair}."),
                }
            }
        };
        let mut lines = Vec::new();
        for t in self.threads() {
            let returns = cycle
                .iter()
                .filter(|taken| taken.thread == t)
                .filter(|taken| matches!(taken.way.event, ObservableEvent::Return { .. }))
                .count();
            let waits = || cycle.iter().find_map(|taken| self.place(&taken.before, t));
            let refuted = match (movers.contains(&t), returns) {
                (true, 0) => format!("repeats {} and does not return", self.lines(t, from)),
                (true, n) => format!(
                    "completes {} each time round",
                    trueline_base::words::plural(n as u64, "operation", "operations")
                ),
                (false, _) if !inside(self.end, t) => continue,
                (false, _) => match waits().filter(|_| progress.fair()) {
                    Some((line, text)) => {
                        format!("waits in line {line}, `{text}`, at least once each time round")
                    }
                    None => "is not scheduled".into(),
                },
            };
            lines.push(Reason { case: self.who(t), refuted });
        }
        let context = format!("{steps} repeated for ever");
        (summary, Reasons { title: "Why this never ends".into(), context, lines })
    }

    /// The lines that a thread executes in the cycle: `line 4`, `lines 4 to 7`, `lines 4, 6 and 9`.
    fn lines(&self, thread: u8, from: usize) -> String {
        let mine = self.run.taken[from..].iter().filter(|taken| taken.thread == thread);
        let touching = mine.flat_map(|taken| taken.way.executed.iter());
        let lines: BTreeSet<u32> = touching.map(|e| statement(self.case.source.text, e.span).0).collect();
        let lines: Vec<u32> = lines.into_iter().collect();
        match lines.as_slice() {
            [] => "its code".into(),
            [one] => format!("line {one}"),
            [first, .., last] if lines.len() > 2 && (*last - *first) as usize == lines.len() - 1 => {
                format!("lines {first} to {last}")
            }
            all => format!("lines {}", listing(all.iter().map(u32::to_string).collect(), "and")),
        }
    }
}
