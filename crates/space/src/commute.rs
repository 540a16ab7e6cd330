//! What partial order reduction relies on, verified by execution: for tests.
//!
//! The steps of a path are executed on whole states, as every move is in the checked mode. And wherever the moves of
//! two threads claim to be independent, both orders are executed and lead to the same states, with the same letters,
//! and who waits still waits. Where a move may be longer or shorter after a move of another thread, it ends elsewhere,
//! and only its steps are compared.

use crate::model::{Letter, Model};
use crate::monitor::Monitor;
use crate::space::{Node, Space};

impl<M: Model, B: Monitor> Space<M, B> {
    /// Executes every step of the paths from a state, and pairs of first steps in both orders.
    pub(crate) fn check_paths(&mut self, from: &Node, threads: u32) -> Result<(), B::Halt> {
        let members: Vec<usize> = (0..self.memo.threads).filter(|t| threads >> t & 1 == 1).collect();
        for thread in &members {
            let mut on_the_way = self.memo.on_the_way(from, threads, *thread);
            on_the_way.insert(0, *from);
            for node in on_the_way {
                let mut edges = Vec::new();
                while let Err(miss) =
                    self.memo.look_at(&node, *thread, self.memo.run_of(&node, *thread), &mut edges)
                {
                    edges.clear();
                    self.fill(*miss)?;
                }
                self.check(&node, 1 << thread, &edges)?;
            }
        }
        if !self.model.exact() {
            return Ok(());
        }
        for (at, one) in members.iter().enumerate() {
            for other in &members[at + 1..] {
                let claims = [one, other].map(|t| self.memo.accesses_of(self.memo.run_of(from, *t)));
                if !claims[0].conflicts(&claims[1]) {
                    let there = self.in_order(from, *one, *other);
                    let mut back = self.in_order(from, *other, *one);
                    back.iter_mut().for_each(|(letters, _)| letters.reverse());
                    let sorted = |mut all: Vec<([Letter; 2], Node)>| {
                        all.sort_unstable_by_key(|(letters, node)| (*letters, node.global, node.locals));
                        all
                    };
                    assert_eq!(sorted(there), sorted(back), "independent moves commute");
                }
            }
        }
        Ok(())
    }

    /// Every state that a move of the first thread and then one of the second lead to.
    fn in_order(&mut self, from: &Node, first: usize, second: usize) -> Vec<([Letter; 2], Node)> {
        let mut all = Vec::new();
        for (letter, to) in self.executed(from, first) {
            let Ok(to) = to else { continue };
            for (next, to) in self.executed(&to, second) {
                all.extend(to.ok().map(|to| ([letter, next], to)));
            }
        }
        all
    }

    /// The moves of a thread, executed on the whole state.
    fn executed(&mut self, from: &Node, thread: usize) -> Vec<crate::space::WholeStep> {
        self.fill_whole(from, thread);
        self.memo.whole[&(Node { beside: 0, ..*from }, thread as u8)].clone()
    }
}
