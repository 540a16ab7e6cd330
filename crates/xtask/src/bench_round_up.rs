//! `cargo xtask bench round-up`: tables II, III and V of Zhang, Chattopadhyay and Wang, "Round-Up" (IEEE TSE), on our versions
//! of the objects (`objects/round_up.txt`), beside the paper's verdicts and seconds.
//!
//! The paper's seconds are those of its second phase, on another machine. Ours are of the whole test: compilation, the
//! sequential behaviours, all executions, and a story where there is one.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use trueline_base::{Limits, Meter, Silent, Verdict};
use trueline_run::generate::Sizes;
use trueline_run::search::Settings;
use trueline_run::test::{Request, ready_made, test};

/// A row that takes longer is not known.
const LONGEST: Duration = Duration::from_secs(60);

/// Prints the tables; the exit code says whether all verdicts are the paper's.
pub fn command(root: &Path) -> ExitCode {
    let text = match std::fs::read_to_string(root.join("objects/round_up.txt")) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("objects/round_up.txt: {error}");
            return ExitCode::from(70);
        }
    };
    println!(
        "{:<4} {:<32} {:<8} {:>9} {:>9} {:>8} {:>8} {:>10} {:>9}",
        "", "class", "calls", "violation", "paper", "paper s", "s", "executions", "histories"
    );
    let (mut all, mut agree) = (0, 0);
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [table, class, calls, file, flags, scenario, condition, spec, violation, seconds] = fields[..]
        else {
            continue;
        };
        let request = Request {
            source: root.join(format!("objects/cpp/{file}.cpp")),
            compiler: None,
            levels: vec!["-O1".into()],
            flags: flags.split_whitespace().map(str::to_string).collect(),
            scenario: Some(scenario.to_string()),
            sizes: Sizes::default(),
            condition: match condition.parse() {
                Ok(condition) => condition,
                Err(why) => {
                    eprintln!("{line}: {why}");
                    continue;
                }
            },
            spec: Some(spec.to_string()).filter(|s| !s.is_empty()),
            find: ready_made,
            against: None,
            settings: Settings::default(),
            allow_races: false,
            only: None,
            all: false,
        };
        let start = Instant::now();
        let limits = Limits { time: Some(LONGEST), ..Limits::default() };
        let tested = test(&request, &Meter::start(limits), &mut Silent);
        let took = start.elapsed().as_secs_f64();
        let (found, executions, histories) = match &tested {
            Ok(tested) => {
                let found = match &tested.verdict {
                    Verdict::Holds(_) => "no",
                    Verdict::Fails(_) => "yes",
                    Verdict::Unknown(_) => "unknown",
                };
                let scope = &tested.scope;
                (found, scope.counts.complete + scope.counts.cut, scope.histories)
            }
            Err(_) => ("refused", 0, 0),
        };
        all += 1;
        agree += u32::from(found == violation);
        println!(
            "{table:<4} {class:<32} {calls:<8} {found:>9} {violation:>9} {seconds:>8} {took:>8.2} {executions:>10} {histories:>9}"
        );
    }
    println!("{agree} of {all} verdicts are the paper's");
    if agree == all { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
