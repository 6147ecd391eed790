//! One table: blocks of references, then of object ids, then of logs, each section with an index if
//! it is large.

use gix::bstr::ByteSlice;
use gix::hash::Kind as Hash;
use gix::zlib::{Decompress, FlushDecompress, Status};

use super::block::{Kind, LogLine, Records, Value};
use crate::model::big_endian;
use crate::refs::loose::Value as Target;
use crate::store::GitDirectory;
use redline_base::budget::{check_current, reserve};
use redline_base::error::Result;
use redline_sandbox::{OpenError, PooledFile};

/// The largest size of a file's header in bytes.
const HEAD_BYTES: usize = 28;
/// The bytes to read of a block of unknown length.
const FIRST_READ: usize = 4 << 10;
/// The bytes of a block's header: its kind and its length.
const BLOCK_HEAD: usize = 4;

/// A table whose blocks are read on demand.
pub struct Table {
    directory: GitDirectory,
    name: Vec<u8>,
    file: PooledFile,
    id_bytes: usize,
    /// The bytes of the file's header, which are part of its first block.
    head: usize,
    /// The size to which blocks are padded; 0 if they are not.
    block_bytes: u64,
    /// The end of the blocks.
    end: u64,
    references: Option<Part>,
    logs: Option<Part>,
}

/// A section: the blocks of one kind.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: u64,
    /// The position of the first block of the topmost index; 0 if there is none.
    index: u64,
}

/// A block in memory.
struct Block {
    kind: Kind,
    /// The bytes after its header.
    bytes: Vec<u8>,
    /// The position of the next block.
    next: u64,
}

impl Table {
    /// Tells whether the table's file is still the opened one, unchanged.
    pub fn is_current(&self, directory: &GitDirectory) -> Result<bool> {
        Ok(directory.stamp(&self.name)? == Some(self.file.stamp()))
    }

    /// Opens the table with a name in a directory; `None` if there is no such file.
    ///
    /// # Errors
    /// `tool_failed` for a file that is not a table with ids of this kind.
    pub fn open(directory: &GitDirectory, name: &[u8], hash: Hash) -> Result<Option<Self>> {
        let Some(file) = directory.pooled(name)? else { return Ok(None) };
        let mut table = Self {
            directory: directory.clone(),
            name: name.to_vec(),
            file,
            id_bytes: hash.len_in_bytes(),
            head: 0,
            block_bytes: 0,
            end: 0,
            references: None,
            logs: None,
        };
        let mut head = [0; HEAD_BYTES];
        let read = table.read_at(0, &mut head)?;
        table.head = match (&head[..5], &head[24..28]) {
            (b"REFT\x01", _) if hash == Hash::Sha1 => 24,
            (b"REFT\x02", b"sha1") if hash == Hash::Sha1 => 28,
            (b"REFT\x02", b"s256") if hash == Hash::Sha256 => 28,
            _ => return Err(table.damaged("is not a table of this repository")),
        };
        let mut foot = vec![0; table.head + 5 * 8 + 4];
        let size = table.file.size();
        let Some(end) = size.checked_sub(foot.len() as u64).filter(|_| read >= table.head) else {
            return Err(table.damaged("is cut"));
        };
        let read = table.read_at(end, &mut foot)?;
        let (content, checksum) = foot.split_at(foot.len() - 4);
        let is_whole = read == foot.len()
            && content.starts_with(&head[..table.head])
            && libdeflater::crc32(content).to_be_bytes() == checksum;
        if !is_whole {
            return Err(table.damaged("has no footer"));
        }
        let field = |at: usize| big_endian(&content[table.head + at * 8..][..8]);
        // The third is the position of the index of object ids, which is not used here.
        let (reference_index, logs, log_index) = (field(0), field(3), field(4));
        table.end = end;
        table.block_bytes = big_endian(&head[5..8]);
        // Without a reference or a log line there is no block at all.
        if let Some(first) = table.block(0)? {
            table.references = (first.kind == Kind::References)
                .then_some(Part { start: 0, index: reference_index });
            table.logs = (first.kind == Kind::Logs || logs > 0)
                .then_some(Part { start: logs, index: log_index });
        }
        Ok(Some(table))
    }

    /// Returns the value of a reference in this table, which may delete it; `None` if it has none.
    pub fn reference(&self, name: &[u8]) -> Result<Option<Option<Target>>> {
        let mut found = None;
        self.scan(self.references, Kind::References, name, |key, value| {
            if key == name
                && let Value::Reference(target) = value
            {
                found = Some(target);
            }
            Ok(false)
        })?;
        Ok(found)
    }

    /// Calls `each` with all values of references in this table, sorted by name.
    pub fn each_reference(
        &self,
        mut each: impl FnMut(&[u8], Option<Target>) -> Result<()>,
    ) -> Result<()> {
        self.scan(self.references, Kind::References, b"", |name, value| {
            if let Value::Reference(target) = value {
                each(name, target)?;
            }
            Ok(true)
        })
    }

    /// Calls `each` with the lines of a reference's log in this table, the newest first, and their
    /// keys, which tell the lines of different tables apart. It continues while `each` returns
    /// true.
    pub fn each_line(
        &self,
        name: &[u8],
        mut each: impl FnMut(&[u8], Option<LogLine>) -> Result<bool>,
    ) -> Result<()> {
        let prefix = [name, b"\0"].concat();
        self.scan(self.logs, Kind::Logs, &prefix, |key, value| match value {
            Value::Log(line) if key.starts_with(&prefix) => each(key, line),
            _ => Ok(false),
        })
    }

    /// Calls `each` with the records of a section from a key on, while it returns true.
    fn scan(
        &self,
        part: Option<Part>,
        kind: Kind,
        first: &[u8],
        mut each: impl FnMut(&[u8], Value) -> Result<bool>,
    ) -> Result<()> {
        let Some(part) = part else { return Ok(()) };
        let Some(mut at) = self.leaf(part, kind, first)? else { return Ok(()) };
        while let Some(block) = self.block(at)?.filter(|block| block.kind == kind) {
            let mut records = self.records(&block)?;
            while let Some(value) = records.read().ok_or_else(|| self.broken(at))? {
                if records.key() >= first && !each(records.key(), value)? {
                    return Ok(());
                }
            }
            at = block.next;
        }
        Ok(())
    }

    /// Returns the position of the block that may hold a key; `None` if all keys are smaller.
    fn leaf(&self, part: Part, kind: Kind, key: &[u8]) -> Result<Option<u64>> {
        if part.index == 0 || key.is_empty() {
            return Ok(Some(part.start));
        }
        let mut at = part.index;
        let mut is_topmost = true;
        loop {
            let block = self.block(at)?.ok_or_else(|| self.broken(at))?;
            if block.kind == kind {
                return Ok(Some(at));
            }
            if block.kind != Kind::Index {
                // After the last block of the topmost index.
                return if is_topmost && at > part.index { Ok(None) } else { Err(self.broken(at)) };
            }
            let mut records = self.records(&block)?;
            let below = loop {
                match records.read().ok_or_else(|| self.broken(at))? {
                    Some(Value::Position(below)) if records.key() >= key => break Some(below),
                    Some(_) => {}
                    None => break None,
                }
            };
            at = match below {
                // An index is after the blocks that it names, so this ends.
                Some(below) if below < at => {
                    is_topmost = false;
                    below
                }
                // The topmost index may be several blocks.
                None if is_topmost && block.next < self.end => block.next,
                None => return Ok(None),
                Some(_) => return Err(self.broken(at)),
            };
        }
    }

    fn records<'b>(&self, block: &'b Block) -> Result<Records<'b>> {
        Records::new(block.kind, &block.bytes, self.id_bytes)
            .ok_or_else(|| self.damaged("has a block without an end"))
    }

    /// Reads the block at a position; `None` if there is none.
    fn block(&self, at: u64) -> Result<Option<Block>> {
        check_current()?;
        // The first block begins with the file's header and includes its length.
        let skip = if at == 0 { self.head } else { 0 } + BLOCK_HEAD;
        let left = usize::try_from(self.end.saturating_sub(at)).unwrap_or(usize::MAX);
        if left < skip {
            return Ok(None);
        }
        let mut bytes = zeros(FIRST_READ.max(self.block_bytes as usize).min(left))?;
        self.read_whole(at, &mut bytes)?;
        let kind = Kind::of(bytes[skip - BLOCK_HEAD]);
        if kind == Kind::Other {
            return Ok(Some(Block { kind, bytes: Vec::new(), next: self.end }));
        }
        let length = big_endian(&bytes[skip - 3..skip]) as usize;
        if length < skip {
            return Err(self.broken(at));
        }
        if kind == Kind::Logs {
            return self.log_block(at, skip, length, left).map(Some);
        }
        if length > left {
            return Err(self.broken(at));
        }
        if length > bytes.len() {
            bytes = zeros(length)?;
            self.read_whole(at, &mut bytes)?;
        }
        // A block is padded if NULs follow it, else the next block does.
        let is_padded = (length as u64) < self.block_bytes && bytes.get(length) == Some(&0);
        let size = if is_padded { self.block_bytes } else { length as u64 };
        bytes.truncate(length);
        bytes.drain(..skip);
        Ok(Some(Block { kind, bytes, next: at.saturating_add(size) }))
    }

    /// Reads a block of logs, whose stated length is that of its inflated content.
    fn log_block(&self, at: u64, skip: usize, length: usize, left: usize) -> Result<Block> {
        // Incompressible data grows only a little.
        let most = (length + length / 8 + FIRST_READ).min(left);
        let mut packed = zeros(most)?;
        self.read_whole(at, &mut packed)?;
        let mut bytes = zeros(length - skip)?;
        let mut zlib = Decompress::new();
        let status = zlib.decompress(&packed[skip..], &mut bytes, FlushDecompress::Finish);
        let is_whole = matches!(status, Ok(Status::StreamEnd))
            && usize::try_from(zlib.total_out()) == Ok(bytes.len());
        if !is_whole {
            return Err(self.broken(at));
        }
        let next = at.saturating_add(skip as u64).saturating_add(zlib.total_in());
        Ok(Block { kind: Kind::Logs, bytes, next })
    }

    fn read_whole(&self, at: u64, bytes: &mut [u8]) -> Result<()> {
        if self.read_at(at, bytes)? < bytes.len() { Err(self.damaged("is cut")) } else { Ok(()) }
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> Result<usize> {
        self.file
            .read_at(at, bytes)
            .map_err(|error: OpenError| self.directory.failed(error, &self.name))
    }

    /// Returns an error about a limit of redline; `what` continues the sentence.
    pub fn too_large(&self, what: String) -> redline_base::error::Error {
        self.directory.gate().too_large(what)
    }

    fn broken(&self, at: u64) -> redline_base::error::Error {
        self.damaged(&format!("has a damaged block at byte {at}"))
    }

    fn damaged(&self, what: &str) -> redline_base::error::Error {
        let name = self.directory.full(&self.name);
        self.directory.gate().damaged(format!("its {} {what}", name.to_str_lossy()))
    }
}

fn zeros(count: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reserve(&mut bytes, count)?;
    bytes.resize(count, 0);
    Ok(bytes)
}
