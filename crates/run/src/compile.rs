//! From a source file to programs that the player controls.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::assembly;
use crate::cargo::{self, is_rust};
use crate::unseen;

/// The player, built by the build script.
pub(crate) const PLAYER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/player.so"));
/// The header of harnesses.
pub const HEADER: &str = include_str!("../include/trueline.h");
/// What of the C++ library is built with programs that use it.
const LIBRARY: &str = include_str!("../include/library.cpp");
/// The `main` of a program with a harness.
const MAIN: &str = "int trueline_play(void);\nint main(void) { return trueline_play(); }\n";

/// A compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program, such as `clang++`.
    pub program: String,
    /// Whether it is clang.
    pub clang: bool,
}

/// What is to be built.
#[derive(Clone, Debug)]
pub struct Build {
    /// The source file.
    pub source: PathBuf,
    /// Optimisation, such as `-O2`.
    pub level: String,
    /// Further flags of the user.
    pub flags: Vec<String>,
    /// Whether the program has its own `main`.
    pub main: bool,
    /// Of a Rust package: without instrumentation, what is shared being in types of the shim.
    pub shim: bool,
}

/// A folder that is deleted when it is no longer needed.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A fresh folder.
    pub fn new() -> Result<Folder, String> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("trueline-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Folder(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether a file is C++, by its name.
pub fn is_cpp(source: &Path) -> Result<bool, String> {
    match source.extension().and_then(|e| e.to_str()) {
        Some("c") => Ok(false),
        Some("cc" | "cpp" | "cxx" | "C" | "c++") => Ok(true),
        _ => Err(format!(
            "{}: the name of a C or C++ file ends in .c, .cc, .cpp or .cxx, that of a Rust file in .rs",
            source.display()
        )),
    }
}

/// Finds a compiler: the one asked for, clang, or gcc.
pub fn find(cpp: bool, wanted: Option<&str>) -> Result<Compiler, String> {
    let names: Vec<String> = match wanted {
        Some(name) => vec![name.to_string()],
        None if cpp => vec!["clang++".into(), "g++".into()],
        None => vec!["clang".into(), "gcc".into()],
    };
    for name in &names {
        if let Ok(output) = Command::new(name).arg("--version").output()
            && output.status.success()
        {
            let text = String::from_utf8_lossy(&output.stdout).to_lowercase();
            return Ok(Compiler { program: name.clone(), clang: text.contains("clang") });
        }
    }
    Err(format!("no compiler: {} cannot be started; install clang or gcc", names.join(" and ")))
}

/// Finds what compiles a file.
pub fn compiler_of(source: &Path, wanted: Option<&str>) -> Result<Compiler, String> {
    match is_rust(source) {
        true => Ok(Compiler { program: "cargo".into(), clang: false }),
        false => find(is_cpp(source)?, wanted),
    }
}

/// Builds a program; the error is what the compiler says.
pub fn build(compiler: &Compiler, build: &Build, folder: &Folder) -> Result<PathBuf, String> {
    if is_rust(&build.source) {
        return cargo::build(build, folder);
    }
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        // Programs of an earlier build may run, and have the player mapped.
        if !path.exists() {
            std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        Ok::<PathBuf, String>(path)
    };
    let player = put("libtrueline_player.so", PLAYER)?;
    put("trueline.h", HEADER.as_bytes())?;
    let main = put("main.c", MAIN.as_bytes())?;
    let level = build.level.trim_start_matches('-');
    let mut objects = vec![object(build, folder)];
    let program = folder.path().join(format!("program-{level}"));

    let included = folder.path().join("included");
    let mut command = instrumented(compiler, build, folder, &objects[0]);
    command.args(["-MD", "-MF"]).arg(&included);
    let compile_flags = build.flags.iter().filter(|f| !f.starts_with("-l") && !f.starts_with("-Wl,"));
    run(command.args(compile_flags).arg(&build.source))?;

    assembly::refuse(&objects[0], &included)?;

    if unseen::undefined(&objects[0])?.iter().any(|name| unseen::of_library(name)) {
        let library = put("trueline-library.cpp", LIBRARY.as_bytes())?;
        let object = folder.path().join(format!("library-{level}.o"));
        run(instrumented(compiler, build, folder, &object).arg(&library))?;
        objects.push(object);
    }
    if !build.main {
        let object = folder.path().join("main.o");
        let mut command = Command::new(&compiler.program);
        run(command.args(["-x", "c", "-c", "-O1", "-fno-pie", "-o"]).arg(&object).arg(&main))?;
        objects.push(object);
    }

    let mut command = Command::new(&compiler.program);
    command.args(["-no-pie", "-o"]).arg(&program);
    // The player first: its symbols replace those of the C library, also where the linker sees no need for it yet.
    command.arg("-Wl,--no-as-needed").arg(&player).args(&objects);
    let folder = format!("-Wl,-rpath,{}", folder.path().display());
    // All symbols at once: restoring globals would undo lazy binding over and over.
    command.args([&folder, "-Wl,-z,now", "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset", "-pthread"]);
    run(command.args(
        build.flags.iter().filter(|f| f.starts_with("-l") || f.starts_with("-Wl,") || f.starts_with("-L")),
    ))?;
    Ok(program)
}

/// Where the object of a program's own source is.
fn object(build: &Build, folder: &Folder) -> PathBuf {
    folder.path().join(format!("object-{}.o", build.level.trim_start_matches('-')))
}

/// Whether a program that was built calls functions of which nothing is seen. std of Rust is not instrumented, and is known.
pub fn calls_unseen(build: &Build, folder: &Folder) -> Result<bool, String> {
    match is_rust(&build.source) {
        true => Ok(false),
        false => Ok(unseen::undefined(&object(build, folder))?.iter().any(|name| unseen::unseen(name))),
    }
}

/// The command that makes an instrumented object; what it is made of is to be added.
fn instrumented(compiler: &Compiler, build: &Build, folder: &Folder, object: &Path) -> Command {
    let mut command = Command::new(&compiler.program);
    command.args(["-g", &build.level, "-mcx16", "-fno-pie", "-fsanitize=thread", "-c"]);
    // Strings of C++ are compiled in advance otherwise.
    command.arg("-D_GLIBCXX_EXTERN_TEMPLATE=0");
    command.arg("-I").arg(folder.path()).arg("-o").arg(object);
    if compiler.clang {
        // Otherwise the read of `x++` is dropped, and with it the executions in which another thread writes between.
        command.args(["-mllvm", "-tsan-instrument-read-before-write=1"]);
    }
    command
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|e| format!("{} cannot be started: {e}", command.get_program().to_string_lossy()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim_end().to_string()),
    }
}
