//! Makes sure that a browser is there: installs Debian's packages when they are missing.

use std::path::Path;
use std::process::Command;

/// What the test needs, and where the packages put it.
const PROGRAMS: [&str; 2] = ["/usr/bin/chromium", "/usr/bin/chromedriver"];
const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];

fn there() -> bool {
    PROGRAMS.iter().all(|p| Path::new(p).exists())
}

fn apt(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("apt-get")
        .args(["-o", "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=3"])
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .output()
        .map_err(|e| format!("apt-get cannot be started: {e}"))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let error = String::from_utf8_lossy(&output.stderr);
            Err(format!("apt-get {} failed:\n{error}", arguments.join(" ")))
        }
    }
}

/// Installs what is missing.
///
/// # Panics
/// When it cannot; the message says what to install.
pub fn browser() {
    if there() {
        return;
    }
    eprintln!("installing {} with apt-get for the test of the HTML page", PACKAGES.join(" and "));
    let mut install = vec!["install", "-y"];
    install.extend(PACKAGES);
    let updated = apt(&["update"]);
    // An installation that was interrupted before would refuse every other one.
    let _ = Command::new("dpkg").args(["--configure", "-a"]).output();
    let _ = apt(&["--fix-broken", "install", "-y"]);
    let done = updated.and_then(|()| apt(&install));
    let why = done.err().unwrap_or_else(|| "the packages do not contain the programs".into());
    assert!(
        there(),
        "the test of the HTML page needs {} (Debian packages {}), and they could not be installed: {why}\n\
         install them yourself, or set TRUELINE_SKIP_BROWSER=1 to leave this test out",
        PROGRAMS.join(" and "),
        PACKAGES.join(" and "),
    );
}
