//! `trueline check --compare`: the same answers by several searches, side by side.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use trueline_base::Diagnostic;
use trueline_lang::compile::Refusal;
use trueline_lang::question::Question;
use trueline_report::{Comparison, Searched, plot_comparisons, render_comparison};
use trueline_verify::compare;

use crate::args::{CheckArgs, Common};
use crate::exit::Exit;
use crate::files;
use crate::terminal;

/// Compares the searches for every property of the files.
pub fn run(args: &CheckArgs, common: &Common, cancel: &Arc<AtomicBool>) -> Exit {
    let paths = match files::models(&args.files) {
        Ok(paths) => paths,
        Err(message) => {
            eprintln!("error: {message}");
            return Exit::Input;
        }
    };
    let mut all = Vec::new();
    let mut exit = Exit::Expected;
    for path in &paths {
        exit = exit.and(file(path, args, common, cancel, &mut all));
    }
    if common.json {
        let comparisons: Vec<_> = all.iter().map(document).collect();
        let document = serde_json::json!({ "version": 1, "command": "compare", "comparisons": comparisons });
        println!("{document:#}");
    }
    if let Some(path) = &args.svg
        && let Err(e) = std::fs::write(path, plot_comparisons(&all))
    {
        eprintln!("error: {}: {e}", path.display());
        return Exit::Input;
    }
    exit
}

fn document(comparison: &Comparison) -> serde_json::Value {
    let row = |row: &Searched| {
        serde_json::json!({
            "search": row.name, "verdict": row.verdict, "states": row.states, "transitions": row.transitions,
            "seconds": row.seconds, "bytes": row.bytes,
        })
    };
    let rows: Vec<_> = comparison.rows.iter().map(row).collect();
    serde_json::json!({ "title": comparison.title, "searches": rows })
}

fn file(
    path: &Path,
    args: &CheckArgs,
    common: &Common,
    cancel: &Arc<AtomicBool>,
    all: &mut Vec<Comparison>,
) -> Exit {
    let source = match files::read(path) {
        Ok(source) => source,
        Err(message) => {
            eprintln!("error: {message}");
            return Exit::Input;
        }
    };
    let problems = source.model.diagnose();
    if problems.iter().any(Diagnostic::is_error) {
        terminal::problems(&source, &problems, common);
        return Exit::Input;
    }
    let mut exit = Exit::Expected;
    for index in 0..source.model.checks() {
        let task = match source.model.instantiate(index, &args.to_overrides()) {
            Ok(task) => task,
            Err(Refusal::Usage(message)) => {
                eprintln!("error: {}: {message}", source.path);
                return Exit::Usage;
            }
            Err(_) => {
                exit = exit.and(Exit::Input);
                continue;
            }
        };
        for asked in task.asked.iter().filter(|asked| !matches!(asked.question, Question::Unavailable)) {
            let title = format!("{} {}", task.title(), asked.name);
            let limits = terminal::limits(common, args.states, cancel);
            let mut progress = terminal::Progress::new(title.clone(), common, limits.memory);
            let question = match args.no_points {
                true => asked.question.without_points(),
                false => asked.question.clone(),
            };
            let rows = compare(&task.machine, &question, &limits, &mut progress);
            drop(progress);
            // A difference between decided answers is an error of ours, and the worst.
            let decided: Vec<String> =
                rows.iter().map(|row| row.verdict()).filter(|v| v == "holds" || v == "fails").collect();
            if decided.windows(2).any(|pair| pair[0] != pair[1]) {
                eprintln!(
                    "internal error: the searches for `{title}` disagree; please report this with the model"
                );
                exit = exit.and(Exit::Internal);
            }
            if decided.len() < rows.len() {
                exit = exit.and(Exit::Unknown);
            }
            let searched = rows.iter().map(|row| Searched {
                name: row.name.clone(),
                verdict: row.verdict(),
                states: row.outcome.states,
                transitions: row.outcome.transitions,
                seconds: row.seconds,
                bytes: row.outcome.bytes,
            });
            let comparison = Comparison { title, rows: searched.collect() };
            if !common.json {
                println!("{}", render_comparison(&comparison));
            }
            all.push(comparison);
        }
    }
    exit
}
