//! The steps of operations, to be shown: the control-flow graph with one node per step, so that a reader sees exactly what interleaves.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{EffectKind, InstrKind, Module, Op, Pc, Routine, block_ends};

/// A node of the graph: where a step begins, and where it may end.
struct Step {
    /// What the step does, as written.
    text: String,
    line: u32,
    effect: EffectKind,
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
                names[pc],
                node.line,
                node.effect.word(),
                node.text
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

fn steps(nodes: &BTreeMap<Pc, Step>) -> usize {
    nodes.values().filter(|n| n.effect != EffectKind::Return).count()
}

fn names(nodes: &BTreeMap<Pc, Step>) -> BTreeMap<Pc, String> {
    nodes.keys().enumerate().map(|(i, pc)| (*pc, (i + 1).to_string())).collect()
}

fn list(pcs: &BTreeSet<Pc>, names: &BTreeMap<Pc, String>) -> String {
    pcs.iter().map(|pc| names[pc].as_str()).collect::<Vec<_>>().join(", ")
}

/// The stops that the call reaches, and the node at every stop.
fn graph(module: &Module, op: &Op, source: &str) -> (BTreeSet<Pc>, BTreeMap<Pc, Step>) {
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

fn node(module: &Module, routine: &Routine, pc: Pc, source: &str) -> Step {
    let instr = &routine.code[pc as usize];
    let text = instr.span.text(source).split_whitespace().collect::<Vec<_>>().join(" ");
    let text =
        if text.chars().count() > 60 { text.chars().take(57).chain("...".chars()).collect() } else { text };
    let effect = instr.kind.effect();
    let mut next = BTreeSet::new();
    let ends = match effect {
        EffectKind::Atomic => {
            let leaves = |pc: &Pc| routine.code[*pc as usize].kind == InstrKind::Leave;
            block_ends(&routine.code, pc).into_iter().filter(leaves).map(|pc| pc + 1).collect()
        }
        _ => instr.kind.successors(pc),
    };
    for end in ends {
        reach(module, routine, end, &mut BTreeSet::new(), &mut next);
    }
    let line = instr.span.line_column(source).0;
    let returns = effect == EffectKind::Return;
    let text = if returns && !text.starts_with("return") { "return".into() } else { text };
    Step { text, line, effect, next }
}

/// Follows local code from `pc` to the stops.
fn reach(module: &Module, routine: &Routine, pc: Pc, seen: &mut BTreeSet<Pc>, stops: &mut BTreeSet<Pc>) {
    if !seen.insert(pc) {
        return;
    }
    let kind = &routine.code[pc as usize].kind;
    if kind.is_stop(module.memory) {
        stops.insert(pc);
        return;
    }
    kind.successors(pc).into_iter().for_each(|pc| reach(module, routine, pc, seen, stops));
}
