//! From a text to its answers.

use trueline_base::Silent;
use trueline_lang::compile::{Model, Overrides};
use trueline_replay::Source;
use trueline_verify::{Decided, Options, Verifier};

/// The answers to the first check of a model.
pub fn decided(text: &str, options: &Options) -> Vec<Decided> {
    let model = Model::parse(text);
    assert!(!model.diagnose().iter().any(|d| d.is_error()), "{text}: {:?}", model.diagnose());
    let task = model.instantiate(0, &Overrides::default()).expect("the check can be built");
    Verifier::new(&task, Source { path: "model.tl", text }, options).decide_all(&mut Silent)
}
