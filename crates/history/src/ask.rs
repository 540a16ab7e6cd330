//! Specifications whose types are not known: what can be asked of them, as objects.
//!
//! Everything that a command line needs is behind [`Asked`], so that the engines are compiled for the ready-made
//! specifications once, here.

use trueline_base::{Meter, Observer};

use crate::build::Problem;
use crate::check::{Distance, Options, check, distance, relaxed};
use crate::condition::Condition;
use crate::follow::{FollowError, Follower, RegularLog, Status};
use crate::history::History;
use crate::read::Entry;
use crate::series::expanded;
use crate::spec::{AnySpec, Hide, Spec, any};
use crate::verdict::{CheckError, Report};

/// A specification of which only its name is known.
pub trait Asked: Send + Sync {
    /// Checks a history, as [`check`] does.
    fn check(
        &self,
        history: &History,
        options: &Options,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<Report, CheckError>;

    /// The history with the operations written out that are several, such as a drain; nothing when it has none.
    fn expanded(&self, history: &History) -> Result<Option<History>, Problem>;

    /// Whether the operation of this name is several, which nobody can judge before the log ends.
    fn is_series(&self, name: &str) -> bool;

    /// The smallest quasi factor, as [`distance`] finds it.
    fn distance(
        &self,
        history: &History,
        operation: Option<&str>,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<Distance, Problem>;

    /// Follows a growing history under a condition that is closed under prefixes.
    fn follow(&self, condition: &Condition) -> Result<Box<dyn Follow>, Problem>;
}

/// Follows a growing history.
pub trait Follow {
    /// The history goes on.
    fn entry(&mut self, line: u32, entry: Entry<'_>, meter: &Meter) -> Result<Status, FollowError>;
}

impl Follow for Follower<AnySpec> {
    fn entry(&mut self, line: u32, entry: Entry<'_>, meter: &Meter) -> Result<Status, FollowError> {
        Follower::entry(self, line, entry, meter)
    }
}

impl Follow for RegularLog<AnySpec> {
    fn entry(&mut self, line: u32, entry: Entry<'_>, _: &Meter) -> Result<Status, FollowError> {
        Ok(RegularLog::entry(self, line, entry)?)
    }
}

impl<S: Spec + Clone + 'static> Asked for S {
    fn check(
        &self,
        history: &History,
        options: &Options,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<Report, CheckError> {
        check(self, history, options, meter, observer)
    }

    fn expanded(&self, history: &History) -> Result<Option<History>, Problem> {
        expanded(self, history)
    }

    fn is_series(&self, name: &str) -> bool {
        self.hints().series(name).is_some()
    }

    fn distance(
        &self,
        history: &History,
        operation: Option<&str>,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<Distance, Problem> {
        distance(self, history, operation, meter, observer)
    }

    fn follow(&self, condition: &Condition) -> Result<Box<dyn Follow>, Problem> {
        Ok(match condition {
            Condition::QuasiOf(factors) => {
                Box::new(Follower::new(relaxed(&Hide(self), &History::default(), factors)?))
            }
            Condition::Regular => Box::new(RegularLog::new(any(self.clone()))),
            _ => Box::new(Follower::new(any(self.clone()))),
        })
    }
}
