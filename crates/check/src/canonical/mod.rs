//! One form per state: addresses renumbered, garbage dropped, dead slots cleared, as bytes.

pub(crate) mod bytes;
mod decode;
mod encode;
pub(crate) mod forgotten;
pub(crate) mod liveness;

pub(crate) use decode::decode;
pub(crate) use encode::{Encoder, has_reference};
