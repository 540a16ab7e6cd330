//! What the player knows during a run. There is one, for one OS thread; fibers take turns on it.

use crate::log::Log;
use crate::memory::Granules;
use crate::policy::Policy;

/// Fibers: one for what comes before and after, and the threads of the scenario.
pub const MAX_THREADS: usize = 9;
/// Outputs that an operation may have.
pub const MAX_OUTS: usize = 4;

/// How a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not part of the run.
    Absent,
    /// At a scheduling point, or not started.
    Live,
    /// Waits for the threads of the scenario to end.
    Joining,
    /// It goes round in a loop in which nothing changes, or the plan keeps it where it is.
    Blocked,
    /// Ended.
    Done,
}

/// What a thread is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pending {
    /// Something that is always possible.
    Step,
    /// Take a lock.
    Lock(usize),
    /// Go on after a signal of a condition variable.
    Signal(usize),
}

/// One call of the scenario.
#[derive(Clone, Debug, Default)]
pub struct Operation {
    /// The thread that calls it while nobody else runs; 0 for the one that does everything sequential.
    pub caller: usize,
    /// Address of the function.
    pub function: usize,
    /// The bits of the result that mean something.
    pub result: u64,
    /// Arguments: a value, or none for an output.
    pub arguments: Vec<Option<u64>>,
}

/// A read of the current operation, for recognising loops.
#[derive(Clone, Copy, Debug)]
pub struct Glance {
    /// What it is: the place in the code with the calls that it is in, the address and the operands.
    pub what: u64,
    /// The local state in which it was made.
    pub local: u64,
    /// Where it is in the log.
    pub at: usize,
    /// How many accesses the thread had made before.
    pub accesses: u64,
}

/// One thread.
pub struct Thread {
    /// How it stands.
    pub status: Status,
    /// What it is about to do.
    pub pending: Pending,
    /// Where in the code.
    pub place: usize,
    /// Where in memory.
    pub address: usize,
    /// Who started it and waits for its first scheduling point.
    pub starter: Option<usize>,
    /// The operations that it calls.
    pub script: Vec<Operation>,
    /// Where the records of its last plain write are, whose values are not known yet.
    pub unfinished: Vec<usize>,
    /// Accesses that are in the log.
    pub accesses: u64,
    /// Reads since it last did something that others may see.
    pub glances: Vec<Glance>,
    /// Granules outside of its arena and its stack that it has written and that nobody else touches.
    pub written: Vec<usize>,
    /// Shared units that it has written in blocks of its current operation, which nobody else knows yet.
    pub fresh: Vec<(usize, usize)>,
    /// Its local state when it called something that the player does for it in several steps.
    pub inside: u64,
    /// Where its stack begins, below the player's own frames.
    pub base: usize,
    /// Time and random numbers, as it sees them.
    pub clock: u64,
    pub random: u64,
    /// Steps that the plan still has for it.
    pub planned: u32,
    /// Accesses since its last scheduling point.
    pub local_accesses: u32,
    /// Outputs of the operation that it is in.
    pub outs: [u64; MAX_OUTS],
    /// Return addresses of the calls that it is in.
    pub frames: Vec<usize>,
    /// Where its last panic or exception came from.
    pub raised: Vec<usize>,
    /// What it keeps by keys, and destructors with what they are called for when it ends.
    pub specific: Vec<(u32, usize)>,
    pub exits: Vec<(usize, usize)>,
    /// A bit per signal, from 1, that it does not want.
    pub blocked: u64,
    /// Whether it waits for a lock, in a loop of its harness.
    pub waits: bool,
    /// Numbers that it has given to threads.
    pub named: u64,
    /// Calls that it has told of, and a number for the last.
    pub calls: u64,
    pub told: u64,
}

/// A thread that runs alone and reads what it is told.
pub struct Script {
    /// The thread.
    pub thread: usize,
    /// For each access what is there before it: all of a unit or only the bytes of the access.
    pub values: Vec<Option<(bool, Vec<u64>)>>,
    /// Accesses so far.
    pub position: usize,
}

/// Which part of a run it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Not in a run.
    Idle,
    /// One thread alone: before or after the others.
    Alone,
    /// The threads of the scenario.
    Threads,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum End {
    /// All threads and what comes after them ended.
    Complete = 0,
    /// Nobody can go on.
    Stuck = 1,
    /// A finding; the text says which.
    Finding = 2,
    /// The bound on steps.
    Steps = 3,
    /// The plan cannot be followed.
    Departed = 4,
    /// The code needs something that the player does not have.
    Unsupported = 5,
}

/// Everything.
pub struct State {
    /// Which part of a run it is.
    pub phase: Phase,
    /// Who runs.
    pub current: usize,
    /// The threads; the first is alone before and after the others.
    pub threads: Vec<Thread>,
    /// Number of threads of the scenario, and of those that there are.
    pub wanted: usize,
    pub count: usize,
    /// The plan, and how far it is done.
    pub plan: Vec<u8>,
    pub position: usize,
    /// Under a weak memory model: what each step of the plan reads, as in `told`.
    pub sources: Vec<u32>,
    /// The step of the plan that is being made; `usize::MAX` after the plan.
    pub now: usize,
    /// Steps of the plan and where their records are.
    pub made: Vec<(usize, usize)>,
    /// What units contained before their first access, and which locks were held.
    pub initial: Vec<(usize, [u64; 8])>,
    pub held_first: Vec<usize>,
    /// Threads that must not go on after the plan.
    pub held: u64,
    /// Who goes on after the plan.
    pub policy: Policy,
    /// Steps so far and their bound.
    pub steps: usize,
    pub max_steps: usize,
    /// What happened.
    pub log: Log,
    /// Shared memory, owners, and what must be added.
    pub granules: Granules,
    /// Locks that are held: address, owner, how often.
    pub locks: Vec<(usize, usize, u32)>,
    /// Threads that wait for a condition variable, and the last of its uses that they know: their own, or a signal.
    pub waiting: Vec<(usize, usize, u64)>,
    /// Signals: condition variable, number, and whether it is for all.
    pub sent: Vec<(usize, u64, bool)>,
    /// Uses of each condition variable so far.
    pub signals: Vec<(usize, u64)>,
    /// How the run ended, with a sentence.
    pub end: End,
    pub message: String,
    /// Where the current call of the player comes from.
    pub place: usize,
    /// Functions of the harness: before, after, a check; 0 when there is none.
    pub init: usize,
    pub done: usize,
    pub check: usize,
    /// Operations before and after the threads.
    pub prefix: Vec<Operation>,
    pub suffix: Vec<Operation>,
    /// Whether a thread's own freed blocks are used again.
    pub reuse: bool,
    /// Whether operations after the threads are meant to wait when there is nothing left.
    pub may_wait: bool,
    /// What a thread is to call while nobody else runs, and what came of it.
    pub asked: (usize, [u64; 6]),
    pub answered: u64,
    /// Accesses that are allowed now, outside of the threads.
    pub most_alone: u32,
    /// Whether the threads have ended.
    pub after: bool,
    /// Memory that changes without being seen, since only some of the code that does so is instrumented.
    pub unseen: Vec<usize>,
    /// Whether blocks that the program still refers to at the end are no leaks.
    pub keep_reachable: bool,
    /// Whether calls and returns are steps of their own.
    pub boundaries: bool,
    /// Whether the program's own `main` is run, whether its calls are no steps even so, and how many threads it has at most.
    pub main: bool,
    pub quiet: bool,
    pub most_threads: usize,
    /// Whether loops that change nothing are cut, and pairs of local states that are not the same after all.
    pub cut: bool,
    /// Whether reads may see other writes than the last.
    pub weak: bool,
    pub differ: Vec<u64>,
    /// What one thread alone is to read, access by access, in place of a plan.
    pub script: Option<Script>,
    /// Remedies that tests switch off, to see that each is needed: a bit per trap.
    pub off: u32,
}

/// What each bit of `off` switches off. The explorer numbers them alike (`search::trap` there).
pub mod trap {
    /// Thread-local storage of its own for each fiber.
    pub const TLS: u32 = 4;
    /// Counting with atomics although there is one OS thread.
    pub const SINGLE: u32 = 6;
    /// Globals as they were before every run.
    pub const GLOBALS: u32 = 7;
    /// Blocks of static constructors as they were.
    pub const STATIC_HEAP: u32 = 8;
    /// An arena for each thread.
    pub const ARENAS: u32 = 9;
    /// Looking for accesses to freed memory.
    pub const SHADOW: u32 = 10;
    /// Locks around the initialisation of static variables.
    pub const GUARDS: u32 = 11;
    /// Standing for functions that the C++ library calls from inside.
    pub const INSIDE: u32 = 12;
    /// Ending loops that change nothing.
    pub const LOOPS: u32 = 13;
    /// Taking crashes for findings.
    pub const CRASHES: u32 = 14;
    /// Keeping the stack of the handler of crashes.
    pub const SIGNAL_STACK: u32 = 16;
    /// Fresh thread-local variables before every run.
    pub const TLS_RESET: u32 = 17;
    /// Leaving the C library's own blocks to it.
    pub const LIBRARY: u32 = 19;
    /// Not calling destructors of static variables, whose memory is that of another run.
    pub const EXITS: u32 = 20;
    /// Keeping what threads keep by keys.
    pub const KEYS: u32 = 21;
}

/// Whether a remedy is switched off.
pub fn off(trap: u32) -> bool {
    ready() && state().off >> trap & 1 == 1
}

static mut STATE: *mut State = std::ptr::null_mut();

/// Whether the player is set up.
pub fn ready() -> bool {
    // SAFETY: one OS thread reads and writes the pointer; others are parked and run no code of the program.
    unsafe { !STATE.is_null() }
}

/// The state. Nobody keeps the reference across a switch of fibers.
pub fn state() -> &'static mut State {
    // SAFETY: set once by `create`; only one fiber runs at a time, on one OS thread.
    unsafe { &mut *STATE }
}

/// Whether code of the program runs under the player's control.
pub fn running() -> bool {
    ready() && state().phase != Phase::Idle
}

/// Whether the threads of the scenario run.
pub fn concurrent() -> bool {
    ready() && state().phase == Phase::Threads
}

/// Makes the state.
pub fn create() {
    let threads = (0..MAX_THREADS)
        .map(|_| Thread {
            status: Status::Absent,
            pending: Pending::Step,
            place: 0,
            address: 0,
            starter: None,
            script: Vec::new(),
            unfinished: Vec::new(),
            accesses: 0,
            glances: Vec::new(),
            written: Vec::new(),
            fresh: Vec::new(),
            inside: 0,
            base: 0,
            clock: 0,
            random: 0,
            planned: 0,
            local_accesses: 0,
            outs: [0; MAX_OUTS],
            frames: Vec::new(),
            raised: Vec::new(),
            specific: Vec::new(),
            exits: Vec::new(),
            blocked: 0,
            waits: false,
            named: 0,
            calls: 0,
            told: 0,
        })
        .collect();
    let new = State {
        phase: Phase::Idle,
        current: 0,
        threads,
        wanted: 0,
        count: 0,
        plan: Vec::new(),
        position: 0,
        sources: Vec::new(),
        now: usize::MAX,
        made: Vec::new(),
        initial: Vec::new(),
        held_first: Vec::new(),
        held: 0,
        policy: Policy::First,
        steps: 0,
        max_steps: 2000,
        log: Log::default(),
        granules: Granules::new(),
        locks: Vec::new(),
        waiting: Vec::new(),
        sent: Vec::new(),
        signals: Vec::new(),
        end: End::Complete,
        message: String::new(),
        place: 0,
        init: 0,
        done: 0,
        check: 0,
        prefix: Vec::new(),
        suffix: Vec::new(),
        reuse: true,
        may_wait: false,
        asked: (0, [0; 6]),
        answered: 0,
        most_alone: u32::MAX,
        after: false,
        keep_reachable: false,
        unseen: Vec::new(),
        boundaries: false,
        main: false,
        quiet: false,
        most_threads: 0,
        cut: false,
        weak: false,
        differ: Vec::new(),
        script: None,
        off: 0,
    };
    // SAFETY: called once at the start, before any fiber.
    unsafe { STATE = Box::into_raw(Box::new(new)) }
}
