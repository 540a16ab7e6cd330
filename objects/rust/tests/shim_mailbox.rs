//! A mailbox over the types of the shim.
use objects::shim_mailbox::Mailbox;

trueline::object! {
    new: Mailbox::default(),
    fn put(mailbox, letter: i64) -> bool { mailbox.put(letter) }
    fn take(mailbox) -> Option<i64> { mailbox.take() }
}
