//! The tests of state spaces, in one binary.

mod claims;
mod spill;
mod token_ring;
mod workers;
