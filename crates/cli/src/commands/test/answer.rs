//! What a test answers, in the types of the report; the trace file of a failure.

use std::path::{Path, PathBuf};

use trueline_base::words::number;
use trueline_report::code::{CodeAnswer, CodeCost, CodeFailure, CodeFailures, CodeScope};
use trueline_run::bounded::Which;
use trueline_run::replay::{KIND, ReplayFile, VERSION};
use trueline_run::test::{Failure, Tested, stem};

use super::args::{TestArgs, model, only};
use super::from_here;
use crate::advice;

/// The answer as the report has it. Writes the trace file of a failure.
pub fn answer(args: &TestArgs, tested: &Tested, seconds: f64) -> CodeAnswer {
    let failure = tested.verdict.failure().map(|f| &*f.first);
    let verdict = tested.verdict.as_ref().map(
        |_| (),
        |failures| CodeFailures {
            first: told(&failures.first),
            trace: write_trace(args, tested, &failures.first),
            others: failures.others.iter().map(told).collect(),
        },
        advice::of_test,
    );
    CodeAnswer {
        file: args.file().display().to_string(),
        property: property(args, failure),
        verdict,
        scope: scope(args, tested),
        cost: CodeCost { seconds },
        object: stem(args.file()),
        place: place(args, tested, failure),
    }
}

fn told(failure: &Failure) -> CodeFailure {
    CodeFailure {
        failure: failure.kind.word().into(),
        scenario: failure.scenario.clone(),
        level: failure.level.clone(),
        story: failure.trace.clone(),
    }
}

fn property(args: &TestArgs, failure: Option<&Failure>) -> String {
    match failure {
        Some(f) if !f.kind.breaks_condition() => f.kind.word().replace('_', " "),
        _ if args.main && args.spec.is_none() => "no findings".into(),
        _ => args.condition.clone(),
    }
}

fn scope(args: &TestArgs, tested: &Tested) -> CodeScope {
    let scope = tested.scope.clone();
    let counts = scope.counts;
    CodeScope {
        memory_model: model(args).word().into(),
        compiler: scope.compiler,
        levels: scope.levels,
        spec: advice::against(&scope.spec),
        operations: scope.operations,
        scenarios: scope.scenarios.1,
        scenarios_complete: scope.scenarios.0,
        largest: scope.largest,
        complete: counts.complete,
        cut: counts.cut,
        stuck: counts.stuck,
        found: counts.found,
        histories: scope.histories,
        executions: which(args),
        interleavings: scope.interleavings,
        sampled: only(args).is_some(),
        own_main: args.main,
    }
}

/// Writes what `trueline replay` needs.
fn write_trace(args: &TestArgs, tested: &Tested, failure: &Failure) -> Option<String> {
    let path = args.trace.clone().unwrap_or_else(|| format!("{}.trace.json", stem(args.file())).into());
    let file = ReplayFile {
        version: VERSION,
        kind: KIND.into(),
        source: args.file().display().to_string(),
        compiler: tested.scope.compiler.clone(),
        level: failure.level.clone(),
        flags: args.flags.clone(),
        scenario: failure.scenario.clone(),
        condition: args.condition.clone(),
        spec: args.spec.clone(),
        against: args.against.as_ref().map(|p| p.display().to_string()),
        reuse: !args.no_reuse,
        main: args.main,
        shim: args.shim,
        failure: failure.kind,
        steps: failure.steps.clone(),
        memory: Some(model(args).word().into()),
        sources: failure.sources.clone(),
        before: failure.before.clone(),
        story: failure.trace.clone(),
    };
    match std::fs::write(&path, file.write()) {
        Ok(()) => Some(path.display().to_string()),
        Err(e) => {
            eprintln!("warning: the trace was not written: {}: {e}", path.display());
            None
        }
    }
}

/// The file and line of what goes wrong, where something does in one place; else those of the first operation.
fn place(args: &TestArgs, tested: &Tested, failure: Option<&Failure>) -> String {
    let full = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let (file, line) = match failure.and_then(|f| f.place.as_ref()) {
        // As it was written on the command line.
        Some((file, line)) if full(Path::new(file)) == full(args.file()) => {
            (args.file().to_path_buf(), *line)
        }
        Some((file, line)) => (from_here(PathBuf::from(file)), *line),
        None => (args.file().to_path_buf(), tested.scope.line),
    };
    match line {
        // What is recorded by macros has no line of its own.
        0 => file.display().to_string(),
        line => format!("{}:{line}", file.display()),
    }
}

/// Which executions of a scenario were run.
fn which(args: &TestArgs) -> String {
    match only(args) {
        None => "all executions of each".into(),
        Some(Which::Preemptions(1, _)) => "interleavings with at most 1 preemption".into(),
        Some(Which::Preemptions(most, _)) => format!("interleavings with at most {most} preemptions"),
        Some(Which::Random(random)) => {
            let how = if random.steps { "pos" } else { "pct" };
            format!("{} random interleavings of each ({how}, seed {})", number(random.runs), random.seed)
        }
    }
}
