//! What is done after the threads, remembered by what memory contains then.
//!
//! Operations after the threads, the check and the destruction of the object run alone. What they do depends on memory alone:
//! on the last write of every location, on the memory that each thread has touched by itself, for which the player gives a
//! number when an operation returns, and on what was done before the threads, which is always the same. So an execution that
//! ends with the memory of one that was run needs no run, if that one ended well. Stacks of threads are gone by then. Where
//! threads free memory, every complete execution is run. One of 64 is run all the same, and compared. Oracle: the same search
//! with every run played (tests).

use std::sync::Arc;

use super::{Execution, Explorer, Outcome};
use crate::graph::Graph;
use crate::recall::{After, Next};

impl Explorer {
    /// What memory contains when all threads of a graph have ended; nothing when that is not known.
    fn memory_at_end(&self, graph: &Graph) -> Option<Vec<u64>> {
        if self.recall.frees {
            return None;
        }
        let mut words = Vec::with_capacity(graph.threads.len() + graph.co.len());
        for thread in 0..graph.threads.len() as u8 {
            let node = self.node(graph, thread);
            if !matches!(self.recall.next(node), Next::Ended) {
                return None;
            }
            words.push(self.recall.returns(node).last()?.kept?);
        }
        // Locations come in the order of their first writes, which differs.
        let last = |(loc, writes): &(u32, Vec<u16>)| {
            let value = graph.event(*writes.last()?).value;
            Some(u64::from(*loc) << 32 | u64::from(value))
        };
        let threads = words.len();
        words.extend(graph.co.iter().filter_map(last));
        words[threads..].sort_unstable();
        Some(words)
    }

    /// What comes of a graph whose threads have ended, if it needs no run for that.
    pub(super) fn after_threads(&self, graph: &Graph) -> Option<After> {
        match self.ends {
            true => self.before.clone(),
            false => self.recall.at_end(&self.memory_at_end(graph)?).cloned(),
        }
    }

    /// A run shows what comes of its graph.
    pub(super) fn learn_after(&mut self, execution: &Execution) {
        let complete = execution.outcome == Outcome::Complete;
        let after = || Arc::new((execution.alone.clone(), execution.waits));
        if self.ends {
            if complete && self.before.is_none() {
                self.before = Some(after());
            }
            return;
        }
        // A thread that has not ended is nowhere in what is remembered as ended.
        let found = matches!(execution.outcome, Outcome::Found(_)) && execution.ran == 0;
        if !self.remembers || !(complete || found) {
            return;
        }
        let Some(memory) = self.memory_at_end(&execution.graph) else { return };
        match complete {
            true => self.recall.learn_end(&memory, after()),
            false => self.recall.contradicted |= self.recall.at_end(&memory).is_some(),
        }
    }
}
