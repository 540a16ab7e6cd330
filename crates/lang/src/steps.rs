//! `show --steps`: the control-flow graph with one node per step, so that a reader sees exactly what interleaves.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{InstrKind, Memory, Module, Op, Pc, Routine};

/// A node of the graph: where a step begins, and where it may end.
struct Node {
    /// What the step does, as written.
    text: String,
    line: u32,
    kind: &'static str,
    next: BTreeSet<Pc>,
}

/// The steps of each operation as text.
pub fn text(module: &Module, source: &str) -> String {
    let mut out = String::new();
    for op in &module.ops {
        let (first, nodes) = graph(module, op, source);
        let names = names(&nodes);
        out += &format!("op {}: {} steps, begins at {}\n", op.name, steps(&nodes), list(&first, &names));
        let width = nodes.values().map(|n| n.text.chars().count()).max().unwrap_or(0).min(60);
        for (pc, node) in &nodes {
            let next = if node.next.is_empty() { "end".into() } else { list(&node.next, &names) };
            let line = format!(
                "  {:>4}  {:>4}  {:<6}  {:width$}  → {next}",
                names[pc], node.line, node.kind, node.text
            );
            out += line.trim_end();
            out.push('\n');
        }
        out.push('\n');
    }
    out.pop();
    out
}

/// The same graph in DOT.
pub fn dot(module: &Module, source: &str) -> String {
    let mut out = format!("digraph {} {{\n  node [shape=box, fontname=monospace];\n", module.name);
    for (i, op) in module.ops.iter().enumerate() {
        let (first, nodes) = graph(module, op, source);
        out += &format!("  subgraph cluster_{i} {{\n    label={:?};\n", format!("op {}", op.name));
        out += &format!("    o{i}_call [label=\"call\", shape=ellipse];\n");
        for (pc, node) in &nodes {
            out += &format!("    o{i}_{pc} [label={:?}];\n", format!("{}: {}", node.line, node.text));
        }
        out += "  }\n";
        for to in &first {
            out += &format!("  o{i}_call -> o{i}_{to};\n");
        }
        for (pc, node) in &nodes {
            for to in &node.next {
                out += &format!("  o{i}_{pc} -> o{i}_{to};\n");
            }
        }
    }
    out + "}\n"
}

fn steps(nodes: &BTreeMap<Pc, Node>) -> usize {
    nodes.values().filter(|n| n.kind != "return").count()
}

fn names(nodes: &BTreeMap<Pc, Node>) -> BTreeMap<Pc, String> {
    nodes.keys().enumerate().map(|(i, pc)| (*pc, (i + 1).to_string())).collect()
}

fn list(pcs: &BTreeSet<Pc>, names: &BTreeMap<Pc, String>) -> String {
    pcs.iter().map(|pc| names[pc].as_str()).collect::<Vec<_>>().join(", ")
}

/// The stops that the call reaches, and the node at every stop.
fn graph(module: &Module, op: &Op, source: &str) -> (BTreeSet<Pc>, BTreeMap<Pc, Node>) {
    let routine = &op.routine;
    let mut first = BTreeSet::new();
    reach(module, routine, 0, &mut BTreeSet::new(), &mut first);
    let mut nodes = BTreeMap::new();
    let mut todo: Vec<Pc> = first.iter().copied().collect();
    while let Some(pc) = todo.pop() {
        if nodes.contains_key(&pc) {
            continue;
        }
        let node = node(module, routine, pc, source);
        todo.extend(&node.next);
        nodes.insert(pc, node);
    }
    (first, nodes)
}

fn node(module: &Module, routine: &Routine, pc: Pc, source: &str) -> Node {
    let instr = &routine.code[pc as usize];
    let text = instr.span.text(source).split_whitespace().collect::<Vec<_>>().join(" ");
    let text =
        if text.chars().count() > 60 { text.chars().take(57).chain("...".chars()).collect() } else { text };
    let kind = kind(&instr.kind);
    let mut next = BTreeSet::new();
    match &instr.kind {
        InstrKind::Return(_) => {}
        InstrKind::Enter => {
            let mut ends = BTreeSet::new();
            leave(routine, pc + 1, &mut BTreeSet::new(), &mut ends);
            for end in ends {
                reach(module, routine, end, &mut BTreeSet::new(), &mut next);
            }
        }
        InstrKind::Choose { .. } => reach(module, routine, pc + 1, &mut BTreeSet::new(), &mut next),
        InstrKind::Either(targets) => {
            for to in targets {
                reach(module, routine, *to, &mut BTreeSet::new(), &mut next);
            }
        }
        _ => reach(module, routine, pc + 1, &mut BTreeSet::new(), &mut next),
    }
    let line = instr.span.line_column(source).0;
    let text = if kind == "return" && !text.starts_with("return") { "return".into() } else { text };
    Node { text, line, kind, next }
}

fn kind(instr: &InstrKind) -> &'static str {
    match instr {
        InstrKind::Read { .. } | InstrKind::LoadLinked { .. } | InstrKind::Validate { .. } => "read",
        InstrKind::Write { .. } => "write",
        InstrKind::Cas { .. }
        | InstrKind::Cmpxchg { .. }
        | InstrKind::Swap { .. }
        | InstrKind::Faa { .. }
        | InstrKind::Tas { .. }
        | InstrKind::Dcas { .. }
        | InstrKind::StoreConditional { .. } => "update",
        InstrKind::Lock(_) => "lock",
        InstrKind::Unlock(_) => "unlock",
        InstrKind::New { .. } => "new",
        InstrKind::Free(_) => "free",
        InstrKind::Enter => "atomic",
        InstrKind::Choose { .. } | InstrKind::Either(_) => "choice",
        InstrKind::Return(_) => "return",
        _ => "local",
    }
}

/// Follows local code from `pc` to the stops.
fn reach(module: &Module, routine: &Routine, pc: Pc, seen: &mut BTreeSet<Pc>, stops: &mut BTreeSet<Pc>) {
    if !seen.insert(pc) {
        return;
    }
    let mut go = |pc| reach(module, routine, pc, seen, stops);
    match &routine.code[pc as usize].kind {
        InstrKind::Jump(to) => go(*to),
        InstrKind::Branch { yes, no, .. } => {
            go(*yes);
            go(*no);
        }
        InstrKind::New { .. } if module.memory == Memory::Gc => go(pc + 1),
        InstrKind::Fail(_) => {}
        kind if self::kind(kind) == "local" => go(pc + 1),
        _ => {
            stops.insert(pc);
        }
    }
}

/// The instructions after the ends of an atomic block.
fn leave(routine: &Routine, pc: Pc, seen: &mut BTreeSet<Pc>, ends: &mut BTreeSet<Pc>) {
    if !seen.insert(pc) {
        return;
    }
    let mut go = |pc| leave(routine, pc, seen, ends);
    match &routine.code[pc as usize].kind {
        InstrKind::Leave => {
            ends.insert(pc + 1);
        }
        InstrKind::Jump(to) => go(*to),
        InstrKind::Branch { yes, no, .. } => {
            go(*yes);
            go(*no);
        }
        InstrKind::Either(targets) => targets.iter().for_each(|to| go(*to)),
        InstrKind::Return(_) | InstrKind::Fail(_) => {}
        _ => go(pc + 1),
    }
}
