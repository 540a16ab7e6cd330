//! Scheduling: a thread stops before each step that others may see, and the plan says who goes on.

use crate::fiber::{self, CONTROLLER, switch};
use crate::log::Kind;
use crate::memory::contents;
use crate::policy;
use crate::state::{End, MAX_THREADS, Pending, Phase, State, Status, state};

/// Fills in what the last plain write of a thread stored: the hook came before the store.
fn finish_write(state: &mut State, me: usize) {
    while let Some(at) = state.threads[me].unfinished.pop() {
        let (address, count) = state.log.unit(at);
        let unit = state.granules.unit(address >> 3).map_or((address >> 3, count), |u| u);
        let new = contents(unit.0, count);
        state.log.finish(at, &new[..count]);
    }
}

/// Stops before a step; returns when this thread may make it.
pub fn stop(pending: Pending) {
    let state = state();
    let me = state.current;
    finish_write(state, me);
    let place = state.place;
    let thread = &mut state.threads[me];
    (thread.pending, thread.place) = (pending, place);
    thread.local_accesses = 0;
    if state.script.is_some() {
        return follow_script();
    }
    pass_on(me);
    note_frames();
}

/// The next access of a scripted thread: beyond the script the run ends.
pub fn follow_script() {
    if let Some(script) = &mut state().script {
        script.position += 1;
        if script.position > script.values.len() + 1 {
            end(End::Stuck, "");
        }
    }
}

/// What the script says of the access that is about to be made.
fn scripted() -> Option<&'static (bool, Vec<u64>)> {
    let script = state().script.as_ref()?;
    script.values.get(script.position.wrapping_sub(1))?.as_ref()
}

/// Puts into memory what the script wants an access to find.
pub fn put_scripted(start: usize, address: usize, size: usize) {
    let Some((whole, words)) = scripted() else { return };
    let (from, to) = match whole {
        true => (start << 3, (start + words.len()) << 3),
        false => (address, address + size),
    };
    put(words, start, from, to);
}

/// Puts bytes of a unit into memory.
pub fn put(words: &[u64], start: usize, from: usize, to: usize) {
    for at in from..to {
        let offset = at - (start << 3);
        let Some(word) = words.get(offset / 8) else { return };
        // SAFETY: the unit is memory that the thread is about to access.
        unsafe { *(at as *mut u8) = (word >> (offset % 8 * 8)) as u8 };
    }
}

/// What the script wants a lock to be: free or not.
pub fn scripted_lock() -> Option<bool> {
    scripted().map(|(_, words)| words.first() == Some(&0))
}

/// In runs for stories: the calls that the running thread is in.
fn note_frames() {
    let state = state();
    if state.boundaries {
        let me = state.current;
        state.log.frames(me, &state.threads[me].frames);
    }
}

/// Lets somebody else run, or the same again.
fn pass_on(me: usize) {
    let state = state();
    let next = match state.threads[me].starter.take() {
        Some(starter) => starter,
        None => choose(),
    };
    if next != me {
        state.current = next;
        switch(me, next);
    }
}

fn possible(state: &State, thread: usize) -> bool {
    let this = &state.threads[thread];
    this.status == Status::Live
        && match this.pending {
            Pending::Step => true,
            Pending::Lock(lock) => state.locks.iter().all(|held| held.0 != lock),
            Pending::Signal(c) => crate::locks::next_signal(c, thread).is_some(),
        }
}

/// Steps of the plan that were begun, for a debugger.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
static mut trueline_position: usize = 0;

/// Who makes the next step: by the plan, then the first that can.
fn choose() -> usize {
    let state = state();
    state.steps += 1;
    if state.steps > state.max_steps {
        end(End::Steps, "");
    }
    if let Some(&next) = state.plan.get(state.position) {
        state.now = state.position;
        state.position += 1;
        // SAFETY: one OS thread; only a debugger reads it.
        unsafe { trueline_position = state.position };
        let next = usize::from(next);
        state.threads[next % MAX_THREADS].planned -= 1;
        if next > state.count || !possible(state, next) {
            end(End::Departed, &format!("thread {next} cannot make step {}", state.position));
        }
        return next;
    }
    state.now = usize::MAX;
    let able = (1..=state.count)
        .filter(|t| state.held >> t & 1 == 0 && possible(state, *t))
        .fold(0u64, |able, t| able | 1 << t);
    if able != 0 {
        return policy::pick(able, state.current);
    }
    if (1..=state.count).all(|t| state.threads[t].status == Status::Done) {
        return 0;
    }
    for thread in 1..=state.count {
        if let (Status::Live, Pending::Lock(lock)) =
            (state.threads[thread].status, state.threads[thread].pending)
            && state.held >> thread & 1 == 0
        {
            let place = state.threads[thread].place as u64;
            state.log.note(Kind::Pending, thread, lock as u64, &[place]);
        }
    }
    crate::heap::check_fences();
    if let Some((place, sentence)) = kept_lock() {
        state.place = place;
        finding("deadlock", sentence);
    }
    end(End::Stuck, "")
}

/// A thread that waits for a lock which nobody can ever release: it holds it itself, or who took it has returned from all of
/// its operations. That is no waiting that an object is meant for, even where the same calls wait one after the other. Locks of
/// threads themselves have nobody who holds them.
fn kept_lock() -> Option<(usize, &'static str)> {
    let state = state();
    (1..=state.count).find_map(|thread| {
        let waiting = &state.threads[thread];
        let (Status::Live, Pending::Lock(lock)) = (waiting.status, waiting.pending) else { return None };
        let holder = state.locks.iter().find(|l| l.0 == lock && (l.1 != 0 || lock >= crate::locks::LEAST))?.1;
        let gone = holder == 0 || state.threads[holder].status == Status::Done;
        match holder == thread {
            true => Some((waiting.place, "waits for a lock that it holds itself")),
            false => {
                gone.then_some((waiting.place, "waits for a lock that an operation kept when it returned"))
            }
        }
    })
}

/// The running thread has ended.
pub fn finished(me: usize) -> ! {
    let state = state();
    finish_write(state, me);
    if state.script.is_some() {
        end(End::Complete, "");
    }
    state.threads[me].status = Status::Done;
    pass_on(me);
    unreachable!("a thread that has ended goes on")
}

/// The running thread goes round in a loop that changes nothing: it stays here, for the rest of the run when executions are
/// explored.
/// So many accesses are an iteration; this is its local state now.
pub fn block(accesses: u64, local: u64) {
    let state = state();
    let me = state.current;
    finish_write(state, me);
    state.log.note(Kind::Block, me, accesses, &[local, u64::from(state.threads[me].waits)]);
    state.threads[me].status = Status::Blocked;
    pass_on(me);
}

/// Somebody wrote: threads that wait in loops look again. Executions that are explored have a graph of their own for that.
pub fn wake_loops() {
    let state = state();
    if state.boundaries {
        for thread in state.threads.iter_mut().filter(|t| t.status == Status::Blocked) {
            thread.status = Status::Live;
        }
    }
}

/// Lets the threads of the scenario begin, and waits for their end.
pub fn run_threads() {
    let state = state();
    state.phase = Phase::Threads;
    state.held_first = state.locks.iter().map(|l| l.0).collect();
    if let Some(script) = &state.script {
        let thread = script.thread;
        state.threads[thread].status = Status::Live;
        fiber::prepare(thread);
        state.current = thread;
        switch(0, thread);
        unreachable!("a scripted run ends by itself");
    }
    for thread in 1..=state.count {
        let this = &mut state.threads[thread];
        (this.status, this.starter) = (Status::Live, Some(0));
        fiber::prepare(thread);
        state.current = thread;
        // It runs up to its first scheduling point.
        switch(0, thread);
    }
    state.threads[0].status = Status::Joining;
    let next = choose();
    if next != 0 {
        state.current = next;
        switch(0, next);
    }
    state.threads[0].status = Status::Live;
    state.phase = Phase::Alone;
}

/// Ends the run from inside the program.
pub fn end(how: End, message: &str) -> ! {
    let state = state();
    (state.end, state.message) = (how, message.to_string());
    let me = state.current;
    finish_write(state, me);
    state.phase = Phase::Idle;
    switch(me, CONTROLLER);
    unreachable!("a run that has ended goes on")
}

/// Ends the run with a finding: a word and a sentence.
pub fn finding(word: &str, sentence: &str) -> ! {
    let place = state().place;
    note_frames();
    end(End::Finding, &format!("{word}\n{place}\n{sentence}"))
}

/// The thread that is alone waits for ever: a finding, unless that is what the operation does when nothing is left.
pub fn waits_alone(word: &str, sentence: &str) -> ! {
    if state().after && state().may_wait {
        // Whether it may wait here is for the explorer to say.
        end(End::Complete, word);
    }
    finding(word, sentence)
}

/// Ends the run because the code needs something that the player does not have.
pub fn unsupported(what: &str) -> ! {
    end(End::Unsupported, what)
}

/// The registers that the program expects to find again, and its stack pointer, at the call of a hook.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Registers {
    pub saved: [u64; 6],
    pub stack: u64,
}

/// Written by each hook before anything else.
#[used]
pub static mut REGISTERS: Registers = Registers { saved: [0; 6], stack: 0 };
