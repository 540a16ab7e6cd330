//! Nothing of its own: the objects are those of crossbeam.
