//! The traps of running real code: each has a program that is explored rightly, and wrongly when the remedy is switched off.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{All, Program, compilers, root};
use trueline_run::compile::{Build, Folder, build, find};
use trueline_run::explore::Explorer;
use trueline_run::harness;
use trueline_run::kind::Kind;
use trueline_run::log::Record;
use trueline_run::naive::{every, recorded};
use trueline_run::player::{Plan, Player, input};
use trueline_run::scenario::Scenario;
use trueline_run::search::{Counts, Ended, Settings, set_up, trap};

const FILE: &str = "crates/run/tests/programs/traps.cpp";

fn program(trap: u32, level: &str) -> Program {
    Program::build(FILE, "clang++", level, &[&format!("-DTRAP={trap}")])
}

/// What is seen of a scenario with some remedies switched off.
struct Seen {
    answers: BTreeSet<Vec<u64>>,
    findings: BTreeSet<Kind>,
    stuck: bool,
    counts: Counts,
    ended: Option<Ended>,
}

fn see(number: u32, text: &str, off: u32) -> Seen {
    let mut program = program(number, "-O1");
    program.settings.off = off;
    let mut all = All::default();
    let (counts, ended) = program.explore(text, &mut all);
    let answers = all.histories.into_iter().map(|h| h.1.concat()).collect();
    Seen { answers, findings: all.findings, stuck: all.stuck, counts, ended }
}

fn set(answers: &[&[u64]]) -> BTreeSet<Vec<u64>> {
    answers.iter().map(|a| a.to_vec()).collect()
}

/// With the remedy these are the answers and nothing is found; without it something is different.
fn needed(number: u32, text: &str, answers: &[&[u64]], bit: u32) {
    let right = see(number, text, 0);
    assert_eq!((right.ended, right.stuck, &right.findings), (None, false, &BTreeSet::new()), "{number}");
    assert_eq!(right.answers, set(answers), "{number}");
    let wrong = see(number, text, 1 << bit);
    let differs = wrong.ended.is_some() || !wrong.findings.is_empty() || wrong.answers != set(answers);
    assert!(differs, "{number}: nothing changes without the remedy: {:?}", wrong.counts);
}

#[test]
fn trap_1_calls_and_returns_are_steps_of_an_interleaving() {
    let mut program = program(1, "-O1");
    let scenario = Scenario::parse("first second | get", &program.harness).unwrap();
    let right =
        every(&mut program.player, &program.harness, &scenario, Settings::default(), 100_000).unwrap();
    let mut all = All::default();
    program.explore("first second | get", &mut all);
    assert_eq!(all.histories, right.histories);
    // Without: every interleaving of accesses, each with the calls and returns that it happens to have.
    let (mut explorer, mut seen) = (Explorer::default(), BTreeSet::new());
    'again: loop {
        let words = set_up(&program.harness, &scenario, &explorer, Settings::default(), false);
        program.player.set_up(words);
        let mut work = vec![Vec::<u8>::new()];
        while let Some(steps) = work.pop() {
            let run =
                program.player.play(&[Plan { steps: steps.clone(), ..Plan::default() }]).unwrap().remove(0);
            if !run.wanted.is_empty() {
                explorer.memory.want(&run.wanted).unwrap();
                continue 'again;
            }
            let made: Vec<u8> = run
                .records()
                .filter_map(|r| match r {
                    Record::Access { thread, .. } => Some(thread as u8),
                    _ => None,
                })
                .collect();
            for at in steps.len()..made.len() {
                for other in made[at..].iter().copied().collect::<BTreeSet<u8>>() {
                    if other != made[at] {
                        work.push([&made[..at], &[other]].concat());
                    }
                }
            }
            let (before, answers) = recorded(&scenario, &run);
            seen.insert((before, [answers.threads, answers.alone].concat()));
        }
        break;
    }
    assert!(seen.is_subset(&right.histories) && seen.len() < right.histories.len(), "{}", seen.len());
}

/// A compiler that is called by a script which changes its arguments.
fn changed(name: &str, change: &str) -> (Folder, String) {
    compilers();
    let folder = Folder::new().unwrap();
    let path = folder.path().join(name);
    let script = format!("#!/bin/bash\nall=()\n{change}\nexec clang++ \"${{all[@]}}\"\n");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let name = path.display().to_string();
    (folder, name)
}

#[test]
fn trap_2_the_read_of_an_increment_is_kept() {
    let answers = |program: &mut Program| {
        let mut all = All::default();
        let (_, ended) = program.explore("inc | inc [get]", &mut all);
        assert_eq!(ended, None);
        all.histories.into_iter().map(|h| h.1.concat()).collect::<BTreeSet<_>>()
    };
    let flags = ["-DTRAP=2"];
    let right = answers(&mut Program::build(FILE, "clang++", "-O1", &flags));
    assert_eq!(right, set(&[&[0, 0, 1], &[0, 0, 2]]));
    let change = "for a in \"$@\"; do case $a in -mllvm|-tsan-*) ;; *) all+=(\"$a\") ;; esac; done";
    let (_folder, compiler) = changed("clang++-without", change);
    let wrong = answers(&mut Program::build(FILE, &compiler, "-O1", &flags));
    assert!(wrong.len() < right.len() && wrong.is_subset(&right), "{wrong:?}");
}

#[test]
fn trap_3_memory_that_turns_out_to_be_shared_is_a_step_from_the_start() {
    needed(3, "inc | inc", &[&[0, 0], &[0, 1], &[1, 0]], trap::SHARED);
}

#[test]
fn trap_4_fibers_have_thread_local_storage_of_their_own_and_fresh_in_every_run() {
    needed(4, "mark | mark", &[&[1, 1]], trap::TLS);
    needed(4, "mark | mark", &[&[1, 1]], trap::TLS_RESET);
}

#[test]
fn trap_5_exceptions_in_flight_are_of_their_thread() {
    needed(5, "first | second", &[&[1, 2]], trap::TLS);
}

#[test]
fn trap_6_shared_pointers_count_with_atomics() {
    needed(6, "use | use", &[&[7, 7]], trap::SINGLE);
}

#[test]
fn trap_7_globals_are_as_before_in_every_run() {
    needed(7, "next | next", &[&[500, 601], &[501, 600], &[600, 501], &[601, 500]], trap::GLOBALS);
}

#[test]
fn trap_8_blocks_of_static_constructors_are_as_before_in_every_run() {
    needed(8, "next | next", &[&[5, 6], &[6, 5]], trap::STATIC_HEAP);
}

#[test]
fn trap_9_addresses_of_blocks_depend_on_their_thread_alone() {
    let right = see(9, "put_left | put_right | touch", 0);
    assert_eq!((right.ended, right.findings.len()), (None, 0));
    let wrong = see(9, "put_left | put_right | touch", 1 << trap::ARENAS);
    assert!(matches!(wrong.ended, Some(Ended::Differs(_))), "{:?} {:?}", wrong.ended, wrong.counts);
}

#[test]
fn trap_9_blocks_of_the_c_library_are_left_to_it() {
    needed(90, "print print | print", &[&[0, 0, 1], &[0, 1, 0]], trap::LIBRARY);
}

#[test]
fn trap_10_accesses_to_freed_memory_are_found() {
    let uses = BTreeSet::from([Kind::UseAfterFree]);
    assert_eq!(see(10, "drop | look", 0).findings, uses);
    assert_eq!(see(10, "drop | look", 1 << trap::SHADOW).findings, BTreeSet::new());
}

#[test]
fn trap_10_blocks_are_used_again() {
    let aba = |reuse: bool| {
        let mut program = program(100, "-O1");
        program.settings.reuse = reuse;
        let mut all = All::default();
        let (_, ended) = program.explore("slow | fast", &mut all);
        assert_eq!(ended, None);
        all.histories.into_iter().any(|h| h.1.concat() == [11, 1])
    };
    assert!(aba(true) && !aba(false));
}

#[test]
fn trap_11_static_variables_are_initialised_once() {
    needed(11, "use | use", &[&[1, 1]], trap::GUARDS);
}

#[test]
fn trap_11_what_threads_keep_by_keys_is_their_own_and_fresh_in_every_run() {
    needed(111, "mark mark | mark", &[&[1, 12, 1]], trap::KEYS);
}

/// What a run has made is gone when the process ends: destructors would work on whatever is there then.
#[test]
fn trap_11_destructors_of_static_variables_are_not_called() {
    let program = program(110, "-O1");
    let scenario = Scenario::parse("use | use", &program.harness).unwrap();
    let said = |off: u32| {
        let settings = Settings { off, ..Settings::default() };
        let words = set_up(&program.harness, &scenario, &Explorer::default(), settings, false);
        let mut process = std::process::Command::new(program.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        process.stdin.take().unwrap().write_all(&input(&words, &Plan::default())).unwrap();
        let output = process.wait_with_output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(said(0), (true, String::new()));
    assert!(said(1 << trap::EXITS).1.contains("destroyed"));
}

#[test]
fn trap_12_waiting_inside_of_the_library_is_seen() {
    // Its calls do not go through the program's own symbols: an interposition by `--wrap` would not see them, and the
    // program would wait for ever.
    let seen = see(12, "send | wait", 0);
    assert_eq!((seen.ended, seen.stuck, seen.answers), (None, false, set(&[&[0, 1]])));
    assert!(seen.counts.complete > 1 && seen.counts.long == 0, "{:?}", seen.counts);
    let wrong = see(12, "send | wait", 1 << trap::INSIDE);
    assert!(wrong.counts.long > 0, "nobody sees that it waits: {:?}", wrong.counts);
}

#[test]
fn trap_13_loops_that_change_nothing_end() {
    for cut in [true, false] {
        let mut counts = Vec::new();
        for off in [0, 1 << trap::LOOPS] {
            let mut program = program(13, "-O1");
            program.settings = Settings { off, cut, ..Settings::default() };
            let mut all = All::default();
            let (seen, ended) = program.explore("set | wait", &mut all);
            assert_eq!(ended, None);
            counts.push((seen.long, seen.complete, all.stuck));
        }
        assert_eq!((counts[0].0, counts[0].2), (0, false), "{counts:?}");
        if cut {
            assert!(counts[1].0 > 0 || counts[1].1 > counts[0].1, "{counts:?}");
        }
    }
}

#[test]
fn trap_14_a_crash_is_a_finding_and_exploration_goes_on() {
    let right = see(14, "act | act", 0);
    assert_eq!((right.ended, right.findings), (None, BTreeSet::from([Kind::Crash])));
    assert!(right.counts.found > 1, "{:?}", right.counts);
    let wrong = see(14, "act | act", 1 << trap::CRASHES);
    assert!(matches!(wrong.ended, Some(Ended::Player(_))), "{:?}", wrong.ended);
}

#[test]
fn trap_15_a_player_behind_the_c_library_refuses() {
    let change = "last=(); for a in \"$@\"; do case $a in *libtrueline_player.so) last+=(-lc \"$a\") ;; *) all+=(\"$a\") ;; esac; done; all+=(\"${last[@]}\")";
    let (_folder, compiler) = changed("clang++-behind", change);
    let folder = Folder::new().unwrap();
    let wanted = Build {
        source: root().join(FILE),
        level: "-O1".into(),
        flags: vec!["-DTRAP=15".into()],
        main: false,
        shim: false,
    };
    let program = build(&find(true, Some(&compiler)).unwrap(), &wanted, &folder).unwrap();
    let harness = harness::read(&program).unwrap();
    let mut player = Player::start(&program, Duration::from_secs(20)).unwrap();
    let scenario = Scenario::parse("next | next", &harness).unwrap();
    player.set_up(set_up(&harness, &scenario, &Explorer::default(), Settings::default(), false));
    assert!(player.play(&[Plan::default()]).is_err());
    let words: Vec<String> = (0..20).map(|_| player.last_words()).collect();
    assert!(words.iter().any(|w| w.contains("not first in the order of symbols")), "{words:?}");
}

#[test]
fn trap_15_a_thread_that_nobody_controls_ends_it() {
    let seen = see(150, "next | next", 0);
    assert!(
        matches!(&seen.ended, Some(Ended::Player(why)) if why.contains("starts a thread")),
        "{:?}",
        seen.ended
    );
}

#[test]
fn trap_16_a_thread_may_ask_for_its_stack() {
    let seen = see(160, "room | room", 0);
    assert_eq!((seen.ended, seen.findings, seen.answers), (None, BTreeSet::new(), set(&[&[1, 1]])));
}

#[test]
fn trap_16_the_program_cannot_take_the_stack_of_the_handler() {
    let right = see(16, "act | act", 0);
    assert_eq!((right.ended, right.findings), (None, BTreeSet::from([Kind::Crash])));
    let wrong = see(16, "act | act", 1 << trap::SIGNAL_STACK);
    assert!(matches!(wrong.ended, Some(Ended::Player(_))), "{:?}", wrong.ended);
}

#[test]
fn retries_that_are_not_compared_lose_histories() {
    for (what, level) in [(1, "-O2"), (2, "-O2"), (3, "-O0"), (4, "-O2"), (5, "-O2")] {
        let seen = |off: u32| {
            let flag = format!("-DWHAT={what}");
            let mut program = Program::build("crates/run/tests/programs/retries.c", "clang", level, &[&flag]);
            program.settings.off = off;
            let mut all = All::default();
            let (_, ended) = program.explore("add | add | add", &mut all);
            assert_eq!(ended, None);
            all.histories
        };
        let (right, wrong) = (seen(0), seen(1 << trap::RETRIES));
        assert!(
            wrong.len() < right.len() && wrong.is_subset(&right),
            "{what}: {} {}",
            wrong.len(),
            right.len()
        );
    }
}
