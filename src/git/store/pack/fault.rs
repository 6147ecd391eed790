//! Faults: why a file of the object store could not be read.

use std::io;

use redline_base::budget::Stopped;
use redline_base::error::Error;
use redline_sandbox::OpenError;

/// Why a file of the object store could not be read.
#[derive(Debug)]
pub enum Fault {
    /// Its content is not valid.
    Damaged,
    /// The file was truncated or replaced since it was opened.
    Changed,
    /// Its bytes, over the limit.
    TooLarge(u64),
    /// The bytes that could not be allocated.
    NoMemory(u64),
    /// A system error.
    System(io::Error),
    /// It could not be opened. Boxed, as faults are returned in inner loops.
    Refused(Box<Error>),
    /// The query ended.
    Stopped(Stopped),
}

impl Fault {
    /// Tells whether another copy of the object may be intact; a refusal or the end of the query is
    /// final.
    pub fn may_be_mended(&self) -> bool {
        matches!(self, Self::Damaged | Self::Changed | Self::System(_))
    }
}

impl From<Fault> for Error {
    /// Returns the error of an unreadable pack index, if no object was requested.
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
    /// Returns the fault of an opened file that could not be read.
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
