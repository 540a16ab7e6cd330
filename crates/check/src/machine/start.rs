//! The beginnings of a machine.

use super::explore::{Explorer, count_over, resolve_tests};
use super::run::{Context, Extent, RunEnd};
use super::state::{State, Thread};
use trueline_base::Value;
use trueline_base::verdict::Finding;
use trueline_lang::ir::{Choice, Routine};

/// One beginning of a machine.
pub(crate) struct Start {
    /// The initial state, or a finding with the thread that it is in.
    pub state: Result<State, (u8, Finding)>,
    /// How `init` was resolved.
    pub choices: Vec<Choice>,
}

impl Explorer<'_> {
    /// Every beginning: one per way through `init` and the initialisers of the threads.
    pub fn starts(&mut self) -> Vec<Start> {
        let module = &self.machine.object;
        let mut state = State { shared: module.shared.clone(), ..State::default() };
        for client in &self.machine.threads {
            let script = vec![Value::Unit; client.script.variables.len()];
            let frame = vec![Value::Unit; module.persistent.len()];
            state.threads.push(Thread { script, frame, ..Thread::default() });
        }
        let mut starts = vec![Start { state: Ok(state), choices: Vec::new() }];
        starts = self.initialise(&module.init, None, starts);
        for t in 0..self.machine.threads.len() {
            starts = self.initialise(&module.thread_init, Some(t), starts);
        }
        for start in &mut starts {
            let Ok(state) = &mut start.state else { continue };
            for (t, thread) in state.threads.iter_mut().enumerate() {
                thread.node = resolve_tests(self.machine, t, thread.node, &thread.script);
            }
            for t in 0..self.machine.threads.len() {
                count_over(self.machine, state, t);
            }
        }
        starts
    }

    /// Every way through an initialiser, `init` or that of a thread, from every beginning so far.
    fn initialise(&mut self, routine: &Routine, thread: Option<usize>, before: Vec<Start>) -> Vec<Start> {
        let module = &self.machine.object;
        let me = thread.unwrap_or(0) as u8;
        let context = Context { module, me };
        let mut after = Vec::new();
        for start in before {
            let Ok(from) = &start.state else {
                after.push(start);
                continue;
            };
            let mut ways = Vec::new();
            self.ways.begin();
            loop {
                let mut state = State::default();
                state.copy_from(from);
                let mut frame = vec![Value::Unit; routine.slots.len().max(module.persistent.len())];
                let (choices, log) = (&mut self.ways, &mut self.log);
                let end = context.run(routine, Extent::Whole, 0, &mut state, &mut frame, choices, log);
                self.assumed |= std::mem::take(&mut self.log.assumed);
                if !matches!(end, RunEnd::Blocked | RunEnd::Discarded) {
                    let covered = match thread {
                        Some(_) => &mut self.coverage.thread_init,
                        None => &mut self.coverage.init,
                    };
                    self.log.ran.iter().for_each(|pc| covered[*pc as usize] = true);
                }
                let choices = start.choices.iter().copied().chain(self.ways.choices()).collect();
                if let Some(t) = thread {
                    frame.truncate(module.persistent.len());
                    state.threads[t].frame = frame;
                }
                match end {
                    RunEnd::Blocked | RunEnd::Discarded => {}
                    RunEnd::Finding(finding) => ways.push(Start { state: Err((me, finding)), choices }),
                    RunEnd::Endless => {
                        ways = vec![Start { state: Err((me, Finding::Endless)), choices }];
                        break;
                    }
                    RunEnd::Stop(_) | RunEnd::Returned(_) => ways.push(Start { state: Ok(state), choices }),
                }
                let held = (after.len() + ways.len()) as u64;
                if !self.watch.goes_on(|| held * from.bytes()) {
                    return Vec::new();
                }
                if !self.ways.advance() {
                    break;
                }
            }
            after.append(&mut ways);
        }
        after
    }
}
