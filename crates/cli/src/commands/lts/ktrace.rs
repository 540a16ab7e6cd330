//! `trueline lts ktrace`.

use super::files::{LabelArgs, load};
use super::{Answer, Trouble};
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_lts::{StateId, k_traces};

use crate::exit::Exit;

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
    let mut text =
        format!("{}: {} reachable states, cap {}\n", args.file.display(), lts.states(), levels.cap());
    for (k, level) in levels.levels.iter().enumerate() {
        let _ = writeln!(text, "  {k}-trace equivalence: {} classes", level.classes());
    }
    let steps: Vec<_> = levels.tau_steps(&lts).collect();
    let mut first: BTreeMap<usize, (usize, (u32, u32))> = BTreeMap::new();
    for step in &steps {
        if let Some(k) = step.differs_at {
            first.entry(k).or_insert((0, (own(step.source), own(step.target)))).0 += 1;
        }
    }
    let inert = steps.iter().filter(|s| s.differs_at.is_none()).count();
    let _ = writeln!(text, "tau steps: {}, of which {inert} have max-trace equivalent ends", steps.len());
    for (k, (count, (s, t))) in &first {
        let before = k.saturating_sub(1);
        let _ = writeln!(
            text,
            "  {count} with ends {before}-trace equivalent and {k}-trace inequivalent, such as {s} -> {t}"
        );
    }
    let subtle = first.contains_key(&2);
    let answer = if subtle { "some" } else { "no" };
    let _ = writeln!(text, "{answer} tau step has ends that are 1-trace equivalent and 2-trace inequivalent");
    if args.steps {
        for step in steps.iter().filter(|s| s.differs_at.is_some()) {
            let k = step.differs_at.unwrap_or(0);
            let _ = writeln!(text, "  {} -> {}: differ at k = {k}", own(step.source), own(step.target));
        }
    }
    let by_level: Vec<_> = first
        .iter()
        .map(|(k, (count, (s, t)))| json!({ "k": k, "steps": count, "example": [s, t] }))
        .collect();
    let fields = json!({
        "file": args.file.display().to_string(), "states": lts.states(), "cap": levels.cap(),
        "classes": levels.levels.iter().map(|l| l.classes()).collect::<Vec<_>>(),
        "tau_steps": steps.len(), "inert_tau_steps": inert, "first_difference": by_level,
        "one_equivalent_two_inequivalent": subtle,
    });
    Ok(Answer { exit: Exit::Expected, text, fields, payload: None })
}
