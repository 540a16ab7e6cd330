//! `trueline lts compare`.

use super::explain;
use super::files::{LabelArgs, load_two};
use super::{Answer, Trouble};
use clap::Args;
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_lts::{Different, Equivalence, NotRefined, Preorder, RunStep, compare, inclusion, refines};
use trueline_report::system::{Compared, Evidence, SystemAnswer, SystemQuestion};

#[derive(Args, Debug)]
pub struct CompareArgs {
    /// One system
    left: PathBuf,
    /// The other
    right: PathBuf,
    /// An equivalence: strong, branching, dpbranching, weak, dpweak or trace; or whether the first refines the second:
    /// simulation, ready-simulation, failures or failures-divergences
    #[arg(long, default_value = "branching", value_name = "RELATION")]
    by: Relation,
    /// Ask only whether every trace of the first is one of the second (with --by trace)
    #[arg(long)]
    inclusion: bool,
    #[command(flatten)]
    labels: LabelArgs,
}

/// What is asked of two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Equivalence(Equivalence),
    Preorder(Preorder),
}

impl Relation {
    fn name(self) -> &'static str {
        match self {
            Relation::Equivalence(by) => by.name(),
            Relation::Preorder(by) => by.name(),
        }
    }
}

impl std::str::FromStr for Relation {
    type Err = String;

    fn from_str(name: &str) -> Result<Relation, String> {
        let equivalence = name.parse().map(Relation::Equivalence);
        equivalence.or_else(|_: String| name.parse().map(Relation::Preorder)).map_err(|_: String| {
            let all = Equivalence::ALL.iter().map(|e| e.name()).chain(Preorder::ALL.iter().map(|p| p.name()));
            format!("relations are {}", all.collect::<Vec<_>>().join(", "))
        })
    }
}

pub fn run(args: &CompareArgs, meter: &Meter, observer: &mut dyn Observer) -> Result<Answer, Trouble> {
    if args.inclusion && args.by != Relation::Equivalence(Equivalence::Trace) {
        return Err(Trouble::Usage("--inclusion goes with --by trace".into()));
    }
    let [left, right] = load_two([&args.left, &args.right], &args.labels, meter, observer)?;
    let names = [args.left.display().to_string(), args.right.display().to_string()];
    let whole = [&left, &right];
    let (question, verdict) = match args.by {
        _ if args.inclusion => {
            let found = inclusion(&left, &right, meter, observer)?;
            let run = |run: Vec<RunStep>| explain::trace(&run, left.labels(), &names[0], &names[1]);
            (SystemQuestion::Inclusion, found.map(|_| (), run, |stop| stop.to_string()))
        }
        Relation::Equivalence(by) => {
            let found = compare(&left, &right, by, meter, observer)?;
            let shown = |different| match different {
                Different::Shown(why) => explain::difference(&why, whole, &names),
                Different::Unexplained(stop) => Evidence::None { why: stop.to_string() },
            };
            (SystemQuestion::Equivalence, found.map(|()| (), shown, |stop| stop.to_string()))
        }
        Relation::Preorder(by) => {
            let found = refines(&left, &right, by, meter, observer)?;
            let shown = |broken| match broken {
                NotRefined::Play(why) => explain::difference(&why, whole, &names),
                NotRefined::Run(bad) => explain::run(&bad, left.labels()),
            };
            (SystemQuestion::Refinement, found.map(|()| (), shown, |stop| stop.to_string()))
        }
    };
    Ok(SystemAnswer::Compared(Compared::new(names, args.by.name(), question, verdict)).into())
}
