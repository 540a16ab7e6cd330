//! The tests of the command line, in one binary: linking is what takes the time.

mod checkpoint;
mod commands;
mod common;
mod corpus;
mod docs;
mod failures;
mod files;
mod history;
mod json;
mod lts;
mod oracle;
mod real_code;
mod replay;
mod robust;
mod schema;
mod schemas;
mod transcripts;
