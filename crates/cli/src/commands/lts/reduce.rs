//! `trueline lts reduce`.

use super::files::{Destination, LabelArgs, SystemFormat, load, size};
use super::{Answer, Trouble};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_lts::quotient::minimal_deterministic;
use trueline_lts::{Equivalence, Lts, StateId, quotient};
use trueline_report::system::SystemAnswer;

#[derive(Args, Debug)]
pub struct ReduceArgs {
    /// The system (- reads standard input)
    file: PathBuf,
    /// strong, branching, dpbranching, weak, dpweak or trace
    #[arg(long, default_value = "branching", value_name = "EQUIVALENCE")]
    by: Equivalence,
    /// Where the reduced system goes, by its ending; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the output
    #[arg(long, value_name = "FORMAT")]
    to: Option<SystemFormat>,
    /// Write the class of every state, one line each (not for trace)
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    #[command(flatten)]
    labels: LabelArgs,
}

pub fn run(args: &ReduceArgs, meter: &Meter, observer: &mut dyn Observer) -> Result<Answer, Trouble> {
    let target = args.output.as_deref().map(|path| Destination::new(path, args.to)).transpose()?;
    if args.by == Equivalence::Trace && args.classes.is_some() {
        let why = "--classes: a deterministic system has no state for every state of the original";
        return Err(Trouble::Usage(why.into()));
    }
    let lts = load(&args.file, &args.labels, meter, observer)?;
    let (small, class_of) = reduced(&lts, args.by, meter, observer)?;
    if let (Some(path), Some(classes)) = (&args.classes, &class_of) {
        let mut text = String::new();
        for (state, class) in classes.iter().enumerate() {
            let _ = match class {
                Some(class) => writeln!(text, "{state} {}", class.0),
                None => writeln!(text, "{state} unreachable"),
            };
        }
        std::fs::write(path, text).map_err(|e| Trouble::Input(format!("{}: {e}", path.display())))?;
    }
    let payload = match target {
        Some(target) => target.store(&small, args.labels.tau())?,
        None => None,
    };
    let said = SystemAnswer::Reduced {
        file: args.file.display().to_string(),
        by: args.by.name().into(),
        size: size(&lts),
        reduced: size(&small),
        output: args.output.as_ref().map(|p| p.display().to_string()),
    };
    Ok(Answer { said, payload })
}

type Classes = Vec<Option<StateId>>;

/// The part of the quotient that can be reached, and the state in it for every original state.
fn reduced(
    lts: &Lts,
    by: Equivalence,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<(Lts, Option<Classes>), Trouble> {
    if by == Equivalence::Trace {
        return Ok((minimal_deterministic(lts, meter, observer)?, None));
    }
    let whole = quotient(lts, by, meter, observer)?;
    let (part, to) = whole.system.reachable();
    let classes = whole.state_of.iter().map(|s| to[s.index()]).collect();
    Ok((part, Some(classes)))
}
