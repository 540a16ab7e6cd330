//! The object language of Trueline: text into a tree, the tree into steps, and what steps mean.
#![forbid(unsafe_code)]

pub mod compile;
pub mod explain;
pub mod fmt;
pub mod interp;
pub mod ir;
pub mod lexer;
mod lower;
pub mod parser;
mod parts;
pub mod question;
mod resolve;
pub mod steps;
pub mod syntax;
pub mod typed;
