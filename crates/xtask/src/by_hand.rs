//! The counter of `peers/spin/counter.tl` explored by a program written for it alone: what an engine can hope for.
//!
//! A state is a word: the counter in three bits, each process in five. Words stand in the order in which they are found,
//! and in a table with open addressing; no property is looked at, and no counterexample could be told.

/// The largest value of the counter.
const SIZE: u64 = 4;
const COUNTER: u32 = 3;
const PROCESS: u32 = 5;

/// Where a process stands. What it has read, or returns, is added.
const IDLE: u64 = 0;
const PUSH: u64 = 1;
const POP: u64 = 2;
const FULL: u64 = 3;
const EMPTY: u64 = 4;
/// From 0.
const PUSHING: u64 = 5;
/// From 1, as all that follow.
const PUSHED: u64 = PUSHING + SIZE - 1;
const POPPING: u64 = PUSHED + SIZE;
const POPPED: u64 = POPPING + SIZE;

/// States, transitions, and bytes in use at the end.
pub fn counter(processes: u32) -> (u64, u64, u64) {
    let mut table = Table { slots: vec![0; 1 << 10], words: Vec::new() };
    table.add(0);
    let (mut next, mut transitions) = (0, 0);
    while next < table.words.len() {
        let word = table.words[next];
        next += 1;
        let counter = word & ((1 << COUNTER) - 1);
        for at in (0..processes).map(|process| COUNTER + PROCESS * process) {
            let local = word >> at & ((1 << PROCESS) - 1);
            let mut to = |counter: u64, local: u64| {
                transitions += 1;
                let cleared = word >> COUNTER << COUNTER & !(((1 << PROCESS) - 1) << at);
                table.add(cleared | counter | local << at);
            };
            match local {
                IDLE => {
                    to(counter, PUSH);
                    to(counter, POP);
                }
                PUSH if counter == SIZE => to(counter, FULL),
                PUSH => to(counter, PUSHING + counter),
                POP if counter == 0 => to(counter, EMPTY),
                POP => to(counter, POPPING + counter),
                PUSHING..=PUSHED if local == PUSHING + counter => to(counter + 1, PUSHED + counter + 1),
                PUSHING..=PUSHED => to(counter, PUSH),
                local if local <= POPPING || local > POPPED => to(counter, IDLE),
                local if local == POPPING + counter => to(counter - 1, POPPED + counter),
                _ => to(counter, POP),
            }
        }
    }
    let bytes = 8 * (table.slots.len() + table.words.capacity()) as u64;
    (table.words.len() as u64, transitions, bytes)
}

/// Words in the order in which they were found.
struct Table {
    /// A word plus one; 0 is empty.
    slots: Vec<u64>,
    words: Vec<u64>,
}

impl Table {
    #[inline]
    fn add(&mut self, word: u64) {
        let at = self.place(word);
        if self.slots[at] != 0 {
            return;
        }
        self.slots[at] = word + 1;
        self.words.push(word);
        if self.words.len() * 2 > self.slots.len() {
            self.slots = vec![0; 2 * self.slots.len()];
            for word in 0..self.words.len() {
                let word = self.words[word];
                let at = self.place(word);
                self.slots[at] = word + 1;
            }
        }
    }

    /// Where a word is, or belongs.
    #[inline]
    fn place(&self, word: u64) -> usize {
        let mask = self.slots.len() - 1;
        let product = word.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut at = (product ^ product >> 32) as usize & mask;
        while self.slots[at] != 0 && self.slots[at] != word + 1 {
            at = (at + 1) & mask;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_program_by_hand_finds_the_states_of_the_counter() {
        let (states, transitions, _) = super::counter(4);
        assert_eq!((states, transitions), (755_907, 3_208_848));
    }
}
