//! crossbeam's channel with room for one value; senders and receivers wait.
use crossbeam_channel::{Receiver, Sender, bounded};

struct Channel {
    sender: Sender<i64>,
    receiver: Receiver<i64>,
}

fn channel() -> Channel {
    let (sender, receiver) = bounded(1);
    Channel { sender, receiver }
}

trueline::object! {
    new: channel(),
    fn send(channel, value: i64) { channel.sender.send(value).unwrap() }
    fn receive(channel) -> i64 { channel.receiver.recv().unwrap() }
}
