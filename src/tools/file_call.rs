//! A call of a file tool, from its name and its arguments.

use super::arguments::parse;
use super::files::{EditFileArguments, ReadFileArguments, WriteFileArguments};
use super::registry::find;
use crate::error::Result;

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

impl FileCall {
    /// Reads a call; `None` is one of a tool that touches no file.
    ///
    /// # Errors
    /// As [`parse`], and `not_found` when there is no such tool.
    pub fn parse(tool: &str, arguments: &str) -> Result<Option<Self>> {
        Ok(Some(match find(tool)?.name {
            "read_file" => Self::Read(parse(tool, arguments)?),
            "write_file" => Self::Write(parse(tool, arguments)?),
            "edit_file" => Self::Edit(parse(tool, arguments)?),
            _ => return Ok(None),
        }))
    }
}
