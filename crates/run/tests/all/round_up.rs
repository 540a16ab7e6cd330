//! The verdicts of the tables of Zhang, Chattopadhyay and Wang, "Round-Up" (IEEE TSE), on our versions of the objects.

use crate::common::{compilers, root};
use trueline_base::{Limits, Meter, Silent, Verdict};
use trueline_run::generate::Sizes;
use trueline_run::search::Settings;
use trueline_run::test::{Request, ready_made, test};

/// Compares the rows of a table of `objects/round_up.txt`.
fn compare(table: &str, rows: usize) {
    compilers();
    let text = std::fs::read_to_string(root().join("objects/round_up.txt")).unwrap();
    let (mut compared, mut different) = (0, Vec::new());
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [of, _, _, file, flags, scenario, condition, spec, violation, _] = fields[..] else {
            panic!("{line}")
        };
        if of != table {
            continue;
        }
        compared += 1;
        let request = Request {
            source: root().join(format!("objects/cpp/{file}.cpp")),
            compiler: None,
            levels: vec!["-O1".into()],
            flags: flags.split_whitespace().map(str::to_string).collect(),
            scenario: Some(scenario.to_string()),
            sizes: Sizes::default(),
            condition: condition.parse().unwrap(),
            spec: Some(spec.to_string()).filter(|s| !s.is_empty()),
            find: ready_made,
            against: None,
            settings: Settings::default(),
            allow_races: false,
            only: None,
            all: false,
        };
        let tested = test(&request, &Meter::start(Limits::default()), &mut Silent).unwrap();
        let found = match &tested.verdict {
            Verdict::Holds(_) => "no",
            Verdict::Fails(_) => "yes",
            Verdict::Unknown(doubt) => &doubt.why,
        };
        if found != violation {
            different.push(format!("{line}: {found}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert_eq!(compared, rows);
}

#[test]
fn table_2_linearizability() {
    compare("II", 16);
}

#[test]
fn table_3_quasi_linearizability() {
    compare("III", 18);
}

#[test]
fn table_5_scal() {
    compare("V", 22);
}
