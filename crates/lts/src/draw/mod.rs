//! A system as a picture: layers from the initial state down, as a standalone SVG.
//!
//! Transitions between the same two states share one edge with all their labels, one per line.
//! Nothing is random: equal systems give equal pictures. For at most a few hundred states.

mod layout;

use crate::system::Lts;
use layout::{LINE, Layout, RADIUS};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Pictures of more states than this are not drawn.
pub const MOST_STATES: usize = 1000;

/// A larger picture fits itself to the window, and can be zoomed and searched there.
const LARGE: usize = 60;

/// An edge with more labels says how many are left out.
const MOST_LINES: usize = 4;

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
    lines: Vec<String>,
    silent: bool,
}

/// Draws a system. Unreachable states are drawn below the others.
pub fn svg(lts: &Lts) -> Result<String, TooLarge> {
    if lts.states() > MOST_STATES {
        return Err(TooLarge { states: lts.states() });
    }
    let edges = edges(lts);
    Ok(render(lts, &edges, &Layout::new(lts, &edges)))
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
        let most = if names.len() > MOST_LINES { MOST_LINES - 1 } else { names.len() };
        let mut lines: Vec<String> = names.iter().take(most).map(|n| shorten(n.1)).collect();
        if names.len() > most {
            lines.push(format!("{} more", names.len() - most));
        }
        Edge { from, to, lines, silent }
    };
    together.into_iter().map(edge).collect()
}

fn shorten(name: &str) -> String {
    if name.chars().count() <= 28 {
        return name.to_string();
    }
    name.chars().take(27).chain(['…']).collect()
}

fn render(lts: &Lts, edges: &[Edge], layout: &Layout) -> String {
    let mut out = String::new();
    let (w, h) = (layout.width, layout.height);
    let large = lts.states() > LARGE;
    let size = match large {
        true => r#"width="100%" height="100%""#.to_string(),
        false => format!(r#"width="{w:.0}" height="{h:.0}""#),
    };
    let _ = writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0} {h:.0}" {size} font-family="sans-serif" font-size="11">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#444"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>"##
    );
    let initial = &layout.things[lts.initial().index()];
    let _ = writeln!(
        out,
        r##"<path d="M{:.1} {:.1}L{:.1} {:.1}" stroke="#444" fill="none" marker-end="url(#tip)"/>"##,
        initial.x - 34.0,
        initial.y - 34.0,
        initial.x - RADIUS * 0.75,
        initial.y - RADIUS * 0.75
    );
    let mut texts = String::new();
    for (edge, chain) in edges.iter().zip(&layout.chains) {
        let (path, middle) = curve(edge, chain, layout);
        let dash = if edge.silent { r#" stroke-dasharray="4 3""# } else { "" };
        let _ =
            writeln!(out, r##"<path d="{path}" stroke="#444" fill="none" marker-end="url(#tip)"{dash}/>"##);
        let _ = write!(
            texts,
            r##"<text text-anchor="middle" stroke="#fff" stroke-width="4" paint-order="stroke" fill="{}">"##,
            if edge.silent { "#777" } else { "#123a7a" },
        );
        for (i, line) in edge.lines.iter().enumerate() {
            let y = middle.1 + 3.5 + LINE * (i as f64 - (edge.lines.len() as f64 - 1.0) / 2.0);
            let _ = write!(texts, r#"<tspan x="{:.1}" y="{y:.1}">{}</tspan>"#, middle.0, escape(line));
        }
        texts += "</text>\n";
    }
    for (s, thing) in layout.things[..lts.states()].iter().enumerate() {
        let bold = s == lts.initial().index();
        let (fill, stroke) = if bold { ("#e8f0fe", 2.5) } else { ("#fff", 1.0) };
        let (x, y) = (thing.x, thing.y);
        let _ = writeln!(
            out,
            r##"<circle cx="{x:.1}" cy="{y:.1}" r="{RADIUS}" fill="{fill}" stroke="#222" stroke-width="{stroke}"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{s}</text>"##,
            y + 4.0
        );
    }
    if large {
        texts += &format!("<script><![CDATA[\n{}]]></script>\n", include_str!("zoom.js"));
    }
    out + &texts + "</svg>\n"
}

type Point = (f64, f64);

/// The path of an edge and the place of its label.
fn curve(edge: &Edge, chain: &[usize], layout: &Layout) -> (String, Point) {
    let at = |i: usize| (layout.things[i].x, layout.things[i].y);
    let (from, to) = (at(edge.from), at(edge.to));
    let Some(&label) = chain.first() else {
        let (x, y) = (from.0 + RADIUS * 0.8, from.1);
        let path = format!(
            "M{x:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            y - 8.0,
            x + 34.0,
            y - 28.0,
            x + 34.0,
            y + 28.0,
            x + 1.0,
            y + 9.0
        );
        // Behind the loop, where the layout keeps room.
        let reach = layout.things[edge.from].reach();
        return (path, ((from.0 + RADIUS + 26.0 + from.0 + reach) / 2.0, y));
    };
    let mut points: Vec<Point> = chain.iter().map(|&i| at(i)).collect();
    if from.1 > to.1 {
        points.reverse();
    }
    let start = beside(from, points[0], RADIUS);
    let mut path = format!("M{:.1} {:.1}", start.0, start.1);
    let level = from.1 == to.1;
    let mut now = start;
    // Leaves and enters states straight, passes everything else vertically, or level below a row.
    let mut leave = toward(from, points[0], 0.45);
    for &p in &points {
        let enter = if level { (p.0 - (p.0 - now.0) * 0.4, p.1) } else { (p.0, p.1 - (p.1 - now.1) * 0.4) };
        let _ = write!(
            path,
            "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            leave.0, leave.1, enter.0, enter.1, p.0, p.1
        );
        leave = (2.0 * p.0 - enter.0, 2.0 * p.1 - enter.1);
        now = p;
    }
    let end = beside(to, now, RADIUS + 1.0);
    let enter = toward(to, now, 0.45);
    if level {
        leave = (now.0 + (end.0 - now.0) * 0.4, now.1);
    }
    let _ = write!(
        path,
        "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        leave.0, leave.1, enter.0, enter.1, end.0, end.1
    );
    (path, at(label))
}

/// The point at a distance from `from` on the way to `to`.
fn beside(from: Point, to: Point, distance: f64) -> Point {
    let length = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
    (from.0 + (to.0 - from.0) / length * distance, from.1 + (to.1 - from.1) / length * distance)
}

fn toward(from: Point, to: Point, part: f64) -> Point {
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
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
    fn large_pictures_fit_the_window() {
        let (small, large) = (svg(&sample::choices(2)).unwrap(), svg(&sample::choices(5)).unwrap());
        assert!(!small.contains("<script>") && !small.contains("100%\" height=\"100%\" font"));
        assert!(large.contains("<script>") && large.contains("width=\"100%\" height=\"100%\" font"));
        assert_eq!(large.matches("]]>").count(), 1, "the script stands in one section");
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
