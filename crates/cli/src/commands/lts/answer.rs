//! What a command answers, or why it cannot.

use serde_json::{Map, Value, json};
use std::io::Write;
use trueline_base::Stop;
use trueline_lts::Failure;
use trueline_lts::read::Fault;

use crate::exit::Exit;

/// An answer in both forms.
pub struct Answer {
    /// Whether it is as hoped for: equivalent, included, done.
    pub exit: Exit,
    /// For people; ends with a line break.
    pub text: String,
    /// For programs: the fields of the document.
    pub fields: Value,
    /// When the result itself goes to standard output, nothing else does.
    pub payload: Option<Vec<u8>>,
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

    fn verdict(&self) -> &'static str {
        match self {
            Trouble::Input(_) | Trouble::Usage(_) => "error",
            Trouble::Stopped(_) => "unknown",
            Trouble::Unconfirmed(_) => "internal error",
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

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        match failure {
            Failure::Stopped(stop) => Trouble::Stopped(stop),
            Failure::Unconfirmed(u) => Trouble::Unconfirmed(u.what),
        }
    }
}

impl Trouble {
    /// A fault of a file, with its place.
    pub fn reading(file: &str, error: &trueline_lts::read::ReadError) -> Trouble {
        match error.fault {
            Fault::Stopped(stop) => Trouble::Stopped(stop),
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
    command: &str,
    answer: Result<Answer, Trouble>,
    show: Show,
    seconds: f64,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Exit {
    let mut document = Map::new();
    document.insert("version".into(), json!(1));
    document.insert("command".into(), json!(command));
    let (exit, text, payload) = match answer {
        Ok(answer) => {
            if let Value::Object(fields) = answer.fields {
                document.extend(fields);
            }
            (answer.exit, answer.text, answer.payload)
        }
        Err(trouble) => {
            let (verdict, why) = (trouble.verdict(), trouble.why());
            let _ = writeln!(err, "{verdict}: {}", trueline_history::visible(&why));
            document.insert("verdict".into(), json!(verdict));
            document.insert("why".into(), json!(why));
            (trouble.exit(), String::new(), None)
        }
    };
    document.insert("cost".into(), json!({ "seconds": (seconds * 1e6).round() / 1e6 }));
    let written = match payload {
        Some(bytes) => out.write_all(&bytes),
        None if show == Show::Json => writeln!(out, "{}", Value::Object(document)),
        None if show == (Show::Text { quiet: true }) && exit == Exit::Expected => Ok(()),
        // Labels are whatever the file says; a terminal must not obey them.
        None => out.write_all(trueline_history::visible(&text).as_bytes()),
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
