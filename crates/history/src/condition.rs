//! The conditions that a history can be held against.

mod quasi;
mod quiescent;
pub(crate) mod regular;

use std::fmt;
use std::str::FromStr;

pub use quasi::{Quasi, QuasiOp};
pub use quiescent::quiescent_spans;

/// What is asked of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Some order that respects real time is legal (Herlihy and Wing, TOPLAS 1990).
    #[default]
    Linearizable,
    /// Some order that respects real time is a permutation of a legal one in which no operation stands
    /// more than K places away.
    Quasi(u32),
    /// Some order that respects real time is accepted by the specification relaxed for these operations.
    QuasiOf(Vec<(String, u32)>),
    /// Some order that respects each process's own order is legal (Lamport, IEEE TC 1979).
    Sequential,
    /// Some order is legal that respects real time between operations that a moment without any open
    /// operation separates (Herlihy and Shavit, "The art of multiprocessor programming").
    Quiescent,
    /// Every read answers the last value written before it, or one written meanwhile (Lamport, "On
    /// interprocess communication", 1986).
    Regular,
}

impl Condition {
    /// Whether a violation in a prefix stays one in every extension.
    pub fn prefix_closed(&self) -> bool {
        matches!(self, Condition::Linearizable | Condition::Regular | Condition::QuasiOf(_))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Linearizable => f.write_str("linearizable"),
            Condition::Quasi(k) => write!(f, "quasi={k}"),
            Condition::QuasiOf(factors) => {
                f.write_str("quasi=")?;
                for (i, (op, k)) in factors.iter().enumerate() {
                    write!(f, "{}{op}:{k}", if i == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Condition::Sequential => f.write_str("sequential"),
            Condition::Quiescent => f.write_str("quiescent"),
            Condition::Regular => f.write_str("regular"),
        }
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(s: &str) -> Result<Condition, String> {
        let number = |k: &str| {
            k.trim().parse::<u32>().map_err(|_| format!("`{}` is no factor; it is a number from 0", k.trim()))
        };
        match s.trim() {
            "linearizable" => Ok(Condition::Linearizable),
            "sequential" => Ok(Condition::Sequential),
            "quiescent" => Ok(Condition::Quiescent),
            "regular" => Ok(Condition::Regular),
            other => match other.strip_prefix("quasi=") {
                Some(list) if list.contains(':') => list
                    .split(',')
                    .map(|pair| match pair.split_once(':') {
                        Some((op, k)) if !op.trim().is_empty() => Ok((op.trim().to_string(), number(k)?)),
                        _ => Err(format!("`{pair}` is no `operation:factor`")),
                    })
                    .collect::<Result<_, _>>()
                    .map(Condition::QuasiOf),
                Some(k) => number(k).map(Condition::Quasi),
                None => Err(format!(
                    "`{other}` is no condition; conditions are linearizable, quasi=K, quasi=deq:K, \
                     sequential, quiescent and regular"
                )),
            },
        }
    }
}
