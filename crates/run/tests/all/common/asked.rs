//! Whole tests of files and what comes of them.

use std::path::PathBuf;

use trueline_base::{Limits, Meter, Silent, Verdict};
use trueline_history::Condition;
use trueline_run::generate::Sizes;
use trueline_run::search::Settings;
use trueline_run::test::{Request, ready_made, test};

/// The default test of a file.
pub fn request(source: PathBuf) -> Request {
    Request {
        source,
        compiler: None,
        levels: vec!["-O0".into(), "-O2".into()],
        flags: Vec::new(),
        scenario: None,
        sizes: Sizes::default(),
        condition: Condition::Linearizable,
        spec: None,
        find: ready_made,
        against: None,
        settings: Settings::default(),
        allow_races: false,
        only: None,
        all: false,
    }
}

/// `holds`, the word of a failure, or `unknown` with the reason.
pub fn verdict(request: &Request) -> String {
    let tested = test(request, &Meter::start(Limits::default()), &mut Silent);
    match tested.unwrap_or_else(|r| panic!("{}: {r:?}", request.source.display())).verdict {
        Verdict::Holds(_) => "holds".into(),
        Verdict::Fails(failures) => failures.first.kind.word().into(),
        Verdict::Unknown(doubt) => format!("unknown: {}", doubt.why),
    }
}
