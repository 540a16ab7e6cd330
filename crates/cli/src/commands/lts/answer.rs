//! What a command answers, or why it cannot.

use std::io::Write;
use trueline_base::{Stop, Verdict};
use trueline_lts::Unconfirmed;
use trueline_lts::read::ReadFault;
use trueline_report::system::{self, Nothing, Said, SystemAnswer, SystemCommand, SystemDocument};

use crate::exit::Exit;

/// An answer with what goes with it.
pub struct Answer {
    /// What is said.
    pub said: SystemAnswer,
    /// When the result itself goes to standard output, nothing else does.
    pub payload: Option<Vec<u8>>,
}

impl From<SystemAnswer> for Answer {
    fn from(said: SystemAnswer) -> Answer {
        Answer { said, payload: None }
    }
}

impl Answer {
    /// Whether it is as hoped for: equivalent, included, done.
    fn exit(&self) -> Exit {
        let SystemAnswer::Compared(compared) = &self.said else { return Exit::Expected };
        match compared.verdict.verdict {
            Verdict::Holds(()) => Exit::Expected,
            Verdict::Fails(_) => Exit::Unexpected,
            Verdict::Unknown(_) => Exit::Unknown,
        }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Trouble {
    /// The input cannot be read or the output cannot be written.
    Input(String),
    /// The question makes no sense.
    Usage(String),
    /// A limit was reached.
    Stopped(Stop),
    /// Evidence that could not be confirmed.
    Unconfirmed(String),
}

impl Trouble {
    fn exit(&self) -> Exit {
        match self {
            Trouble::Input(_) => Exit::Input,
            Trouble::Usage(_) => Exit::Usage,
            Trouble::Stopped(_) => Exit::Unknown,
            Trouble::Unconfirmed(_) => Exit::Internal,
        }
    }

    fn kind(&self) -> system::Trouble {
        match self {
            Trouble::Input(_) | Trouble::Usage(_) => system::Trouble::Error,
            Trouble::Stopped(_) => system::Trouble::Unknown,
            Trouble::Unconfirmed(_) => system::Trouble::Internal,
        }
    }

    fn why(&self) -> String {
        match self {
            Trouble::Input(why) | Trouble::Usage(why) => why.clone(),
            Trouble::Stopped(stop) => stop.to_string(),
            Trouble::Unconfirmed(what) => {
                format!("a result could not be confirmed ({what}); please report this with the input files")
            }
        }
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Trouble {
        Trouble::Stopped(stop)
    }
}

impl From<Unconfirmed> for Trouble {
    fn from(unconfirmed: Unconfirmed) -> Trouble {
        Trouble::Unconfirmed(unconfirmed.what)
    }
}

impl Trouble {
    /// A fault of a file, with its place.
    pub fn reading(file: &str, error: &trueline_lts::read::ReadError) -> Trouble {
        match error.fault {
            ReadFault::Stopped(stop) => Trouble::Stopped(stop),
            _ => Trouble::Input(format!("{file}:{}:{}: {}", error.line, error.column, error.fault)),
        }
    }
}

/// How an answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// One JSON document.
    Json,
    /// Text; when quiet, only what is not as hoped for.
    Text {
        /// Say less.
        quiet: bool,
    },
}

/// Shows an answer and says how the command ends.
pub fn give(
    command: SystemCommand,
    answer: Result<Answer, Trouble>,
    show: Show,
    seconds: f64,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Exit {
    let (exit, text, said, payload) = match answer {
        Ok(answer) => (answer.exit(), answer.said.text(), Said::Answer(answer.said), answer.payload),
        Err(trouble) => {
            let (verdict, why) = (trouble.kind(), trouble.why());
            let text = format!("{}: {why}\n", verdict.word());
            (trouble.exit(), text, Said::Nothing(Nothing { command, verdict, why }), None)
        }
    };
    // Labels and names are whatever the file says; a terminal must not obey them.
    let text = trueline_history::visible(&text);
    let answered = matches!(exit, Exit::Expected | Exit::Unexpected);
    if !answered {
        let _ = err.write_all(text.as_bytes());
    }
    let written = match payload {
        Some(bytes) => out.write_all(&bytes),
        None if show == Show::Json => out.write_all(SystemDocument::new(said, seconds).write().as_bytes()),
        None if !answered => Ok(()),
        None if show == (Show::Text { quiet: true }) && exit == Exit::Expected => Ok(()),
        None => out.write_all(text.as_bytes()),
    };
    match written.and_then(|()| out.flush()) {
        Ok(()) => exit,
        // A reader that has seen enough, such as `head`, is no error.
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => exit,
        Err(e) => {
            let _ = writeln!(err, "error: the output cannot be written: {e}");
            Exit::Input
        }
    }
}
