//! The journal: which operations on files were done, declined or failed, with the contents before
//! and after.
//!
//! | file | holds |
//! |---|---|
//! | `record` | an operation and its files, as a line of JSON |
//! | `reading` | the operations of lines, also of torn ones |
//! | `foreign` | changes of a file by others between two operations |
//! | `bounds` | the limits: which operations are kept, those that were done and the others |
//! | `memory` | the operations of a database without a directory |
//! | `store` | the directory of the setting `redline_journal` |

mod bounds;
mod foreign;
mod memory;
mod reading;
mod record;
mod store;

pub use bounds::Bounds;
pub use foreign::{Seen, seen};
pub use memory::Memory;
pub use reading::Entry;
pub use record::{
    Approved, ChangeKind, CommitRecord, FileChange, Outcome, Record, StagedRecord, Version,
};
pub use store::{InFlight, Looked, Store};

use redline_base::error::{Error, Result};
use redline_edit::Digest;

/// The contents of the files of an operation before and after it.
pub type KeptContents<'a> = Vec<(Digest, &'a [u8])>;

/// Where operations are recorded.
pub trait Journal {
    /// Records an operation before it is done, with the contents before and after. It is kept while
    /// the value lives that is returned.
    ///
    /// # Errors
    /// Those of the system; `too_large` for lines and contents over the limits. Then the operation
    /// must not be done.
    fn begin(&self, record: &Record, contents: &KeptContents<'_>) -> Result<InFlight>;

    /// Records the outcome of an operation that has begun; `record` has it.
    ///
    /// # Errors
    /// Those of the system.
    fn end(&self, in_flight: InFlight, record: &Record) -> Result<()>;

    /// Records an operation that was declined or has failed before it was begun.
    ///
    /// # Errors
    /// Those of the system.
    fn refuse(&self, record: &Record) -> Result<()>;

    /// Returns all operations, the oldest first.
    ///
    /// # Errors
    /// Those of the system.
    fn entries(&self) -> Result<Vec<Entry>>;

    /// Returns a recorded content as it is kept; `None` if it no longer is.
    ///
    /// # Errors
    /// Those of the system.
    fn kept(&self, version: &Version) -> Result<Option<Vec<u8>>>;

    /// Returns a recorded content.
    ///
    /// # Errors
    /// `not_found` if it is no longer kept, `tool_failed` if it differs from what was recorded.
    fn content(&self, version: &Version) -> Result<Vec<u8>> {
        let bytes = self.kept(version)?.ok_or_else(|| {
            Error::not_found(format!("the content {} is no longer kept", version.oid))
                .with_hint("The journal keeps contents within its limits of size and age")
        })?;
        if Digest::sha256(&bytes).to_string() == version.sha256 {
            return Ok(bytes);
        }
        Err(Error::tool_failed(format!("the content {} in the journal is damaged", version.oid))
            .with_hint("Restore the file by other means: nothing was changed"))
    }
}
