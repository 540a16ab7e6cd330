//! The checking wrapper: every move executed on the whole state as well. What a model claims of its parts is verified.

use super::*;

impl<M: Model, B: Monitor> Space<M, B> {
    /// Executes the moves on the whole state and compares.
    pub(crate) fn check(&mut self, from: &Node, threads: u32, edges: &[Edge]) -> Result<(), B::Halt> {
        let mut edges = edges.iter();
        for thread in (0..self.memo.threads).filter(|t| threads >> t & 1 == 1) {
            self.fill_whole(from, thread);
            let steps = self.memo.whole[&(Node { beside: 0, ..*from }, thread as u8)].clone();
            for (letter, to) in steps {
                let edge = edges.next().expect("the same moves on the whole state");
                assert_eq!((edge.thread as usize, edge.letter), (thread, letter), "the same moves in order");
                let wanted = match (self.after(from.beside, thread, letter)?, to) {
                    (_, Err(code)) => Reached::End(End::Model(code)),
                    (After::Violation(code), Ok(_)) => Reached::End(End::Monitor(code)),
                    (After::At(beside), Ok(node)) => Reached::At(self.canonical(Node { beside, ..node })?),
                };
                match (&edge.to, &wanted) {
                    (Reached::At(parts), Reached::At(whole)) => assert_eq!(
                        self.parts(parts),
                        self.parts(whole),
                        "parts of the move as on the whole state"
                    ),
                    // Why it ends may name the thread, of those with the same moves, that was asked first.
                    (parts, whole) => {
                        let goes_on = |to: &Reached| to.state().is_some();
                        assert_eq!(goes_on(parts), goes_on(whole), "the move ends as on the whole state");
                    }
                }
            }
        }
        assert!(edges.next().is_none(), "no further move on the whole state");
        Ok(())
    }
}
