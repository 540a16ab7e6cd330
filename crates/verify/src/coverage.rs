//! What no execution exercised, in sentences.

use trueline_check::Coverage;
use trueline_lang::ir::{InstrKind, Module, Pc, Routine};

/// Operations that nobody called, and statements that no execution reached although the branch before them was.
pub fn never_exercised(module: &Module, source: &str, coverage: &Coverage) -> Vec<String> {
    let mut all = Vec::new();
    for (index, op) in module.ops.iter().enumerate() {
        if !coverage.called(index) {
            all.push(format!("`{}` is never called", op.name));
            continue;
        }
        let mut lines = Vec::new();
        let ran = &coverage.ops[index];
        for pc in edges(&op.routine, ran) {
            let span = op.routine.code[pc as usize].span;
            // A helper stands in the code once per call: it is exercised when one of its copies is.
            if op.routine.code.iter().zip(ran).any(|(instr, ran)| *ran && instr.span == span) {
                continue;
            }
            let line = span.line_column(source).0;
            let text = span.text(source).lines().next().unwrap_or_default().trim();
            if !text.is_empty() && text != "}" && !lines.contains(&line) {
                lines.push(line);
                all.push(format!("line {line} of `{}`: {text}", op.name));
            }
        }
    }
    all
}

/// The first instructions that were not executed behind branches that were.
fn edges(routine: &Routine, ran: &[bool]) -> Vec<Pc> {
    let mut all = Vec::new();
    for (pc, instr) in routine.code.iter().enumerate() {
        if !ran[pc] {
            continue;
        }
        let targets: &[Pc] = match &instr.kind {
            InstrKind::Branch { yes, no, .. } => &[*yes, *no],
            InstrKind::Either(to) => to,
            _ => &[],
        };
        for to in targets {
            let missing =
                !ran[*to as usize] && !matches!(routine.code[*to as usize].kind, InstrKind::Fail(_));
            if missing && !all.contains(to) {
                all.push(*to);
            }
        }
    }
    all
}
