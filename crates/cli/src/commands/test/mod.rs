//! `trueline test FILE`: real C, C++ and Rust objects under every execution.

mod again;
mod answer;
mod args;

pub use again::replay_again;
pub use args::TestArgs;

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use trueline_base::Meter;
use trueline_base::verdict::Decision;
use trueline_history::Condition;
use trueline_report::code::{TestCommand, TestDocument, render_test};
use trueline_run::cargo::choose;
use trueline_run::generate::Sizes;
use trueline_run::search::Settings;
use trueline_run::test::{Refusal, Request, stem, test};

use self::answer::answer;
use self::args::{clash, model, only};
use super::check::style;
use super::history::find_spec;
use crate::advice;
use crate::args::Common;
use crate::document::Document;
use crate::exit::Exit;
use crate::terminal;

/// The file of the test target that `--cargo` names.
fn cargo_target(args: &TestArgs, name: Option<&str>) -> Result<PathBuf, String> {
    // A target is a name; a path can only mean the package.
    let named = name.filter(|n| !n.contains(['/', '.']));
    let package = match (&args.file, name) {
        (None, Some(path)) if named.is_none() => Path::new(path),
        (Some(file), _) => file,
        (None, _) => Path::new("."),
    };
    choose(package, named).map(from_here)
}

/// Tests a file.
pub fn run(args: &TestArgs, common: &Common) -> Exit {
    let condition: Condition = match args.condition.parse() {
        Ok(condition) => condition,
        Err(message) => {
            let message = format!("--condition: {message}");
            return Document::of(TestCommand::Test, common).refuse("", &message, Exit::Usage);
        }
    };
    if let Some(message) = clash(args) {
        return Document::of(TestCommand::Test, common).refuse("", message, Exit::Usage);
    }
    let args = &match &args.cargo {
        None => args.clone(),
        Some(name) => match cargo_target(args, name.as_deref()) {
            Ok(file) => TestArgs { file: Some(file), ..args.clone() },
            Err(why) => return Document::of(TestCommand::Test, common).refuse("", &why, Exit::Input),
        },
    };
    let level = |l: &String| format!("-{}", l.trim_start_matches('-'));
    let request = Request {
        source: args.file().to_path_buf(),
        compiler: args.compiler.clone(),
        levels: args.levels.iter().map(level).collect(),
        flags: args.flags.clone(),
        scenario: args.scenario.clone(),
        sizes: Sizes {
            threads: usize::from(args.threads),
            operations: usize::from(args.ops),
            all: usize::from(args.calls),
            prefix: usize::from(args.prefix),
        },
        condition,
        spec: args.spec.clone(),
        find: find_spec,
        against: args.against.clone(),
        settings: Settings {
            max_steps: args.steps,
            reuse: !args.no_reuse,
            may_wait: false,
            main: args.main,
            shim: args.shim,
            model: model(args),
            ..jobs(common)
        },
        allow_races: args.allow_races,
        only: only(args),
        all: args.all,
    };
    let cancel = terminal::cancel_on_interrupt();
    let limits = terminal::limits(common, None, &cancel);
    let start = Instant::now();
    let mut progress = terminal::ProgressLine::new(stem(args.file()), common, limits.memory);
    let meter = Meter::start(limits);
    let tested = test(&request, &meter, &mut progress);
    drop(progress);
    let tested = match tested {
        Ok(tested) => tested,
        Err(refusal) => {
            return refuse(
                Document::of(TestCommand::Test, common),
                &args.file().display().to_string(),
                refusal,
            );
        }
    };
    let answer = answer(args, &tested, start.elapsed().as_secs_f64());
    let exit = match answer.verdict.decision() {
        Decision::Holds => Exit::Expected,
        Decision::Fails => Exit::Unexpected,
        Decision::Unknown => Exit::Unknown,
    };
    if common.json {
        print!("{}", TestDocument::new(answer).write());
    } else if !common.quiet || exit != Exit::Expected {
        print!("{}", render_test(&answer, &style(common)));
    }
    exit
}

/// Players at the same time: as many as asked for, or one per core but for the one that explores.
fn jobs(common: &Common) -> Settings {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = common.jobs.map_or(cores.saturating_sub(1).clamp(1, 4), |n| n as usize).clamp(1, 64);
    Settings { jobs, ..Settings::default() }
}

/// Says why there is no answer.
pub fn refuse<C: Serialize + Copy>(document: Document<C>, file: &str, refusal: Refusal) -> Exit {
    match refusal {
        Refusal::Input(message) => document.refuse(file, &format!("{file}: {message}"), Exit::Input),
        Refusal::Against { source, why } => {
            document.refuse(file, &advice::golden(&source, &why), Exit::Input)
        }
        Refusal::Scenario { text, error } => {
            document.refuse("", &advice::scenario(&text, &error), Exit::Usage)
        }
        Refusal::Internal(message) => {
            eprintln!("internal error: {message}");
            Exit::Internal
        }
    }
}

/// A path as seen from the folder in which the tool runs.
fn from_here(path: PathBuf) -> PathBuf {
    let here = std::env::current_dir().ok().and_then(|d| d.canonicalize().ok()).unwrap_or_default();
    path.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(path)
}
