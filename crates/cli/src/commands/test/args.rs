//! The arguments of `trueline test`, and what they ask for.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use trueline_run::bounded::{Random, Which};
use trueline_run::order::Model;

use crate::args::{Jobs, Memory};

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
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=8))]
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
    pub fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new("."))
    }
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
pub fn model(args: &TestArgs) -> Model {
    match args.memory {
        Some(Memory::Model(model)) => model,
        _ => Model::Sc,
    }
}

/// What does not go with a memory model.
pub fn clash(args: &TestArgs) -> Option<&'static str> {
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
pub fn only(args: &TestArgs) -> Option<Which> {
    let random = args.random.map(|kind| {
        let steps = kind == RandomKind::Pos;
        Which::Random(Random { steps, seed: args.seed, runs: args.runs })
    });
    random.or_else(|| args.preemptions.map(|most| Which::Preemptions(most, u64::MAX)))
}
