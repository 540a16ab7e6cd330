//! A mailbox whose letter is read while it may be written: a data race.
use objects::shim_mailbox::Mailbox;

trueline::object! {
    new: Mailbox::default(),
    fn put(mailbox, letter: i64) -> bool { mailbox.put(letter) }
    fn peek(mailbox) -> i64 { mailbox.peek_carelessly() }
}
