//! A failure in the debugger: gdb stops at each step of its story.
//!
//! The program reads the scenario and the plan from a file in place of a pipe. A step is over when the hook that made it
//! returns, at an address that the log of the same plan has; the player counts the steps, so that the same place is told
//! apart from itself in other steps.

use std::fmt::Write;
use std::path::PathBuf;
use std::rc::Rc;

use trueline_base::Meter;

use crate::compile::Folder;
use crate::confirm::told_with;
use crate::log::{AccessKind, End, Record, Run};
use crate::player::{Plan, Player, input};
use crate::replay::{Ready, ReplayFile, ready};
use crate::search::{PATIENCE, set_up};
use crate::test::{Find, Refusal};

/// A program that gdb can run, with the commands that stop it.
#[derive(Debug)]
pub struct Session {
    /// The program.
    pub program: PathBuf,
    /// Commands of gdb.
    pub commands: PathBuf,
    /// Steps at which it stops.
    pub stops: usize,
    /// Where both are; deleted with it.
    _folder: Rc<Folder>,
}

/// Builds the code as it is now, plays the steps of a file, and prepares a session that stops at them.
pub fn session(file: &ReplayFile, find: Find, meter: &Meter) -> Result<Session, Refusal> {
    let Ready { request, built, scenario, explorer } = ready(file, find, meter)?;
    let settings = told_with(request.settings, &file.claim());
    let words = set_up(&built.harness, &scenario, &explorer, settings, true);
    let plan = Plan { steps: file.steps.clone(), sources: file.sources.clone(), ..Plan::default() };
    let mut player = Player::start(&built.program, PATIENCE).map_err(Refusal::Internal)?;
    player.set_up(words.clone());
    let run = match player.play(std::slice::from_ref(&plan)) {
        Ok(mut runs) => runs.remove(0),
        Err(_) => return Err(Refusal::Internal("the player does not answer".into())),
    };
    if run.end == End::Departed {
        return Err(Refusal::Input(format!("the code no longer makes these steps: {}", run.text)));
    }
    let folder = built.folder.clone();
    let (plan_file, commands) = (folder.path().join("plan"), folder.path().join("steps.gdb"));
    let told = (plan.steps.len(), !settings.quiet);
    let (text, stops) = script(&run, told, &plan_file.display().to_string());
    let write = |path: &PathBuf, bytes: &[u8]| {
        std::fs::write(path, bytes).map_err(|e| Refusal::Internal(format!("{}: {e}", path.display())))
    };
    write(&plan_file, &input(&words, &plan))?;
    write(&commands, text.as_bytes())?;
    Ok(Session { program: built.program.clone(), commands, stops, _folder: folder })
}

/// The commands, and how many steps they stop at. `planned` steps are told to the player, and calls and returns are some of
/// them or not.
fn script(run: &Run, (planned, calls): (usize, bool), plan: &str) -> (String, usize) {
    // What the player counts is known once it is loaded.
    let mut text = format!(
        "set pagination off\nset confirm off\nset print thread-events off\nset breakpoint pending on\ntbreak trueline_play\nrun < '{plan}' > /dev/null\n"
    );
    let (mut step, mut stops) = (0, 0);
    for record in run.records() {
        let (thread, place, does) = match record {
            Record::Access { part: true, .. } => continue,
            Record::Access { thread, action, .. } if thread > 0 => (thread, action.place, verb(action.kind)),
            Record::Call(thread, _) | Record::Return(thread, ..) if thread > 0 && calls => (thread, 0, ""),
            _ => continue,
        };
        step += 1;
        if place == 0 || step > planned {
            continue;
        }
        stops += 1;
        // Atomic accesses are made by their hook; plain ones come with the next instruction.
        let _ = write!(
            text,
            "break *{place:#x} if *(long *)&trueline_position == {step}\ncommands\nsilent\n\
             printf \"\\nstep {step}: thread {thread} {does}\\n\"\nframe\nend\n"
        );
    }
    text.push_str("continue\n");
    (text, stops)
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "has loaded",
        AccessKind::Store => "has stored",
        AccessKind::Update => "has made a read-modify-write",
        AccessKind::Read => "reads",
        AccessKind::Write => "writes",
        AccessKind::Free => "frees",
        AccessKind::Reuse => "allocates",
        AccessKind::Lock => "has taken a lock",
        AccessKind::TryLock => "has tried a lock",
        AccessKind::Unlock => "has released a lock",
        AccessKind::Wait => "waits",
        AccessKind::Notify => "has notified",
        AccessKind::Wake => "was woken",
    }
}
