//! The tests of the tools around the product and of the house rules, in one binary.

mod fuzz;
mod minimal;
mod mutants;
mod renaming;
mod tidy;
