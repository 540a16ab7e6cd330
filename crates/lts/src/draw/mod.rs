//! A system as a picture: layers from the initial state down, as a standalone SVG.
//!
//! Sugiyama, Tagawa and Toda, IEEE Trans. SMC 11(2), 1981: layers by distance, few crossings by
//! barycentres, then smooth edges. Parallel transitions share one edge with all their labels.
//! Nothing is random: equal systems give equal pictures. For at most a few hundred states.

use crate::system::{Lts, StateId};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Pictures of more states than this are not drawn.
pub const MOST_STATES: usize = 1000;

const RADIUS: f64 = 14.0;
const CHARACTER: f64 = 6.2;
const SWEEPS: usize = 12;

/// Too many states for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// How many there are.
    pub states: usize,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} states are too many for a picture; at most {MOST_STATES} are drawn", self.states)
    }
}

impl std::error::Error for TooLarge {}

/// An arrow with everything that it stands for.
struct Edge {
    from: usize,
    to: usize,
    text: String,
    silent: bool,
}

/// Draws a system. Unreachable states are drawn below the others.
pub fn svg(lts: &Lts) -> Result<String, TooLarge> {
    if lts.states() > MOST_STATES {
        return Err(TooLarge { states: lts.states() });
    }
    let edges = edges(lts);
    let layers = layers(lts);
    let order = untangle(lts, layers);
    Ok(Picture::new(lts, &order, &edges).render(lts, &edges))
}

fn edges(lts: &Lts) -> Vec<Edge> {
    let mut together: BTreeMap<(usize, usize), Vec<(u32, &str)>> = BTreeMap::new();
    for (s, m) in lts.iter() {
        let names = together.entry((s.index(), m.target().index())).or_default();
        names.push((m.label().0, lts.labels().name(m.label())));
    }
    let edge = |((from, to), mut names): ((usize, usize), Vec<(u32, &str)>)| {
        names.sort_unstable();
        names.dedup();
        let silent = names.iter().all(|n| n.0 == 0);
        let shown: Vec<String> = names.iter().take(3).map(|n| shorten(n.1)).collect();
        let more = names.len() - shown.len();
        let text = if more > 0 { format!("{}, +{more}", shown.join(", ")) } else { shown.join(", ") };
        Edge { from, to, text, silent }
    };
    together.into_iter().map(edge).collect()
}

fn shorten(name: &str) -> String {
    if name.chars().count() <= 28 {
        return name.to_string();
    }
    name.chars().take(27).chain(['…']).collect()
}

/// States by distance from the initial state; unreachable ones in further layers at the end.
fn layers(lts: &Lts) -> Vec<Vec<usize>> {
    let mut layer_of: Vec<Option<usize>> = vec![None; lts.states()];
    let mut layers: Vec<Vec<usize>> = Vec::new();
    let initial = lts.initial().index();
    for root in std::iter::once(initial).chain(0..lts.states()) {
        if layer_of[root].is_some() {
            continue;
        }
        let top = layers.len();
        let mut now = vec![root];
        layer_of[root] = Some(top);
        while !now.is_empty() {
            let mut next = Vec::new();
            for &s in &now {
                for m in lts.moves(StateId(s as u32)) {
                    let slot = &mut layer_of[m.target().index()];
                    if slot.is_none() {
                        *slot = Some(layers.len() + 1);
                        next.push(m.target().index());
                    }
                }
            }
            layers.push(std::mem::replace(&mut now, next));
        }
    }
    layers
}

/// Orders each layer by the mean place of its neighbours, down and up, a few times.
fn untangle(lts: &Lts, mut layers: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); lts.states()];
    let mut layer_of = vec![0; lts.states()];
    for (i, layer) in layers.iter().enumerate() {
        layer.iter().for_each(|&s| layer_of[s] = i);
    }
    for (s, m) in lts.iter() {
        let (s, t) = (s.index(), m.target().index());
        if layer_of[s] != layer_of[t] {
            neighbours[s].push(t);
            neighbours[t].push(s);
        }
    }
    let mut place = vec![0.0; lts.states()];
    let spread = |layer: &[usize], place: &mut [f64]| {
        for (i, &s) in layer.iter().enumerate() {
            place[s] = (i as f64 + 0.5) / layer.len() as f64;
        }
    };
    layers.iter().for_each(|layer| spread(layer, &mut place));
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let order: Vec<usize> =
            if down { (0..layers.len()).collect() } else { (0..layers.len()).rev().collect() };
        for i in order {
            let weight = |s: usize| {
                let near = neighbours[s].iter().filter(|&&t| (layer_of[t] < i) == down);
                let (sum, count) = near.fold((0.0, 0), |(sum, count), &t| (sum + place[t], count + 1));
                if count == 0 { place[s] } else { sum / f64::from(count) }
            };
            let mut keyed: Vec<(f64, usize)> = layers[i].iter().map(|&s| (weight(s), s)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            layers[i] = keyed.into_iter().map(|k| k.1).collect();
            spread(&layers[i], &mut place);
        }
    }
    layers
}

/// Where everything is.
struct Picture {
    at: Vec<(f64, f64)>,
    width: f64,
    height: f64,
}

impl Picture {
    fn new(lts: &Lts, layers: &[Vec<usize>], edges: &[Edge]) -> Picture {
        let longest = edges.iter().map(|e| e.text.chars().count()).max().unwrap_or(0) as f64;
        let column = (longest * CHARACTER * 0.7 + 40.0).clamp(80.0, 200.0);
        let widest = layers.iter().map(Vec::len).max().unwrap_or(1) as f64;
        let margin = 60.0 + longest * CHARACTER / 2.0;
        let width = (widest - 1.0) * column + 2.0 * margin;
        let mut at = vec![(0.0, 0.0); lts.states()];
        let row = 90.0;
        for (i, layer) in layers.iter().enumerate() {
            let free = (widest - layer.len() as f64) * column / 2.0;
            for (j, &s) in layer.iter().enumerate() {
                // Neighbouring layers are shifted a little so that straight edges miss the states.
                let shift = if layers.len() > 2 && i % 2 == 1 { column * 0.15 } else { 0.0 };
                at[s] = (margin + free + j as f64 * column + shift, 60.0 + i as f64 * row);
            }
        }
        let height = 60.0 + (layers.len() as f64 - 1.0) * row + 60.0;
        Picture { at, width: width + column * 0.2, height }
    }

    fn render(&self, lts: &Lts, edges: &[Edge]) -> String {
        let mut out = String::new();
        let (w, h) = (self.width, self.height);
        let _ = writeln!(
            out,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0} {h:.0}" width="{w:.0}" height="{h:.0}" font-family="sans-serif" font-size="11">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#444"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>"##
        );
        let initial = self.at[lts.initial().index()];
        let _ = writeln!(
            out,
            r##"<path d="M{:.1} {:.1}L{:.1} {:.1}" stroke="#444" fill="none" marker-end="url(#tip)"/>"##,
            initial.0 - 34.0,
            initial.1 - 34.0,
            initial.0 - RADIUS * 0.75,
            initial.1 - RADIUS * 0.75
        );
        let mut texts = String::new();
        for edge in edges {
            let (path, middle) = self.curve(edge, edges);
            let dash = if edge.silent { r#" stroke-dasharray="4 3""# } else { "" };
            let _ = writeln!(
                out,
                r##"<path d="{path}" stroke="#444" fill="none" marker-end="url(#tip)"{dash}/>"##
            );
            let _ = writeln!(
                texts,
                r##"<text x="{:.1}" y="{:.1}" text-anchor="middle" stroke="#fff" stroke-width="4" paint-order="stroke" fill="{}">{}</text>"##,
                middle.0,
                middle.1,
                if edge.silent { "#888" } else { "#123a7a" },
                escape(&edge.text)
            );
        }
        for (s, (x, y)) in self.at.iter().enumerate() {
            let bold = s == lts.initial().index();
            let (fill, stroke) = if bold { ("#e8f0fe", 2.5) } else { ("#fff", 1.0) };
            let _ = writeln!(
                out,
                r##"<circle cx="{x:.1}" cy="{y:.1}" r="{RADIUS}" fill="{fill}" stroke="#222" stroke-width="{stroke}"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{s}</text>"##,
                y + 4.0
            );
        }
        out + &texts + "</svg>\n"
    }

    /// The path of an edge and the place of its label.
    fn curve(&self, edge: &Edge, edges: &[Edge]) -> (String, (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (self.at[edge.from], self.at[edge.to]);
        if edge.from == edge.to {
            let (x, y) = (x1 + RADIUS * 0.8, y1);
            let path = format!(
                "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
                x,
                y - 8.0,
                x + 34.0,
                y - 30.0,
                x + 34.0,
                y + 30.0,
                x + 1.0,
                y + 9.0
            );
            return (path, (x + 28.0, y - 16.0));
        }
        let (dx, dy) = (x2 - x1, y2 - y1);
        let length = dx.hypot(dy).max(1.0);
        // Bend to the right of the direction when there is an edge back, when the edge goes up, or
        // when it would run through the states of its own or a skipped layer.
        let back = edges.binary_search_by_key(&(edge.to, edge.from), |e| (e.from, e.to)).is_ok();
        let bend = match () {
            _ if dy < 0.0 => 0.25 * length + 14.0,
            _ if dy == 0.0 || dy > 100.0 => 0.2 * length + 10.0,
            _ if back => 16.0,
            _ => 0.0,
        };
        let (nx, ny) = (-dy / length, dx / length);
        let (cx, cy) = ((x1 + x2) / 2.0 + nx * bend, (y1 + y2) / 2.0 + ny * bend);
        let toward = |(x, y): (f64, f64), distance: f64| {
            let d = (cx - x).hypot(cy - y).max(1.0);
            (x + (cx - x) / d * distance, y + (cy - y) / d * distance)
        };
        let (start, end) = (toward((x1, y1), RADIUS), toward((x2, y2), RADIUS + 1.0));
        let path = format!("M{:.1} {:.1}Q{cx:.1} {cy:.1} {:.1} {:.1}", start.0, start.1, end.0, end.1);
        // A label sits a little before the middle, where fewer edges meet.
        let t = 0.45;
        let on = |a: f64, c: f64, b: f64| (1.0 - t) * (1.0 - t) * a + 2.0 * t * (1.0 - t) * c + t * t * b;
        (path, (on(start.0, cx, end.0), on(start.1, cy, end.1) + 3.5))
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn draws_every_state_and_edge_once() {
        let lts = sample::random_small(7, 12);
        let picture = svg(&lts).unwrap();
        assert_eq!(picture.matches("<circle").count(), lts.states());
        assert_eq!(picture.matches("stroke-width=\"4\"").count(), edges(&lts).len());
        assert_eq!(picture, svg(&lts).unwrap());
    }

    #[test]
    fn labels_are_escaped() {
        assert_eq!(escape("a<b>&\u{7}"), "a&lt;b&gt;&amp; ");
    }

    #[test]
    fn refuses_what_nobody_could_read() {
        assert_eq!(svg(&sample::choices(7)), Err(TooLarge { states: 2187 }));
    }
}
