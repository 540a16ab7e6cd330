//! `trueline replay TRACE`: re-executes a failure on the model as it is now and shows it again.

use std::path::{Path, PathBuf};

use clap::Parser;
use trueline_base::{Diagnostic, Meter};
use trueline_lang::compile::{Overrides, Refusal, Task};
use trueline_replay::{Case, Source, TraceFile, Unconfirmed, confirm_within};
use trueline_report::document::{CommandName, Done, ReplayOutcome, Replayed};
use trueline_report::render_trace;

use crate::args::{Cli, Command, Common};
use crate::document::{self, Document};
use crate::exit::Exit;
use crate::files;
use crate::gallery;
use crate::terminal;

/// Shows a failure again.
pub fn run(path: &Path, gdb: bool, common: &Common) -> Exit {
    let text = match files::read_text(path) {
        Ok(text) => text,
        Err(message) => return refuse(common, &message),
    };
    match trueline_run::replay::ReplayFile::read(&text) {
        Ok(Some(file)) if gdb => return super::gdb::run(&file, common),
        Ok(Some(file)) => return super::test::replay_again(&file, common),
        Ok(None) => {}
        Err(why) => return refuse(common, &format!("{}: {why}", path.display())),
    }
    if gdb {
        let why = "--gdb is for traces of real code, which `trueline test` writes";
        return Document::of(CommandName::Replay, common).refuse("", why, Exit::Usage);
    }
    let file = match TraceFile::read(&text) {
        Ok(file) => file,
        Err(e) => return refuse(common, &format!("{}: {e}", path.display())),
    };
    if file.model == files::STANDARD_INPUT {
        let why =
            "its model was read from standard input; save the model, check the file, and replay that trace";
        return refuse(common, &format!("{}: {why}", path.display()));
    }
    let model = match gallery::is_named(Path::new(&file.model)) {
        true => PathBuf::from(&file.model),
        false => files::without_detours(&path.parent().unwrap_or(Path::new("")).join(&file.model)),
    };
    let source = match files::read(&model) {
        Ok(source) => source,
        Err(message) => return refuse(common, &format!("{message} (the model that the trace is about)")),
    };
    let changed = file.changed(source.model.source());
    if changed {
        note(common, &format!("{} has changed since this failure was found", source.path));
    }
    let problems = source.model.diagnose();
    if problems.iter().any(Diagnostic::is_error) {
        let told = terminal::problems(&source, &problems, common);
        if common.json {
            Document::of(CommandName::Replay, common).problems(told);
        }
        return Exit::Input;
    }
    let Some(overrides) = overrides(&file) else {
        return refuse(common, &format!("{}: its overrides cannot be read", path.display()));
    };
    let (task, at) = match find(&source, &file, &overrides) {
        Ok(found) => found,
        Err(why) => return refuse(common, &why),
    };
    let question = &task.asked[at].question;
    if !question.fails_by(file.violation) {
        return refuse(
            common,
            &format!(
                "{}: an execution that {} says nothing about `{}`",
                path.display(),
                file.violation.sentence(),
                file.property
            ),
        );
    }
    let origin = Source { path: &source.path, text: source.model.source() };
    let case = Case { machine: &task.machine, question, violation: file.violation, source: origin };
    let followed = match file.follow(&task.machine, origin.text) {
        Ok(followed) if changed || followed.differences.is_empty() => followed,
        Ok(followed) => return does_not_show(common, path, &followed.differences.join("; ")),
        Err(why) if changed => {
            return refuse(common, &format!("the execution no longer fits the model: {why}"));
        }
        Err(why) => return does_not_show(common, path, &why),
    };
    let limits = terminal::limits(common, None, &terminal::cancel_on_interrupt());
    for difference in &followed.differences {
        note(common, difference);
    }
    let tell = |outcome: ReplayOutcome, differences: Vec<String>| {
        let (object, property) = (file.object.clone(), file.property.clone());
        let told =
            Replayed::Model { file: source.path.clone(), object, property, changed, differences, outcome };
        document::print(Done::Replay(told), Vec::new());
    };
    match confirm_within(&case, &followed.evidence, &Meter::start(limits)) {
        Ok(mut trace) => {
            trace.minimal = file.story.minimal && !changed;
            if common.json {
                tell(ReplayOutcome::fails(trace), followed.differences);
            } else {
                println!("FAILS  {}   {}   {}:{}\n", file.property, task.title(), source.path, file.line);
                let mut style = super::check::style(common);
                style.fold = false;
                print!("{}", render_trace(&trace, &style));
            }
            Exit::Unexpected
        }
        Err(Unconfirmed::Refuted(why)) if changed => {
            if common.json {
                tell(ReplayOutcome::passes(why), followed.differences);
            } else {
                println!("this execution no longer fails: {why}");
                println!("next   trueline check {}", source.path);
            }
            Exit::Expected
        }
        Err(Unconfirmed::Limit(why)) => {
            match common.json {
                true => document::print(Done::Replay(Replayed::Unknown { fails: (), why }), Vec::new()),
                false => eprintln!("unknown: {why}"),
            }
            Exit::Unknown
        }
        Err(why) if changed => refuse(common, &format!("the execution no longer fits the model: {why}")),
        Err(why) => does_not_show(common, path, &why.to_string()),
    }
}

fn does_not_show(common: &Common, path: &Path, why: &str) -> Exit {
    refuse(common, &format!("{}: the trace does not show what it says: {why}", path.display()))
}

fn refuse(common: &Common, message: &str) -> Exit {
    Document::of(CommandName::Replay, common).refuse("", message, Exit::Input)
}

/// What a reader should know; a document has fields for it.
fn note(common: &Common, text: &str) {
    if !common.json {
        eprintln!("note: {text}");
    }
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
fn find(source: &files::ModelFile, file: &TraceFile, overrides: &Overrides) -> Result<(Task, usize), String> {
    let (mut moved, mut refused) = (None, None);
    for index in 0..source.model.checks() {
        let task = match source.model.instantiate(index, overrides) {
            Ok(task) => task,
            Err(refusal) => {
                refused = refused.or(Some(refusal));
                continue;
            }
        };
        for at in 0..task.asked.len() {
            if task.object != file.object || task.asked[at].name != file.property {
                continue;
            }
            if task.asked[at].span.line_column(source.model.source()).0 == file.line {
                return Ok((task, at));
            }
            if moved.is_none() {
                moved = Some((task.clone(), at));
            }
        }
    }
    moved.ok_or_else(|| match refused {
        // What the command line had changed does not fit any more.
        Some(Refusal::Usage(misuse)) => format!("{}: {}", source.path, crate::advice::misuse(&misuse)),
        Some(Refusal::Roles) => format!("{}: {}", source.path, crate::advice::ROLES),
        Some(Refusal::Model(problems) | Refusal::Argument { problems, .. }) if !problems.is_empty() => {
            format!("{}: {}", source.path, problems[0].message)
        }
        _ => format!("{}: `{}` of {} is no longer asked there", source.path, file.property, file.object),
    })
}
