//! Reading and writing: what comes in goes out, and what is wrong is said with its place.

use crate::common::{aut, meter};
use std::io::Write;
use trueline_base::{Limits, Meter, Silent, Stop};
use trueline_lts::read::{self, Options, ReadError, ReadFault};
use trueline_lts::sample::{self, Random};
use trueline_lts::{LabelId, Lts, write};

fn any(bytes: &[u8]) -> Result<Lts, ReadError> {
    read::any(bytes, &Options::default(), &meter(), &mut Silent)
}

fn fault(text: &str) -> (u64, u64, ReadFault) {
    let error = any(text.as_bytes()).unwrap_err();
    (error.line, error.column, error.fault)
}

fn gzip(text: &str) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

fn triples(lts: &Lts) -> Vec<(u32, String, u32)> {
    lts.iter().map(|(s, m)| (s.0, lts.labels().name(m.label()).to_string(), m.target().0)).collect()
}

#[test]
fn spellings_of_the_same_system() {
    let spellings = [
        "des (0, 3, 2)\n(0, \"put(1,2)\", 1)\n(1, \"tau\", 0)\n(1, \"a b\", 1)\n",
        "des(0,3,2)\n(0,put(1,2),1)\n(1,i,0)\n(1,a b,1)",
        "\r\ndes ( 0 , 3 , 2 ) \r\n\r\n(0 ,\tput(1,2) ,1 )\r\n(1,\"i\",0)\r\n(1, \"a b\",1)\r\n\r\n",
        "{\"initial\":0,\"states\":2,\"transitions\":3}\n{\"from\":0,\"label\":\"put(1,2)\",\"to\":1}\n\
         {\"from\":1,\"label\":null,\"to\":0}\n{\"from\":1,\"label\":\"a b\",\"to\":1}\n",
    ];
    let want = triples(&aut(spellings[0]));
    assert_eq!(want[1].1, "tau");
    for text in spellings {
        assert_eq!(triples(&any(text.as_bytes()).unwrap()), want, "{text}");
        assert_eq!(triples(&any(&gzip(text)).unwrap()), want, "gzip of {text}");
    }
}

#[test]
fn tau_by_another_name() {
    let options = Options { tau: vec!["hush".into()] };
    let text = "des (0, 3, 2)\n(0, hush, 1)\n(0, tau, 1)\n(0, i, 1)\n";
    let lts = read::aut(text.as_bytes(), &options, &meter(), &mut Silent).unwrap();
    assert_eq!(lts.internal(), 1);
    assert!(lts.labels().find("tau").is_some() && lts.labels().find("i").is_some());
    // A visible label named like tau cannot be written so.
    assert!(write::aut(&lts, "tau", &mut Vec::new()).is_err());
    assert!(write::aut(&lts, "hush", &mut Vec::new()).is_ok());
}

#[test]
fn written_systems_are_read_back() {
    for seed in 0..200 {
        let lts = sample::random_small(seed, 20);
        let (mut as_aut, mut as_json) = (Vec::new(), Vec::new());
        write::aut(&lts, "tau", &mut as_aut).unwrap();
        write::jsonl(&lts, &mut as_json).unwrap();
        for bytes in [as_aut, as_json] {
            let back = any(&bytes).unwrap();
            assert_eq!(triples(&back), triples(&lts), "seed {seed}");
            assert_eq!((back.initial(), back.states()), (lts.initial(), lts.states()));
        }
    }
}

#[test]
fn odd_labels_survive() {
    let mut labels = trueline_lts::Labels::new();
    for name in ["\"quoted\"", " spaces ", "a,b", "π \\ \"", ""] {
        labels.intern(name);
    }
    let id = trueline_lts::StateId(0);
    let steps = (1..6).map(|l| (id, LabelId(l), id));
    let lts = Lts::from_transitions(1, id, labels, steps);
    let mut out = Vec::new();
    write::aut(&lts, "tau", &mut out).unwrap();
    assert_eq!(triples(&any(&out).unwrap()), triples(&lts));
    out.clear();
    write::jsonl(&lts, &mut out).unwrap();
    assert_eq!(triples(&any(&out).unwrap()), triples(&lts));
    out.clear();
    write::dot(&lts, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains(r#"label="\"quoted\"""#));
}

#[test]
fn faults_have_places() {
    let announced = |announced, found| ReadFault::TooFewTransitions { announced, found };
    assert_eq!(fault(""), (1, 1, ReadFault::NoHeader));
    assert_eq!(fault("\n\n"), (2, 1, ReadFault::NoHeader));
    assert_eq!(fault("(0, a, 1)\n"), (1, 1, ReadFault::NoHeader));
    assert_eq!(fault("des (0, 1)\n"), (1, 10, ReadFault::Expected("`,` after the number of transitions")));
    assert_eq!(fault("des (0, 1, 2) x\n"), (1, 15, ReadFault::Expected("the end of the line")));
    assert_eq!(fault("des (0, 1, 99999999999)\n"), (1, 12, ReadFault::NumberTooLarge));
    assert_eq!(fault("des (0, 99999999999999999999, 1)\n"), (1, 9, ReadFault::NumberTooLarge));
    assert_eq!(fault("des (0, 9999999999, 1)\n"), (1, 6, ReadFault::TooLarge { what: "transitions" }));
    assert_eq!(fault("des (3, 0, 2)\n"), (1, 6, ReadFault::NoInitial { initial: 3, states: 2 }));
    assert_eq!(fault("des (0, 0, 0)\n"), (1, 6, ReadFault::NoInitial { initial: 0, states: 0 }));
    let many = ReadFault::TooManyStates { states: 4_000_000_000, transitions: 1 };
    assert_eq!(fault("des (0, 1, 4000000000)\n"), (1, 6, many));
    assert_eq!(
        fault("des (0, 1, 2)\n(2, a, 0)\n"),
        (2, 2, ReadFault::StateOutOfRange { state: 2, states: 2 })
    );
    assert_eq!(
        fault("des (0, 1, 2)\n(0, a, 9)\n"),
        (2, 8, ReadFault::StateOutOfRange { state: 9, states: 2 })
    );
    assert_eq!(fault("des (0, 2, 2)\n(0, a, 1)\n"), (3, 1, announced(2, 1)));
    assert_eq!(
        fault("des (0, 1, 2)\n(0, a, 1)\n(0, a, 1)\n"),
        (3, 1, ReadFault::TooManyTransitions { announced: 1 })
    );
    assert_eq!(fault("des (0, 1, 2)\n(0, a)\n"), (2, 5, ReadFault::Expected("a label, `,` and a state")));
    assert_eq!(fault("des (0, 1, 2)\n(0, , 1)\n").2, ReadFault::Expected("a label"));
    assert_eq!(fault("des (0, 1, 2)\n(0, a, 1\n"), (2, 9, ReadFault::Expected("`)` after the transition")));
    assert_eq!(fault("des (0, 1, 2)\n0, a, 1)\n"), (2, 1, ReadFault::Expected("`(` before a transition")));
    let bytes = b"des (0, 1, 2)\n(0, \xff\xfe, 1)\n";
    assert_eq!(any(bytes).unwrap_err(), ReadError { line: 2, column: 5, fault: ReadFault::NotUtf8 });
    assert!(
        matches!(fault("{\"initial\":0}\n").2, ReadFault::Json(why) if why.starts_with("there is no header"))
    );
    assert_eq!(fault("{\"initial\":0,\"states\":1,\"transitions\":1}\n{\"from\":0,}\n").0, 2);
}

#[test]
fn labels_of_a_megabyte_are_refused() {
    let long = "x".repeat(1 << 20);
    for text in [format!("des (0, 1, 2)\n(0, {long}, 1)\n"), format!("des (0, 1, 2)\n(0, {long}")] {
        let (line, _, what) = fault(&text);
        assert_eq!((line, what), (2, ReadFault::LongLabel));
    }
    let json = format!(
        "{{\"initial\":0,\"states\":1,\"transitions\":1}}\n{{\"from\":0,\"label\":\"{long}\",\"to\":0}}\n"
    );
    assert_eq!(fault(&json).2, ReadFault::LongLabel);
    let fits = "x".repeat(1 << 16);
    assert_eq!(aut(&format!("des (0, 1, 2)\n(0, {fits}, 1)\n")).labels().name(LabelId(1)), fits);
}

#[test]
fn compressed_data_cut_short() {
    let steps: String = (0..5000).map(|i| format!("({i}, a{i}, {})\n", i + 1)).collect();
    let whole = gzip(&format!("des (0, 5000, 5001)\n{steps}"));
    assert_eq!(any(&whole).unwrap().transitions(), 5000);
    for keep in [12, whole.len() / 2, whole.len() - 4] {
        let error = any(&whole[..keep]).unwrap_err();
        assert_eq!(error.fault, ReadFault::CutShort, "{keep}: {error}");
        assert!(error.line > 1 || keep < 1000, "{error}");
    }
}

#[test]
fn limits_end_the_reading() {
    let steps: String = (0..70_000).map(|i| format!("({i}, a, {})\n", i + 1)).collect();
    let text = format!("des (0, 70000, 70001)\n{steps}");
    let limits = Limits { memory: Some(1000), ..Limits::default() };
    let error = read::any(text.as_bytes(), &Options::default(), &Meter::start(limits), &mut Silent);
    assert_eq!(error.unwrap_err().fault, ReadFault::Stopped(Stop::Memory));
}

/// Damages a file in some way.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len() as u64) as usize;
    match random.below(7) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random.below(8),
        2 => {
            bytes.remove(at);
        }
        3 => bytes.insert(at, b"(),\"\n 09-{}\0"[random.below(12) as usize]),
        4 => {
            let end = (at + 1 + random.below(20) as usize).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len() as u64) as usize;
            bytes.splice(to..to, piece);
        }
        5 => {
            let end = (at + 1 + random.below(20) as usize).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => bytes.splice(at..at, random.bits().to_string().bytes()).for_each(drop),
    }
}

#[test]
fn damaged_files_never_break_the_reader() {
    let (mut read_well, mut refused) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let lts = sample::random_small(seed, 6);
        let mut bytes = Vec::new();
        match random.below(3) {
            0 => write::jsonl(&lts, &mut bytes).unwrap(),
            _ => write::aut(&lts, "tau", &mut bytes).unwrap(),
        }
        if random.below(4) == 0 {
            bytes = gzip(&String::from_utf8(bytes).unwrap());
        }
        for _ in 0..=random.below(4) {
            damage(&mut bytes, &mut random);
        }
        match any(&bytes) {
            Ok(lts) => {
                read_well += 1;
                assert!(lts.iter().all(|(_, m)| m.target().index() < lts.states()), "seed {seed}");
            }
            Err(error) => {
                refused += 1;
                assert!(error.line >= 1 && error.column >= 1, "seed {seed}: {error}");
            }
        }
    }
    assert!(read_well > 500 && refused > 5000, "{read_well} {refused}");
}

#[test]
fn made_systems_survive_a_file() {
    for lts in [sample::product(3, 2), sample::choices(6), sample::hubs(3, 5)] {
        let mut out = Vec::new();
        write::aut(&lts, "tau", &mut out).unwrap();
        let back = any(&out).unwrap();
        assert_eq!((back.internal(), back.labels().len()), (lts.internal(), lts.labels().len()));
    }
}
