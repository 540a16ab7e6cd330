//! crossbeam's channel with room for one value.
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
    fn send(channel, value: i64) -> bool { channel.sender.try_send(value).is_ok() }
    fn receive(channel) -> Option<i64> { channel.receiver.try_recv().ok() }
}
