//! One module per command.

pub mod check;
pub mod compare;
pub mod completions;
pub mod essential;
pub mod explain;
pub mod fmt;
pub mod gdb;
pub mod history;
pub mod lts;
pub mod models;
pub mod new;
pub mod replay;
pub mod show;
pub mod test;
