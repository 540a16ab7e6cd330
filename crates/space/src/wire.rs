//! Numbers and lists as bytes, for what is kept outside of memory: eight bytes a number, the lowest first.

use std::io::{self, Read, Write};

/// Bytes read at once, so that a wrong length asks for little memory.
const PIECE: usize = 1 << 20;

/// Writes a number.
pub fn put(out: &mut dyn Write, number: u64) -> io::Result<()> {
    out.write_all(&number.to_le_bytes())
}

/// Reads a number.
pub fn get(input: &mut dyn Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Reads a number that is to fit into fewer bits.
pub fn get_small<N: TryFrom<u64>>(input: &mut dyn Read) -> io::Result<N> {
    N::try_from(get(input)?).map_err(|_| damaged("a number is too large"))
}

/// Writes bytes with their length.
pub fn put_bytes(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    put(out, bytes.len() as u64)?;
    out.write_all(bytes)
}

/// Reads bytes that were written with their length.
pub fn get_bytes(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut left: usize = get_small(input)?;
    let mut bytes = Vec::new();
    while left > 0 {
        let (from, piece) = (bytes.len(), left.min(PIECE));
        bytes.resize(from + piece, 0);
        input.read_exact(&mut bytes[from..])?;
        left -= piece;
    }
    Ok(bytes)
}

/// Writes a list, item by item.
pub fn put_list<T>(
    out: &mut dyn Write,
    list: impl ExactSizeIterator<Item = T>,
    mut item: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    put(out, list.len() as u64)?;
    list.into_iter().try_for_each(|next| item(out, next))
}

/// Reads a list, item by item.
pub fn get_list<T>(
    input: &mut dyn Read,
    mut item: impl FnMut(&mut dyn Read) -> io::Result<T>,
) -> io::Result<Vec<T>> {
    let len: usize = get_small(input)?;
    (0..len).map(|_| item(input)).collect()
}

/// What was kept cannot be what was written.
pub fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
