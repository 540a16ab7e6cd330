//! What the tests share.
#![allow(dead_code)]

use trueline_base::{Limits, Meter, Silent};
use trueline_lts::{LabelId, Lts, RunStep, read};

/// No limits.
pub fn meter() -> Meter {
    Meter::start(Limits::default())
}

/// A system from its text.
pub fn aut(text: &str) -> Lts {
    read::aut(text.as_bytes(), &read::Options::default(), &meter(), &mut Silent).unwrap()
}

/// A system from its transitions; state 0 is the initial one.
pub fn system(states: u32, steps: &[(u32, &str, u32)]) -> Lts {
    let mut text = format!("des (0, {}, {states})\n", steps.len());
    for (s, label, t) in steps {
        text += &format!("({s}, {label}, {t})\n");
    }
    aut(&text)
}

/// How many visible steps a run has.
pub fn visible(run: &[RunStep]) -> usize {
    run.iter().filter(|s| s.label != LabelId::TAU).count()
}
