//! `trueline lts info`.

use super::files::{LabelArgs, load, size};
use super::{Answer, Trouble};
use clap::Args;
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_lts::{LabelId, StateId, partition};
use trueline_report::system::{Info, SystemAnswer};

#[derive(Args, Debug)]
pub struct InfoArgs {
    /// The system (.aut or .jsonl, perhaps with .gz; - reads standard input)
    file: PathBuf,
    #[command(flatten)]
    labels: LabelArgs,
}

pub fn run(args: &InfoArgs, meter: &Meter, observer: &mut dyn Observer) -> Result<Answer, Trouble> {
    let lts = load(&args.file, &args.labels, meter, observer)?;
    let (reachable, _) = lts.reachable();
    let deadlocks = lts.state_ids().filter(|&s| lts.moves(s).is_empty()).count();
    let degree = lts.state_ids().map(|s| lts.moves(s).len()).max().unwrap_or(0);
    let cyclic = silent_cycles(&lts, meter, observer)?;
    let deterministic = lts.internal() == 0 && lts.state_ids().all(|s| deterministic(&lts, s));
    let info = Info {
        file: args.file.display().to_string(),
        size: size(&lts),
        initial: lts.initial().0,
        reachable: reachable.states(),
        internal: lts.internal(),
        labels: lts.labels().iter().skip(1).map(|(_, name)| name.to_string()).collect(),
        deadlocks,
        out_degree: degree,
        states_on_tau_cycles: cyclic,
        deterministic,
        bytes: lts.bytes(),
    };
    Ok(SystemAnswer::Info(info).into())
}

fn deterministic(lts: &trueline_lts::Lts, s: StateId) -> bool {
    let mut labels: Vec<LabelId> = lts.moves(s).iter().map(|m| m.label()).collect();
    labels.sort_unstable();
    labels.windows(2).all(|w| w[0] != w[1])
}

/// How many states lie on a tau cycle.
fn silent_cycles(
    lts: &trueline_lts::Lts,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<usize, Trouble> {
    Ok(partition::states_on_tau_cycles(lts, meter, observer)?.iter().filter(|&&on| on).count())
}
