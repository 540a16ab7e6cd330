//! Growing histories: after every return the answer is that of a check of the prefix.

use crate::common::meter;
use trueline_base::Silent;
use trueline_history::check::Status;
use trueline_history::generate::{ObjectKind, Plan, history};
use trueline_history::naive::engines::{Follower, RegularFollower, RegularLog};
use trueline_history::read::{Entry, Format, LineParser};
use trueline_history::spec::{Container, Discipline, Kv, Register, RegisterOp, Set, Spec};
use trueline_history::write::write;
use trueline_history::{Builder, Condition, Datum, History, Options, check};

fn lines(h: &History) -> Vec<(u32, Entry<'static>)> {
    let mut out = Vec::new();
    write(h, Format::Json, None, &mut out).unwrap();
    let mut parser = LineParser::new(Format::Json, false);
    let text = String::from_utf8(out).unwrap();
    text.lines()
        .enumerate()
        .filter_map(|(i, l)| Some((i as u32 + 1, parser.entry(i as u32 + 1, l).unwrap()?.into_owned())))
        .collect()
}

fn prefixes<S: Spec + Clone>(spec: S, object: ObjectKind, operations: usize) {
    let meter = meter();
    let mut failed = 0;
    for seed in 0..150 {
        let plan = Plan {
            object,
            operations,
            clients: 4,
            values: seed as usize % 4,
            crashes: 10,
            spoiled: true,
            seed,
        };
        let h = history(&plan);
        let mut follower = Follower::new(spec.clone());
        let mut builder = Builder::new();
        let mut impossible = false;
        for (line, entry) in lines(&h) {
            trueline_history::read::apply(&mut builder, line, entry.clone()).unwrap();
            let returned = matches!(entry, Entry::Return { .. });
            let status = follower.entry(line, entry, &meter).unwrap();
            if returned && !impossible {
                let options = Options { reasons: false, ..Options::default() };
                let now = check(&spec, &builder.clone().finish(), &options, &meter, &mut Silent).unwrap();
                impossible = now.verdict.fails();
                assert_eq!(status != Status::Possible, impossible, "{plan:?} line {line}");
                if impossible {
                    assert_eq!(status, Status::Impossible { line });
                }
            }
        }
        failed += usize::from(impossible);
    }
    assert!(failed > 20, "{failed}");
}

#[test]
fn every_prefix_is_answered_as_by_a_check() {
    prefixes(Container::new(Discipline::Fifo), ObjectKind::Queue, 12);
    prefixes(Register::default(), ObjectKind::Register, 12);
}

/// Keys and elements are followed each on its own.
#[test]
fn parts_are_followed_each_on_its_own() {
    prefixes(Kv, ObjectKind::Kv, 100);
    prefixes(Set, ObjectKind::Set, 30);
}

#[test]
fn regular_prefixes() {
    let mut counts = [0, 0];
    for seed in 0..300 {
        let plan = Plan {
            object: ObjectKind::Register,
            operations: 8,
            clients: 3,
            values: 2,
            crashes: 0,
            spoiled: true,
            seed,
        };
        let h = history(&plan);
        let mut follower = RegularFollower::new(Datum::Nil);
        let mut fine = true;
        for (_, entry) in lines(&h) {
            match entry {
                Entry::Call { process, name, input, .. } if name == "write" => {
                    follower.call(process, RegisterOp::Write(input))
                }
                Entry::Call { process, .. } => follower.call(process, RegisterOp::ReadAny),
                Entry::Return { process, output } => fine &= follower.ret(process, output.as_ref()),
                _ => {}
            }
        }
        let options = Options { condition: Condition::Regular, ..Options::default() };
        let truth = check(&Register::default(), &h, &options, &meter(), &mut Silent).unwrap().verdict.holds();
        assert_eq!(fine, truth, "{plan:?}");
        counts[usize::from(truth)] += 1;
    }
    assert!(counts.iter().all(|c| *c > 20), "{counts:?}");
}

/// The line at which a log becomes impossible, under linearizability and regularity.
fn ends<S: Spec + Clone>(spec: &S, text: &str) -> [Option<u32>; 2] {
    let mut parser = LineParser::new(Format::Json, false);
    let (mut follower, mut regular) = (Follower::new(spec.clone()), RegularLog::new(spec.clone()));
    let mut found = [None, None];
    let meter = meter();
    for (line, text) in (1..).zip(text.lines()) {
        let entry = parser.entry(line, text).unwrap().unwrap();
        let now = [follower.entry(line, entry.clone(), &meter).unwrap(), regular.entry(line, entry).unwrap()];
        for (found, now) in found.iter_mut().zip(now) {
            if let Status::Impossible { line } = now {
                found.get_or_insert(line);
            }
        }
    }
    found
}

/// A read that is owed to a write that then certainly did not happen.
#[test]
fn a_failure_takes_back_what_it_explained() {
    let log = r#"{"process":0,"type":"call","op":"write","value":1}
{"process":1,"type":"call","op":"read"}
{"process":1,"type":"return","value":1}
{"process":0,"type":"fail"}
{"process":0,"type":"call","op":"write","value":1}
"#;
    assert_eq!(ends(&Register::default(), log), [Some(4), Some(4)]);
    let twice = log.replacen(
        "{\"process\":1,\"type\":\"return\"",
        "{\"process\":2,\"type\":\"call\",\"op\":\"write\",\"value\":1}\n{\"process\":1,\"type\":\"return\"",
        1,
    );
    assert_eq!(ends(&Register::default(), &twice), [None, None]);
}

#[test]
fn what_has_no_key_belongs_to_every_one() {
    let log = r#"{"process":0,"type":"call","op":"write","value":5}
{"process":0,"type":"return","value":null}
{"process":1,"type":"call","op":"read","key":"a"}
{"process":1,"type":"return","value":5}
{"process":0,"type":"call","op":"write","value":6}
{"process":0,"type":"return","value":null}
{"process":1,"type":"call","op":"read","key":"a"}
{"process":1,"type":"return","value":5}
"#;
    assert_eq!(ends(&Register::default(), log), [Some(8), Some(8)]);
}

#[test]
fn an_absent_key_reads_as_the_empty_text() {
    let log = r#"{"process":1,"type":"call","op":"get","key":"a"}
{"process":1,"type":"return","value":""}
"#;
    assert_eq!(ends(&Kv, log), [None, None]);
}
