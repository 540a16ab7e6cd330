//! `trueline new NAME`: a small model with a bug in it, and what to do next.

use std::path::Path;

use clap::ValueEnum;
use trueline_report::document::{CommandName, Done};

use crate::args::Common;
use crate::document::{self, Document};
use crate::exit::Exit;

/// What the model is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Template {
    Counter,
    Stack,
    Queue,
    Lock,
    Set,
    Register,
}

impl Template {
    fn text(self) -> &'static str {
        match self {
            Template::Counter => include_str!("new/counter.tl"),
            Template::Stack => include_str!("new/stack.tl"),
            Template::Queue => include_str!("new/queue.tl"),
            Template::Lock => include_str!("new/lock.tl"),
            Template::Set => include_str!("new/set.tl"),
            Template::Register => include_str!("new/register.tl"),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Template::Counter => "counter",
            Template::Stack => "stack",
            Template::Queue => "queue",
            Template::Lock => "lock",
            Template::Set => "set",
            Template::Register => "register",
        }
    }
}

/// Writes `NAME.tl`.
pub fn run(name: &str, template: Template, common: &Common) -> Exit {
    let document = Document::of(CommandName::New, common);
    if name.is_empty() {
        return document.refuse("", "the model needs a name; try `trueline new counter`", Exit::Usage);
    }
    let path = if name.ends_with(".tl") { name.to_string() } else { format!("{name}.tl") };
    let stem = Path::new(&path).file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_string();
    let object = object_name(&stem);
    if !object.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let message = format!("`{name}` does not begin with a letter; try `trueline new counter`");
        return document.refuse("", &message, Exit::Usage);
    }
    let text = template.text().replace("OBJECT", &object);
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let written = file.and_then(|mut f| std::io::Write::write_all(&mut f, text.as_bytes()));
    match written {
        Ok(()) if common.json => {
            document::print(Done::New { file: path, object }, Vec::new());
            Exit::Expected
        }
        Ok(()) => {
            println!("wrote {path}: a {} with a bug in it", template.word());
            println!("next   trueline check {path}");
            Exit::Expected
        }
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            document.refuse(&path, &format!("{path} exists already"), Exit::Input)
        }
        Err(e) => document.refuse(&path, &format!("{path}: {e}"), Exit::Input),
    }
}

/// `my_queue` as the name of an object: `MyQueue`.
fn object_name(stem: &str) -> String {
    let words = stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    words.map(|w| w[..1].to_ascii_uppercase() + &w[1..]).collect()
}
