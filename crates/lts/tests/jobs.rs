//! Results do not depend on the number of threads.

mod common;

use std::io::Write;
use trueline_base::{Limits, Meter, Silent};
use trueline_lts::read::{self, Fault, Options, ReadError};
use trueline_lts::sample::{self, Random};
use trueline_lts::{Equivalence, Lts, partition, quotient, write};

fn jobs(jobs: usize) -> Meter {
    Meter::start(Limits { jobs, ..Limits::default() })
}

fn text(lts: &Lts) -> Vec<u8> {
    let mut bytes = Vec::new();
    write::aut(lts, "tau", &mut bytes).unwrap();
    bytes
}

/// What is read, as text, or what is wrong.
fn read(bytes: &[u8], meter: &Meter) -> Result<Vec<u8>, ReadError> {
    read::any(bytes, &Options::default(), meter, &mut Silent).map(|lts| text(&lts))
}

#[test]
fn partitions_and_quotients() {
    let systems = (0..60).map(|seed| sample::random_small(seed, 400));
    for (i, lts) in systems.chain([sample::product(5, 2), sample::choices(6)]).enumerate() {
        for by in Equivalence::ALL.into_iter().filter(|&by| by != Equivalence::Trace) {
            let classes = partition(&lts, by, &jobs(1), &mut Silent).unwrap();
            let small = text(&quotient(&lts, by, &jobs(1), &mut Silent).unwrap().system);
            for n in [2, 3, 7] {
                let meter = jobs(n);
                assert_eq!(
                    partition(&lts, by, &meter, &mut Silent).unwrap(),
                    classes,
                    "{by} {i}, {n} threads"
                );
                let other = text(&quotient(&lts, by, &meter, &mut Silent).unwrap().system);
                assert_eq!(other, small, "{by} {i}, {n} threads");
            }
        }
    }
}

#[test]
fn files_of_several_blocks() {
    let whole = text(&sample::product(7, 2));
    assert!(whole.len() > 2 << 20);
    assert_eq!(read(&whole, &jobs(1)).unwrap(), whole);
    for n in [2, 3, 5] {
        assert!(read(&whole, &jobs(n)).unwrap() == whole, "{n} threads");
    }
    // Faults here and there; blank lines count.
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut broken = whole.clone();
        for _ in 0..3 {
            let at = random.below(broken.len() as u64) as usize;
            match random.below(3) {
                0 => broken[at] = b'\n',
                1 => broken[at] = b'(',
                _ => broken.truncate(at),
            }
        }
        let want = read(&broken, &jobs(1)).unwrap_err();
        assert!(want.line > 1, "{want}");
        for n in [2, 3] {
            assert_eq!(read(&broken, &jobs(n)).unwrap_err(), want, "seed {seed}, {n} threads");
        }
    }
}

#[test]
fn compressed_files_cut_short() {
    let whole = text(&sample::product(6, 2));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&whole).unwrap();
    let gzip = gzip.finish().unwrap();
    for n in [1, 2, 3] {
        assert!(read(&gzip, &jobs(n)).unwrap() == whole, "{n} threads");
    }
    for keep in [20, gzip.len() / 3, gzip.len() / 2, gzip.len() - 3] {
        let want = read(&gzip[..keep], &jobs(1)).unwrap_err();
        assert_eq!(want.fault, Fault::CutShort, "{keep}");
        assert_eq!(read(&gzip[..keep], &jobs(2)).unwrap_err(), want, "{keep}");
    }
}

#[test]
fn faults_of_small_files() {
    let fine = "des (0, 3, 3)\n(0, \"a,b\", 1)\n\n(1, tau, 2)\r\n(2, ü, 0)\n";
    let long = format!("des (0, 1, 2)\n(0, {}, 1)\n", "x".repeat(1 << 20));
    let blanks = format!("des (0, 1, 2)\n{}\n(0, a, 1)\n", " ".repeat(1 << 20));
    let mut texts = vec![fine.as_bytes().to_vec(), long.into_bytes(), blanks.into_bytes()];
    let mut random = Random::new(1);
    for _ in 0..3000 {
        let mut bytes = fine.as_bytes().to_vec();
        for _ in 0..1 + random.below(2) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(4) {
                0 => bytes[at] = b"\n(),\"0129 \xff"[random.below(11) as usize],
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"\n(),\"7 "[random.below(7) as usize]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        texts.push(bytes);
    }
    let mut wrong = 0;
    for bytes in &texts {
        let want = read(bytes, &jobs(1));
        wrong += usize::from(want.is_err());
        assert_eq!(
            read(bytes, &jobs(3)),
            want,
            "{:?}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(99)])
        );
    }
    assert!((1000..2990).contains(&wrong), "{wrong} of {} wrong", texts.len());
}
