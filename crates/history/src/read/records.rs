//! Lines of a growing log into entries, where one record may go over several lines.
//!
//! A form of EDN, and the value or error of a record of `history.txt`, may be spread over lines, and a log may be one
//! vector or array: each record is told as soon as its last line is there.

use super::source::MAX_LINE;
use super::{Entry, Format, LineParser, edn, jepsen, json};
use crate::build::Problem;

/// What was told of a log, with the line on which it begins.
pub type ToldLog = (u32, Entry<'static>);

/// Puts the records of a log together, line by line.
#[derive(Clone, Debug)]
pub struct Records {
    parser: LineParser,
    kind: LineKind,
}

#[derive(Clone, Debug)]
enum LineKind {
    /// A record is a line.
    Lines,
    Text(TextRecords),
    Forms(Forms),
}

/// Forms of EDN, or the objects of a JSON array.
#[derive(Clone, Debug, Default)]
struct Forms {
    /// What is not a whole form yet, and its first line.
    text: String,
    first: u32,
    /// The bracket that ends the sequence around the forms, once one has begun.
    end: Option<char>,
    /// Whether a form was told, or that sequence ended.
    begun: bool,
    ended: bool,
}

impl Records {
    /// For a format that [streams](Format::streams); `first` is the first line that is not blank.
    pub fn new(format: Format, independent: bool, first: &str) -> Records {
        let kind = match format {
            Format::JepsenEdn => LineKind::Forms(Forms::default()),
            Format::Json if first.trim_start().starts_with('[') => LineKind::Forms(Forms::default()),
            Format::JepsenText => LineKind::Text(TextRecords::default()),
            _ => LineKind::Lines,
        };
        Records { parser: LineParser::new(format, independent), kind }
    }

    /// One line more, without its end.
    pub fn line(&mut self, line: u32, text: &str) -> Result<Vec<ToldLog>, Problem> {
        let Records { parser, kind } = self;
        match kind {
            LineKind::Lines => {
                let entry = parser.entry(line, text)?;
                Ok(entry.map(|entry| (line, entry.into_owned())).into_iter().collect())
            }
            LineKind::Text(records) => Ok(records.line(parser, line, text)?.into_iter().collect()),
            LineKind::Forms(forms) => forms.line(parser, line, text),
        }
    }

    /// The log has ended; a record that is not whole is a mistake.
    pub fn finish(self) -> Result<(), Problem> {
        match self.kind {
            LineKind::Lines => Ok(()),
            LineKind::Text(records) => records.finish(),
            LineKind::Forms(forms)
                if forms.text.trim().is_empty() && (forms.end.is_none() || forms.ended) =>
            {
                Ok(())
            }
            LineKind::Forms(forms) => Err(Problem::at(forms.first, "the form is not closed")),
        }
    }
}

impl Forms {
    fn line(&mut self, parser: &LineParser, line: u32, text: &str) -> Result<Vec<ToldLog>, Problem> {
        if self.text.is_empty() {
            self.first = line;
        }
        self.text.push_str(text);
        self.text.push('\n');
        if self.text.len() > MAX_LINE {
            return Err(Problem::at(self.first, format!("the record has more than {MAX_LINE} bytes")));
        }
        self.enter();
        let (inside, taken) = match whole(&self.text) {
            Extent::Cut => return Ok(Vec::new()),
            Extent::Whole => (self.text.as_str(), self.text.len()),
            Extent::Ends(at, bracket) if self.end == Some(bracket) => (&self.text[..at], at + 1),
            Extent::Ends(at, bracket) => {
                let line = self.first + self.text[..at].matches('\n').count() as u32;
                return Err(Problem::at(line, format!("`{bracket}` closes nothing")));
            }
        };
        let mut told = Vec::new();
        match parser.format {
            Format::Json => json::each_object(&format!("[{inside}]"), |line, text| {
                let line = self.first + line - 1;
                let entry = json::entry(line, text, parser.independent)?;
                told.extend(entry.map(|entry| (line, entry.into_owned())));
                Ok(())
            })?,
            _ => {
                edn::each_form_or(
                    self.first,
                    inside,
                    false,
                    |_| None::<((), usize)>,
                    |line, form| {
                        let edn::Form::Full(datum) = form else { return Ok(()) };
                        jepsen::entries(line, &datum, parser.independent, &mut |line, entry| {
                            told.push((line, entry));
                            Ok(())
                        })
                    },
                )?;
            }
        }
        if taken <= inside.len() {
            self.begun |= !told.is_empty();
        } else {
            self.ended = true;
            self.end = None;
        }
        let rest = self.text[taken..].trim();
        if self.ended && !rest.is_empty() {
            return Err(Problem::at(line, "something follows the sequence of operations"));
        }
        self.text.clear();
        Ok(told)
    }

    /// Enters the sequence that the log is.
    fn enter(&mut self) {
        if self.begun || self.end.is_some() || self.ended {
            return;
        }
        let begin = self.text.trim_start();
        let end = match begin.chars().next() {
            Some('[') => ']',
            Some('(') => ')',
            _ => return,
        };
        let bytes = self.text.len() - begin.len() + 1;
        self.first += self.text[..bytes].matches('\n').count() as u32;
        self.text.drain(..bytes);
        self.end = Some(end);
    }
}

/// How far the brackets of a text go.
enum Extent {
    /// Something is still open.
    Cut,
    /// Nothing is.
    Whole,
    /// This bracket ends what was open before.
    Ends(usize, char),
}

fn whole(text: &str) -> Extent {
    let (mut depth, mut quoted, mut comment) = (0u32, false, false);
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\n' => comment = false,
            _ if comment => {}
            // What follows means nothing, in a string and as a character of EDN.
            '\\' => drop(characters.next()),
            '"' => quoted = !quoted,
            _ if quoted => {}
            ';' => comment = true,
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' if depth == 0 => return Extent::Ends(at, c),
            '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
    }
    // A tag waits for its form.
    let tag = text.split_whitespace().last().is_some_and(|word| word.starts_with('#'));
    if depth > 0 || quoted || tag { Extent::Cut } else { Extent::Whole }
}

/// Records of Jepsen's `history.txt`, in which the value or the error may go over several lines.
#[derive(Clone, Debug, Default)]
pub(super) struct TextRecords {
    /// A record that is not whole yet, with what is wrong with it.
    open: Option<(u32, String, Problem)>,
    /// Whether lines may follow that are more of an error.
    error_follows: bool,
}

impl TextRecords {
    /// Whether the record before is whole.
    pub fn whole(&self) -> bool {
        self.open.is_none()
    }

    /// A record that was read in another way.
    pub fn passed(&mut self, text: &str) {
        self.error_follows = jepsen::may_have_error(text);
    }

    /// One line more.
    pub fn line(
        &mut self,
        parser: &mut LineParser,
        line: u32,
        text: &str,
    ) -> Result<Option<ToldLog>, Problem> {
        let (first, whole) = if jepsen::begins_record(text) {
            if let Some((.., problem)) = self.open.take() {
                return Err(problem);
            }
            self.error_follows = jepsen::may_have_error(text);
            (line, text.to_string())
        } else if let Some((first, whole, _)) = self.open.take() {
            let whole = whole + "\n" + text;
            if whole.len() > MAX_LINE {
                return Err(Problem::at(first, format!("the record has more than {MAX_LINE} bytes")));
            }
            (first, whole)
        } else if self.error_follows {
            return Ok(None);
        } else {
            let entry = parser.full(line, text)?;
            return Ok(entry.map(|entry| (line, entry.into_owned())));
        };
        match parser.full(first, &whole).map(|entry| entry.map(Entry::into_owned)) {
            Ok(entry) => Ok(entry.map(|entry| (first, entry))),
            Err(problem) => {
                self.open = Some((first, whole, problem));
                Ok(None)
            }
        }
    }

    /// The log has ended.
    pub fn finish(self) -> Result<(), Problem> {
        self.open.map_or(Ok(()), |(.., problem)| Err(problem))
    }
}
