//! What a user whose search was stopped can change, in the words of the command line.

use trueline_base::Stop;
use trueline_base::answer::Doubt;
use trueline_lang::compile::Task;

use crate::args::{CheckArgs, Common};

/// Names the flag that ended the search, and those that would let it end.
pub fn add(doubt: &mut Doubt, stop: Stop, task: &Task, args: &CheckArgs, common: &Common) {
    doubt.stopped = stopped(stop, args, common);
    doubt.advice = advice(stop, task);
}

/// Says how to go on with a search: with the file that keeps it, or by naming one.
pub fn add_checkpoint(doubt: &mut Doubt, stop: Stop, kept: Option<&str>) {
    match kept {
        Some(file) => doubt.advice.push(format!("the same command again, which goes on ({file})")),
        None if stop == Stop::Interrupted => {}
        None => doubt.advice.push("--checkpoint FILE to go on later".into()),
    }
}

fn stopped(stop: Stop, args: &CheckArgs, common: &Common) -> String {
    match stop {
        Stop::Time => format!(
            "stopped at --time {}",
            common.time.map_or(String::new(), |t| format!("{}s", t.as_secs_f64()))
        ),
        Stop::Memory => match common.memory_limit() {
            Some(bytes) => format!("stopped at --memory {}M", bytes >> 20),
            None => "stopped at three quarters of the memory available".into(),
        },
        Stop::States => match args.states {
            Some(n) => format!("stopped at --states {n}"),
            None => "not searched further".into(),
        },
        Stop::Interrupted => "interrupted".into(),
    }
}

fn advice(stop: Stop, task: &Task) -> Vec<String> {
    let mut advice = Vec::new();
    // Who ends a search knows why.
    if stop == Stop::Interrupted {
        return advice;
    }
    match task.ops {
        Some(ops) if ops > 1 => advice.push(format!("--ops {}", ops - 1)),
        None if task.roles.is_empty() => advice.push("--ops 2 (the client calls for ever)".into()),
        _ => {}
    }
    if task.roles.is_empty() && task.machine.threads.len() > 2 {
        advice.push(format!("--threads {}", task.machine.threads.len() - 1));
    }
    match stop {
        Stop::Time => advice.push("a longer --time".into()),
        Stop::Memory => advice.push("more --memory".into()),
        Stop::States => advice.push("more --states".into()),
        Stop::Interrupted => {}
    }
    advice
}
