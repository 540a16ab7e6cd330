//! Who waits for what at the end of an execution in which nobody can go on.

use super::operation_at;
use crate::confirm::Case;
use crate::history::History;
use crate::reasons::listing;
use crate::run::Run;
use crate::story::statement;
use trueline_base::trace::{Reason, Reasons};
use trueline_lang::interp::Executed;

/// Who waits: the operation, the line and the statement.
pub struct Waits(Vec<(String, u32, String)>);

impl Waits {
    /// The threads of a dead end, with where they wait.
    pub fn of(case: &Case<'_>, run: &Run, history: &History, waiting: &[(u8, Executed)]) -> Waits {
        let place = |(thread, at): &(u8, Executed)| {
            let (line, text) = statement(case.source.text, at.span);
            (operation_at(history, *thread, run.taken.len()), line, text)
        };
        Waits(waiting.iter().map(place).collect())
    }

    /// In a sentence.
    pub fn sentence(&self) -> String {
        let one = |(who, line, text): &(String, u32, String)| format!("{who} in line {line} (`{text}`)");
        let verb = if self.0.len() == 1 { "waits" } else { "wait" };
        let who = listing(self.0.iter().map(one).collect(), "and");
        format!("Nobody can go on: {who} {verb} for ever.")
    }

    /// In a line each.
    pub fn reasons(&self) -> Reasons {
        let one = |(who, line, text): &(String, u32, String)| Reason {
            case: who.clone(),
            refuted: format!("waits in line {line}, `{text}`"),
        };
        let lines = self.0.iter().map(one).collect();
        Reasons { title: "Why nobody can go on".into(), context: String::new(), lines }
    }
}
