//! Cells of a global part, read where they are encoded.

use crate::canonical::bytes::Reader;
use crate::machine::state::{Cell, SHARED};
use trueline_lang::ir::Module;

/// Where cells are in a global part: found as they are asked for.
#[derive(Default)]
pub(super) struct Places {
    /// Where each cell begins and ends, those of shared memory first.
    pub ends: Vec<(u32, u32)>,
    /// The first cell of each struct.
    firsts: Vec<u32>,
}

/// A global part without limbo and links.
pub(super) struct GlobalCells<'b> {
    pub reader: Reader<'b>,
    module: &'b Module,
    /// How many there are.
    pub structs: u32,
    /// Where the first cell begins.
    pub first: usize,
    pub places: &'b mut Places,
}

impl<'b> GlobalCells<'b> {
    /// None where there is limbo.
    pub fn new(global: &'b [u8], module: &'b Module, places: &'b mut Places) -> Option<GlobalCells<'b>> {
        places.ends.clear();
        places.firsts.clear();
        let mut reader = Reader::new(global);
        let structs = reader.number();
        let limbo = reader.number();
        let first = reader.at();
        (limbo == 0).then_some(GlobalCells { reader, module, structs, first, places })
    }

    fn pass(&mut self) {
        let start = self.reader.at() as u32;
        self.reader.skip();
        self.places.ends.push((start, self.reader.at() as u32));
    }

    /// The number of a cell among all.
    pub fn number(&mut self, cell: &Cell) -> usize {
        let shared = self.module.shared.len();
        if cell.address == SHARED {
            while self.places.ends.len() <= cell.index as usize {
                self.pass();
            }
            return cell.index as usize;
        }
        while self.places.ends.len() < shared {
            self.pass();
        }
        while self.places.firsts.len() <= cell.address as usize {
            self.places.firsts.push(self.places.ends.len() as u32);
            let kind = self.reader.number() >> 2;
            (0..self.module.structs[kind as usize].cells.len()).for_each(|_| self.pass());
        }
        (self.places.firsts[cell.address as usize] + cell.index) as usize
    }

    /// What a cell holds, as a number; none where that takes too many bytes.
    pub fn answer(&mut self, cell: &Cell) -> Option<u64> {
        let at = self.number(cell);
        let (start, end) = self.places.ends[at];
        let held = &self.reader.bytes()[start as usize..end as usize];
        let first = held.len() as u64;
        (held.len() < 8).then(|| held.iter().fold(first, |all, byte| all << 8 | *byte as u64))
    }
}
