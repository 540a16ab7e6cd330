//! Atomic instructions in inline assembly: nothing can be seen of them, so that code which has some is refused.

use std::path::Path;
use std::process::Command;

/// Libraries with such instructions: the header that has them, and what makes the library use the compiler's builtins.
const LIBRARIES: &[(&str, &str, Option<&str>)] =
    &[("ck_pr.h", "Concurrency Kit", Some("-DCK_USE_CC_BUILTINS=1")), ("urcu/uatomic.h", "liburcu", None)];

/// Refuses an object that has some; `included` is the list of files that the compiler read, as it writes it for `make`.
pub fn refuse(object: &Path, included: &Path) -> Result<(), String> {
    let Some(line) = atomic(object)? else { return Ok(()) };
    let text = std::fs::read_to_string(included).unwrap_or_default();
    let way_out = match LIBRARIES.iter().find(|(header, ..)| includes(&text, header)) {
        Some((_, name, Some(flag))) => {
            format!("{name} uses the compiler's builtins when built with `-- {flag}`")
        }
        Some((_, name, None)) => format!("no flag is known that makes {name} use the compiler's builtins"),
        None => "is there a flag for the compiler's builtins?".into(),
    };
    Err(format!(
        "the code has atomic instructions in inline assembly, which nothing can be seen of: `{line}`; {way_out}"
    ))
}

/// Whether a header is among the files that were read.
fn includes(files: &str, header: &str) -> bool {
    files.split_whitespace().any(|file| Path::new(file).ends_with(header))
}

/// An atomic instruction of an object: the compiler makes calls of its own atomics, so it is from inline assembly.
fn atomic(object: &Path) -> Result<Option<String>, String> {
    let names = ["objdump", "llvm-objdump"];
    let run = |name| Command::new(name).args(["-d", "--no-show-raw-insn"]).arg(object).output().ok();
    let Some(output) = names.into_iter().filter_map(run).find(|output| output.status.success()) else {
        // It may have some, and what they do would be missed.
        return Err(format!(
            "atomic instructions in inline assembly cannot be looked for: {} cannot be started; install binutils",
            names.join(" and ")
        ));
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let atomic = |line: &&str| line.split_whitespace().skip(1).any(|word| word == "lock");
    let instruction = |line: &str| line.split_once(':').map_or(line, |(_, i)| i).trim().to_string();
    Ok(text.lines().find(atomic).map(instruction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_known_by_its_header() {
        let files = "object.o: stack.c \\\n /usr/include/ck_stack.h \\\n /usr/include/ck_pr.h\n";
        assert!(includes(files, "ck_pr.h"));
        assert!(!includes(files, "pr.h") && !includes(files, "urcu/uatomic.h"));
        assert!(includes("a.o: /opt/include/urcu/uatomic.h", "urcu/uatomic.h"));
    }
}
