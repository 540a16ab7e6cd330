//! `trueline replay TRACE`

use std::path::Path;

use crate::args::Common;
use crate::exit::Exit;

/// Shows a failure again.
pub fn run(_trace: &Path, _common: &Common) -> Exit {
    Exit::Input
}
