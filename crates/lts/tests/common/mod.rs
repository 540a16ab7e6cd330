//! What the tests share.

use trueline_base::{Limits, Meter};

/// No limits.
pub fn meter() -> Meter {
    Meter::start(Limits::default())
}
