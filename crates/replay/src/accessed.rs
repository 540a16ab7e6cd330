//! What a step touches, by name: one text in trace files, taken apart in one place.

use serde::{Deserialize, Serialize};
use std::fmt;
use trueline_lang::ir::{InstrKind, Module, Place, Variable};

/// The accesses of a step, in their order; none where it only chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Accessed(Vec<NamedAccess>);

/// One access.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedAccess {
    /// `read`, `cas`
    what: String,
    /// `Tail`, `Node.next`: without indices and addresses, which change from run to run.
    places: Vec<String>,
}

/// What a step without an access does.
const CHOOSES: &str = "choose";

impl Accessed {
    /// What these instructions of an object touch.
    pub fn of<'i>(object: &Module, kinds: impl Iterator<Item = &'i InstrKind>) -> Accessed {
        let touching = kinds.filter(|kind| kind.is_access(object.memory));
        Accessed(touching.map(|kind| NamedAccess::of(object, kind)).collect())
    }

    /// Whether they change nothing that others could see.
    pub fn only_read(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|access| ["read", "vl"].contains(&access.what.as_str()))
    }

    /// Whether there are several, as only blocks have them.
    pub fn several(&self) -> bool {
        self.0.len() > 1
    }
}

impl NamedAccess {
    fn of(object: &Module, kind: &InstrKind) -> NamedAccess {
        let made = match kind {
            InstrKind::New { kind, .. } => Some(object.structs[kind.0 as usize].name.clone()),
            _ => None,
        };
        let places = kind.places().into_iter().map(|place| place_name(object, place));
        NamedAccess { what: kind.word().into(), places: made.into_iter().chain(places).collect() }
    }
}

fn place_name(object: &Module, place: &Place) -> String {
    let within = |all: &[Variable], at: u32| {
        let found = all.iter().find(|v| (v.first..v.first + v.len.max(1)).contains(&at));
        found.map_or(String::new(), |v| v.name.clone())
    };
    match place {
        Place::Shared { first, .. } => within(&object.variables, *first),
        Place::Field { kind, first, .. } => {
            let of = &object.structs[kind.0 as usize];
            format!("{}.{}", of.name, within(&of.fields, *first))
        }
    }
}

impl fmt::Display for Accessed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(CHOOSES);
        }
        for (at, access) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{}", access.what)?;
            access.places.iter().try_for_each(|place| write!(f, " {place}"))?;
        }
        Ok(())
    }
}

impl From<Accessed> for String {
    fn from(accessed: Accessed) -> String {
        accessed.to_string()
    }
}

impl From<String> for Accessed {
    fn from(text: String) -> Accessed {
        if text == CHOOSES {
            return Accessed(Vec::new());
        }
        let access = |text: &str| {
            let mut words = text.split(' ').map(String::from);
            NamedAccess { what: words.next().unwrap_or_default(), places: words.collect() }
        };
        Accessed(text.split(", ").map(access).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back() {
        for (text, reads, several) in [
            ("choose", false, false),
            ("read Tail", true, false),
            ("vl Top, read Node.next", true, true),
            ("read Tail, cas Node.next", false, true),
            ("ll Top", false, false),
            ("new Node", false, false),
            ("dcas Head Tail", false, false),
        ] {
            let accessed = Accessed::from(text.to_string());
            assert_eq!(accessed.to_string(), text);
            assert_eq!((accessed.only_read(), accessed.several()), (reads, several), "{text}");
        }
    }
}
