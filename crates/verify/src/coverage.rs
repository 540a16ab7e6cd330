//! What no execution exercised, in sentences.

use trueline_check::Outcome;
use trueline_lang::ir::{InstrKind, Machine, Module, OpId, Pc, Routine};

/// What [`never_run`] says, and whether executions come to an end.
pub(crate) fn never_exercised(machine: &Machine, source: &str, outcome: &Outcome) -> Vec<String> {
    let mut all = never_run(&machine.object, source, outcome);
    let ends = &outcome.dead_ends;
    let told = ends.finished || ends.states > 0 || outcome.assumed;
    let returns =
        (0..machine.object.ops.len()).all(|op| outcome.coverage.returned[op] || !outcome.coverage.called(op));
    if !told && returns && machine.threads.iter().all(|thread| thread.script.ends()) {
        all.push("the end: in every execution some operation goes on for ever".into());
    }
    all
}

/// Operations that nobody called or that never returned, statements that nobody got past, and those that no execution
/// reached although the branch before them was.
fn never_run(module: &Module, source: &str, outcome: &Outcome) -> Vec<String> {
    let mut all = Vec::new();
    let coverage = &outcome.coverage;
    for (index, op) in module.ops.iter().enumerate() {
        if !coverage.called(index) {
            all.push(format!("`{}` is never called", op.name));
            continue;
        }
        let mut lines = Vec::new();
        let place = |pc: Pc| {
            let span = op.routine.code[pc as usize].span;
            (span.line_column(source).0, span.text(source).lines().next().unwrap_or_default().trim())
        };
        if !coverage.returned[index] {
            let ends = outcome.dead_ends.places.iter().filter(|(at, _)| *at == OpId(index as u16));
            lines.extend(ends.map(|(_, pc)| place(*pc).0));
            lines.dedup();
            all.push(match lines.as_slice() {
                [] => format!("`{}` is called and never returns", op.name),
                lines => format!("`{}` never returns: executions end blocked at {}", op.name, listed(lines)),
            });
        }
        let ran = &coverage.ops[index];
        let stuck = (0..ran.len()).filter(|pc| coverage.stuck[index][*pc]).map(|pc| pc as Pc);
        for (pc, past) in stuck.map(|pc| (pc, true)).chain(edges(&op.routine, ran).map(|pc| (pc, false))) {
            // A helper stands in the code once per call: it is exercised when one of its copies is.
            let span = op.routine.code[pc as usize].span;
            if op.routine.code.iter().zip(ran).any(|(instr, ran)| *ran && instr.span == span) {
                continue;
            }
            let (line, text) = place(pc);
            if !text.is_empty() && text != "}" && !lines.contains(&line) {
                lines.push(line);
                all.push(match past {
                    true => format!("`{}` never gets past line {line}: {text}", op.name),
                    false => format!("line {line} of `{}`: {text}", op.name),
                });
            }
        }
    }
    all
}

/// `line 3`, `lines 3 and 5`, `lines 3, 4 and 5`
fn listed(lines: &[u32]) -> String {
    match lines {
        [line] => format!("line {line}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(u32::to_string).collect();
            format!("lines {} and {last}", first.join(", "))
        }
        [] => "no line".into(),
    }
}

/// The first instructions that were not executed behind branches that were.
fn edges(routine: &Routine, ran: &[bool]) -> impl Iterator<Item = Pc> {
    let mut all = Vec::new();
    for (pc, instr) in routine.code.iter().enumerate() {
        if !ran[pc] {
            continue;
        }
        if matches!(instr.kind, InstrKind::Jump(_)) {
            continue;
        }
        for to in instr.kind.targets() {
            let missing = !ran[to as usize] && !matches!(routine.code[to as usize].kind, InstrKind::Fail(_));
            if missing && !all.contains(&to) {
                all.push(to);
            }
        }
    }
    all.into_iter()
}
