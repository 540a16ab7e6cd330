//! Writing systems: Aldebaran `.aut`, JSON lines and DOT.

use crate::system::{LabelId, Lts};
use std::io::{Error, ErrorKind, Result, Write};

/// Writes Aldebaran text; tau is written as `tau`, every label in quotation marks.
///
/// Fails when a label cannot be told apart on reading: one with a line break, or a visible one
/// named like `tau`.
///
/// ```
/// use trueline_base::{Limits, Meter, Silent};
/// use trueline_lts::{read, write};
///
/// let text = "des (0, 2, 2)\n(0, \"tau\", 1)\n(1, \"a\", 0)\n";
/// let meter = Meter::start(Limits::default());
/// let lts = read::aut(text.as_bytes(), &read::Options::default(), &meter, &mut Silent).unwrap();
/// let mut out = Vec::new();
/// write::aut(&lts, "tau", &mut out).unwrap();
/// assert_eq!(String::from_utf8(out).unwrap(), text);
/// ```
pub fn aut(lts: &Lts, tau: &str, out: &mut impl Write) -> Result<()> {
    if lts.labels().find(tau).is_some() {
        let why = format!("a visible label is named `{tau}`, which is the name for tau here");
        return Err(Error::new(ErrorKind::InvalidInput, why));
    }
    let name = |label: LabelId| if label == LabelId::TAU { tau } else { lts.labels().name(label) };
    if lts.labels().iter().any(|(id, _)| name(id).contains(['\n', '\r'])) {
        return Err(Error::new(ErrorKind::InvalidInput, "a label contains a line break"));
    }
    writeln!(out, "des ({}, {}, {})", lts.initial().0, lts.transitions(), lts.states())?;
    for (s, m) in lts.iter() {
        writeln!(out, "({}, \"{}\", {})", s.0, name(m.label()), m.target().0)?;
    }
    Ok(())
}

/// Writes JSON lines as [`crate::read::jsonl`] reads them.
pub fn jsonl(lts: &Lts, out: &mut impl Write) -> Result<()> {
    let (initial, states, transitions) = (lts.initial().0, lts.states(), lts.transitions());
    writeln!(out, r#"{{"initial":{initial},"states":{states},"transitions":{transitions}}}"#)?;
    let quoted: Vec<String> = lts
        .labels()
        .iter()
        .map(|(id, name)| match id {
            LabelId::TAU => "null".to_string(),
            _ => serde_json::Value::from(name).to_string(),
        })
        .collect();
    for (s, m) in lts.iter() {
        let label = &quoted[m.label().index()];
        writeln!(out, r#"{{"from":{},"label":{label},"to":{}}}"#, s.0, m.target().0)?;
    }
    Ok(())
}

/// Writes a graph for Graphviz; the initial state has a thick border and an arrow from nowhere,
/// tau steps are dashed.
pub fn dot(lts: &Lts, out: &mut impl Write) -> Result<()> {
    writeln!(out, "digraph lts {{")?;
    writeln!(out, "  rankdir=TB; node [shape=circle, fontsize=10]; edge [fontsize=10];")?;
    writeln!(out, "  start [shape=none, label=\"\"]; start -> {};", lts.initial().0)?;
    for s in lts.state_ids() {
        let bold = if s == lts.initial() { " [penwidth=2]" } else { "" };
        writeln!(out, "  {}{bold};", s.0)?;
    }
    for (s, m) in lts.iter() {
        let style = if m.is_tau() { ", style=dashed" } else { "" };
        let name = lts.labels().name(m.label()).replace('\\', "\\\\").replace('"', "\\\"");
        let name = name.replace('\n', "\\n").replace('\r', "");
        writeln!(out, "  {} -> {} [label=\"{name}\"{style}];", s.0, m.target().0)?;
    }
    writeln!(out, "}}")
}
