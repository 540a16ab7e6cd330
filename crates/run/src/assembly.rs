//! Atomic instructions that are not made by calls of the player: in inline assembly, and those that the sanitizer leaves out.
//! Nothing can be seen of them, so that code which has some is refused.

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use gimli::{EndianSlice, LittleEndian};
use object::{Object, ObjectSection};

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
        // Behind the call that stands for it; what it reads is not used.
        None if line.contains("cmpxchg16b") => {
            "clang leaves such an instruction where C code reads 16 atomic bytes, gcc does not".into()
        }
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

/// Refuses a Rust program that has some outside of std, which is not compiled with the sanitizer: that leaves out what it has no
/// function for, `fetch_max` and `fetch_min`.
pub fn refuse_rust(program: &Path) -> Result<(), String> {
    let bytes = std::fs::read(program).map_err(|e| format!("{}: {e}", program.display()))?;
    let own = own_code(&bytes).map_err(|e| format!("debug information: {e}"))?;
    let (Some(from), Some(to)) = (own.iter().map(|r| r.start).min(), own.iter().map(|r| r.end).max()) else {
        return Ok(());
    };
    let limits = [format!("--start-address={from:#x}"), format!("--stop-address={to:#x}")];
    let text = disassembled(program, &limits)?;
    let inside = |line: &str| {
        let address =
            line.split_once(':').and_then(|(address, _)| u64::from_str_radix(address.trim(), 16).ok());
        address.is_some_and(|address| own.iter().any(|range| range.contains(&address)))
    };
    let Some((at, line)) = text.lines().enumerate().find(|(_, line)| is_atomic(line) && inside(line)) else {
        return Ok(());
    };
    // The line before the instructions of a function has its address and name.
    let name = text.lines().take(at).filter_map(|l| l.strip_suffix(">:")?.split_once('<')).last();
    let name = name
        .map_or_else(String::new, |(_, name)| format!(" in {}", addr2line::demangle_auto(name.into(), None)));
    Err(format!(
        "the code has an atomic instruction that the compiler's instrumentation leaves out{name}, and nothing can be seen of it: \
         `{}`; fetch_max and fetch_min are such, and can be written with fetch_update",
        instruction(line)
    ))
}

/// Where the code of a Rust program is that does not come with the compiler.
fn own_code(program: &[u8]) -> Result<Vec<Range<u64>>, gimli::Error> {
    let Ok(file) = object::File::parse(program) else { return Ok(Vec::new()) };
    let load = |id: gimli::SectionId| -> Result<_, gimli::Error> {
        Ok(file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(load)?;
    let dwarf = sections.borrow(|s| EndianSlice::new(s, LittleEndian));
    let (mut headers, mut own) = (dwarf.units(), Vec::new());
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        if unit.comp_dir.is_some_and(|folder| folder.slice().starts_with(b"/rustc/")) {
            continue;
        }
        let mut ranges = dwarf.unit_ranges(&unit)?;
        while let Some(range) = ranges.next()? {
            own.push(range.begin..range.end);
        }
    }
    Ok(own)
}

/// An atomic instruction of an object: the compiler makes calls of its own atomics, so it is from inline assembly.
fn atomic(object: &Path) -> Result<Option<String>, String> {
    Ok(disassembled(object, &[])?.lines().find(|line| is_atomic(line)).map(instruction))
}

fn is_atomic(line: &str) -> bool {
    line.split_whitespace().skip(1).any(|word| word == "lock")
}

/// The instruction of a line that begins with its address.
fn instruction(line: &str) -> String {
    line.split_once(':').map_or(line, |(_, i)| i).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn disassembled(object: &Path, limits: &[String]) -> Result<String, String> {
    let names = ["objdump", "llvm-objdump"];
    let run =
        |name| Command::new(name).args(["-d", "--no-show-raw-insn"]).args(limits).arg(object).output().ok();
    match names.into_iter().filter_map(run).find(|output| output.status.success()) {
        Some(output) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        // It may have some, and what they do would be missed.
        None => Err(format!(
            "atomic instructions in inline assembly cannot be looked for: {} cannot be started; install binutils",
            names.join(" and ")
        )),
    }
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
