//! Interchangeable data, exchanged together with threads.
//!
//! A symbol is something that parts only store and compare, such as a value that nobody names. The symbols of a class
//! are exchanged as threads of a role are: in an exchange, symbol `i` stands at place `threads + i`. For one order of the
//! threads, symbols are placed by where they occur first, in the global part and then in those of the threads; only
//! those that this does not tell apart are tried, and those that no part holds get the least image of the monitor's
//! state. So no more than ties are ever tried. Preserves: whatever does not name a symbol. Oracle: all permutations, in
//! the tests of the front end.

use crate::map::Map;
use crate::model::Model;
use crate::permute::{Perm, permutations};
use crate::space::{Memo, Node};
use crate::symmetry::{Miss, TRIES};

/// What is remembered of symbols.
#[derive(Default)]
pub(crate) struct Symbols {
    /// The class of each.
    pub classes: Vec<usize>,
    /// Per global and per local part the place of its list.
    globals: Map,
    locals: Map,
    /// Sets of symbols in the order of their first occurrences.
    lists: Vec<Box<[u16]>>,
}

impl Symbols {
    pub fn new(classes: Vec<usize>) -> Symbols {
        Symbols { classes, ..Symbols::default() }
    }

    pub fn bytes(&self) -> u64 {
        self.globals.bytes() + self.locals.bytes() + 24 * self.lists.len() as u64
    }

    /// The order in which symbols occur in a part.
    fn occurring(&self, part: u32, local: bool) -> Result<&[u16], Box<Miss>> {
        let map = if local { &self.locals } else { &self.globals };
        let at = map.get(part as u64).ok_or_else(|| Box::new(Miss::Occurring { part, local }))?;
        Ok(&self.lists[at as usize])
    }

    pub fn knows(&self, part: u32, local: bool) -> bool {
        self.occurring(part, local).is_ok()
    }
}

/// Where symbols stand, given an order of the threads.
struct Arranged {
    by: Perm,
    /// Places of symbols that are not told apart.
    ties: Vec<(usize, usize)>,
    /// A bit for each place whose symbol and the one before it occur in no part.
    rest: u32,
}

impl Memo {
    /// The least of the images under these orders of threads, with symbols placed.
    pub fn placed(&self, node: &Node, orders: &[Perm]) -> Result<Node, Box<Miss>> {
        let mut best: Option<Node> = None;
        let order = |node: &Node| (node.global, node.locals, node.beside);
        for first in orders {
            let Arranged { by, ties, rest } = self.arranged(node, first)?;
            let tries = ties.iter().flat_map(|(from, to)| 1..=to - from);
            let tries = tries.fold(orders.len(), |all, n| all.saturating_mul(n));
            let all = if tries > TRIES { vec![by] } else { permutations(&by, &ties) };
            for by in all {
                let next = match self.exchanged(node, &by)? {
                    Some(next) => Node { beside: self.least_beside(next.beside, rest)?, ..next },
                    None => *node,
                };
                if best.is_none_or(|best| order(&next) < order(&best)) {
                    best = Some(next);
                }
            }
        }
        Ok(best.expect("there is at least one order"))
    }

    fn arranged(&self, node: &Node, first: &Perm) -> Result<Arranged, Box<Miss>> {
        let (threads, classes) = (self.threads, &self.symbols.classes);
        let start = |class: usize| threads + classes.iter().position(|c| *c == class).expect("it is one");
        let mut next: Vec<usize> = classes.iter().map(|class| start(*class)).collect();
        let mut arranged = Arranged { by: *first, ties: Vec::new(), rest: 0 };
        let mut left = ((1u32 << classes.len()) - 1) as u16;
        let mut put = |group: u16, arranged: &mut Arranged, rest: bool| {
            for at in (0..classes.len()).filter(|at| group >> at & 1 == 1) {
                let class = classes[at];
                let head = classes.iter().position(|c| *c == class).expect("it is one");
                let place = next[head];
                next[head] += 1;
                arranged.by[place] = (threads + at) as u8;
                let members = (0..at).filter(|other| group >> other & 1 == 1 && classes[*other] == class);
                let before = members.count();
                match arranged.ties.last_mut() {
                    _ if rest => arranged.rest |= ((before > 0) as u32) << place,
                    Some((_, to)) if before > 0 && *to == place => *to += 1,
                    _ => arranged.ties.push((place, place + 1)),
                }
            }
        };
        let locals = (0..threads).map(|q| (node.locals[first[q] as usize], true));
        for (part, local) in std::iter::once((node.global, false)).chain(locals) {
            for group in self.symbols.occurring(part, local)? {
                put(group & left, &mut arranged, false);
                left &= !group;
            }
        }
        put(left, &mut arranged, true);
        arranged.ties.retain(|(from, to)| to - from > 1);
        Ok(arranged)
    }

    /// Computes in which order symbols occur in a part.
    pub fn fill_occurring<M: Model>(&mut self, model: &mut M, part: u32, local: bool) {
        let bytes = if local { self.locals.get(part) } else { self.globals.get(part) };
        let list = model.occurring(bytes, local);
        let map = if local { &mut self.symbols.locals } else { &mut self.symbols.globals };
        map.set(part as u64, self.symbols.lists.len() as u64);
        self.symbols.lists.push(list.into());
    }
}
