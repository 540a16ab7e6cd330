//! Executions under the memory model of C11: litmus tests with their outcomes, and random programs against all candidate
//! executions, of which the axioms say which are consistent.

use std::collections::BTreeSet;

use crate::common::{All, Program, Random, compilers, root};
use trueline_base::{Limits, Meter, Silent, Verdict};
use trueline_history::Condition;
use trueline_run::axioms::{Candidate, Event, EventKind};
use trueline_run::client::Clients;
use trueline_run::explore::{Execution, Explorer, Outcome};
use trueline_run::generate::Sizes;
use trueline_run::order::{ACQ_REL, ACQUIRE, Model, PLAIN, RELAXED, RELEASE, SEQ_CST};
use trueline_run::rc11::{Edge, consistent_with};
use trueline_run::replay::{Again, KIND, ReplayFile, replay};
use trueline_run::scenario::Scenario;
use trueline_run::search::{Settings, Visitor, search};
use trueline_run::test::{Failure, Request, ready_made, test};

fn weak(file: &str, compiler: &str, level: &str) -> Program {
    let mut program = Program::build(file, compiler, level, &[]);
    program.settings = Settings { model: Model::C11, ..Settings::default() };
    program
}

/// An instruction of `orders.c`.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    what: u64,
    at: u64,
    constant: u64,
    order: u64,
}

impl Instruction {
    fn bits(self) -> u64 {
        self.what | self.at << 4 | self.constant << 6 | self.order << 8
    }

    fn of(random: &mut Random, plain: bool, strong: bool) -> Instruction {
        let what = match random.next(if plain { 14 } else { 12 }) {
            0..3 => 1,
            3..6 => 2,
            6 => 3,
            7..9 => 4,
            9 => 5,
            10..12 => 6,
            12 => 7,
            _ => 8,
        };
        let orders = if what < 4 { 3 } else { 5 };
        let order = if strong && random.next(4) > 0 { orders - 1 } else { random.next(orders) };
        Instruction { what, at: random.next(2), constant: random.next(3), order }
    }

    /// The location: plain ones come after the atomic ones.
    fn location(self) -> usize {
        if self.what >= 7 { 3 + (self.at & 1) as usize } else { self.at as usize % 3 }
    }

    fn order(self) -> u8 {
        match self.what {
            1 => [RELAXED, ACQUIRE, SEQ_CST][self.order as usize],
            2 | 3 => [RELAXED, RELEASE, SEQ_CST][self.order as usize],
            7 | 8 => PLAIN,
            _ => [RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST][self.order as usize],
        }
    }
}

/// What consistent candidate executions show.
#[derive(Default)]
struct Expected {
    /// What threads answer, and what is in memory at the end.
    outcomes: BTreeSet<Vec<u64>>,
    executions: u64,
    races: bool,
}

/// Every candidate: which comparisons succeed, what each read reads, in which order writes are.
fn candidates(threads: &[Vec<Instruction>]) -> Expected {
    let comparisons = threads.iter().flatten().filter(|i| i.what == 5).count();
    let mut expected = Expected::default();
    for success in 0..1u32 << comparisons {
        let mut candidate = Candidate { mo: vec![Vec::new(); 5], ..Candidate::default() };
        let (mut code, mut nth) = (Vec::new(), 0);
        for (thread, instructions) in threads.iter().enumerate() {
            for &instruction in instructions {
                let stores = match instruction.what {
                    5 => {
                        nth += 1;
                        success >> (nth - 1) & 1 == 1
                    }
                    what => matches!(what, 2 | 3 | 4 | 8),
                };
                let reads = matches!(instruction.what, 1 | 4 | 5 | 7);
                let order = match (instruction.what, stores) {
                    (5, false) => RELAXED,
                    _ => instruction.order(),
                };
                let event = |kind, update| Event { thread, kind, loc: instruction.location(), order, update };
                if instruction.what == 6 {
                    candidate.events.push(event(EventKind::Fence, false));
                    code.push(instruction);
                }
                if reads {
                    candidate.events.push(event(EventKind::Read, false));
                    code.push(instruction);
                }
                if stores {
                    candidate.events.push(event(EventKind::Write, reads));
                    code.push(instruction);
                }
            }
        }
        candidate.rf = vec![None; candidate.events.len()];
        read_from(&mut candidate, &code, 0, &mut expected);
    }
    expected
}

fn read_from(candidate: &mut Candidate, code: &[Instruction], at: usize, expected: &mut Expected) {
    let Some(event) = candidate.events.get(at).copied() else {
        if let Some((values, answers)) = evaluate(candidate, code) {
            let writes = |loc: usize| {
                (0..code.len())
                    .filter(|e| {
                        candidate.events[*e].kind == EventKind::Write && candidate.events[*e].loc == loc
                    })
                    .collect::<Vec<_>>()
            };
            let all: Vec<Vec<usize>> = (0..5).map(writes).collect();
            return order_writes(candidate, all, 0, &values, &answers, expected);
        }
        return;
    };
    if event.kind != EventKind::Read {
        return read_from(candidate, code, at + 1, expected);
    }
    let sources = (0..candidate.events.len())
        .filter(|w| candidate.events[*w].kind == EventKind::Write && candidate.events[*w].loc == event.loc);
    for from in std::iter::once(None).chain(sources.map(Some).collect::<Vec<_>>()) {
        candidate.rf[at] = from;
        read_from(candidate, code, at + 1, expected);
    }
}

/// The value of each event, and what threads answer; nothing when values come from themselves or a comparison does not do
/// what is assumed.
fn evaluate(candidate: &Candidate, code: &[Instruction]) -> Option<(Vec<u64>, Vec<u64>)> {
    let count = candidate.events.len();
    let mut values: Vec<Option<u64>> = vec![None; count];
    let threads = candidate.events.iter().map(|e| e.thread + 1).max().unwrap_or(0);
    let mut answers = vec![0; threads];
    for _ in 0..=count {
        answers = vec![0; threads];
        let mut stopped = vec![false; threads];
        for at in 0..count {
            let (event, instruction) = (candidate.events[at], code[at]);
            let seen = &mut answers[event.thread];
            if stopped[event.thread] || event.kind == EventKind::Fence {
                continue;
            }
            if event.kind == EventKind::Read {
                let Some(value) = candidate.rf[at].map_or(Some(0), |w| values[w]) else {
                    stopped[event.thread] = true;
                    continue;
                };
                values[at] = Some(value);
                let stores = candidate.events.get(at + 1).is_some_and(|e| e.update);
                match instruction.what {
                    5 if stores != (value == instruction.constant) => return None,
                    5 => *seen = *seen * 8 + u64::from(stores),
                    _ => *seen = *seen * 8 + value,
                }
            } else {
                let old = || values[at - 1].unwrap_or(0);
                values[at] = Some(match instruction.what {
                    3 => *seen & 3,
                    4 => old() + instruction.constant,
                    _ => instruction.constant + 1,
                });
            }
        }
        if stopped.iter().all(|s| !s) {
            return Some((values.into_iter().map(|v| v.unwrap_or(0)).collect(), answers));
        }
    }
    None
}

fn order_writes(
    candidate: &mut Candidate,
    left: Vec<Vec<usize>>,
    loc: usize,
    values: &[u64],
    answers: &[u64],
    expected: &mut Expected,
) {
    if loc == left.len() {
        if candidate.violates().is_some() {
            return;
        }
        expected.executions += 1;
        expected.races |= candidate.race().is_some();
        let last = |l: usize| candidate.mo[l].last().map_or(0, |w| values[*w]);
        let memory = ((last(0) * 64 + last(1)) * 64 + last(2)) * 64 + last(3) * 8 + last(4);
        expected.outcomes.insert([answers, &[memory]].concat());
        return;
    }
    if left[loc].is_empty() {
        return order_writes(candidate, left, loc + 1, values, answers, expected);
    }
    for at in 0..left[loc].len() {
        let mut left = left.clone();
        let write = left[loc].remove(at);
        candidate.mo[loc].push(write);
        order_writes(candidate, left, loc, values, answers, expected);
        candidate.mo[loc].pop();
    }
}

/// How many programs: more for a longer run.
fn programs() -> u32 {
    std::env::var("TRUELINE_RANDOM_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}

fn compare(compiler: &str, level: &str, seed: u64, plain: bool) {
    let mut program = weak("crates/run/tests/programs/orders.c", compiler, level);
    let mut random = crate::random::seed(seed);
    let (mut races, mut executions, mut recalled) = (0, 0, 0);
    let (count, start) = (programs(), std::time::Instant::now());
    for _ in 0..count {
        let parallel = 2 + random.next(2);
        let most = if parallel == 2 { 4 } else { 3 };
        // Mostly sequentially consistent accesses and fences in every third program.
        let strong = random.next(3) == 0;
        // Candidates grow fast with the instructions.
        let mut left = if random.next(10) == 0 { 7 } else { 5 };
        let threads: Vec<Vec<Instruction>> = (0..parallel)
            .map(|n| {
                // Everybody has something to do.
                let length = (1 + random.next(most)).min(left - (parallel - 1 - n));
                left -= length;
                (0..length).map(|_| Instruction::of(&mut random, plain, strong)).collect()
            })
            .collect();
        let call = |t: &Vec<Instruction>| {
            let bits = t.iter().rev().fold(0, |bits, i| bits << 12 | i.bits());
            format!("run({bits})")
        };
        let text = format!("{} [final]", threads.iter().map(call).collect::<Vec<_>>().join(" | "));
        let expected = candidates(&threads);
        let mut all = All::default();
        let (counts, ended) = program.explore(&text, &mut all);
        assert_eq!(ended, None, "{text} {threads:?}: {counts:?}");
        assert_eq!(counts.found > 0, expected.races, "{text} {threads:?}: {counts:?}");
        assert_eq!(all.twice, 0, "{text} {threads:?}: {counts:?}");
        if expected.races {
            races += 1;
            // Nobody says how many executions there are up to their races: as many as with every run played.
            program.settings.recall = false;
            let (every, _) = program.explore(&text, &mut All::default());
            program.settings.recall = true;
            assert_eq!((every.complete, every.found), (counts.complete, counts.found), "{text} {threads:?}");
            continue;
        }
        let outcomes: BTreeSet<Vec<u64>> = all.histories.iter().map(|h| h.1.concat()).collect();
        assert_eq!(outcomes, expected.outcomes, "{text} {threads:?}: {counts:?}");
        assert_eq!(counts.complete, expected.executions, "{text} {threads:?}: {counts:?}");
        assert_eq!(counts.cut + counts.stuck + counts.long, 0, "{text}: {counts:?}");
        executions += counts.complete;
        recalled += counts.recalled;
    }
    assert_eq!(races > 0, plain, "{races} races");
    // What `cargo xtask soak real` shows.
    println!(
        "c11 {compiler} {level}: {count} programs, {races} with a race, {executions} executions of the others, {recalled} of \
         them recalled, {} s",
        start.elapsed().as_secs()
    );
}

#[test]
fn atomic_programs_have_the_executions_of_the_axioms() {
    compare("clang", "-O1", 20_261_117, false);
}

#[test]
fn programs_with_plain_accesses_have_the_executions_and_races_of_the_axioms() {
    compare("gcc", "-O2", 17_112_026, true);
}

fn request(file: &str, flags: &[&str], model: Model) -> Request {
    compilers();
    Request {
        source: root().join("crates/run/tests/programs").join(file),
        compiler: None,
        levels: vec!["-O0".into(), "-O2".into()],
        flags: flags.iter().map(|f| f.to_string()).collect(),
        scenario: None,
        sizes: Sizes::default(),
        condition: Condition::Linearizable,
        spec: None,
        find: ready_made,
        against: None,
        settings: Settings { model, ..Settings::default() },
        allow_races: false,
        only: None,
        all: false,
    }
}

fn failure(request: &Request) -> Option<Failure> {
    match test(request, &Meter::start(Limits::default()), &mut Silent).unwrap().verdict {
        Verdict::Holds(_) => None,
        Verdict::Fails(failures) => Some(*failures.first),
        Verdict::Unknown(doubt) => panic!("{doubt:?}"),
    }
}

#[test]
fn a_missing_release_is_found_only_under_c11() {
    let relaxed = "-DFLAG=memory_order_relaxed";
    assert!(failure(&request("mailbox.c", &[relaxed], Model::Sc)).is_none());
    assert!(failure(&request("mailbox.c", &["-DFLAG=memory_order_release"], Model::C11)).is_none());
    let found = failure(&request("mailbox.c", &[relaxed], Model::C11)).unwrap();
    assert_eq!(found.kind.word(), "not_linearizable");
    let notes: Vec<&String> = found.trace.rows.iter().flat_map(|r| &r.notes).collect();
    assert!(notes.iter().any(|n| n.contains("sees the value before all threads")), "{notes:?}");
}

#[test]
fn a_failure_is_replayed_and_is_none_where_the_axioms_forbid_it() {
    let relaxed = "-DFLAG=memory_order_relaxed".to_string();
    let mut asked = request("mailbox.c", &[&relaxed], Model::C11);
    asked.scenario = Some("put(5) | get".into());
    let found = failure(&asked).unwrap();
    let mut file = ReplayFile {
        version: 1,
        kind: KIND.into(),
        source: asked.source.display().to_string(),
        compiler: "clang".into(),
        level: found.level.clone(),
        flags: vec![relaxed],
        scenario: found.scenario.clone(),
        condition: "linearizable".into(),
        spec: None,
        against: None,
        reuse: true,
        main: false,
        shim: false,
        failure: found.kind,
        steps: found.steps.clone(),
        memory: Some("c11".into()),
        sources: found.sources.clone(),
        before: found.before.clone(),
        story: found.trace.clone(),
    };
    let again = |file: &ReplayFile| {
        let text = file.write();
        let unknown = ReplayFile::read(&text.replace("not_linearizable", "not_liked")).unwrap_err();
        assert!(unknown.contains("damaged") && unknown.contains("not_liked"), "{unknown}");
        let newer = ReplayFile::read(&text.replace("\"version\": 1", "\"version\": 9")).unwrap_err();
        assert!(newer.contains("version 9"), "{newer}");
        assert!(ReplayFile::read("{\"version\": 2}").unwrap().is_none(), "that is none of real code");
        let file = ReplayFile::read(&text).unwrap().unwrap();
        replay(&file, ready_made, &Meter::start(Limits::default())).unwrap()
    };
    assert!(matches!(again(&file), Again::Fails(_)));
    // With the release the same values are forbidden; without what reads see it is an interleaving.
    file.flags = vec!["-DFLAG=memory_order_release".into()];
    assert!(matches!(again(&file), Again::Passes(why) if why.contains("axioms")));
    (file.memory, file.sources) = (None, Vec::new());
    assert!(matches!(again(&file), Again::Passes(why) if why.contains("holds")));
}

#[test]
fn a_container_that_does_not_synchronise_is_found_only_under_c11() {
    for (put, take, expected) in [
        ("release", "acquire", None),
        ("relaxed", "acquire", Some("missing_synchronisation")),
        ("release", "relaxed", Some("missing_synchronisation")),
    ] {
        let flags = [format!("-DPUT=memory_order_{put}"), format!("-DTAKE=memory_order_{take}")];
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let mut asked = request("slot.c", &flags, Model::C11);
        asked.scenario = Some("put(1) | take".into());
        assert_eq!(failure(&asked).map(|f| f.kind.word()), expected, "{put} {take}");
        asked.settings.model = Model::Sc;
        assert!(failure(&asked).is_none(), "{put} {take}");
    }
}

/// The maximal sets of client edges by definition: all sets that are closed and consistent, without those inside others.
#[test]
fn orders_that_clients_see_are_the_maximal_consistent_ones() {
    struct Every(u64);
    impl Visitor for Every {
        fn reset(&mut self) {}
        fn visit(&mut self, _: &Explorer, execution: &Execution) -> bool {
            if execution.outcome != Outcome::Complete {
                return true;
            }
            let orders = Clients::default().orders(execution).unwrap();
            let mut fast: Vec<Vec<u64>> = orders.to_vec();
            fast.sort();
            assert_eq!(fast, by_definition(execution));
            self.0 += 1;
            true
        }
    }
    let mut program = weak("crates/run/tests/programs/litmus.c", "clang", "-O1");
    let mut compared = 0;
    for text in [
        "wx_rlx rxx_rlx | wy_rlx ryx_rlx",
        "wx_sc rxy_sc | wy_sc ryx_rlx",
        "wx_rel wy_rel | rxy_acq ryx_acq2",
        "wx_rlx wy_rlx | ryx_rlx add_y",
        "wx_rlx | wy_rlx | rxy_rlx | ryx_rlx",
    ] {
        let scenario = Scenario::parse(text, &program.harness).unwrap();
        let meter = Meter::start(Limits::default());
        let mut every = Every(0);
        let (_, ended) =
            search(&mut program.player, &program.harness, &scenario, program.settings, &meter, &mut every);
        assert_eq!(ended, None);
        compared += every.0;
    }
    assert!(compared > 30, "{compared}");
}

fn by_definition(execution: &Execution) -> Vec<Vec<u64>> {
    let mut all = Vec::new();
    for (thread, operations) in execution.operations.iter().enumerate() {
        all.extend(operations.iter().map(|(span, _)| (thread as u8, *span)));
    }
    let count = all.len();
    let own = |a: usize, b: usize| all[a].0 == all[b].0 && a < b;
    let pairs: Vec<(usize, usize)> = (0..count)
        .flat_map(|a| (0..count).map(move |b| (a, b)))
        .filter(|&(a, b)| all[a].0 != all[b].0)
        .collect();
    let mut consistent: Vec<Vec<u64>> = Vec::new();
    for set in 0..1u64 << pairs.len() {
        let has = |a: usize, b: usize| {
            own(a, b) || pairs.iter().position(|p| *p == (a, b)).is_some_and(|i| set >> i & 1 == 1)
        };
        let closed = (0..count).all(|a| {
            !has(a, a) && (0..count).all(|b| (0..count).all(|c| !(has(a, b) && has(b, c)) || has(a, c)))
        });
        if !closed {
            continue;
        }
        let mut edges = Vec::new();
        for &(a, b) in pairs.iter().filter(|p| has(p.0, p.1)) {
            edges.push(Edge { from: (all[a].0, all[a].1.1), to: (all[b].0, all[b].1.0) });
        }
        if consistent_with(&execution.graph, &edges) {
            let before = |b: usize| (0..count).filter(|a| has(*a, b)).fold(0, |bits, a| bits | 1 << a);
            consistent.push((0..count).map(before).collect());
        }
    }
    let inside = |a: &[u64], b: &[u64]| a != b && a.iter().zip(b).all(|(a, b)| a & !b == 0);
    let mut found: Vec<Vec<u64>> =
        consistent.iter().filter(|a| !consistent.iter().any(|b| inside(a, b))).cloned().collect();
    found.sort();
    found
}
