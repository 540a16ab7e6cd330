//! `trueline replay TRACE`: re-executes a failure on the model as it is now and shows it again.

use std::path::Path;

use clap::Parser;
use trueline_base::verdict::Finding;
use trueline_lang::compile::{Asked, Overrides, Question, Task};
use trueline_replay::{Case, Claim, Source, TraceFile, Unconfirmed, confirm};
use trueline_report::render_trace;

use crate::args::{Cli, Command, Common};
use crate::exit::Exit;
use crate::files;

/// Shows a failure again.
pub fn run(path: &Path, common: &Common) -> Exit {
    let text = match files::read_text(path) {
        Ok(text) => text,
        Err(message) => return input(&message),
    };
    if let Some(file) = trueline_run::replay::ReplayFile::read(&text) {
        return super::test::replay_again(&file, common);
    }
    let file = match TraceFile::read(&text) {
        Ok(file) => file,
        Err(e) => return input(&format!("{}: {e}", path.display())),
    };
    let source = match files::read(Path::new(&file.model)) {
        Ok(source) => source,
        Err(message) => return input(&format!("{message} (the model that the trace is about)")),
    };
    let changed = file.changed(source.model.source());
    if changed {
        eprintln!("note: {} has changed since this failure was found", file.model);
    }
    let Some(overrides) = overrides(&file) else {
        return input(&format!("{}: its overrides cannot be read", path.display()));
    };
    let Some((task, at)) = find(&source, &file, &overrides) else {
        return input(&format!(
            "{}: `{}` of {} is no longer asked there",
            file.model, file.property, file.object
        ));
    };
    let Some(claim) = claim(&file, &task.asked[at]) else {
        return input(&format!(
            "{}: `{}` is no failure of `{}`",
            path.display(),
            file.failure,
            file.property
        ));
    };
    let origin = Source { path: &source.path, text: source.model.source() };
    match confirm(&Case { machine: &task.machine, claim, source: origin }, &file.schedule()) {
        Ok(mut trace) => {
            trace.minimal = file.story.minimal;
            if common.json {
                let shown = serde_json::json!({
                    "version": 1, "command": "replay", "fails": true, "changed": changed,
                    "file": file.model, "object": file.object, "property": file.property, "story": trace,
                });
                println!("{shown:#}");
            } else {
                println!("FAILS  {}   {}   {}:{}\n", file.property, task.title(), file.model, file.line);
                let mut style = super::check::style(common);
                style.fold = false;
                print!("{}", render_trace(&trace, &style));
            }
            Exit::Unexpected
        }
        Err(Unconfirmed::Refuted(why)) if changed => {
            if common.json {
                let shown = serde_json::json!({ "version": 1, "command": "replay", "fails": false, "changed": changed, "why": why });
                println!("{shown:#}");
            } else {
                println!("this execution no longer fails: {why}");
                println!("next   trueline check {}", file.model);
            }
            Exit::Expected
        }
        Err(why) if changed => input(&format!("the execution no longer fits the model: {why}")),
        Err(why) => input(&format!("{}: the trace does not show what it says: {why}", path.display())),
    }
}

fn input(message: &str) -> Exit {
    eprintln!("error: {message}");
    Exit::Input
}

/// What the command line had changed.
fn overrides(file: &TraceFile) -> Option<Overrides> {
    let words = ["trueline", "check", "MODEL"].into_iter().map(str::to_string).chain(file.overrides.clone());
    match Cli::try_parse_from(words).ok()?.command {
        Command::Check(args) => Some(args.to_overrides()),
        _ => None,
    }
}

/// The property: by object, name and line, or by object and name alone when lines have moved.
fn find(source: &files::Source, file: &TraceFile, overrides: &Overrides) -> Option<(Task, usize)> {
    let mut moved = None;
    for index in 0..source.model.checks() {
        let Ok(task) = source.model.instantiate(index, overrides) else { continue };
        for at in 0..task.asked.len() {
            if task.object != file.object || task.asked[at].name != file.property {
                continue;
            }
            if task.asked[at].span.line_column(source.model.source()).0 == file.line {
                return Some((task, at));
            }
            if moved.is_none() {
                moved = Some((task.clone(), at));
            }
        }
    }
    moved
}

fn claim<'a>(file: &TraceFile, asked: &'a Asked) -> Option<Claim<'a>> {
    if let Some(finding) = Finding::ALL.into_iter().find(|f| f.word() == file.failure) {
        return Some(Claim::Finding(finding));
    }
    match (file.failure.as_str(), &asked.question) {
        ("not_linearizable", Question::Linearizable { spec }) => Some(Claim::NotLinearizable { spec }),
        ("points", Question::Linearizable { spec }) => Some(Claim::Points { spec }),
        ("invariant", Question::Invariant { routine }) => {
            let text = asked.name.strip_prefix("invariant ").unwrap_or(&asked.name);
            Some(Claim::Invariant { routine, text })
        }
        ("leak", _) => Some(Claim::Leak),
        ("not_refined", Question::Refines { other }) => Some(Claim::NotRefined { other }),
        _ => None,
    }
}
