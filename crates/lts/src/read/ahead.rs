//! Reading ahead: one thread decompresses while another one parses.
//!
//! Invariant: bytes and faults come in the order of the input, so what is read does not depend on
//! the number of threads.

use std::io::{ErrorKind, Read, Result};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

const PIECE: usize = 1 << 18;
/// So many pieces may wait.
const WAITING: usize = 4;

/// Calls `parse` with the input, which another thread reads ahead when there may be two.
pub(super) fn ahead<T>(
    mut input: impl Read + Send,
    jobs: usize,
    parse: impl FnOnce(&mut dyn Read) -> T,
) -> T {
    if jobs < 2 {
        return parse(&mut input);
    }
    std::thread::scope(|scope| {
        let (send, pieces) = sync_channel(WAITING);
        let (give_back, room) = channel();
        scope.spawn(move || fill(input, &send, &room));
        parse(&mut Ahead { pieces, give_back, piece: Vec::new(), at: 0 })
    })
}

/// Sends the input piece by piece until it ends, fails, or nobody listens any more.
fn fill(mut input: impl Read, send: &SyncSender<Result<Vec<u8>>>, room: &Receiver<Vec<u8>>) {
    loop {
        let mut piece = room.try_recv().unwrap_or_default();
        piece.resize(PIECE, 0);
        let read = match input.read(&mut piece) {
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Ok(0) => return,
            other => other,
        };
        let failed = read.is_err();
        let sent = send.send(read.map(|length| {
            piece.truncate(length);
            piece
        }));
        if failed || sent.is_err() {
            return;
        }
    }
}

/// The end of the channel that is read.
struct Ahead {
    pieces: Receiver<Result<Vec<u8>>>,
    give_back: Sender<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while self.at == self.piece.len() {
            let Ok(next) = self.pieces.recv() else { return Ok(0) };
            // The other thread may be done with reading and need no room.
            let _ = self.give_back.send(std::mem::replace(&mut self.piece, next?));
            self.at = 0;
        }
        let length = buffer.len().min(self.piece.len() - self.at);
        buffer[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
