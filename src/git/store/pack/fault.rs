//! Why something could not be read from a file of the object store.

use std::io;

use crate::budget::Stopped;
use crate::error::Error;

/// Why something could not be read from a file of the object store.
#[derive(Debug)]
pub enum Fault {
    /// It is not what git would have written.
    Damaged,
    /// The file was written to since it was opened.
    Changed,
    /// It has so many bytes, more than are read.
    TooLarge(u64),
    /// There is no memory for so many bytes.
    NoMemory(u64),
    /// The system's own word.
    System(io::Error),
    /// It could not be opened. Boxed, as a fault is returned where each step of a search counts.
    Refused(Box<Error>),
    /// The query has no more time or memory for it.
    Stopped(Stopped),
}

impl From<Stopped> for Fault {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(Box::new(error))
    }
}
