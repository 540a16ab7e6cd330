//! The object language of Trueline: text into a tree, the tree into steps, and what steps mean.
#![forbid(unsafe_code)]

pub mod explain;
pub mod fmt;
pub mod lexer;
pub mod parser;
pub mod syntax;
