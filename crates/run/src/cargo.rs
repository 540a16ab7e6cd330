//! From a test target of a Rust package to a program that the player controls.
//!
//! Cargo builds the package with the compiler's thread sanitizer but without its runtime, on a stable toolchain, and without
//! building std anew. std's own code is therefore not seen. Where it waits, it is overwritten with jumps to functions of
//! `trueline-object` that do the same in a way that is seen.

use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use serde_json::Value;

use crate::assembly;
use crate::compile::{Build, Folder, PLAYER};
use crate::harness::Harness;

/// Whether a file is a Rust file, by its name.
pub fn is_rust(source: &Path) -> bool {
    source.extension().is_some_and(|e| e == "rs")
}

/// A test target of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Its file.
    pub source: PathBuf,
    /// The manifest of its package.
    pub manifest: PathBuf,
    /// Where cargo puts what it builds.
    pub folder: PathBuf,
}

/// The manifest of the package that a file or folder is in.
fn manifest(of: &Path) -> Result<PathBuf, String> {
    let full = std::fs::canonicalize(of).map_err(|e| format!("{}: {e}", of.display()))?;
    let found = full.ancestors().map(|a| a.join("Cargo.toml")).find(|m| m.is_file());
    found.ok_or_else(|| format!("{}: there is no Cargo.toml here or above; {EXAMPLE}", of.display()))
}

/// The test targets of the package that a file or folder is in.
pub fn targets(of: &Path) -> Result<Vec<Target>, String> {
    let manifest = manifest(of)?;
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(&manifest)
        .output()
        .map_err(|e| format!("cargo cannot be started: {e}; Rust objects need a Rust toolchain"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim_end().to_string());
    }
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let folder = PathBuf::from(answer["target_directory"].as_str().unwrap_or("target"));
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for package in list(&answer["packages"]) {
        // A workspace has several packages; what is asked for is the one with this manifest.
        if package["manifest_path"].as_str().map(Path::new) != Some(&manifest) {
            continue;
        }
        for target in list(&package["targets"]) {
            if list(&target["kind"]).iter().any(|kind| kind == "test")
                && let (Some(name), Some(source)) = (target["name"].as_str(), target["src_path"].as_str())
            {
                let (name, source) = (name.to_string(), source.into());
                found.push(Target { name, source, manifest: manifest.clone(), folder: folder.clone() });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// What a test target with an object looks like, for those who have none.
const EXAMPLE: &str = "a test target with an object is needed, such as tests/queue.rs with\n\n    \
    trueline::object! {\n        \
        new: Queue::new(),\n        \
        fn enq(queue, value: i64) { queue.enq(value) }\n        \
        fn deq(queue) -> Option<i64> { queue.deq() }\n    \
    }\n\nand trueline-object (the folder crates/object of Trueline) among the dev-dependencies";

/// What is said of a program without operations.
pub fn no_object(source: &Path) -> String {
    format!("{} has no object; {EXAMPLE}", source.display())
}

/// The file of a test target: the one of this name, or the only one that has an object.
pub fn choose(package: &Path, name: Option<&str>) -> Result<PathBuf, String> {
    let all = targets(package)?;
    let names =
        |targets: &[&Target]| targets.iter().map(|t| t.name.clone()).collect::<Vec<String>>().join(", ");
    let chosen = match name {
        Some(name) => all.iter().find(|t| t.name == name).ok_or_else(|| {
            let known = names(&all.iter().collect::<Vec<_>>());
            match known.is_empty() {
                true => format!("there is no test target `{name}`, nor any other; {EXAMPLE}"),
                false => format!("there is no test target `{name}`; there are {known}"),
            }
        })?,
        None => {
            let has =
                |t: &&Target| std::fs::read_to_string(&t.source).is_ok_and(|text| text.contains("object!"));
            let with: Vec<&Target> = all.iter().filter(has).collect();
            match with.as_slice() {
                [one] => *one,
                [] => return Err(format!("no test target of the package has an object; {EXAMPLE}")),
                several => {
                    let known = names(several);
                    return Err(format!("several test targets have an object; name one of {known}"));
                }
            }
        }
    };
    Ok(chosen.source.clone())
}

/// The triple of the machine.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|l| l.strip_prefix("host: ")).map(str::to_string);
    line.ok_or_else(|| "rustc does not say for which machine it is".into())
}

/// What the compiler is told.
fn flags(player: &Path, shim: bool) -> Vec<String> {
    let instrumented = [
        "-Zsanitizer=thread",
        // std is compiled without it.
        "-Cunsafe-allow-abi-mismatch=sanitizer",
        "-Zexternal-clangrt",
        // Otherwise the read of `x += 1` is dropped, and with it the executions in which another thread writes between.
        "-Cllvm-args=-tsan-instrument-read-before-write=1",
    ];
    let always = [
        "-Crelocation-model=static",
        // Calls that a panic came from are found by them.
        "-Cforce-frame-pointers=yes",
        // Code of std that is generic is compiled here, and not taken from where it was compiled without instrumentation.
        "-Zshare-generics=n",
        "-Clink-arg=-Wl,--no-gc-sections",
        "--cfg=trueline",
        "--check-cfg=cfg(trueline)",
    ];
    let instrumented = if shim { &[][..] } else { &instrumented[..] };
    let mut all: Vec<String> = [instrumented, &always[..]].concat().into_iter().map(String::from).collect();
    // The player first: its symbols replace those of the C library.
    all.push(["-Zpre-link-args=-Wl,--no-as-needed", &player.display().to_string()].join(" "));
    let given = std::env::var("RUSTFLAGS").unwrap_or_default();
    all.extend(given.split_whitespace().map(str::to_string));
    all
}

/// A number for the player, so that a program is linked anew when it changes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

/// Builds a test target.
pub fn build(build: &Build, folder: &Folder) -> Result<PathBuf, String> {
    let source = std::fs::canonicalize(&build.source).map_err(|e| e.to_string())?;
    let found = targets(&source)?.into_iter().find(|t| t.source == source);
    let target = found.ok_or_else(|| {
        format!("it is no test target of its package: those are the files in tests/; {EXAMPLE}")
    })?;
    let level = build.level.trim_start_matches("-O");
    let place = target.folder.join("trueline");
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let player = place.join(format!("libtrueline_player-{:016x}.so", number(PLAYER)));
    if !player.exists() {
        // Under its name at once as a whole: another process may be about to do the same.
        let draft = place.join(format!("player-{}", std::process::id()));
        let write = std::fs::write(&draft, PLAYER).and_then(|()| std::fs::rename(&draft, &player));
        write.map_err(|e| format!("{}: {e}", player.display()))?;
    }
    let mut command = Command::new("cargo");
    command
        .args(["test", "--no-run", "--quiet", "--message-format=json-render-diagnostics", "--test"])
        .arg(&target.name)
        .arg("--manifest-path")
        .arg(&target.manifest)
        // With a target of its own, build scripts and procedural macros are compiled as usual.
        .arg("--target")
        .arg(host()?)
        .args(&build.flags)
        .current_dir(target.manifest.parent().unwrap_or(Path::new(".")))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", flags(&player, build.shim).join("\x1f"))
        .env("CARGO_TARGET_DIR", place.join(format!("{}O{level}", if build.shim { "shim-" } else { "" })))
        .env("CARGO_INCREMENTAL", "0");
    let checks = if level == "0" { "true" } else { "false" };
    for profile in ["DEV", "TEST"] {
        for (key, value) in [
            ("OPT_LEVEL", level),
            ("DEBUG", "2"),
            ("STRIP", "none"),
            ("SPLIT_DEBUGINFO", "off"),
            ("PANIC", "unwind"),
            ("LTO", "off"),
            // As in debug and in release builds.
            ("DEBUG_ASSERTIONS", checks),
            ("OVERFLOW_CHECKS", checks),
        ] {
            if (profile, key) != ("TEST", "PANIC") {
                command.env(format!("CARGO_PROFILE_{profile}_{key}"), value);
            }
        }
    }
    let output = command.output().map_err(|e| format!("cargo cannot be started: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
        let missing = said.contains("`trueline`") && said.contains("E0433");
        let advice = if missing { "\nIs trueline-object among the dev-dependencies?" } else { "" };
        return Err(format!("cargo does not build it\n{said}{advice}"));
    }
    let built = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"].as_str() == Some(&target.name))
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    let built = built.ok_or("cargo has not said where the program is")?;
    if !build.shim {
        assembly::refuse_rust(&built)?;
    }
    let mut bytes = std::fs::read(&built).map_err(|e| format!("{}: {e}", built.display()))?;
    replace(&mut bytes)?;
    let program = folder.path().join(format!("program-O{level}"));
    let write = std::fs::write(&program, bytes);
    write.and_then(|()| executable(&program)).map_err(|e| format!("{}: {e}", program.display()))?;
    Ok(program)
}

/// The lines of operations in the source: debug information has those of the macro.
pub fn lines(source: &Path, harness: &mut Harness) {
    let text = std::fs::read_to_string(source).unwrap_or_default();
    let begin = text.lines().position(|l| l.contains("object!")).unwrap_or(0);
    for operation in &mut harness.operations {
        let head = format!("fn {}(", operation.name);
        let at = text.lines().skip(begin).position(|line| line.trim_start().starts_with(&head));
        operation.line = at.map_or(begin + 1, |at| begin + at + 1) as u32;
    }
    harness.operations.sort_by_key(|f| (f.line, f.address));
}

fn executable(program: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755))
}

/// Functions of std, and what takes their places.
const REPLACED: &[(&str, &str)] = &[
    ("std::sys::sync::mutex::futex::Mutex::lock_contended", "trueline_std_mutex_lock"),
    ("std::sys::sync::condvar::futex::Condvar::wait", "trueline_std_condvar_wait"),
    ("std::sys::sync::condvar::futex::Condvar::wait_timeout", "trueline_std_timeout"),
    ("std::sync::poison::condvar::Condvar::notify_one", "trueline_std_condvar_notify_one"),
    ("std::sync::poison::condvar::Condvar::notify_all", "trueline_std_condvar_notify_all"),
    ("std::sync::nonpoison::condvar::Condvar::notify_one", "trueline_std_condvar_notify_one"),
    ("std::sync::nonpoison::condvar::Condvar::notify_all", "trueline_std_condvar_notify_all"),
    ("std::sys::sync::rwlock::futex::RwLock::read_contended", "trueline_std_rwlock_read"),
    ("std::sys::sync::rwlock::futex::RwLock::write_contended", "trueline_std_rwlock_write"),
    ("std::thread::functions::park", "trueline_std_park"),
    ("std::thread::functions::park_timeout", "trueline_std_timeout"),
    ("std::thread::thread::Thread::park", "trueline_std_thread_park"),
    ("std::thread::thread::Thread::park_timeout", "trueline_std_timeout"),
    ("std::sys::sync::once::futex::Once::call", "trueline_std_once_call"),
    ("std::sys::sync::once::futex::Once::wait", "trueline_std_once_wait"),
    ("std::thread::id::ThreadId::new", "trueline_std_thread_id"),
    ("std::sync::barrier::Barrier::wait", "trueline_std_barrier"),
    ("std::sync::mpmc::waker::SyncWaker::notify", "trueline_std_channel"),
    ("std::sync::mpmc::waker::SyncWaker::register", "trueline_std_channel"),
];

/// A symbol of a program: its name as written in Rust, address, size, and where it is in the file.
struct Symbol {
    name: String,
    address: u64,
    size: u64,
    offset: Option<usize>,
}

fn symbols(program: &[u8]) -> Result<Vec<Symbol>, String> {
    let file = object::File::parse(program).map_err(|e| format!("the program cannot be read: {e}"))?;
    let kinds = [SymbolKind::Text, SymbolKind::Data, SymbolKind::Tls];
    let symbols = file.symbols().filter(|s| kinds.contains(&s.kind())).filter_map(|s| {
        let name = addr2line::demangle_auto(s.name().ok()?.into(), None).replace(['<', '>'], "");
        let section = file.section_by_index(s.section_index()?).ok()?;
        let within = s.address().checked_sub(section.address());
        let offset = section.file_range().zip(within).and_then(|(r, w)| usize::try_from(r.0 + w).ok());
        Some(Symbol { name, address: s.address(), size: s.size(), offset })
    });
    Ok(symbols.collect())
}

/// Overwrites the beginnings of functions of std with jumps, and tells the harness where things of std are.
fn replace(program: &mut [u8]) -> Result<(), String> {
    let symbols = symbols(program)?;
    let find = |name: &str| symbols.iter().find(|s| s.name == name);
    let mut put = |offset: Option<usize>, bytes: &[u8]| -> Result<(), String> {
        let to = offset.and_then(|o| program.get_mut(o..o + bytes.len()));
        to.ok_or("a symbol is outside of the file")?.copy_from_slice(bytes);
        Ok(())
    };
    for (old, new) in REPLACED {
        let Some(new) = find(new) else { continue };
        for old in symbols.iter().filter(|s| s.name == *old) {
            // jmp rel32: from the end of the instruction.
            let distance = (new.address as i64 - (old.address as i64 + 5)) as i32;
            let mut jump = vec![0xe9];
            jump.extend(distance.to_le_bytes());
            put(old.offset, &jump)?;
        }
    }
    if let Some(library) = find("TRUELINE_LIBRARY") {
        let (from, to) =
            find("std::thread::thread::Thread::new").map_or((0, 0), |s| (s.address, s.address + s.size));
        let number = find("std::thread::current::id::ID").map_or(0, |s| s.address);
        let words = [from, to, number];
        put(library.offset, &words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())?;
    }
    Ok(())
}
