//! What `trueline explain CODE` says.

pub mod syntax;
