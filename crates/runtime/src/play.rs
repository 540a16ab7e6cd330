//! Reads scenarios and plans from a pipe, plays them, and writes logs.

use std::ffi::{c_int, c_void};

use crate::fiber::{self, CONTROLLER, switch};
use crate::log::Kind;
use crate::memory::MOST_ALONE;
use crate::policy::policy;
use crate::schedule::{self, finding};
use crate::state::{End, MAX_OUTS, MAX_THREADS, Operation, Pending, Phase, Script, Status, off, state, trap};
use crate::sys;
use crate::{crash, heap, leaks, local, signals, snapshot, specific, tls};

/// Where the pipes are, out of the way of the program.
const COMMANDS: c_int = 250;
const LOGS: c_int = 251;

/// Starts the process again without address randomisation: addresses in logs must be the same in every player.
extern "C" fn before_constructors() {
    // SAFETY: plain calls of the C library before anything else runs; on failure the addresses are random, and the
    // explorer will say that runs differ.
    unsafe {
        let persona = sys::personality(0xffff_ffff);
        if persona >= 0 && persona as u64 & sys::ADDR_NO_RANDOMIZE == 0 {
            sys::personality(persona as u64 | sys::ADDR_NO_RANDOMIZE);
            let arguments = [c"player".as_ptr(), std::ptr::null()];
            sys::execv(c"/proc/self/exe".as_ptr(), arguments.as_ptr());
        }
    }
    heap::begin_program();
    check_order();
    crash::install();
}

/// Makes sure that the program's calls come here and not to the C library.
fn check_order() {
    // SAFETY: the symbol is looked up by name in all objects, in their order.
    let first = unsafe { sys::dlsym(sys::RTLD_DEFAULT, c"pthread_mutex_lock".as_ptr()) };
    // SAFETY: as above.
    let next = unsafe { sys::dlsym(sys::RTLD_NEXT, c"pthread_mutex_lock".as_ptr()) };
    // Behind the C library there is no next one.
    if first == next || next.is_null() {
        sys::complain("trueline player: it is not first in the order of symbols");
        sys::leave(86);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE: extern "C" fn() = before_constructors;

/// What the generated `main` calls.
#[unsafe(no_mangle)]
pub extern "C" fn trueline_play() -> c_int {
    // SAFETY: the descriptors are the pipes that the process was started with.
    unsafe {
        // Whatever the program starts does not get them: who waits for the end of the log would wait for it, too.
        sys::dup3(0, COMMANDS, sys::CLOEXEC);
        sys::dup3(1, LOGS, sys::CLOEXEC);
        let nothing = sys::open(c"/dev/null".as_ptr(), 2);
        sys::dup2(nothing, 0);
        sys::dup2(nothing, 1);
    }
    believe_single(0);
    tls::locate();
    fiber::create();
    crate::state::create();
    snapshot::take();
    heap::take();
    signals::take();
    specific::take();
    serve()
}

/// Whether the program believes to have one thread: then shared_ptr counts without atomics.
fn believe_single(single: u8) {
    // SAFETY: the symbol, when there, is a variable of one byte.
    unsafe {
        let at = sys::dlsym(sys::RTLD_DEFAULT, c"__libc_single_threaded".as_ptr());
        if !at.is_null() {
            *at.cast::<u8>() = single;
        }
    }
}

/// What was read and not yet used.
struct Input {
    bytes: Vec<u8>,
    at: usize,
}

impl Input {
    /// So many words; nothing when there are no more.
    fn words(&mut self, count: usize) -> Option<Vec<u64>> {
        while self.bytes.len() - self.at < count * 8 {
            self.bytes.drain(..self.at);
            self.at = 0;
            let (used, room) = (self.bytes.len(), (count * 8).max(1 << 16));
            self.bytes.resize(used + room, 0);
            // SAFETY: the buffer has room for so much.
            let n = unsafe { sys::read(COMMANDS, self.bytes.as_mut_ptr().add(used).cast::<c_void>(), room) };
            self.bytes.truncate(used + n.max(0) as usize);
            if n <= 0 {
                return None;
            }
        }
        let bytes = &self.bytes[self.at..self.at + count * 8];
        self.at += count * 8;
        Some(bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default())).collect())
    }
}

fn send(words: &[u64]) -> bool {
    let (mut at, all) = (0, words.len() * 8);
    while at < all {
        // SAFETY: the rest of the words is there.
        let n = unsafe { sys::write(LOGS, words.as_ptr().cast::<u8>().add(at).cast::<c_void>(), all - at) };
        if n <= 0 {
            return false;
        }
        at += n as usize;
    }
    true
}

/// A message is its length and so many words; the first says what it is, as whether there is anybody. Logs are sent when no plan waits.
fn serve() -> ! {
    let mut answers: Vec<u64> = Vec::new();
    let mut input = Input { bytes: Vec::new(), at: 0 };
    loop {
        let length = input.words(1).map(|head| head[0] as usize);
        let Some(words) = length.and_then(|length| input.words(length)) else { done() };
        match words[0] {
            1 => set_up(&words[1..]),
            2 => {
                state().script = None;
                play(&words[1..]);
                answer(&mut answers);
            }
            4 => {
                state().script = Some(script(&words[1..]));
                play(&[0, 0]);
                answer(&mut answers);
            }
            5 => answers.push(0),
            _ => {
                let ok = send(&answers);
                answers.clear();
                if !ok {
                    done();
                }
            }
        }
    }
}

/// Ends the process, without the destructors of the program.
fn done() -> ! {
    if off(trap::EXITS) {
        // SAFETY: the symbol is exit of the C library.
        let exit: extern "C" fn(c_int) -> ! = unsafe { std::mem::transmute(sys::next_symbol(c"exit")) };
        exit(0);
    }
    sys::leave(0)
}

struct Words<'a>(&'a [u64]);

impl Words<'_> {
    fn next(&mut self) -> u64 {
        let first = self.0.first().copied().unwrap_or_default();
        self.0 = self.0.get(1..).unwrap_or_default();
        first
    }

    fn operations(&mut self) -> Vec<Operation> {
        (0..self.next())
            .map(|_| {
                let caller = self.next() as usize % MAX_THREADS;
                let (function, result) = (self.next() as usize, self.next());
                let arguments = (0..self.next())
                    .map(|_| match (self.next(), self.next()) {
                        (0, value) => Some(value),
                        _ => None,
                    })
                    .collect();
                Operation { caller, function, result, arguments }
            })
            .collect()
    }
}

/// A thread, and for each of its accesses how much of a unit is given, and the words.
fn script(words: &[u64]) -> Script {
    let mut words = Words(words);
    let thread = words.next() as usize % MAX_THREADS;
    let values = (0..words.next())
        .map(|_| match words.next() {
            0 => None,
            how => {
                let count = words.next();
                Some((how == 2, (0..count).map(|_| words.next()).collect()))
            }
        })
        .collect();
    Script { thread, values, position: 0 }
}

fn set_up(words: &[u64]) {
    let mut words = Words(words);
    let state = state();
    state.max_steps = words.next() as usize;
    let flags = words.next();
    (state.reuse, state.boundaries, state.may_wait) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
    state.init = words.next() as usize;
    state.done = words.next() as usize;
    state.check = words.next() as usize;
    state.off = (flags >> 32) as u32;
    if off(trap::CRASHES) {
        crash::uninstall();
    }
    (state.cut, state.weak) = (flags & 8 != 0, flags & 16 != 0);
    (state.main, state.quiet) = (flags & 32 != 0, flags & 64 != 0);
    state.differ = (0..words.next()).map(|_| words.next()).collect();
    state.differ.sort_unstable();
    state.granules.clear();
    for _ in 0..words.next() {
        let (first, count) = (words.next() as usize, words.next() as usize);
        state.granules.add(first, count, words.next());
    }
    state.prefix = words.operations();
    state.wanted = (words.next() as usize).min(MAX_THREADS - 1);
    for thread in 1..=state.wanted {
        state.threads[thread].script = words.operations();
    }
    state.suffix = words.operations();
}

/// Plays one plan: the threads that stay where they are, who makes each step, and under a weak memory model what it reads.
fn play(words: &[u64]) {
    let state = state();
    state.held = words[0] & 0xffff;
    let length = words[1] as usize;
    let more = words.get(2 + length.div_ceil(8)..).unwrap_or_default();
    let told = if words[0] >> 48 & 1 == 1 { length.div_ceil(2) } else { 0 };
    let (told, more) = more.split_at(told.min(more.len()));
    state.sources.clear();
    state.sources.extend(told.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]));
    let more = |i: usize| more.get(i).copied().unwrap_or_default();
    state.policy = policy(words[0] >> 56, more(0), more(1), more(2));
    state.plan.clear();
    for i in 0..length {
        state.plan.push((words[2 + i / 8] >> (i % 8 * 8)) as u8);
    }
    let blocked = signals::restore();
    for thread in &mut state.threads {
        thread.blocked = blocked;
        thread.status = Status::Absent;
        thread.pending = Pending::Step;
        thread.starter = None;
        thread.unfinished.clear();
        thread.accesses = 0;
        thread.glances.clear();
        thread.written.clear();
        thread.fresh.clear();
        (thread.clock, thread.random) = (0, 1);
        thread.planned = 0;
        thread.local_accesses = 0;
        thread.frames.clear();
        thread.raised.clear();
        (thread.waits, thread.named, thread.calls) = (false, 0, 0);
    }
    specific::restore();
    for next in &state.plan {
        state.threads[usize::from(*next) % MAX_THREADS].planned += 1;
    }
    state.most_alone = u32::MAX;
    state.count = state.wanted;
    (state.position, state.now) = (0, usize::MAX);
    state.made.clear();
    state.initial.clear();
    state.steps = 0;
    state.signals.clear();
    state.unseen.clear();
    state.log.words.clear();
    state.locks.clear();
    state.waiting.clear();
    state.sent.clear();
    state.message.clear();
    state.end = End::Complete;
    (state.place, state.after, state.keep_reachable) = (0, false, false);
    state.granules.begin();
    if !off(trap::GLOBALS) {
        snapshot::restore();
    }
    if off(trap::SINGLE) {
        believe_single(1);
    }
    heap::reset();
    if !off(trap::TLS_RESET) {
        tls::reset();
    }
    state.threads[0].status = Status::Live;
    fiber::prepare(0);
    (state.phase, state.current) = (Phase::Alone, 0);
    switch(CONTROLLER, 0);
}

/// Adds the answer to what is sent next: how it ended, what is to be shared, a text, the log.
fn answer(to: &mut Vec<u64>) {
    let state = state();
    if state.granules.full {
        (state.end, state.message) =
            (End::Unsupported, "more shared memory than the player's tables hold".into());
    }
    for chunk in state.granules.touched.chunks(100) {
        let words: Vec<u64> = chunk.iter().flat_map(|(g, who)| [*g as u64, u64::from(*who)]).collect();
        state.log.note(Kind::Touched, 0, 0, &words);
    }
    let text = state.message.as_bytes();
    let wanted = &state.granules.wanted;
    let length = 4 + wanted.len() * 2 + text.len().div_ceil(8) + state.log.words.len();
    to.extend([
        length as u64,
        state.end as u64,
        state.current as u64,
        wanted.len() as u64,
        text.len() as u64,
    ]);
    for (first, last) in wanted {
        to.extend([*first as u64, *last as u64]);
    }
    for chunk in text.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        to.push(u64::from_le_bytes(bytes));
    }
    to.extend(&state.log.words);
}

type Function = extern "C" fn(u64, u64, u64, u64, u64, u64) -> u64;

fn call(function: usize, arguments: [u64; 6]) -> u64 {
    // SAFETY: the address is that of a function of the harness with at most six arguments of integer class.
    let function: Function = unsafe { std::mem::transmute(function) };
    let [a, b, c, d, e, f] = arguments;
    function(a, b, c, d, e, f)
}

/// A call or return is a step, where that is wanted.
pub fn boundary(thread: usize) {
    if thread > 0 && state().boundaries && !state().quiet {
        schedule::stop(Pending::Step);
    }
}

fn run_operations(thread: usize, count: usize, pick: impl Fn(usize) -> Operation) {
    for index in 0..count {
        let operation = pick(index);
        let mut arguments = [0u64; 6];
        let mut outs = 0;
        for (slot, argument) in arguments.iter_mut().zip(&operation.arguments) {
            *slot = argument.unwrap_or_else(|| {
                let out = &mut state().threads[thread].outs[outs % MAX_OUTS];
                *out = 0;
                outs += 1;
                &raw mut *out as u64
            });
        }
        boundary(thread);
        state().log.note(Kind::Call, thread, index as u64, &[]);
        local::effect();
        state().most_alone = MOST_ALONE;
        let result = match operation.caller {
            0 => call_in(thread, operation.function, &arguments),
            caller => ask(caller, operation.function, &arguments),
        };
        state().most_alone = u32::MAX;
        let outs_now = state().threads[thread].outs;
        let mut values = vec![result & operation.result];
        values.extend(&outs_now[..outs.min(MAX_OUTS)]);
        boundary(thread);
        let local = if thread > 0 { local::memory() } else { 0 };
        state().log.returned(thread, index as u64, &values, local);
        local::effect();
    }
}

/// Calls an operation in the running thread.
fn call_in(thread: usize, function: usize, arguments: &[u64; 6]) -> u64 {
    heap::begin_operation(thread);
    state().threads[thread].local_accesses = 0;
    let base = &raw mut state().threads[thread].base;
    // SAFETY: the address is that of a function of the harness with at most six arguments of integer class.
    unsafe { fiber::call(function, arguments, base) }
}

/// Calls an operation in a thread that runs for this alone: with its stack, its thread-local variables and its number.
fn ask(thread: usize, function: usize, arguments: &[u64; 6]) -> u64 {
    let state = state();
    state.asked = (function, *arguments);
    if state.threads[thread].status == Status::Absent {
        state.threads[thread].status = Status::Live;
        fiber::prepare(thread);
    }
    state.current = thread;
    switch(0, thread);
    state.answered
}

/// What such a thread does.
fn answer_calls(thread: usize) -> ! {
    loop {
        let (function, arguments) = state().asked;
        let result = call_in(thread, function, &arguments);
        let state = state();
        state.answered = result;
        state.current = 0;
        switch(thread, 0);
    }
}

/// What each fiber does: thread 0 everything that is sequential, the others their operations.
pub extern "C" fn thread_main(thread: usize) -> ! {
    if thread > 0 && state().phase == Phase::Alone {
        answer_calls(thread);
    }
    if thread > 0 && state().main {
        crate::program::body(thread);
        schedule::finished(thread);
    }
    if thread > 0 {
        let count = state().threads[thread].script.len();
        run_operations(thread, count, |i| state().threads[thread].script[i].clone());
        schedule::finished(thread);
    }
    let (init, done, check) = (state().init, state().done, state().check);
    if init != 0 {
        call(init, [0; 6]);
    }
    run_operations(0, state().prefix.len(), |i| state().prefix[i].clone());
    if state().main {
        crate::program::run();
        state().keep_reachable = true;
        leaks::check(&[]);
    } else if state().count > 0 {
        schedule::run_threads();
    }
    state().after = true;
    run_operations(0, state().suffix.len(), |i| state().suffix[i].clone());
    heap::check_fences();
    if check != 0 && call(check, [0; 6]) & 0xff == 0 {
        state().place = check + 1;
        finding("check", "finds that its check does not hold");
    }
    if done != 0 {
        call(done, [0; 6]);
        leaks::check(&[]);
    }
    schedule::end(End::Complete, "")
}
