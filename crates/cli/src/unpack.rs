//! Compressed input: gzip, zstd and bzip2, known by their first bytes.

use std::io::{BufRead, BufReader, Error, Read, Result};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Any input that is read.
pub type Input = Box<dyn Read + Send>;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BZIP2: &[u8] = b"BZh";

/// What stands in the input, whatever it is packed in; several members or frames follow each other. Nothing is read
/// before somebody asks, who may be ready to wait for it.
pub fn unpacked(input: Input) -> Input {
    Box::new(Unpacked { input: Some(input), gzip: true, opened: None })
}

/// The same, leaving gzip to a reader that knows it.
pub fn unpacked_but_gzip(input: Input) -> Input {
    Box::new(Unpacked { input: Some(input), gzip: false, opened: None })
}

struct Unpacked {
    input: Option<Input>,
    gzip: bool,
    opened: Option<Input>,
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if let Some(input) = self.input.take() {
            self.opened = Some(open(input, self.gzip)?);
        }
        self.opened.as_mut().map_or(Ok(0), |input| input.read(buffer))
    }
}

fn open(input: Input, gzip: bool) -> Result<Input> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let start = input.fill_buf()?;
    if start.starts_with(GZIP) && gzip {
        return Ok(Box::new(flate2::bufread::MultiGzDecoder::new(input)));
    }
    if start.starts_with(ZSTD) {
        return Ok(Box::new(Frames { state: State::Between(input) }));
    }
    // A text that begins like this goes on with a digit and a fixed number.
    if start.starts_with(BZIP2)
        && start.get(4..10).is_none_or(|magic| magic == [0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
    {
        return Ok(Box::new(bzip2::bufread::MultiBzDecoder::new(input)));
    }
    Ok(Box::new(input))
}

type Packed = BufReader<Input>;

/// The frames of a zstd file, one after the other.
struct Frames {
    state: State,
}

enum State {
    /// Before a frame, or behind the last.
    Between(Packed),
    /// In a frame.
    Inside(Packed, Box<FrameDecoder>),
    /// An error was told.
    Broken,
}

impl Read for Frames {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::Broken) {
                State::Between(mut packed) => {
                    if packed.fill_buf()?.is_empty() {
                        self.state = State::Between(packed);
                        return Ok(0);
                    }
                    self.state = begin(packed)?;
                }
                State::Inside(mut packed, mut frame) => {
                    while frame.can_collect() == 0 && !frame.is_finished() {
                        let blocks = frame.decode_blocks(&mut packed, BlockDecodingStrategy::UptoBlocks(1));
                        blocks.map_err(|e| Error::other(e.to_string()))?;
                    }
                    let read = frame.read(buffer)?;
                    if read > 0 {
                        self.state = State::Inside(packed, frame);
                        return Ok(read);
                    }
                    self.state = State::Between(packed);
                }
                State::Broken => return Err(Error::other("the zstd data is broken")),
            }
        }
    }
}

/// Begins a frame, or skips one that holds no data.
fn begin(mut packed: Packed) -> Result<State> {
    let mut decoder = FrameDecoder::new();
    match decoder.init(&mut packed) {
        Ok(()) => {}
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
            let skipped = std::io::copy(&mut (&mut packed).take(u64::from(length)), &mut std::io::sink())?;
            if skipped < u64::from(length) {
                return Err(Error::other("the zstd data ends in the middle of a frame"));
            }
            return Ok(State::Between(packed));
        }
        Err(e) => return Err(Error::other(e.to_string())),
    }
    Ok(State::Inside(packed, Box::new(decoder)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};

    fn all(bytes: Vec<u8>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        unpacked(Box::new(Cursor::new(bytes))).read_to_end(&mut out)?;
        Ok(out)
    }

    fn text() -> Vec<u8> {
        (0..100_000u32).flat_map(|i| format!("line {}\n", i % 977).into_bytes()).collect()
    }

    fn packings() -> Vec<Vec<u8>> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text()).unwrap();
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(&text()).unwrap();
        let zstd =
            ruzstd::encoding::compress_to_vec(&text()[..], ruzstd::encoding::CompressionLevel::Fastest);
        vec![text(), gzip.finish().unwrap(), bzip2.finish().unwrap(), zstd]
    }

    #[test]
    fn what_is_packed_is_read() {
        for packed in packings() {
            assert!(all(packed.clone()).unwrap() == text());
            // Two members, as `cat a.gz b.gz` makes them.
            let twice = [packed.clone(), packed.clone()].concat();
            assert!(all(twice).unwrap() == [text(), text()].concat());
        }
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &packings()[3]].concat();
        let behind = [&packings()[3][..], &skippable].concat();
        assert!(all(behind).unwrap() == [text(), text()].concat());
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        for packed in packings().into_iter().skip(1) {
            for length in [12, packed.len() / 2, packed.len() - 1] {
                assert!(all(packed[..length].to_vec()).is_err(), "{length} of {}", packed.len());
            }
        }
        assert_eq!(all(b"BZh1 is no bzip2 data".to_vec()).unwrap(), b"BZh1 is no bzip2 data");
        assert_eq!(all(Vec::new()).unwrap(), b"");
    }
}
