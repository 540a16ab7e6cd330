//! `trueline lts compare`.

use super::explain;
use super::files::{LabelArgs, load_two};
use super::{Answer, Trouble};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_lts::{Comparison, Equivalence, Inclusion, Preorder, Refinement, compare, inclusion, refines};

use crate::exit::Exit;

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

/// A verdict, and why it is so, as text and as data.
struct Verdict {
    holds: bool,
    words: [&'static str; 2],
    text: String,
    evidence: Value,
}

impl Verdict {
    fn holds(words: [&'static str; 2]) -> Verdict {
        Verdict { holds: true, words, text: String::new(), evidence: Value::Null }
    }

    fn fails(words: [&'static str; 2], (text, evidence): (String, Value)) -> Verdict {
        Verdict { holds: false, words, text, evidence }
    }
}

pub fn run(args: &CompareArgs, meter: &Meter, observer: &mut dyn Observer) -> Result<Answer, Trouble> {
    if args.inclusion && args.by != Relation::Equivalence(Equivalence::Trace) {
        return Err(Trouble::Usage("--inclusion goes with --by trace".into()));
    }
    let [left, right] = load_two([&args.left, &args.right], &args.labels, meter, observer)?;
    let names = [args.left.display().to_string(), args.right.display().to_string()];
    let verdict = match args.by {
        _ if args.inclusion => {
            let words = ["included", "not included"];
            match inclusion(&left, &right, meter, observer)? {
                Inclusion::Included { .. } => Verdict::holds(words),
                Inclusion::NotIncluded(run) => {
                    Verdict::fails(words, explain::trace(&run, left.labels(), &names[0], &names[1]))
                }
            }
        }
        Relation::Equivalence(by) => {
            let words = ["equivalent", "not equivalent"];
            match compare(&left, &right, by, meter, observer)? {
                Comparison::Equivalent => Verdict::holds(words),
                Comparison::Unexplained(stop) => {
                    let text =
                        format!("what tells them apart is not shown: {stop} while it was looked for\n");
                    Verdict::fails(words, (text, json!({ "kind": "none", "why": stop.to_string() })))
                }
                Comparison::Different(why) => {
                    Verdict::fails(words, explain::difference(&why, [&left, &right], &names))
                }
            }
        }
        Relation::Preorder(by) => {
            let words = ["refined", "not refined"];
            match refines(&left, &right, by, meter, observer)? {
                Refinement::Refines => Verdict::holds(words),
                Refinement::Play(why) => {
                    Verdict::fails(words, explain::difference(&why, [&left, &right], &names))
                }
                Refinement::Run(bad) => Verdict::fails(words, explain::run(&bad, left.labels(), &names)),
            }
        }
    };
    let Verdict { holds, words, text, evidence } = verdict;
    let verdict = words[usize::from(!holds)];
    let by = args.by.name();
    let text = match args.by {
        Relation::Preorder(_) => {
            let word = if holds { "refines" } else { "does not refine" };
            format!("{} {word} {} by {by}\n{text}", names[0], names[1])
        }
        Relation::Equivalence(_) => format!("{verdict} by {by}: {} and {}\n{text}", names[0], names[1]),
    };
    let fields = json!({
        "left": names[0], "right": names[1], "by": by, "inclusion": args.inclusion,
        "verdict": verdict, "evidence": evidence,
    });
    let exit = if holds { Exit::Expected } else { Exit::Unexpected };
    Ok(Answer { exit, text, fields, payload: None })
}
