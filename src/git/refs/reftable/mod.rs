//! References in tables: a stack of files in `reftable`, of which later ones override earlier ones.
//!
//! Source: git's `reftable` technical document.
//!
//! | file | holds |
//! |---|---|
//! | `block` | the records of a block |
//! | `table` | one table, and the lookup of its records |
//! | `writing` | a new table of a stack |

mod block;
mod table;
mod writing;

use std::collections::BTreeMap;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::refs::loose::Value as Target;
use crate::store::{GitDirectory, Repositories};
use redline_base::error::Result;
use redline_base::limits;
use redline_sandbox::Stamp;
use table::Table;

pub use block::LogLine;
pub use writing::{LockedTables, NewLine, TableUpdate};

const DIRECTORY: &[u8] = b"reftable";
const LIST: &[u8] = b"tables.list";

/// The number of times that the list is read again if a table that it names is gone.
const TRIES: usize = 10;

/// The tables of a work tree, as of the time their list was read.
#[derive(Default)]
pub struct Stack {
    /// The oldest first.
    tables: Vec<Table>,
    /// The stamp of the list, `None` if there is none.
    stamp: Option<Stamp>,
}

impl Stack {
    /// Returns the tables of a git directory, cached while their list is unchanged.
    ///
    /// # Errors
    /// `tool_failed` for a damaged list or table, `too_large` beyond the limits of tables.
    pub fn current(
        git_dir: &GitDirectory,
        kept: &Repositories,
        hash: gix::hash::Kind,
    ) -> Result<Arc<Self>> {
        let Some(directory) = git_dir.directory(DIRECTORY)? else { return Ok(Arc::default()) };
        let mut tries = 0;
        loop {
            let Some(file) = directory.open(LIST)? else { return Ok(Arc::default()) };
            let stamp = file.stamp();
            // git writes a table once, but another program may overwrite one.
            if let Some(stack) = kept.made::<Self>(stamp)
                && stack.has_its_tables(&directory)?
            {
                return Ok(stack);
            }
            let list = directory.contents(&file, LIST, limits::REFERENCE_LIST_BYTES)?;
            match Self::open(&directory, &list, hash)? {
                Ok(tables) => {
                    let stack = Arc::new(Self { tables, stamp: Some(stamp) });
                    kept.keep_made(stamp, &stack, list.len());
                    return Ok(stack);
                }
                // Tables were merged since the list was read: there is a new list by now.
                Err(_) if tries < TRIES && directory.stamp(LIST)? != Some(stamp) => tries += 1,
                Err(missing) => {
                    let shown = directory.full(&missing).to_str_lossy().into_owned();
                    return Err(git_dir.gate().damaged(format!("its {shown} is missing")));
                }
            }
        }
    }

    /// Opens the tables of a list; the inner error is the name of a missing one.
    fn open(
        directory: &GitDirectory,
        list: &[u8],
        hash: gix::hash::Kind,
    ) -> Result<std::result::Result<Vec<Table>, Vec<u8>>> {
        let mut tables = Vec::new();
        for name in list.lines() {
            let is_name = !name.starts_with(b".")
                && name.iter().all(|&byte| byte.is_ascii_graphic() && byte != b'/');
            if name.is_empty() || !is_name {
                return Err(directory.gate().damaged("its reftable/tables.list names no table"));
            }
            if tables.len() == limits::REFERENCE_TABLES {
                let most = limits::REFERENCE_TABLES;
                return Err(directory
                    .gate()
                    .too_large(format!("has over {most} tables of references")));
            }
            match Table::open(directory, name, hash)? {
                Some(table) => tables.push(table),
                None => return Ok(Err(name.to_vec())),
            }
        }
        Ok(Ok(tables))
    }

    /// Tells whether each table is still the file that was opened.
    fn has_its_tables(&self, directory: &GitDirectory) -> Result<bool> {
        for table in &self.tables {
            if !table.is_current(directory)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Tells whether the list is unchanged since it was read.
    pub fn is_current(&self, git_dir: &GitDirectory) -> Result<bool> {
        let Some(directory) = git_dir.directory(DIRECTORY)? else {
            return Ok(self.stamp.is_none());
        };
        Ok(directory.stamp(LIST)? == self.stamp)
    }

    /// Returns the value of a reference.
    pub fn reference(&self, name: &[u8]) -> Result<Option<Target>> {
        for table in self.tables.iter().rev() {
            if let Some(target) = table.reference(name)? {
                return Ok(target);
            }
        }
        Ok(None)
    }

    /// Calls `each` with all values of references in the tables, later tables after earlier ones;
    /// without a value the reference is deleted.
    pub fn each(&self, mut each: impl FnMut(&[u8], Option<Target>) -> Result<()>) -> Result<()> {
        self.tables.iter().try_for_each(|table| table.each_reference(&mut each))
    }

    /// Tells whether a reference has a log, even without a line.
    pub fn has_log(&self, name: &[u8]) -> Result<bool> {
        Ok(!self.lines(name)?.is_empty())
    }

    /// Returns the lines of a reference's log, the newest first.
    pub fn log(&self, name: &[u8]) -> Result<Vec<LogLine>> {
        // A line from null to null only marks that there is a log.
        let is_line = |line: &LogLine| !line.old.is_null() || !line.new.is_null();
        let mut lines: Vec<_> = self.lines(name)?.into_values().filter(is_line).collect();
        for LogLine { message, .. } in &mut lines {
            message.truncate(message.trim_end_with(|c| c == '\n').len());
        }
        Ok(lines)
    }

    /// Returns the lines by their keys, which sort the newest first.
    fn lines(&self, name: &[u8]) -> Result<BTreeMap<Vec<u8>, LogLine>> {
        let mut lines = BTreeMap::new();
        let mut bytes = 0;
        for table in &self.tables {
            table.each_line(name, |key, line| {
                match line {
                    Some(line) => {
                        bytes += (key.len() + line.message.len()) as u64;
                        lines.insert(key.to_vec(), line);
                    }
                    None => {
                        lines.remove(key);
                    }
                }
                Ok(bytes <= limits::REFLOG_BYTES)
            })?;
            if bytes > limits::REFLOG_BYTES {
                let most = limits::REFLOG_BYTES;
                return Err(table.too_large(format!("has a log of over {most} bytes")));
            }
        }
        Ok(lines)
    }
}
