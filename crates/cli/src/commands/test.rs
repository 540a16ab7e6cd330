//! `trueline test FILE`: real C and C++ objects under every execution.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trueline_base::Meter;
use trueline_base::verdict::Decision;
use trueline_base::words::number;
use trueline_history::Condition;
use trueline_report::render_trace;
use trueline_run::generate::Sizes;
use trueline_run::search::Settings;
use trueline_run::test::{Failure, Refusal, Request, Tested, Verdicts, stem, test};

use crate::args::Common;
use crate::exit::Exit;
use crate::terminal;

/// Arguments of `test`.
#[derive(Clone, Debug, Args)]
pub struct TestArgs {
    /// A C or C++ file with a harness: functions marked by the macros of <trueline.h>
    pub file: PathBuf,
    /// One scenario: threads separated by `|`, calls before and after them in brackets
    #[arg(long)]
    pub scenario: Option<String>,
    /// What every history must be: linearizable, quasi=K, quasi=deq:K, sequential, quiescent
    #[arg(long, default_value = "linearizable")]
    pub condition: String,
    /// A specification by name, such as queue [default: TL_SPEC of the file, or the object run sequentially]
    #[arg(long)]
    pub spec: Option<String>,
    /// Threads of a scenario at most
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=8))]
    pub threads: u8,
    /// Operations of a thread at most
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub ops: u8,
    /// Operations of all threads together at most
    #[arg(long, default_value_t = 4)]
    pub calls: u8,
    /// Operations before the threads at most
    #[arg(long, default_value_t = 2)]
    pub prefix: u8,
    /// Optimisation levels; each is a build of its own
    #[arg(long, value_delimiter = ',', default_value = "O0,O2")]
    pub levels: Vec<String>,
    /// The compiler [default: the first of clang and gcc]
    #[arg(long)]
    pub compiler: Option<String>,
    /// Steps of an execution at most
    #[arg(long, default_value_t = 2000)]
    pub steps: usize,
    /// Never use freed memory again
    #[arg(long)]
    pub no_reuse: bool,
    /// Flags for the compiler, after `--`
    #[arg(last = true)]
    pub flags: Vec<String>,
}

/// Tests a file.
pub fn run(args: &TestArgs, common: &Common) -> Exit {
    let condition: Condition = match args.condition.parse() {
        Ok(condition) => condition,
        Err(message) => {
            eprintln!("error: --condition: {message}");
            return Exit::Usage;
        }
    };
    let level = |l: &String| format!("-{}", l.trim_start_matches('-'));
    let request = Request {
        source: args.file.clone(),
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
        settings: Settings { max_steps: args.steps, reuse: !args.no_reuse },
    };
    let cancel = terminal::cancel_on_interrupt();
    let limits = terminal::limits(common, None, &cancel);
    let start = Instant::now();
    let mut progress = terminal::Progress::new(stem(&args.file), common, limits.memory);
    let meter = Meter::start(limits);
    let answer = test(&request, &meter, &mut progress);
    drop(progress);
    match answer {
        Ok(tested) => show(args, common, &tested, start.elapsed().as_secs_f64()),
        Err(Refusal::Input(message)) => {
            eprintln!("error: {}: {message}", args.file.display());
            Exit::Input
        }
        Err(Refusal::Usage(message)) => {
            eprintln!("error: {message}");
            Exit::Usage
        }
        Err(Refusal::Internal(message)) => {
            eprintln!("internal error: {message}");
            Exit::Internal
        }
    }
}

fn property(args: &TestArgs, failure: Option<&Failure>) -> String {
    match failure {
        Some(f) if !f.word.starts_with("not_") => f.word.replace('_', " "),
        _ => args.condition.clone(),
    }
}

fn show(args: &TestArgs, common: &Common, tested: &Tested, seconds: f64) -> Exit {
    let (word, decision, exit) = match &tested.verdict {
        Verdicts::Holds => ("HOLDS", Decision::Holds, Exit::Expected),
        Verdicts::Fails(_) => ("FAILS", Decision::Fails, Exit::Unexpected),
        Verdicts::Unknown(_) => ("UNKNOWN", Decision::Unknown, Exit::Unknown),
    };
    let failure = match &tested.verdict {
        Verdicts::Fails(failure) => Some(&**failure),
        _ => None,
    };
    if common.json {
        println!("{:#}", json(args, tested, decision, failure, seconds));
        return exit;
    }
    if common.quiet && exit == Exit::Expected {
        return exit;
    }
    let style = super::check::style(common);
    let file = args.file.display();
    let place = failure.and_then(fault_line).unwrap_or(tested.line);
    let end = if failure.is_some() { String::new() } else { format!("   {seconds:.1} s") };
    let heading = format!("{}   {}   {file}:{place}{end}", property(args, failure), stem(&args.file));
    println!("{word}  {heading}");
    match &tested.verdict {
        Verdicts::Holds => {}
        Verdicts::Unknown(why) => println!("  {why}"),
        Verdicts::Fails(failure) => {
            println!("\n{}", render_trace(&failure.trace, &style).trim_end());
            println!("  scenario  {} at {}", failure.scenario, failure.level);
        }
    }
    println!("  scope  {}", scope(tested).join("\n         "));
    exit
}

/// The line of what goes wrong, where something does in one place.
fn fault_line(failure: &Failure) -> Option<u32> {
    use trueline_base::trace::What;
    let rows = &failure.trace.rows;
    let at = rows.iter().position(|r| matches!(r.what, What::Fault(_)))?;
    match &rows.get(at.checked_sub(1)?)?.what {
        What::Statement { line, .. } => Some(*line),
        _ => None,
    }
}

fn scope(tested: &Tested) -> Vec<String> {
    let counts = &tested.counts;
    let (done, all) = tested.scenarios;
    let mut lines = vec![format!(
        "{} of {} scenarios to the end; all executions of each, sequential consistency",
        number(done as u64),
        number(all as u64)
    )];
    if !tested.largest.is_empty() && done > 0 {
        lines.push(format!("the largest: {}", tested.largest));
    }
    let others = counts.cut + counts.stuck + counts.found;
    lines.push(format!(
        "{} complete executions and {} others, {} histories decided against {}",
        number(counts.complete),
        number(others),
        number(tested.histories),
        tested.spec
    ));
    lines.push(format!("built by {} at {}", tested.compiler, tested.levels.join(" and ")));
    lines
}

fn json(
    args: &TestArgs,
    tested: &Tested,
    decision: Decision,
    failure: Option<&Failure>,
    seconds: f64,
) -> serde_json::Value {
    let why = match &tested.verdict {
        Verdicts::Unknown(why) => Some(why.clone()),
        Verdicts::Fails(failure) => Some(failure.trace.summary.clone()),
        Verdicts::Holds => None,
    };
    serde_json::json!({
        "version": 1,
        "command": "test",
        "file": args.file.display().to_string(),
        "property": property(args, failure),
        "verdict": decision,
        "failure": failure.map(|f| f.word.clone()),
        "scenario": failure.map(|f| f.scenario.clone()),
        "level": failure.map(|f| f.level.clone()),
        "scope": {
            "memory_model": "sc",
            "compiler": tested.compiler,
            "levels": tested.levels,
            "spec": tested.spec,
            "operations": tested.operations,
            "scenarios": tested.scenarios.1,
            "scenarios_complete": tested.scenarios.0,
            "largest": tested.largest,
            "complete": tested.counts.complete,
            "cut": tested.counts.cut,
            "histories": tested.histories,
        },
        "cost": { "seconds": seconds },
        "why": why,
        "trace": failure.map(|f| &f.trace),
    })
}
