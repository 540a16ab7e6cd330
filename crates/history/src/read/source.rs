//! Bytes into lines, with bounds on both.

use std::io::Read;

use crate::build::Problem;

/// Bytes that a line may have.
pub const MAX_LINE: usize = 16 << 20;

/// Bytes that a log may have when no limit is given.
const MAX_BYTES: u64 = 8 << 30;

/// Reads to the end, but not past a line that is too long for any format made of lines.
pub fn slurp(mut input: impl Read, max_bytes: Option<u64>) -> Result<Vec<u8>, Problem> {
    let max = max_bytes.unwrap_or(MAX_BYTES);
    let mut bytes = Vec::new();
    let mut chunk = vec![0u8; 1 << 18];
    let (mut line, mut line_start) = (1u32, 0usize);
    loop {
        let n = match input.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(n) => n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(Problem::at(0, format!("cannot read the log: {e}"))),
        };
        let old = bytes.len();
        bytes.extend_from_slice(&chunk[..n]);
        if bytes.len() as u64 > max {
            return Err(Problem::at(0, format!("the log has more than {max} bytes"))
                .help("raise --memory, or split the log"));
        }
        for (i, b) in chunk[..n].iter().enumerate() {
            if *b == b'\n' {
                line += 1;
                line_start = old + i + 1;
            }
        }
        // A whole EDN history may be one vector on one line.
        let one_form = || matches!(bytes.iter().find(|b| !b.is_ascii_whitespace()), Some(b'[' | b'('));
        if bytes.len() - line_start > MAX_LINE && !(line == 1 && one_form()) {
            return Err(too_long(line));
        }
    }
}

fn too_long(line: u32) -> Problem {
    Problem::at(line, format!("the line has more than {MAX_LINE} bytes"))
        .help("is this a log? one line holds one call or return")
}

/// The bytes as text; the error names the line of the first byte that is not UTF-8.
pub fn text(bytes: &[u8]) -> Result<&str, Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|e| {
        let good = e.valid_up_to();
        let line = 1 + bytes[..good].iter().filter(|b| **b == b'\n').count() as u32;
        Problem::at(line, "the line is not valid UTF-8")
    })
}

/// The lines with their numbers from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.split('\n').enumerate().map(|(i, l)| (i as u32 + 1, l))
}
