//! What a user can change, in the words of the command line: flags that do not fit, and searches that were stopped.

use std::path::Path;

use trueline_base::Stop;
use trueline_base::answer::Doubt;
use trueline_history::Setting;
use trueline_lang::compile::{Argument, Misuse, Task};
use trueline_run::scenario::ScenarioError;
use trueline_run::test;

use crate::args::{CheckArgs, Common};

/// Why flags do not apply to a check with roles.
pub const ROLES: &str =
    "this check has roles: --threads, --ops and --values do not apply; use --role NAME=N or --client";

/// The flag that an argument is given with.
pub fn flag(argument: Argument) -> &'static str {
    match argument {
        Argument::Client => "--client",
        Argument::Spec => "--spec",
        Argument::Set(_) => "--set",
    }
}

/// Why flags do not fit a check.
pub fn misuse(misuse: &Misuse) -> String {
    match misuse {
        Misuse::ClientAndNumbers => {
            "--client says what each thread does; leave out --threads, --ops and --role".into()
        }
        Misuse::Threads { threads, most } => {
            format!("--threads {threads}: a check has 1 to {most} threads")
        }
        Misuse::NoRole { object, role } => format!("the check of `{object}` has no role `{role}`"),
        Misuse::NoParameter { name, known } => {
            let list = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            format!("there is no parameter `{name}`; the file has {list}")
        }
        Misuse::NoProperty { name, known } => {
            format!("--property {name}: there is no such property; there are {}", known.join(", "))
        }
        Misuse::NoSpecification(text) => format!("--spec takes the name of a specification, not `{text}`"),
    }
}

/// What can be asked otherwise of a log.
pub fn setting(setting: &Setting) -> String {
    match setting {
        Setting::Memory => "raise --memory, or split the log".into(),
        Setting::Format => "give one with --format".into(),
        Setting::OtherFormat(taken) => {
            format!("the log was taken for {taken}; --format chooses another format")
        }
        Setting::OneObject => "leave --independent out when the history is about one object".into(),
        Setting::Register => "use --spec register, with reads and writes only".into(),
    }
}

/// What can be asked otherwise of real code, after a finding or a doubt.
pub fn of_code(setting: test::Setting) -> &'static str {
    match setting {
        test::Setting::Steps => "a larger --steps may help",
        test::Setting::Condition => {
            "Where the object is meant to be relaxed, ask for `--condition quasi=deq:K`, or for another\nspecification with `--spec`."
        }
        test::Setting::Races => "With `--allow-races` plain accesses are taken for atomic ones.",
        test::Setting::Weak => "`--memory c11` looks at executions in which reads see older writes.",
    }
}

/// Why nobody knows what a test would find.
pub fn of_test(doubt: &test::Doubt) -> String {
    let help = doubt.setting().map(|s| format!("; {}", of_code(s))).unwrap_or_default();
    let during = doubt.during.as_ref().map(|(scenario, level)| format!(" (in {scenario}, {level})"));
    format!("{}{help}{}", doubt.why, during.unwrap_or_default())
}

/// What the histories of a test are held against.
pub fn against(spec: &test::Against) -> String {
    match spec {
        test::Against::Nothing => format!("{spec}: --spec names a specification"),
        spec => spec.to_string(),
    }
}

/// Why an implementation is no golden model.
pub fn golden(source: &Path, why: &str) -> String {
    format!("--against {}: {why}", source.display())
}

/// Why a scenario cannot be run.
pub fn scenario(text: &str, error: &ScenarioError) -> String {
    format!("--scenario \"{text}\": {error}")
}

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
