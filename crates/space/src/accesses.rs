//! What the moves of a thread read and write, as far as other threads can tell.

/// Cells of the global part as bits: the cell with number `n` is bit `n` modulo 128, so two cells may share a bit, which
/// only makes moves look dependent that are not. Numbers of cells are those of the part in which the move begins; a
/// move that gives old cells new numbers renames, and nothing is put behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accesses {
    /// Cells whose contents matter for what the thread can do.
    pub reads: u128,
    /// Cells that change.
    pub writes: u128,
    /// Whether no other thread will ever touch what is touched here, whatever it does.
    pub alone: bool,
    /// Whether the thread can do nothing but return from its operation.
    pub returns: bool,
}

impl Accesses {
    /// Nothing.
    pub const NONE: Accesses = Accesses { reads: 0, writes: 0, alone: true, returns: false };
    /// Everything, as far as is known.
    pub const ALL: Accesses = Accesses { reads: u128::MAX, writes: u128::MAX, alone: false, returns: false };

    /// The bit of a cell.
    pub fn bit(cell: usize) -> u128 {
        1 << (cell % 128)
    }

    /// Whether the order of the two may matter: one writes what the other touches.
    #[inline]
    pub fn conflicts(&self, other: &Accesses) -> bool {
        self.writes & (other.reads | other.writes) | self.reads & other.writes != 0
    }

    /// Both together.
    #[inline]
    pub fn and(&self, other: &Accesses) -> Accesses {
        Accesses {
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
            alone: self.alone && other.alone,
            returns: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_reads_conflicts_with_writers_alone() {
        let read = Accesses { reads: 1, writes: 0, alone: false, returns: false };
        let write = Accesses { reads: 0, writes: 1, alone: false, returns: false };
        let both = read.and(&write);
        assert!(!read.conflicts(&read) && read.conflicts(&write) && write.conflicts(&write));
        assert!(both.conflicts(&read) && read.conflicts(&both) && !both.conflicts(&Accesses::NONE));
        assert_eq!(Accesses::bit(3), Accesses::bit(131));
    }
}
