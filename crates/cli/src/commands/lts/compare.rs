//! `trueline lts compare`.

use super::explain;
use super::files::{LabelArgs, load_two};
use super::{Answer, Trouble};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_lts::{Comparison, Equivalence, Inclusion, compare, inclusion};

use crate::exit::Exit;

#[derive(Args, Debug)]
pub struct CompareArgs {
    /// One system
    left: PathBuf,
    /// The other
    right: PathBuf,
    /// strong, branching, dpbranching, weak, dpweak or trace
    #[arg(long, default_value = "branching", value_name = "EQUIVALENCE")]
    by: Equivalence,
    /// Ask only whether every trace of the first is one of the second (with --by trace)
    #[arg(long)]
    inclusion: bool,
    #[command(flatten)]
    labels: LabelArgs,
}

pub fn run(args: &CompareArgs, meter: &Meter, observer: &mut dyn Observer) -> Result<Answer, Trouble> {
    if args.inclusion && args.by != Equivalence::Trace {
        return Err(Trouble::Usage("--inclusion goes with --by trace".into()));
    }
    let [left, right] = load_two([&args.left, &args.right], &args.labels, meter, observer)?;
    let names = [args.left.display().to_string(), args.right.display().to_string()];
    let (holds, words, text, evidence) = if args.inclusion {
        let words = ["included", "not included"];
        match inclusion(&left, &right, meter, observer)? {
            Inclusion::Included { .. } => (true, words, String::new(), Value::Null),
            Inclusion::NotIncluded(run) => {
                let (text, evidence) = explain::trace(&run, left.labels(), &names[0], &names[1]);
                (false, words, text, evidence)
            }
        }
    } else {
        let words = ["equivalent", "not equivalent"];
        match compare(&left, &right, args.by, meter, observer)? {
            Comparison::Equivalent => (true, words, String::new(), Value::Null),
            Comparison::Different(why) => {
                let (text, evidence) = explain::difference(&why, [&left, &right], &names);
                (false, words, text, evidence)
            }
        }
    };
    let verdict = words[usize::from(!holds)];
    let text = format!("{verdict} by {}: {} and {}\n{text}", args.by, names[0], names[1]);
    let fields = json!({
        "left": names[0], "right": names[1], "by": args.by.name(), "inclusion": args.inclusion,
        "verdict": verdict, "evidence": evidence,
    });
    let exit = if holds { Exit::Expected } else { Exit::Unexpected };
    Ok(Answer { exit, text, fields, payload: None })
}
