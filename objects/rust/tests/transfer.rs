//! Locks in two orders.
use objects::transfer::Accounts;

trueline::object! {
    new: Accounts::default(),
    fn transfer(accounts, back: bool) { accounts.transfer(back) }
}
