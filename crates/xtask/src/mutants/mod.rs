//! Mutants of the correct models: each small damage to an algorithm should be refuted, or there is a reason why not.

mod change;
mod list;
mod plain;
mod run;

pub use change::{Mutant, mutants_of};
pub use list::{Fate, MutantEntry, Reasons, parse, render};
pub use run::{Budget, decide};

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use trueline_lang::compile::{Expectation, Model, Overrides, Task};
use trueline_lang::question::Question;

/// A check of a model whose properties all hold: what is mutated.
pub struct Subject {
    /// The file below `models/`, such as `queue/ms_queue.tl`.
    pub file: String,
    /// The check's number, from 1.
    pub check: usize,
    /// The model.
    pub model: Model,
    /// The check itself.
    pub task: Task,
}

/// The correct checks of a family, in order.
pub fn subjects(root: &Path, family: &str) -> Vec<Subject> {
    let folder = root.join("models").join(family);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "tl"))
        .collect();
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let model = Model::parse(text);
        let mut seen = Vec::new();
        for index in 0..model.checks() {
            let Ok(task) = model.instantiate(index, &Overrides::default()) else { continue };
            // A correct object may well wait: whether operations complete is not what damage is looked for by.
            let progress =
                |q: &Question| matches!(q, Question::Progress { .. } | Question::Equivalent { .. });
            let mut decisive = task.asked.iter().filter(|a| !progress(&a.question));
            let correct = decisive.clone().all(|a| a.expect == Expectation::Holds)
                && decisive.any(|a| !matches!(a.question, Question::Safe));
            // One check per object: the others differ in the client and in parameters.
            if !correct || seen.contains(&task.object) {
                continue;
            }
            seen.push(task.object.clone());
            let file = format!("{family}/{name}");
            all.push(Subject { file, check: index + 1, model: model.clone(), task });
        }
    }
    all
}

/// The families: the folders of `models/`.
pub fn families(root: &Path) -> Vec<String> {
    let folder = root.join("models");
    let mut all: Vec<String> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .flatten()
        .filter(|e| e.path().is_dir())
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    all.sort();
    all
}

/// Runs every mutant of a family, or of one file (`queue/ms_queue.tl`), within the budget.
pub fn run_family(
    root: &Path,
    family: &str,
    budget: &Budget,
    reasons: &Reasons,
    mut tell: impl FnMut(&MutantEntry),
) -> Vec<MutantEntry> {
    let mut entries = Vec::new();
    let (family, file) = family.split_once('/').unwrap_or((family, ""));
    for subject in subjects(root, family) {
        if !subject.file.contains(file) {
            continue;
        }
        for mutant in mutants_of(&subject) {
            let entry = run::entry(&subject, &mutant, budget, reasons);
            tell(&entry);
            entries.push(entry);
        }
    }
    entries
}

/// `cargo xtask mutants`
pub fn command(root: &Path, family: Option<&str>, write: bool) -> ExitCode {
    let chosen = match family {
        Some(family) => vec![family.trim_matches('/').to_string()],
        None => families(root),
    };
    let reasons = Reasons::read(root);
    let mut unexplained = 0;
    for family in chosen {
        let entries = run_family(root, &family, &Budget::full(), &reasons, |entry| {
            println!("{}", list::line(entry, &reasons));
        });
        unexplained +=
            entries.iter().filter(|e| e.outcome == Fate::Survives && reasons.get(&e.key).is_none()).count();
        let refuted = entries.iter().filter(|e| e.outcome != Fate::Survives).count();
        println!("{family}: {} mutants, {refuted} refuted", entries.len());
        if write && !family.contains('/') {
            let path = root.join("crates/xtask/mutants").join(format!("{family}.txt"));
            if let Err(e) = std::fs::write(&path, render(&entries, &reasons)) {
                eprintln!("{}: {e}", path.display());
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{unexplained} survivors without a reason (crates/xtask/mutants/reasons.txt)");
    if unexplained == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
