//! Results do not depend on the number of threads.

use std::io::{Read, Write};
use trueline_base::{Event, Limits, Meter, Observer, Silent};
use trueline_lts::read::{self, Options, ReadError, ReadFault};
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

/// Some bytes, and then a fault.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(std::io::Error::other("no more")),
            read => Ok(read),
        }
    }
}

#[test]
fn faults_of_the_input_and_of_the_header() {
    let whole = text(&sample::product(7, 2));
    let transitions = line_ends(&whole) - 1;
    for keep in [0, 100, 300_000, 1_000_000, whole.len()] {
        let read = |n| {
            read::any(Failing(&whole[..keep]), &Options::default(), &jobs(n), &mut Silent)
                .map(|lts| text(&lts))
        };
        let want = read(1).unwrap_err();
        assert!(matches!(want.fault, ReadFault::Io(_)), "{want}");
        for n in [2, 3] {
            assert_eq!(read(n).unwrap_err(), want, "{keep} bytes, {n} threads");
        }
    }
    let (header, rest) = whole.split_at(whole.iter().position(|&byte| byte == b'\n').unwrap());
    let header = str::from_utf8(header).unwrap();
    for announced in [5, 70_000, transitions - 1, transitions + 1] {
        let header = header.replace(&transitions.to_string(), &announced.to_string());
        // Blank lines must be counted.
        let other = [header.as_bytes(), b"\n \n\n", rest].concat();
        let want = read(&other, &jobs(1)).unwrap_err();
        assert_eq!(want.line, 3 + (announced + 1).min(transitions + 1) as u64 + 1, "{want}");
        for n in [2, 3] {
            assert_eq!(read(&other, &jobs(n)).unwrap_err(), want, "{announced}, {n} threads");
        }
    }
}

fn line_ends(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// The most bytes that were said to be in use.
#[derive(Default)]
struct Most(u64);

impl Observer for Most {
    fn event(&mut self, event: &Event) {
        if let Event::Work { bytes, .. } = event {
            self.0 = self.0.max(*bytes);
        }
    }
}

#[test]
fn labels_of_other_threads_are_counted() {
    let lines = 200_000;
    let mut whole = format!("des (0, {lines}, 2)\n").into_bytes();
    for i in 0..lines {
        writeln!(whole, "(0, \"a rather long label with the number {i}\", 1)").unwrap();
    }
    let most = |n| {
        let mut most = Most::default();
        read::any(&whole[..], &Options::default(), &jobs(n), &mut most).unwrap();
        most.0
    };
    let (alone, two) = (most(1), most(2));
    assert!(two > alone + lines * 30 / 2, "{alone} {two}");
}

#[test]
fn a_fault_is_told_while_the_input_stays_open() {
    for n in [1, 2, 3] {
        let (input, mut output) = std::io::pipe().unwrap();
        let (send, answer) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let read = read::any(input, &Options::default(), &jobs(n), &mut Silent);
            send.send(read.map(|lts| text(&lts)))
        });
        output.write_all(b"des (0, 3, 3)\n(0, a, 1)\n(1, b, 7)\n").unwrap();
        let answer = answer.recv_timeout(std::time::Duration::from_secs(60));
        assert_eq!(answer.unwrap().unwrap_err().line, 3, "{n} threads");
        drop(output);
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
        assert_eq!(want.fault, ReadFault::CutShort, "{keep}");
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
