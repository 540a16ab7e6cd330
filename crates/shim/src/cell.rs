//! Cells whose accesses are seen: plain memory that threads hand over to one another.

/// A cell. As that of loom it gives its contents to a closure, so that an access has a beginning.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    /// With contents.
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Reads: the closure must not write, and nobody may write meanwhile.
    #[inline(always)]
    pub fn with<R>(&self, body: impl FnOnce(*const T) -> R) -> R {
        #[cfg(trueline)]
        crate::player::read(self.0.get().cast(), size_of::<T>());
        body(self.0.get())
    }

    /// Writes: nobody else may access it meanwhile.
    #[inline(always)]
    pub fn with_mut<R>(&self, body: impl FnOnce(*mut T) -> R) -> R {
        #[cfg(trueline)]
        crate::player::write(self.0.get().cast(), size_of::<T>());
        body(self.0.get())
    }

    /// Its contents.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }

    /// Its contents, of which nobody else knows.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}
