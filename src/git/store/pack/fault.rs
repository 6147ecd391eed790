//! Why something could not be read from a file of the object store.

use std::io;

use crate::budget::Stopped;
use crate::error::Error;
use crate::sandbox::OpenError;

/// Why something could not be read from a file of the object store.
#[derive(Debug)]
pub enum Fault {
    /// It is not what git would have written.
    Damaged,
    /// The file was cut or replaced since it was opened.
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

impl Fault {
    /// Tells whether another copy of the object may be whole; what is refused or stops the query is final.
    pub fn may_be_mended(&self) -> bool {
        matches!(self, Self::Damaged | Self::Changed | Self::System(_))
    }
}

impl From<Fault> for Error {
    /// Says why the index of a pack could not be read, where no object was asked for.
    fn from(fault: Fault) -> Self {
        let failed = |what: &str| Self::tool_failed(format!("an index of a pack {what}"));
        match fault {
            Fault::Damaged => failed("is damaged").with_hint("Run 'git fsck' there"),
            Fault::Changed => Self::stale("an index of a pack was changed while it was read")
                .with_hint("Ask again"),
            Fault::TooLarge(size) | Fault::NoMemory(size) => {
                Self::too_large(format!("an index of a pack has {size} bytes"))
            }
            Fault::System(error) => failed("cannot be read").with_source(error),
            Fault::Refused(error) => *error,
            Fault::Stopped(stopped) => stopped.into(),
        }
    }
}

impl From<Stopped> for Fault {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<OpenError> for Fault {
    /// Says why a file could not be read that was opened before.
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::System(error) => Self::System(error),
            OpenError::TooLarge { size } => Self::TooLarge(size),
            OpenError::Stopped(stopped) => Self::Stopped(stopped),
            _ => Self::Changed,
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(Box::new(error))
    }
}
