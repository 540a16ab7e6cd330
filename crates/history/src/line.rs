//! A line of our JSON lines, as data; `schemas/history-line.json` describes it.
//!
//! Written logs are made of these. They are read by `read::json`, which takes the words apart as these types do,
//! and otherwise knows more: what Jepsen calls the same things, and which words are missing where.

use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// One line. Fields that are not named here are ignored.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Line<'a> {
    /// Names the specification.
    #[cfg_attr(feature = "schema", schemars(extend("not" = { "required": ["type"] })))]
    Spec {
        /// Such as `queue`.
        spec: Cow<'a, str>,
    },
    /// An operation begins.
    Call {
        /// Who calls.
        process: i64,
        /// That it begins.
        #[serde(rename = "type")]
        word: CallWord,
        /// The operation.
        op: Cow<'a, str>,
        /// The key, of an object that is many.
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<Value>,
        /// The argument.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<Value>,
    },
    /// The operation of a process ends.
    End {
        /// Who called.
        process: i64,
        /// How it ends.
        #[serde(rename = "type")]
        word: EndWord,
        /// The result; absent where it is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<Value>,
    },
    /// A remark.
    Note {
        /// That it is one.
        #[serde(rename = "type")]
        word: NoteWord,
        /// The remark.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<Cow<'a, str>>,
    },
}

/// How a line says that an operation begins; Jepsen says `invoke`.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum CallWord {
    Call,
    Invoke,
}

/// How a line says that an operation ends; Jepsen says `ok` and `info`.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum EndWord {
    Return,
    Ok,
    Fail,
    Unknown,
    Info,
}

/// How a line says that it is a remark.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum NoteWord {
    Note,
}

/// What the `type` of a line can be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineType {
    Call(CallWord),
    End(EndWord),
    Note(NoteWord),
}

impl LineType {
    /// The type that this word names.
    pub(crate) fn of(word: &str) -> Option<LineType> {
        Some(match word {
            "call" => LineType::Call(CallWord::Call),
            "invoke" => LineType::Call(CallWord::Invoke),
            "return" => LineType::End(EndWord::Return),
            "ok" => LineType::End(EndWord::Ok),
            "fail" => LineType::End(EndWord::Fail),
            "unknown" => LineType::End(EndWord::Unknown),
            "info" => LineType::End(EndWord::Info),
            "note" => LineType::Note(NoteWord::Note),
            _ => return None,
        })
    }
}
