//! `trueline lts ktrace`.

use super::files::{LabelArgs, load};
use super::{Answer, Trouble};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_lts::ktrace::TauStep;
use trueline_lts::{StateId, k_traces};
use trueline_report::system::{FirstDifference, Ktrace, SystemAnswer};

#[derive(Args, Debug)]
pub struct KtraceArgs {
    /// The system (- reads standard input)
    file: PathBuf,
    /// List every tau step whose ends differ, with the first k that tells them apart
    #[arg(long)]
    steps: bool,
    #[command(flatten)]
    labels: LabelArgs,
}

pub fn run(args: &KtraceArgs, meter: &Meter, observer: &mut dyn Observer) -> Result<Answer, Trouble> {
    let (lts, new) = load(&args.file, &args.labels, meter, observer)?.reachable();
    // States are told by the numbers that the file gives them.
    let mut own = vec![0; lts.states()];
    for (old, new) in (0u32..).zip(new) {
        if let Some(new) = new {
            own[new.index()] = old;
        }
    }
    let own = |s: StateId| own[s.index()];
    let levels = k_traces(&lts, meter, observer)?;
    let steps: Vec<_> = levels.tau_steps(&lts).collect();
    let mut first: BTreeMap<usize, (usize, (u32, u32))> = BTreeMap::new();
    for step in &steps {
        if let Some(k) = step.differs_at {
            first.entry(k).or_insert((0, (own(step.source), own(step.target)))).0 += 1;
        }
    }
    let inert = steps.iter().filter(|s| s.differs_at.is_none()).count();
    let differ = |step: &TauStep| Some((own(step.source), own(step.target), step.differs_at?));
    let listed = if args.steps { steps.iter().filter_map(differ).collect() } else { Vec::new() };
    let first_difference =
        first.iter().map(|(&k, &(steps, example))| FirstDifference { k, steps, example }).collect();
    let answer = Ktrace {
        file: args.file.display().to_string(),
        states: lts.states(),
        cap: levels.cap(),
        classes: levels.levels.iter().map(|l| l.classes()).collect(),
        tau_steps: steps.len(),
        inert_tau_steps: inert,
        first_difference,
        one_equivalent_two_inequivalent: first.contains_key(&2),
        steps: listed,
    };
    Ok(SystemAnswer::Ktrace(answer).into())
}
