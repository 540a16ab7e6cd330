//! The names of threads, values and addresses do not matter: renaming them changes no verdict.

use std::path::{Path, PathBuf};

use trueline_base::{Limits, Silent, Value};
use trueline_check::Verdict;
use trueline_lang::compile::{Model, Overrides, Task};
use trueline_lang::ir::{Expr, Instr, InstrKind, Machine, Memory, ScriptNode, Slot, SlotInfo, StructId, Ty};
use trueline_lang::question::Question;

/// Checks that take more states than this are left out.
const SMALL: u64 = 3_000;

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut all = Vec::new();
    for family in std::fs::read_dir(root).expect("models").flatten().filter(|e| e.path().is_dir()) {
        all.extend(std::fs::read_dir(family.path()).expect("a family").flatten().map(|e| e.path()));
    }
    all.sort();
    all
}

/// The verdict and the states of each property, where the search is short.
fn verdicts(task: &Task, machine: &Machine) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    for asked in &task.asked {
        if let Question::Refines { .. } | Question::LeakFree = asked.question {
            continue;
        }
        let question = asked.question.without_points();
        let limits = Limits { states: Some(SMALL), ..Limits::default() };
        let outcome = trueline_check::decide(machine, &question, &limits, &mut Silent);
        let word = match outcome.verdict {
            Verdict::Holds(()) => "holds",
            Verdict::Fails(_) => "fails",
            Verdict::Unknown(_) => "unknown",
        };
        all.push((word.to_string(), outcome.states));
    }
    all
}

/// Values 1 and 2 of the client exchanged; 3 and above stay.
fn swap_values(machine: &mut Machine) {
    fn swap(value: &mut Value) {
        match value {
            Value::Val(v @ (1 | 2)) => *v = 3 - *v,
            Value::Tuple(parts) | Value::Variant(_, parts) => parts.iter_mut().for_each(swap),
            _ => {}
        }
    }
    for thread in &mut machine.threads {
        for node in &mut thread.script.nodes {
            let ScriptNode::Call(alternatives) = node else { continue };
            for arg in alternatives.iter_mut().flat_map(|a| &mut a.args) {
                if let Expr::Const(value) = arg {
                    swap(value);
                }
            }
        }
    }
}

/// A struct that nobody keeps is allocated first, so that all others have another address.
fn shift_addresses(machine: &mut Machine) {
    let Some(kind) = machine.object.structs.first() else { return };
    let cells = kind.cells.iter().enumerate().map(|(i, v)| (i as u32, Expr::Const(v.clone()))).collect();
    let init = &mut machine.object.init;
    let slot = Slot(init.slots.len() as u16);
    init.slots.push(SlotInfo { name: String::new(), ty: Ty::Ref(StructId(0)) });
    let kind = InstrKind::New { slot, kind: StructId(0), cells };
    for instr in &mut init.code {
        match &mut instr.kind {
            InstrKind::Jump(to) => *to += 1,
            InstrKind::Branch { yes, no, .. } => {
                *yes += 1;
                *no += 1;
            }
            InstrKind::Either(to) => to.iter_mut().for_each(|t| *t += 1),
            _ => {}
        }
    }
    init.code.insert(0, Instr { kind, span: Default::default(), mark: None });
}

/// Whether the object or the client names particular values: then they cannot be exchanged.
fn names_values(machine: &Machine, source: &str) -> bool {
    // Literals stand only in initialisers; a client's script is renamed as a whole.
    source.contains(": val = ")
        || source.contains("implements Register")
        || machine.object.memory != Memory::Gc
}

#[test]
fn renaming_changes_no_verdict() {
    let (mut threads, mut values, mut addresses) = (0, 0, 0);
    for path in models() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if path.extension().is_none_or(|e| e != "tl") {
            continue;
        }
        let model = Model::parse(text);
        for index in 0..model.checks() {
            let Ok(task) = model.instantiate(index, &Overrides::default()) else { continue };
            let before = verdicts(&task, &task.machine);
            if before.iter().any(|(word, _)| word == "unknown") {
                continue;
            }
            let words = |all: &[(String, u64)]| all.iter().map(|(w, _)| w.clone()).collect::<Vec<_>>();
            let mut machine = task.machine.clone();
            // The main thread stays the last one.
            let concurrent = machine.concurrent();
            machine.threads[..concurrent].reverse();
            if machine != task.machine {
                let after = verdicts(&task, &machine);
                if !words(&after).contains(&"unknown".to_string()) {
                    assert_eq!(words(&after), words(&before), "threads: {} #{}", path.display(), index + 1);
                    threads += 1;
                }
            }
            let mut machine = task.machine.clone();
            swap_values(&mut machine);
            if machine != task.machine && !names_values(&machine, model.source()) {
                let after = verdicts(&task, &machine);
                if !words(&after).contains(&"unknown".to_string()) {
                    assert_eq!(words(&after), words(&before), "values: {} #{}", path.display(), index + 1);
                    values += 1;
                }
            }
            let mut machine = task.machine.clone();
            if machine.object.memory == Memory::Gc && !machine.object.structs.is_empty() {
                shift_addresses(&mut machine);
                let after = verdicts(&task, &machine);
                assert_eq!(after, before, "addresses: {} #{}", path.display(), index + 1);
                addresses += 1;
            }
        }
    }
    assert!(threads >= 10 && values >= 5 && addresses >= 10, "{threads} {values} {addresses}");
}
