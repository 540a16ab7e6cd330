//! The engines one by one, for those who hold them against the definitions.

pub use crate::check::decide::{DecisionAnswer, decide, decide_with_order};
pub use crate::check::order::explains;
pub use crate::follow::{Follower, RegularFollower, RegularLog};
pub use crate::search::{Control, Instance, Interval, SearchResult, layers, search};
pub use crate::series::expanded;
