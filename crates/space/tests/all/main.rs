//! The tests of state spaces, in one binary.

mod token_ring;
