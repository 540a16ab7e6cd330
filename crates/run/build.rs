//! Builds the player, a shared object without dependencies, which the library embeds.

use std::path::Path;
use std::process::Command;

fn main() {
    // Asked for when it runs: a build folder may have been moved since it was compiled.
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let source = Path::new(&here).join("../runtime/src");
    println!("cargo::rerun-if-changed={}", source.display());
    println!("cargo::rerun-if-changed=build.rs");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let target = std::env::var("TARGET").expect("cargo sets TARGET");
    let status = Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "trueline_player"])
        .args(["--target", &target, "--cap-lints", "allow"])
        // Frame pointers: functions that replace those of the C library find their caller by them.
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "force-frame-pointers=yes"])
        .args(["-C", "codegen-units=1", "-C", "strip=debuginfo"])
        .arg("-o")
        .arg(Path::new(&out).join("player.so"))
        .arg(source.join("lib.rs"))
        .status()
        .expect("rustc starts");
    assert!(status.success(), "the player does not compile");
}
