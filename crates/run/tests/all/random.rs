//! Random small programs: execution graphs against every interleaving.

use crate::common::{All, Program, Random};

/// How large a program is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Small,
    Medium,
    Large,
}

impl Size {
    /// Of the n-th program: most are small, so that there can be many. In the larger ones executions are recalled.
    pub fn of(program: u32) -> Size {
        match program % 50 {
            0 => Size::Large,
            n if n % 10 == 1 => Size::Medium,
            _ => Size::Small,
        }
    }

    /// Interleavings at most.
    pub fn interleavings(self) -> u64 {
        match self {
            Size::Small => 250,
            Size::Medium => 3000,
            Size::Large => 6000,
        }
    }
}

/// Scenarios of one or two instructions an operation; larger ones have more of them, or three threads. Half of them look
/// at memory after the threads. The others end with the threads, so that executions whose course is known take no run.
pub fn scenario(random: &mut Random, size: Size) -> String {
    let threads = if size == Size::Large { 2 + random.next(2) } else { 2 };
    let mut left: u64 = match (size, threads) {
        (Size::Small, _) => 3,
        (Size::Medium, _) => 5,
        (Size::Large, 2) => 6,
        (Size::Large, _) => 5,
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
                // The first location is shared by most, the third by few.
                let locations = 1 + random.next(3);
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
    let end = if random.next(2) == 0 { " [final]" } else { "" };
    all.join(" | ") + end
}

/// What a compiler's programs are made from: others where a longer run asks for them, since the same ones teach nothing new.
pub fn seed(own: u64) -> Random {
    let other = std::env::var("TRUELINE_RANDOM_SEED").ok().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    Random(own ^ other.wrapping_mul(0x9e37_79b9_7f4a_7c15))
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
    let (mut random, mut compared) = (self::seed(seed), 0);
    let (mut interleavings, mut executions, mut recalled, mut recalling) = (0, 0, 0, 0);
    let (count, start) = (programs(), std::time::Instant::now());
    while compared < count {
        let size = Size::of(compared);
        let text = scenario(&mut random, size);
        let Some(twin) = program.every(&text, size.interleavings()) else { continue };
        let mut all = All::default();
        let (counts, ended) = program.explore(&text, &mut all);
        assert_eq!(ended, None, "{text}: {counts:?}");
        assert_eq!(all.histories, twin.histories, "{text}: {counts:?}");
        assert_eq!(all.findings, twin.findings, "{text}");
        assert_eq!(all.stuck, twin.stuck, "{text}");
        assert_eq!(all.twice, 0, "{text}: {counts:?}");
        compared += 1;
        interleavings += twin.runs;
        executions += counts.complete + counts.cut + counts.stuck + counts.found;
        recalled += counts.recalled;
        recalling += u32::from(counts.recalled > 0);
    }
    assert!(recalling > count / 50, "{recalling} of {count} programs have executions without a run");
    // What `cargo xtask soak real` shows.
    println!(
        "sc  {compiler} {level}: {count} programs, {interleavings} interleavings, {executions} executions, \
         {recalled} of them without a run in {recalling} programs, {} s",
        start.elapsed().as_secs()
    );
}

/// Where no iteration is left out, a thread that has done the same twice waits; one that calls the same three times does not.
#[test]
fn equal_calls_of_a_thread_are_no_loop() {
    let mut program = Program::build("crates/run/tests/programs/random.c", "clang", "-O1", &[]);
    let mut random = seed(33);
    let (mut compared, count) = (0, programs() / 50);
    while compared < count {
        let mut call =
            || format!("run({})", (1 + random.next(15)) | random.next(2) << 4 | random.next(4) << 6);
        let (same, other) = (call(), call());
        let scenario = format!("{same} {same} {same} | {other}");
        let Some(twin) = program.every(&scenario, 3000) else { continue };
        compared += 1;
        for (cut, recall) in [(true, true), (false, true), (false, false)] {
            (program.settings.cut, program.settings.recall) = (cut, recall);
            let mut all = All::default();
            let (_, ended) = program.explore(&scenario, &mut all);
            assert_eq!((ended, all.stuck), (None, twin.stuck), "{scenario}, {cut}, {recall}");
            assert_eq!(all.histories, twin.histories, "{scenario}, {cut}, {recall}");
        }
    }
}
