//! A call of a file tool, which a person may have to approve.

use super::files::{EditFileArguments, WriteFileArguments};
use super::read::ReadFileArguments;

/// A call of a file tool.
#[derive(Debug)]
pub enum FileCall {
    /// `read_file`
    Read(ReadFileArguments),
    /// `write_file`
    Write(WriteFileArguments),
    /// `edit_file`
    Edit(EditFileArguments),
}
