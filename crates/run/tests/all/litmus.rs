//! Litmus tests under the memory model of C11: an outcome each that is allowed or forbidden, and how many there are.
//!
//! Names as in Sarkar, Sewell, Alglave, Maranget and Williams (PLDI 2011) and Lahav, Vafeiadis, Kang, Hur and Dreyer (PLDI
//! 2017).

use std::collections::BTreeSet;

use crate::common::{All, Program};
use trueline_run::order::Model;
use trueline_run::search::Settings;

/// A test: its name, the threads, what they answer, whether that is allowed, and how many outcomes there are.
type Row = (&'static str, &'static str, &'static [u64], bool, usize);

const ROWS: &[Row] = &[
    ("MP relaxed", "wxy_rlx | ryx_rlx", &[0, 10], true, 4),
    ("MP release, relaxed", "wxy_rel | ryx_rlx", &[0, 10], true, 4),
    ("MP relaxed, acquire", "wxy_rlx | ryx_acq", &[0, 10], true, 4),
    ("MP release, acquire", "wxy_rel | ryx_acq", &[0, 10], false, 3),
    ("MP sc", "wxy_sc | ryx_sc", &[0, 10], false, 3),
    ("MP fences", "wxy_fence | ryx_fence", &[0, 10], false, 3),
    ("MP release fence, acquire", "wxy_fence | ryx_acq", &[0, 10], false, 3),
    ("MP release, acquire fence", "wxy_rel | ryx_fence", &[0, 10], false, 3),
    ("MP relaxed, acquire fence", "wxy_rlx | ryx_fence", &[0, 10], true, 4),
    ("SB relaxed", "wxry_rlx | wyrx_rlx", &[0, 0], true, 4),
    ("SB release, acquire", "wxry_ra | wyrx_ra", &[0, 0], true, 4),
    ("SB sc", "wxry_sc | wyrx_sc", &[0, 0], false, 3),
    ("SB sc and relaxed", "wxry_sc | wyrx_rlx", &[0, 0], true, 4),
    ("SB sc fences", "wxry_fence | wyrx_fence", &[0, 0], false, 3),
    ("SB one sc fence", "wxry_fence | wyrx_rlx", &[0, 0], true, 4),
    ("SB weaker fences", "wxry_weak | wyrx_weak", &[0, 0], true, 4),
    ("LB relaxed", "rxwy_rlx | rywx_rlx", &[1, 1], false, 3),
    ("CoRR", "wx_rlx | rxx_rlx", &[0, 10], false, 3),
    ("IRIW relaxed", "wx_rlx | wy_rlx | rxy_rlx | ryx_rlx", &[0, 0, 10, 10], true, 16),
    ("IRIW release, acquire", "wx_rel | wy_rel | rxy_acq | ryx_acq2", &[0, 0, 10, 10], true, 16),
    ("IRIW sc", "wx_sc | wy_sc | rxy_sc | ryx_sc", &[0, 0, 10, 10], false, 15),
    ("IRIW sc fences", "wx_rlx | wy_rlx | rxy_scfence | ryx_scfence", &[0, 0, 10, 10], false, 15),
    ("2+2W relaxed", "wx1y2_rlx | wy1x2_rlx [memory]", &[0, 0, 11], true, 4),
    ("2+2W release", "wx1y2_rel | wy1x2_rel [memory]", &[0, 0, 11], true, 4),
    ("2+2W sc", "wx1y2_sc | wy1x2_sc [memory]", &[0, 0, 11], false, 3),
    ("RWC relaxed", "wx_rlx | rxy_rlx | wyrx_rlx", &[0, 10, 0], true, 8),
    ("RWC release, acquire", "wx_rel | rxy_acq | wyrx_ra", &[0, 10, 0], true, 8),
    ("RWC sc", "wx_sc | rxy_sc | wyrx_sc", &[0, 10, 0], false, 7),
    ("RWC sc fences", "wx_rlx | rxy_scfence | wyrx_fence", &[0, 10, 0], false, 7),
    ("RWC sc through release, acquire", "wxy_screl | ryz_acqsc | wzrx_sc", &[0, 10, 0], false, 7),
    ("RWC sc through relaxed", "wxy_scrlx | ryz_acqsc | wzrx_sc", &[0, 10, 0], true, 8),
    ("WRC relaxed", "wx_rlx | rxwy_rlx | ryx_rlx", &[0, 1, 10], true, 8),
    ("WRC relaxed, acquire", "wx_rlx | rxwy_rlx | ryx_acq", &[0, 1, 10], true, 8),
    ("WRC release, acquire", "wx_rlx | rxwy_ra | ryx_acq", &[0, 1, 10], false, 7),
    ("ISA2 relaxed", "wxy_rlx | rywz_rlx | rzx_rlx", &[0, 1, 10], true, 8),
    ("ISA2 release, acquire", "wxy_rel | rywz_ra | rzx_acq", &[0, 1, 10], false, 7),
    ("release sequence of an increment", "wxy_rel | add_y | ryx_acq", &[0, 0, 20], false, 5),
    ("no release sequence of a store", "wxy_rel | put_y | ryx_acq", &[0, 0, 20], true, 5),
    ("no release sequence of a later store", "wxy_then | ryx_acq", &[0, 20], true, 5),
    ("an increment by nothing is a write", "wx_touch_y | touch_y_x", &[0, 0], true, 2),
    ("a failed comparison acquires", "wxy_rel | try_acq", &[0, 10], false, 3),
    ("a failed comparison is relaxed", "wxy_rel | try_rlx", &[0, 10], true, 4),
];

fn outcomes(program: &mut Program, model: Model, text: &str) -> (BTreeSet<Vec<u64>>, bool) {
    program.settings = Settings { model, ..Settings::default() };
    let mut all = All::default();
    let (counts, ended) = program.explore(text, &mut all);
    assert_eq!((ended, all.twice), (None, 0), "{text}");
    (all.histories.into_iter().map(|h| h.1.concat()).collect(), counts.found > 0)
}

#[test]
fn litmus_tests_have_the_outcomes_of_the_model() {
    for (compiler, level) in [("clang", "-O0"), ("gcc", "-O2")] {
        let mut program = Program::build("crates/run/tests/programs/litmus.c", compiler, level, &[]);
        let mut wrong = Vec::new();
        for (name, threads, outcome, allowed, count) in ROWS {
            let (seen, races) = outcomes(&mut program, Model::C11, threads);
            if races || seen.contains(*outcome) != *allowed || seen.len() != *count {
                wrong.push(format!("{name}: {} of {count}, {races}, {seen:?}", seen.len()));
            }
            // Sequentially consistent outcomes are allowed by every model, and are fewer where the outcome is weak.
            let (strong, _) = outcomes(&mut program, Model::Sc, threads);
            if !strong.is_subset(&seen) || (!*allowed && strong != seen) {
                wrong.push(format!("{name}: {seen:?} against {strong:?}"));
            }
        }
        assert!(wrong.is_empty(), "{compiler} {level}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn plain_data_races_unless_it_is_synchronised() {
    let mut program = Program::build("crates/run/tests/programs/litmus.c", "clang", "-O1", &[]);
    let rows = [
        ("give_rlx | take_acq", true),
        ("give_rel | take_rlx", true),
        ("give_rel | take_acq", false),
        ("give_fence | take_acq", false),
        ("give_rel | take_fence", false),
        ("give_fence | take_fence", false),
        ("give_rlx | take_fence", true),
    ];
    for (threads, races) in rows {
        let (seen, raced) = outcomes(&mut program, Model::C11, threads);
        assert_eq!(raced, races, "{threads}: {seen:?}");
        assert!(races || seen.len() == 2, "{threads}: {seen:?}");
    }
}
