//! Random small programs: execution graphs against every interleaving.

use crate::common::{All, Program, Random};
use trueline_run::naive::every;
use trueline_run::scenario::Scenario;
use trueline_run::search::Settings;

/// Interleavings of a program at most: few of most programs, so that there can be many programs.
const FEW: u64 = 250;
const MANY: u64 = 6000;

/// Scenarios of one or two instructions an operation; `large` ones have more of them, or three threads.
pub fn scenario(random: &mut Random, large: bool) -> String {
    let threads = if large { 2 + random.next(2) } else { 2 };
    let mut left: u64 = match (large, threads) {
        (false, _) => 3,
        (true, 2) => 6,
        (true, _) => 5,
    };
    let mut all = Vec::new();
    for _ in 0..threads {
        let mut operations = Vec::new();
        for _ in 0..1 + random.next(2) {
            let mut program = 0u64;
            for at in 0..1 + random.next(2) {
                if left == 0 {
                    break;
                }
                left -= 1;
                // Two locations are shared more often than three.
                let locations = 2 + random.next(2);
                let instruction = (1 + random.next(15)) | random.next(locations) << 4 | random.next(4) << 6;
                program |= instruction << (8 * at);
            }
            operations.push(format!("run({program})"));
            if threads == 3 {
                break;
            }
        }
        all.push(operations.join(" "));
    }
    format!("{} [final]", all.join(" | "))
}

/// How many programs: more for a longer run.
fn programs() -> u32 {
    std::env::var("TRUELINE_RANDOM_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(5000)
}

#[test]
fn graphs_show_what_every_interleaving_shows_with_clang() {
    compare("clang", "-O1", 20_261_117);
}

#[test]
fn graphs_show_what_every_interleaving_shows_with_gcc() {
    compare("gcc", "-O2", 17_112_026);
}

fn compare(compiler: &str, level: &str, seed: u64) {
    let mut program = Program::build("crates/run/tests/programs/random.c", compiler, level, &[]);
    let (mut random, mut compared) = (Random(seed), 0);
    let count = programs();
    while compared < count {
        let large = compared % 50 == 0;
        let text = scenario(&mut random, large);
        let parsed = Scenario::parse(&text, &program.harness).unwrap();
        let most = if large { MANY } else { FEW };
        let twin = every(&mut program.player, &program.harness, &parsed, Settings::default(), most);
        let Some(twin) = twin else { continue };
        let mut all = All::default();
        let (counts, ended) = program.explore(&text, &mut all);
        assert_eq!(ended, None, "{text}: {counts:?}");
        assert_eq!(all.histories, twin.histories, "{text}: {counts:?}");
        assert_eq!(all.findings, twin.findings, "{text}");
        assert_eq!(all.stuck, twin.stuck, "{text}");
        assert_eq!(all.twice, 0, "{text}: {counts:?}");
        compared += 1;
    }
}
