//! Where everything of a picture stands: layers, their order, coordinates.
//!
//! Sugiyama, Tagawa and Toda, IEEE Trans. SMC 11(2), 1981. States stand in rows; between two rows
//! stand the labels of the edges that leave the upper one, each with room of its own, so that no
//! label covers another or a state. Edges over several rows keep a place free in each of them.
//! Rows: longest paths when there is no cycle, so that all edges lead down; else distances from
//! the initial state. Order: barycentres. Coordinates: as near to the neighbours as the order and
//! the room of each thing allow (least squares under order, by pooling adjacent violators).

use super::Edge;
use crate::system::{Lts, StateId};

/// The radius of a state.
pub(super) const RADIUS: f64 = 14.0;
/// The height of a line of text.
pub(super) const LINE: f64 = 13.0;
const CHARACTER: f64 = 6.3;
const GAP: f64 = 14.0;
const MARGIN: f64 = 50.0;
const SWEEPS: usize = 24;

/// A thing with a place: its middle, and how far it reaches to the left and to the right.
pub(super) struct Thing {
    rank: usize,
    left: f64,
    right: f64,
    pub(super) x: f64,
    pub(super) y: f64,
    up: Vec<usize>,
    down: Vec<usize>,
}

impl Thing {
    /// How far it reaches to the right.
    pub(super) fn reach(&self) -> f64 {
        self.right
    }
}

/// Everything with its place.
pub(super) struct Layout {
    /// States first, by number, then labels and bends.
    pub(super) things: Vec<Thing>,
    /// For each edge the things that it passes, its label first, from the upper end down; empty for
    /// a loop.
    pub(super) chains: Vec<Vec<usize>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Layout {
    pub(super) fn new(lts: &Lts, edges: &[Edge]) -> Layout {
        let layer = layers(lts);
        let mut things: Vec<Thing> = layer.iter().map(|&l| thing(2 * l, RADIUS)).collect();
        let mut chains = Vec::new();
        for edge in edges {
            let half = text_width(edge) / 2.0;
            if edge.from == edge.to {
                things[edge.from].right = RADIUS + 30.0 + 2.0 * half;
                chains.push(Vec::new());
                continue;
            }
            let (upper, lower) =
                if layer[edge.from] <= layer[edge.to] { (edge.from, edge.to) } else { (edge.to, edge.from) };
            let mut chain = Vec::new();
            let mut before = upper;
            for rank in 2 * layer[upper] + 1..(2 * layer[lower]).max(2 * layer[upper] + 2) {
                let width = if chain.is_empty() { half } else { 3.0 };
                let here = things.len();
                things.push(thing(rank, width));
                things[here].up.push(before);
                things[before].down.push(here);
                chain.push(here);
                before = here;
            }
            // An edge within a row hangs below it.
            if layer[upper] == layer[lower] {
                things[before].up.push(lower);
                things[lower].down.push(before);
            } else {
                things[before].down.push(lower);
                things[lower].up.push(before);
            }
            chains.push(chain);
        }
        let mut ranks: Vec<Vec<usize>> = Vec::new();
        for (i, thing) in things.iter().enumerate() {
            ranks.resize_with(ranks.len().max(thing.rank + 1), Vec::new);
            ranks[thing.rank].push(i);
        }
        let mut layout = Layout { things, chains, width: 0.0, height: 0.0 };
        layout.order(&mut ranks);
        layout.place(&ranks);
        layout.set_heights(&ranks, edges);
        layout
    }

    fn mean(&self, of: &[usize], otherwise: f64) -> f64 {
        let sum: f64 = of.iter().map(|&i| self.things[i].x).sum();
        if of.is_empty() { otherwise } else { sum / of.len() as f64 }
    }

    /// Orders each rank by the mean place of its neighbours, down and up, a few times.
    fn order(&mut self, ranks: &mut [Vec<usize>]) {
        for rank in ranks.iter() {
            self.number(rank);
        }
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            for i in 0..ranks.len() {
                let i = if down { i } else { ranks.len() - 1 - i };
                let weight = |t: usize| {
                    let thing = &self.things[t];
                    self.mean(if down { &thing.up } else { &thing.down }, thing.x)
                };
                let mut keyed: Vec<(f64, usize)> = ranks[i].iter().map(|&t| (weight(t), t)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                ranks[i] = keyed.into_iter().map(|k| k.1).collect();
                self.number(&ranks[i]);
            }
        }
    }

    fn number(&mut self, rank: &[usize]) {
        for (i, &t) in rank.iter().enumerate() {
            self.things[t].x = (i as f64 + 0.5) / rank.len() as f64;
        }
    }

    /// Places each rank as near to its neighbours as the order allows, down and up, a few times.
    fn place(&mut self, ranks: &[Vec<usize>]) {
        for rank in ranks {
            self.settle(rank, |_, _| 0.0);
        }
        for sweep in 0..2 * SWEEPS {
            let down = sweep % 2 == 0;
            for i in 0..ranks.len() {
                let i = if down { i } else { ranks.len() - 1 - i };
                self.settle(&ranks[i], |layout, t| {
                    let thing = &layout.things[t];
                    let (up, down_there) =
                        (layout.mean(&thing.up, thing.x), layout.mean(&thing.down, thing.x));
                    match (thing.up.is_empty(), thing.down.is_empty()) {
                        (false, false) => (up + down_there) / 2.0,
                        (true, _) => down_there,
                        (_, true) => up,
                    }
                });
            }
        }
        let left = self.things.iter().map(|t| t.x - t.left).fold(f64::INFINITY, f64::min);
        for thing in &mut self.things {
            thing.x += MARGIN - left;
        }
        let right = self.things.iter().map(|t| t.x + t.right).fold(0.0, f64::max);
        self.width = right + MARGIN;
    }

    /// Moves the things of one rank to where they want to be, in their order and without overlap,
    /// so that the sum of squared distances is least.
    fn settle(&mut self, rank: &[usize], wanted: impl Fn(&Layout, usize) -> f64) {
        // With the room to the left taken off, places need only ascend; pools share their mean.
        let mut pools: Vec<(f64, usize)> = Vec::new();
        let mut room = Vec::with_capacity(rank.len());
        let mut sum = 0.0;
        for (i, &t) in rank.iter().enumerate() {
            if i > 0 {
                sum += self.things[rank[i - 1]].right + GAP + self.things[t].left;
            }
            room.push(sum);
            let mut pool = (wanted(self, t) - sum, 1);
            while let Some(&(place, count)) = pools.last().filter(|last| last.0 > pool.0) {
                pool = (
                    (pool.0 * pool.1 as f64 + place * count as f64) / (pool.1 + count) as f64,
                    pool.1 + count,
                );
                pools.pop();
            }
            pools.push(pool);
        }
        let places = pools.iter().flat_map(|&(place, count)| std::iter::repeat_n(place, count));
        for ((&t, place), room) in rank.iter().zip(places).zip(room) {
            self.things[t].x = place + room;
        }
    }

    fn set_heights(&mut self, ranks: &[Vec<usize>], edges: &[Edge]) {
        let mut lines = vec![0usize; ranks.len()];
        for (edge, chain) in edges.iter().zip(&self.chains) {
            if let Some(&label) = chain.first() {
                let rank = self.things[label].rank;
                lines[rank] = lines[rank].max(edge.lines.len());
            }
        }
        let mut y = MARGIN;
        for (i, rank) in ranks.iter().enumerate() {
            // Edges that go far aside need height to be told apart.
            let aside = |&t: &usize| {
                let thing = &self.things[t];
                let ends = thing.up.iter().chain(&thing.down);
                ends.map(|&end| (self.things[end].x - thing.x).abs()).fold(0.0, f64::max)
            };
            let farthest = rank.iter().map(aside).fold(0.0, f64::max);
            let half = match i % 2 {
                0 => RADIUS + 4.0,
                _ => lines[i] as f64 * LINE / 2.0 + 18.0 + (farthest * 0.06).min(45.0),
            };
            y += half;
            for &t in rank {
                self.things[t].y = y;
            }
            y += half;
        }
        self.height = y + MARGIN / 2.0;
    }
}

fn thing(rank: usize, half: f64) -> Thing {
    Thing { rank, left: half, right: half, x: 0.0, y: 0.0, up: Vec::new(), down: Vec::new() }
}

fn text_width(edge: &Edge) -> f64 {
    edge.lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as f64 * CHARACTER
}

/// The row of each state; states that the initial one does not reach stand below the others.
fn layers(lts: &Lts) -> Vec<usize> {
    let reached = distances(lts, lts.initial(), 0, vec![None; lts.states()]);
    let mut layer = longest_paths(lts, &reached).unwrap_or(reached);
    for root in lts.state_ids() {
        if layer[root.index()].is_none() {
            let below = layer.iter().flatten().max().map_or(0, |&last| last + 1);
            layer = distances(lts, root, below, layer);
        }
    }
    layer.into_iter().map(|l| l.unwrap_or(0)).collect()
}

/// Gives every state without a row that `root` reaches its distance, counted from `top`.
fn distances(lts: &Lts, root: StateId, top: usize, mut layer: Vec<Option<usize>>) -> Vec<Option<usize>> {
    layer[root.index()] = Some(top);
    let mut queue = std::collections::VecDeque::from([(root, top)]);
    while let Some((s, at)) = queue.pop_front() {
        for m in lts.moves(s) {
            let slot = &mut layer[m.target().index()];
            if slot.is_none() {
                *slot = Some(at + 1);
                queue.push_back((m.target(), at + 1));
            }
        }
    }
    layer
}

/// The longest path to each state that is reached; none when there is a cycle other than a loop.
fn longest_paths(lts: &Lts, reached: &[Option<usize>]) -> Option<Vec<Option<usize>>> {
    let part = || lts.iter().filter(|(s, m)| reached[s.index()].is_some() && *s != m.target());
    let mut waits = vec![0; lts.states()];
    part().for_each(|(_, m)| waits[m.target().index()] += 1);
    let mut longest = vec![None; lts.states()];
    let mut open = Vec::new();
    if waits[lts.initial().index()] == 0 {
        longest[lts.initial().index()] = Some(0);
        open.push(lts.initial());
    }
    let mut done = 0;
    while let Some(s) = open.pop() {
        done += 1;
        for m in lts.moves(s).iter().filter(|m| m.target() != s) {
            let t = m.target().index();
            longest[t] = longest[t].max(longest[s.index()].map(|l: usize| l + 1));
            waits[t] -= 1;
            if waits[t] == 0 {
                open.push(m.target());
            }
        }
    }
    (done == reached.iter().flatten().count()).then_some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::edges;
    use crate::sample;

    /// Things of one rank keep apart, whatever the system.
    #[test]
    fn nothing_covers_anything() {
        for seed in 0..200 {
            let lts = sample::random_small(seed, 30);
            let edges = edges(&lts);
            let layout = Layout::new(&lts, &edges);
            for (i, a) in layout.things.iter().enumerate() {
                for b in layout.things[..i].iter().filter(|b| b.rank == a.rank) {
                    let apart = (a.x - a.left).max(b.x - b.left) - (a.x + a.right).min(b.x + b.right);
                    assert!(apart > GAP - 0.01, "seed {seed}: {apart}");
                }
                assert!(a.x - a.left >= MARGIN - 0.01 && a.x + a.right <= layout.width, "seed {seed}");
            }
        }
    }

    #[test]
    fn edges_lead_down_when_there_is_no_cycle() {
        let lts = sample::random_large(3, 40, 160, 100, 1, true);
        let (part, _) = lts.reachable();
        assert!(part.states() > 10);
        let layer = layers(&part);
        assert!(part.iter().all(|(s, m)| s == m.target() || layer[s.index()] < layer[m.target().index()]));
        assert_eq!(layer[part.initial().index()], 0);
    }
}
