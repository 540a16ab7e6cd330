//! Locks and condition variables whose state is the player's.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, TryLockError, TryLockResult};

use crate::player::Name;

/// A lock around a value. It is never poisoned: a panic that leaves an operation ends the execution.
#[derive(Debug)]
pub struct Mutex<T> {
    name: Name,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached by who holds the lock alone.
unsafe impl<T: Send> Sync for Mutex<T> {}

/// Who has the lock.
#[derive(Debug)]
pub struct MutexGuard<'a, T>(&'a Mutex<T>);

impl<T> Mutex<T> {
    /// Around a value.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex { name: Name::new(), value: UnsafeCell::new(value) }
    }

    /// Takes the lock.
    #[inline(always)]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.name.lock();
        Ok(MutexGuard(self))
    }

    /// Takes the lock if it is free.
    #[inline(always)]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match self.name.try_lock() {
            true => Ok(MutexGuard(self)),
            false => Err(TryLockError::WouldBlock),
        }
    }

    /// The value.
    pub fn into_inner(self) -> LockResult<T> {
        Ok(self.value.into_inner())
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock is held.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held, and the guard is borrowed by its only owner.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.name.unlock();
    }
}

/// A condition variable.
#[derive(Debug)]
pub struct Condvar(Name);

impl Condvar {
    /// For which nobody waits.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Condvar {
        Condvar(Name::new())
    }

    /// Gives the lock away, waits for a signal, and takes it again.
    #[inline(always)]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        self.0.wait(&guard.0.name);
        Ok(guard)
    }

    /// Wakes one that waits.
    #[inline(always)]
    pub fn notify_one(&self) {
        self.0.notify(false);
    }

    /// Wakes all that wait.
    #[inline(always)]
    pub fn notify_all(&self) {
        self.0.notify(true);
    }
}
