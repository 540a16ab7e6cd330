//! `trueline test FILE`: real C and C++ objects under every execution.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde_json::json;
use trueline_base::Meter;
use trueline_base::verdict::Decision;
use trueline_base::words::number;
use trueline_history::Condition;
use trueline_report::render_trace;
use trueline_run::bounded::{Random, Which};
use trueline_run::cargo::choose;
use trueline_run::generate::Sizes;
use trueline_run::order::Model;
use trueline_run::replay::{Again, KIND, ReplayFile, replay};
use trueline_run::search::Settings;
use trueline_run::test::{Failure, Refusal, Request, Tested, Verdicts, stem, test};

use crate::args::{Common, Jobs, Memory};
use crate::commands::history::find_spec;
use crate::document::Document;
use crate::exit::Exit;
use crate::terminal;

/// Arguments of `test`.
#[derive(Clone, Debug, Args)]
pub struct TestArgs {
    #[command(flatten)]
    pub jobs: Jobs,
    /// A C or C++ file with a harness, functions marked by the macros of <trueline.h>; the Rust file of a test target; with --cargo the folder of the package
    #[arg(required_unless_present = "cargo")]
    pub file: Option<PathBuf>,
    /// A test target of a Rust package that has an object, written `trueline::object! { … }` [default: the only one]
    #[arg(long, value_name = "TARGET", num_args = 0..=1)]
    pub cargo: Option<Option<String>>,
    /// One scenario: threads separated by `|`, calls before and after them in brackets
    #[arg(long)]
    pub scenario: Option<String>,
    /// What every history must be: linearizable, quasi=K, quasi=deq:K, sequential, quiescent
    #[arg(long, default_value = "linearizable")]
    pub condition: String,
    /// A specification by name, such as queue, or of a model, such as my.tl:Spec [default: TL_SPEC of the file, or the object run sequentially]
    #[arg(long)]
    pub spec: Option<String>,
    /// Another implementation with the same operations, whose sequential behaviours are the specification
    #[arg(long, value_name = "FILE", conflicts_with = "spec")]
    pub against: Option<PathBuf>,
    /// Threads of a scenario at most
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=8))]
    pub threads: u8,
    /// Operations of a thread at most
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub ops: u8,
    /// Operations of two threads together at most; each further thread takes one away
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
    /// The memory model: sc, one access after the other, or c11, in which reads may see older writes; a size is a limit, as of every command
    #[arg(long, value_parser = crate::args::model, value_name = "MODEL")]
    pub memory: Option<Memory>,
    /// End with `unknown` when the search needs more memory, such as 512M, 4G [default: 3/4 of what is available]
    #[arg(long, value_parser = crate::args::bytes)]
    pub max_memory: Option<u64>,
    /// Data races are no findings: plain accesses are taken for atomic ones, as code older than C11 needs
    #[arg(long)]
    pub allow_races: bool,
    /// Only interleavings with at most so many preemptions, those with the fewest first
    #[arg(long, value_name = "N", conflicts_with = "random")]
    pub preemptions: Option<u32>,
    /// Only random interleavings: by priorities of threads (pct) or of steps (pos)
    #[arg(long, value_enum)]
    pub random: Option<RandomKind>,
    /// The seed of random interleavings
    #[arg(long, default_value_t = 1, requires = "random")]
    pub seed: u64,
    /// Random interleavings of each scenario
    #[arg(long, default_value_t = 1000, requires = "random")]
    pub runs: u64,
    /// Go on after a failure, and tell every other that is of another kind or at another place
    #[arg(long)]
    pub all: bool,
    /// Build the package without instrumentation: what threads share is in the types of the crate trueline-shim
    #[arg(long, requires = "cargo")]
    pub shim: bool,
    /// The file is a program with its own main, whose threads may call TL_CALL and TL_RETURN
    #[arg(long, conflicts_with_all = ["scenario", "against", "cargo"])]
    pub main: bool,
    /// Where to write the trace of a failure [default: FILE.trace.json here]
    #[arg(long)]
    pub trace: Option<PathBuf>,
    /// Never use freed memory again
    #[arg(long)]
    pub no_reuse: bool,
    /// Flags for the compiler, after `--`
    #[arg(last = true)]
    pub flags: Vec<String>,
}

impl TestArgs {
    /// The file that is tested.
    fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new("."))
    }
}

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

/// How interleavings are chosen at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RandomKind {
    /// Probabilistic concurrency testing
    Pct,
    /// Partial order sampling
    Pos,
}

/// The memory model that is asked for.
fn model(args: &TestArgs) -> Model {
    match args.memory {
        Some(Memory::Model(model)) => model,
        _ => Model::Sc,
    }
}

/// What does not go with a memory model.
fn clash(args: &TestArgs) -> Option<&'static str> {
    match model(args) {
        Model::Sc => None,
        Model::C11 if args.main => {
            Some("--main runs under sequential consistency alone: leave out --memory c11")
        }
        Model::C11 if args.allow_races => {
            Some("--allow-races: under --memory c11 a data race has no meaning that could be allowed")
        }
        Model::C11 if only(args).is_some() => Some(
            "--preemptions and --random run interleavings, in which every read sees the last write: leave out --memory c11",
        ),
        Model::C11 => None,
    }
}

/// The interleavings that are asked for; nothing for all executions.
fn only(args: &TestArgs) -> Option<Which> {
    let random = args.random.map(|kind| {
        let steps = kind == RandomKind::Pos;
        Which::Random(Random { steps, seed: args.seed, runs: args.runs })
    });
    random.or_else(|| args.preemptions.map(|most| Which::Preemptions(most, u64::MAX)))
}

/// Tests a file.
pub fn run(args: &TestArgs, common: &Common) -> Exit {
    let condition: Condition = match args.condition.parse() {
        Ok(condition) => condition,
        Err(message) => {
            let message = format!("--condition: {message}");
            return Document::of("test", common).refuse("", &message, Exit::Usage);
        }
    };
    if let Some(message) = clash(args) {
        return Document::of("test", common).refuse("", message, Exit::Usage);
    }
    let args = &match &args.cargo {
        None => args.clone(),
        Some(name) => match cargo_target(args, name.as_deref()) {
            Ok(file) => TestArgs { file: Some(file), ..args.clone() },
            Err(why) => return Document::of("test", common).refuse("", &why, Exit::Input),
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
    let mut progress = terminal::Progress::new(stem(args.file()), common, limits.memory);
    let meter = Meter::start(limits);
    let answer = test(&request, &meter, &mut progress);
    drop(progress);
    match answer {
        Ok(tested) => show(args, common, &tested, start.elapsed().as_secs_f64()),
        Err(refusal) => refuse("test", &args.file().display().to_string(), refusal, common),
    }
}

/// Players at the same time: as many as asked for, or one per core but for the one that explores.
fn jobs(common: &Common) -> Settings {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = common.jobs.map_or(cores.saturating_sub(1).clamp(1, 4), |n| n as usize).clamp(1, 64);
    Settings { jobs, ..Settings::default() }
}

fn property(args: &TestArgs, failure: Option<&Failure>) -> String {
    match failure {
        Some(f) if !f.word.starts_with("not_") => f.word.replace('_', " "),
        _ if args.main && args.spec.is_none() => "no findings".into(),
        _ => args.condition.clone(),
    }
}

fn show(args: &TestArgs, common: &Common, tested: &Tested, seconds: f64) -> Exit {
    let (word, decision, exit) = match &tested.verdict {
        Verdicts::Holds(()) => ("HOLDS", Decision::Holds, Exit::Expected),
        Verdicts::Fails(_) => ("FAILS", Decision::Fails, Exit::Unexpected),
        Verdicts::Unknown(_) => ("UNKNOWN", Decision::Unknown, Exit::Unknown),
    };
    let failure = match &tested.verdict {
        Verdicts::Fails(failure) => Some(&**failure),
        _ => None,
    };
    let path = failure.and_then(|f| write_trace(args, tested, f));
    if common.json {
        let fields = fields(args, tested, decision, failure, path.as_deref(), seconds);
        Document::of("test", common).print(fields, &[]);
        return exit;
    }
    if common.quiet && exit == Exit::Expected {
        return exit;
    }
    let style = super::check::style(common);
    let place = place(args, tested, failure);
    let end = if failure.is_some() { String::new() } else { format!("   {seconds:.1} s") };
    let heading = format!("{}   {}   {place}{end}", property(args, failure), stem(args.file()));
    println!("{word}  {heading}");
    match &tested.verdict {
        Verdicts::Holds(()) => {}
        Verdicts::Unknown(why) => println!("  {why}"),
        Verdicts::Fails(failure) => {
            println!("\n{}", render_trace(&failure.trace, &style).trim_end());
            if let Some(path) = &path {
                println!("  trace  {path}     (trueline replay {path})");
            }
            if args.main {
                println!("  built at {}", failure.level);
            } else {
                println!("  scenario  {} at {}", failure.scenario, failure.level);
            }
            for other in &tested.others {
                println!("\nFAILS  {}   {}\n", other.word.replace('_', " "), stem(args.file()));
                println!("{}", render_trace(&other.trace, &style).trim_end());
                println!("  scenario  {} at {}", other.scenario, other.level);
            }
        }
    }
    println!("  scope  {}", scope(args, tested).join("\n         "));
    exit
}

/// Writes what `trueline replay` needs.
fn write_trace(args: &TestArgs, tested: &Tested, failure: &Failure) -> Option<String> {
    let path = args.trace.clone().unwrap_or_else(|| format!("{}.trace.json", stem(args.file())).into());
    let file = ReplayFile {
        version: 1,
        kind: KIND.into(),
        source: args.file().display().to_string(),
        compiler: tested.compiler.clone(),
        level: failure.level.clone(),
        flags: args.flags.clone(),
        scenario: failure.scenario.clone(),
        condition: args.condition.clone(),
        spec: args.spec.clone(),
        against: args.against.as_ref().map(|p| p.display().to_string()),
        reuse: !args.no_reuse,
        main: args.main,
        shim: args.shim,
        failure: failure.word.clone(),
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

/// `trueline replay` of a trace of real code.
pub fn replay_again(file: &ReplayFile, common: &Common) -> Exit {
    let meter = Meter::start(terminal::limits(common, None, &terminal::cancel_on_interrupt()));
    let (fails, why, story) = match replay(file, find_spec, &meter) {
        Ok(Again::Fails(trace)) => (true, None, Some(trace)),
        Ok(Again::Passes(how)) => (false, Some(how), None),
        Ok(Again::Departs(how)) => {
            let message = format!("{}: the code no longer makes these steps: {how}", file.source);
            return Document::of("replay", common).refuse(&file.source, &message, Exit::Input);
        }
        Err(refusal) => return refuse("replay", &file.source, refusal, common),
    };
    if common.json {
        let shown = json!({ "fails": fails, "file": file.source, "why": why, "story": story });
        Document::of("replay", common).print(shown, &[]);
    } else if let Some(trace) = &story {
        let word = file.failure.replace('_', " ");
        println!("FAILS  {word}   {}   {} at {}\n", file.source, file.scenario, file.level);
        print!("{}", render_trace(trace, &super::check::style(common)));
    } else {
        println!("this execution no longer fails: {}", why.unwrap_or_default());
        println!("next   trueline test {}", file.source);
    }
    if fails { Exit::Unexpected } else { Exit::Expected }
}

pub fn refuse(command: &str, file: &str, refusal: Refusal, common: &Common) -> Exit {
    let document = Document::of(command, common);
    match refusal {
        Refusal::Input(message) => document.refuse(file, &format!("{file}: {message}"), Exit::Input),
        Refusal::Usage(message) => document.refuse("", &message, Exit::Usage),
        Refusal::Internal(message) => {
            eprintln!("internal error: {message}");
            Exit::Internal
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
        None => (args.file().to_path_buf(), tested.line),
    };
    match line {
        // What is recorded by macros has no line of its own.
        0 => file.display().to_string(),
        line => format!("{}:{line}", file.display()),
    }
}

/// A path as seen from the folder in which the tool runs.
fn from_here(path: PathBuf) -> PathBuf {
    let here = std::env::current_dir().ok().and_then(|d| d.canonicalize().ok()).unwrap_or_default();
    path.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(path)
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

fn scope(args: &TestArgs, tested: &Tested) -> Vec<String> {
    let counts = &tested.counts;
    let (done, all) = tested.scenarios;
    let mut lines = vec![format!(
        "{} of {} scenarios to the end; {}, {}",
        number(done as u64),
        number(all as u64),
        which(args),
        match model(args) {
            Model::Sc => "sequential consistency",
            Model::C11 => "the memory model of C11 (RC11)",
        }
    )];
    if !tested.largest.is_empty() && done > 0 && !args.main {
        lines.push(format!("the largest: {}", tested.largest));
    }
    let others = counts.cut + counts.stuck + counts.found;
    let runs = match only(args) {
        None => format!("{} complete executions and {} others", number(counts.complete), number(others)),
        Some(_) => format!("{} interleavings", number(tested.interleavings)),
    };
    lines.push(format!("{runs}, {} histories decided against {}", number(tested.histories), tested.spec));
    lines.push(format!("built by {} at {}", tested.compiler, tested.levels.join(" and ")));
    lines
}

fn fields(
    args: &TestArgs,
    tested: &Tested,
    decision: Decision,
    failure: Option<&Failure>,
    path: Option<&str>,
    seconds: f64,
) -> serde_json::Value {
    let why = match &tested.verdict {
        Verdicts::Unknown(why) => Some(why.clone()),
        Verdicts::Fails(failure) => Some(failure.trace.summary.clone()),
        Verdicts::Holds(()) => None,
    };
    json!({
        "file": args.file().display().to_string(),
        "property": property(args, failure),
        "verdict": decision,
        "failure": failure.map(|f| f.word.clone()),
        "scenario": failure.map(|f| f.scenario.clone()),
        "level": failure.map(|f| f.level.clone()),
        "scope": {
            "memory_model": model(args).word(),
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
            "executions": which(args),
            "interleavings": tested.interleavings,
        },
        "cost": { "seconds": seconds },
        "why": why,
        "story": failure.map(|f| &f.trace),
        "trace": path,
        "others": tested.others.iter().map(|f| serde_json::json!({
            "failure": f.word, "scenario": f.scenario, "level": f.level, "story": f.trace,
        })).collect::<Vec<_>>(),
    })
}
