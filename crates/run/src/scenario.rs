//! Scenarios: which thread calls which operations, and what comes before and after.

use std::fmt;

use crate::harness::{Function, Harness, ScalarType};

/// A call with its arguments; outputs have none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Index of the operation in the harness.
    pub operation: usize,
    /// The inputs in order.
    pub inputs: Vec<i64>,
}

/// A scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scenario {
    /// Calls before the threads begin.
    pub prefix: Vec<Call>,
    /// The calls of each thread.
    pub threads: Vec<Vec<Call>>,
    /// Calls after the threads have ended.
    pub suffix: Vec<Call>,
}

/// Threads that a scenario may have.
pub const MOST_THREADS: usize = 8;

impl Scenario {
    /// Number of calls.
    pub fn calls(&self) -> usize {
        self.prefix.len() + self.suffix.len() + self.threads.iter().map(Vec::len).sum::<usize>()
    }

    /// As one writes it: `[push(1)] push(2) pop() | pop() [pop()]`.
    pub fn show(&self, harness: &Harness) -> String {
        let calls = |calls: &[Call]| calls.iter().map(|c| c.show(harness)).collect::<Vec<_>>().join(" ");
        let mut parts = Vec::new();
        if !self.prefix.is_empty() {
            parts.push(format!("[{}]", calls(&self.prefix)));
        }
        parts.push(self.threads.iter().map(|t| calls(t)).collect::<Vec<_>>().join(" | "));
        if !self.suffix.is_empty() {
            parts.push(format!("[{}]", calls(&self.suffix)));
        }
        parts.join(" ")
    }

    /// Reads one: threads are separated by `|`; calls in brackets come before or after them.
    pub fn parse(text: &str, harness: &Harness) -> Result<Scenario, ScenarioError> {
        Reader { text, at: 0, harness }.scenario()
    }

    /// As the player reads it.
    pub fn words(&self, harness: &Harness) -> Vec<u64> {
        let list = |calls: &[Call]| {
            let mut words = vec![calls.len() as u64];
            words.extend(calls.iter().flat_map(|call| call.words(harness, 0)));
            words
        };
        let mut words = list(&self.prefix);
        words.push(self.threads.len() as u64);
        for thread in &self.threads {
            words.extend(list(thread));
        }
        words.extend(list(&self.suffix));
        words
    }
}

/// Calls one after the other, each in the thread with this number, as the player reads them.
pub fn in_order(calls: &[(usize, Call)], harness: &Harness) -> Vec<u64> {
    let mut words = vec![calls.len() as u64];
    words.extend(calls.iter().flat_map(|(thread, call)| call.words(harness, *thread)));
    // No threads that run at the same time, and nothing after them.
    words.extend([0, 0]);
    words
}

impl Call {
    /// As the player reads it: which thread makes it while no other runs.
    fn words(&self, harness: &Harness, thread: usize) -> Vec<u64> {
        let function = &harness.operations[self.operation];
        let mut words = vec![thread as u64, function.address, function.result.mask()];
        words.push(function.parameters.len() as u64);
        let mut inputs = self.inputs.iter();
        for parameter in &function.parameters {
            match parameter.output {
                true => words.extend([1, 0]),
                false => words.extend([0, inputs.next().copied().unwrap_or(0) as u64]),
            }
        }
        words
    }

    /// As one writes it.
    pub fn show(&self, harness: &Harness) -> String {
        let function = &harness.operations[self.operation];
        let inputs: Vec<String> = self.inputs.iter().map(|i| i.to_string()).collect();
        format!("{}({})", function.name, inputs.join(", "))
    }
}

/// What is wrong with the text of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// Where, in bytes.
    pub at: usize,
    /// What.
    pub message: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at character {}: {}", self.at + 1, self.message)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    harness: &'a Harness,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', ';', ',']).len();
        self.text[self.at..].chars().next()
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, ScenarioError> {
        Err(ScenarioError { at: self.at, message: message.into() })
    }

    fn scenario(mut self) -> Result<Scenario, ScenarioError> {
        let mut scenario = Scenario::default();
        let mut thread = Vec::new();
        while let Some(c) = self.peek() {
            match c {
                '|' => {
                    self.at += 1;
                    if self.text[self.at..].starts_with('|') {
                        self.at += 1;
                    }
                    scenario.threads.push(std::mem::take(&mut thread));
                }
                '[' => {
                    self.at += 1;
                    let mut calls = Vec::new();
                    while self.peek() != Some(']') {
                        if self.peek().is_none() {
                            return self.fail("`]` is missing");
                        }
                        calls.push(self.call()?);
                    }
                    self.at += 1;
                    match scenario.threads.is_empty() && thread.is_empty() {
                        true => scenario.prefix.extend(calls),
                        false if self.peek().is_none() => scenario.suffix = calls,
                        false => return self.fail("calls in brackets come before or after all threads"),
                    }
                }
                _ => thread.push(self.call()?),
            }
        }
        scenario.threads.push(thread);
        if scenario.threads.iter().any(Vec::is_empty) {
            return self.fail("a thread calls nothing");
        }
        if scenario.threads.len() > MOST_THREADS {
            return self.fail(format!("there are more than {MOST_THREADS} threads"));
        }
        Ok(scenario)
    }

    fn word(&mut self) -> String {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_string()
    }

    fn call(&mut self) -> Result<Call, ScenarioError> {
        let begin = self.at;
        let name = self.word();
        let Some(operation) = self.harness.operations.iter().position(|f| f.name == name) else {
            self.at = begin;
            let known: Vec<&str> = self.harness.operations.iter().map(|f| f.name.as_str()).collect();
            return self.fail(format!("`{name}` is no operation; there are {}", known.join(", ")));
        };
        let mut inputs = Vec::new();
        if self.text[self.at..].starts_with('(') {
            self.at += 1;
            while self.peek() != Some(')') {
                if self.peek().is_none() {
                    return self.fail("`)` is missing");
                }
                let begin = self.at;
                let word = self.word();
                match word.parse::<i64>() {
                    Ok(value) => inputs.push(value),
                    Err(_) if word == "true" => inputs.push(1),
                    Err(_) if word == "false" => inputs.push(0),
                    Err(_) => {
                        self.at = begin;
                        return self.fail(format!("`{word}` is no number"));
                    }
                }
            }
            self.at += 1;
        }
        let wanted = inputs_of(&self.harness.operations[operation]).count();
        if inputs.len() != wanted {
            return self.fail(format!("`{name}` takes {wanted} arguments, not {}", inputs.len()));
        }
        Ok(Call { operation, inputs })
    }
}

/// The parameters that are no outputs.
pub fn inputs_of(function: &Function) -> impl Iterator<Item = ScalarType> + '_ {
    function.parameters.iter().filter(|p| !p.output).map(|p| p.kind)
}
