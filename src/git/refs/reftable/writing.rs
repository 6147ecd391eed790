//! Adds a table to a stack, under the lock of the list.
//!
//! Source: git's `reftable` technical document. An update has so few records that each is a block, and
//! there is no index. Tables are not merged here: git does that when it next writes.

use gix::hash::Kind as Hash;
use libdeflater::{CompressionLvl, Compressor, crc32};

use super::table::Table;
use super::{DIRECTORY, LIST};
use crate::Oid;
use crate::model::write_offset_number;
use crate::store::GitDirectory;
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_sandbox::{NewFile, OpenError};

/// The size of blocks, as git writes them.
const BLOCK_BYTES: usize = 4096;
/// Where git cuts a message.
const MESSAGE_BYTES: usize = BLOCK_BYTES / 2;

/// A line for the log of a reference.
#[derive(Debug, Clone)]
pub struct NewLine<'a> {
    /// The reference.
    pub name: &'a [u8],
    /// The old id, null for a new reference, and the new one.
    pub ids: [Oid; 2],
    /// Name and address of who changes it.
    pub person: (&'a str, &'a str),
    /// Seconds since 1970.
    pub seconds: u64,
    /// Minutes east of UTC.
    pub offset: i32,
    /// The message, a line without its end.
    pub message: &'a str,
}

/// What changes at once in the references of a work tree.
#[derive(Debug, Clone, Default)]
pub struct TableUpdate<'a> {
    /// A reference with its new id.
    pub reference: Option<(&'a [u8], Oid)>,
    /// Lines for their logs, sorted by name.
    pub lines: Vec<NewLine<'a>>,
}

/// The tables of a git directory, which others do not change meanwhile.
pub struct LockedTables {
    directory: GitDirectory,
    list: NewFile,
}

impl LockedTables {
    /// Locks the list of tables, waiting a little for another's lock.
    ///
    /// # Errors
    /// `stale` if another keeps it; those of the system.
    pub fn new(git_dir: &GitDirectory) -> Result<Self> {
        let directory = git_dir.directory(DIRECTORY)?;
        let directory =
            directory.ok_or_else(|| git_dir.gate().damaged("its reftable is missing"))?;
        let list = directory.lock(LIST)?;
        Ok(Self { directory, list })
    }

    /// Adds an update as a new table: its file first, then the list that names it.
    ///
    /// # Errors
    /// `too_large` for a stack of more than [`limits::REFERENCE_TABLES`] tables and for names that are
    /// too long for a block; those of the system. Then the list is as it was.
    pub fn add(mut self, update: &TableUpdate<'_>, hash: Hash) -> Result<()> {
        let directory = &self.directory;
        let mut list = directory.read(LIST, limits::REFERENCE_LIST_BYTES)?.unwrap_or_default();
        let names: Vec<&[u8]> =
            list.split(|&byte| byte == b'\n').filter(|name| !name.is_empty()).collect();
        if names.len() >= limits::REFERENCE_TABLES {
            return Err(Error::too_large(format!("the references are in {} tables", names.len()))
                .with_hint("A person runs 'git pack-refs' there, which merges them"));
        }
        let newest = match names.last() {
            None => 0,
            Some(name) => {
                let missing =
                    || directory.gate().damaged("its reftable/tables.list names no table");
                Table::open(directory, name, hash)?.ok_or_else(missing)?.newest()
            }
        };
        let index = newest + 1;
        let bytes = table_file(update, index, hash)?;
        let name = format!("0x{index:012x}-0x{index:012x}-{:08x}.ref", crc32(&bytes));
        let name = name.as_bytes();
        let failed = |error, name: &[u8]| directory.unwritten(OpenError::System(error), name);
        if !list.is_empty() && !list.ends_with(b"\n") {
            list.push(b'\n');
        }
        list.extend_from_slice(name);
        list.push(b'\n');
        // The list is whole before the table exists, so that only its last step may leave a table that
        // no list names, which git removes.
        self.list.fill(&list, None).map_err(|error| failed(error, LIST))?;
        // As git names it, so that it removes what a killed process left.
        let temporary = [name, b".temp"].concat();
        directory.remove(&temporary)?;
        let file = directory.create(&temporary, 0o666)?;
        let mut file = file.ok_or_else(|| {
            Error::stale("another process writes the same table").with_hint("Try again")
        })?;
        file.fill(&bytes, None).map_err(|error| failed(error, name))?;
        file.place(name).map_err(|error| failed(error, name))?;
        self.list.place(LIST).map_err(|error| failed(error, LIST))
    }
}

/// Returns the file of a table with one update.
///
/// # Errors
/// `too_large` if a record does not fit into a block.
fn table_file(update: &TableUpdate<'_>, index: u64, hash: Hash) -> Result<Vec<u8>> {
    let mut head = b"REFT".to_vec();
    head.push(if hash == Hash::Sha1 { 1 } else { 2 });
    head.extend_from_slice(&(BLOCK_BYTES as u32).to_be_bytes()[1..]);
    // The least and the largest index of its updates.
    head.extend_from_slice(&index.to_be_bytes());
    head.extend_from_slice(&index.to_be_bytes());
    if hash != Hash::Sha1 {
        head.extend_from_slice(b"s256");
    }
    let mut file = head.clone();
    if let Some((name, id)) = update.reference {
        // The difference to the least index, then the id.
        let value = [&[0], id.as_bytes()].concat();
        file.extend_from_slice(&block(b'r', head.len(), name, &value)?);
    }
    let logs = if file.len() > head.len() { file.len() as u64 } else { 0 };
    for line in &update.lines {
        // The newest line of a reference comes first.
        let key = [line.name, &[0], &(!index).to_be_bytes()].concat();
        let before = if file.len() > head.len() { 0 } else { head.len() };
        file.extend_from_slice(&block(b'g', before, &key, &line.value())?);
    }
    let mut foot = head;
    // The indexes of references and of object ids, those ids, the logs and their index.
    for position in [0, 0, 0, logs, 0] {
        foot.extend_from_slice(&u64::to_be_bytes(position));
    }
    let sum = crc32(&foot);
    foot.extend_from_slice(&sum.to_be_bytes());
    file.extend_from_slice(&foot);
    Ok(file)
}

impl NewLine<'_> {
    /// Returns its record after the key.
    fn value(&self) -> Vec<u8> {
        let mut value = Vec::new();
        for id in self.ids {
            value.extend_from_slice(id.as_bytes());
        }
        let text = |value: &mut Vec<u8>, text: &[u8]| {
            write_offset_number(value, text.len() as u64);
            value.extend_from_slice(text);
        };
        text(&mut value, self.person.0.as_bytes());
        text(&mut value, self.person.1.as_bytes());
        write_offset_number(&mut value, self.seconds);
        // Hours and minutes as decimal digits.
        let zone = (self.offset / 60 * 100 + self.offset % 60) as i16;
        value.extend_from_slice(&zone.to_be_bytes());
        let message = self.message.as_bytes();
        let message = &message[..message.len().min(MESSAGE_BYTES - 1)];
        text(&mut value, &[message, b"\n"].concat());
        value
    }
}

/// Returns a block with one record, whose kind is 1: an id, or a line. `before` are the bytes of the
/// file's header, which the first block counts.
///
/// # Errors
/// `too_large` if the record does not fit.
fn block(kind: u8, before: usize, key: &[u8], value: &[u8]) -> Result<Vec<u8>> {
    let start = before + 4;
    let mut content = Vec::new();
    // Nothing is shared with a key before; the length of the key, and the kind of the record.
    write_offset_number(&mut content, 0);
    write_offset_number(&mut content, (key.len() as u64) << 3 | 1);
    content.extend_from_slice(key);
    content.extend_from_slice(value);
    // The only record is the only restart.
    content.extend_from_slice(&(start as u32).to_be_bytes()[1..]);
    content.extend_from_slice(&1u16.to_be_bytes());
    let length = start + content.len();
    if length > BLOCK_BYTES {
        return Err(Error::too_large(format!(
            "a record of a table of references has {length} bytes"
        ))
        .with_hint("Shorten the name of the branch, or of the person"));
    }
    let mut block = vec![kind];
    block.extend_from_slice(&(length as u32).to_be_bytes()[1..]);
    if kind == b'g' {
        let mut compressor = Compressor::new(CompressionLvl::default());
        let mut packed = vec![0; compressor.zlib_compress_bound(content.len())];
        let size = compressor.zlib_compress(&content, &mut packed).map_err(|error| {
            Error::tool_failed("a block of a table could not be compressed").with_source(error)
        })?;
        packed.truncate(size);
        content = packed;
    }
    block.extend_from_slice(&content);
    Ok(block)
}
