//! One table: blocks of references, then of object ids, then of logs, each section with an index if
//! it is large.

use gix::bstr::ByteSlice;
use gix::hash::Kind as Hash;
use gix::zlib::{Decompress, FlushDecompress, Status};

use super::block::{Kind, LogLine, Records, Value};
use crate::model::big_endian;
use crate::refs::loose::Value as Target;
use crate::store::GitDirectory;
use redline_base::budget::{check_current, copied, reserve};
use redline_base::error::Result;
use redline_sandbox::{OpenError, PooledFile};

/// The largest size of a file's header in bytes.
const HEAD_BYTES: usize = 28;
/// The least and the most bytes to read at once where no block is known to have more.
const READ_BYTES: std::ops::RangeInclusive<usize> = 4 << 10..=64 << 10;
/// How many bytes a byte of a stream becomes at most.
const MOST_INFLATED: usize = 1032;
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
    /// The largest index of its updates.
    newest: u64,
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

/// The bytes of a table that were read last. Blocks that follow each other are taken from them, so
/// that what is read in a scan is at most twice the file, whatever sizes it states.
struct Stretch<'t> {
    table: &'t Table,
    start: u64,
    bytes: Vec<u8>,
}

impl Stretch<'_> {
    /// Returns the bytes from a position on, at least so many, or fewer where the blocks end.
    fn from(&mut self, at: u64, count: usize) -> Result<&[u8]> {
        let table = self.table;
        let count = count.min(table.left(at));
        let skip = at.checked_sub(self.start).and_then(|skip| usize::try_from(skip).ok());
        let skip = skip.filter(|skip| self.bytes.get(*skip..).is_some_and(|b| b.len() >= count));
        if let Some(skip) = skip {
            return Ok(&self.bytes[skip..]);
        }
        let ahead = usize::try_from(table.block_bytes).unwrap_or(usize::MAX);
        let size = count.max(ahead.clamp(*READ_BYTES.start(), *READ_BYTES.end()));
        self.bytes.clear();
        self.start = at;
        fill(&mut self.bytes, size.min(table.left(at)))?;
        table.read_whole(at, &mut self.bytes)?;
        Ok(&self.bytes)
    }

    /// Returns the position of the block that may hold a key; `None` if all keys are smaller.
    fn leaf(&mut self, part: Part, kind: Kind, key: &[u8]) -> Result<Option<u64>> {
        if part.index == 0 || key.is_empty() {
            return Ok(Some(part.start));
        }
        let mut at = part.index;
        let mut is_topmost = true;
        loop {
            let block = self.block(at)?.ok_or_else(|| self.table.broken(at))?;
            if block.kind == kind {
                return Ok(Some(at));
            }
            if block.kind != Kind::Index {
                // After the last block of the topmost index.
                return if is_topmost && at > part.index {
                    Ok(None)
                } else {
                    Err(self.table.broken(at))
                };
            }
            let mut records = self.table.records(&block)?;
            let below = loop {
                match records.read().ok_or_else(|| self.table.broken(at))? {
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
                None if is_topmost && block.next < self.table.end => block.next,
                None => return Ok(None),
                Some(_) => return Err(self.table.broken(at)),
            };
        }
    }

    /// Reads the block at a position; `None` if there is none.
    fn block(&mut self, at: u64) -> Result<Option<Block>> {
        check_current()?;
        let table = self.table;
        // The first block begins with the file's header and includes its length.
        let skip = if at == 0 { table.head } else { 0 } + BLOCK_HEAD;
        let left = table.left(at);
        if left < skip {
            return Ok(None);
        }
        let head = self.from(at, skip)?;
        let kind = Kind::of(head[skip - BLOCK_HEAD]);
        if kind == Kind::Other {
            return Ok(Some(Block { kind, bytes: Vec::new(), next: table.end }));
        }
        let length = big_endian(&head[skip - 3..skip]) as usize;
        if length < skip {
            return Err(table.broken(at));
        }
        if kind == Kind::Logs {
            return self.log_block(at, skip, length).map(Some);
        }
        if length > left {
            return Err(table.broken(at));
        }
        // A block is padded if a NUL follows it, else the next block does.
        let read = self.from(at, length + 1)?;
        let is_padded = (length as u64) < table.block_bytes && read.get(length) == Some(&0);
        let bytes = copied(&read[skip..length])?;
        let size = if is_padded { table.block_bytes } else { length as u64 };
        Ok(Some(Block { kind, bytes, next: at.saturating_add(size) }))
    }

    /// Reads a block of logs, whose stated length is that of its inflated content.
    fn log_block(&mut self, at: u64, skip: usize, length: usize) -> Result<Block> {
        let table = self.table;
        let mut bytes = Vec::new();
        let mut zlib = Decompress::new();
        let content = length - skip;
        loop {
            let next = at.saturating_add(skip as u64).saturating_add(zlib.total_in());
            let packed = self.from(next, 1)?;
            let before = (zlib.total_in(), zlib.total_out());
            let done = usize::try_from(before.1).unwrap_or(usize::MAX);
            // As much room as these bytes may need; a further byte reveals more than was stated.
            let room = packed.len().saturating_mul(MOST_INFLATED).min(content - done);
            fill(&mut bytes, done + room)?;
            let mut over = [0];
            let piece = if room > 0 { &mut bytes[done..] } else { &mut over[..] };
            let status = zlib.decompress(packed, piece, FlushDecompress::None);
            let is_whole = usize::try_from(zlib.total_out()) == Ok(content);
            let is_stuck = before == (zlib.total_in(), zlib.total_out());
            match status {
                Ok(Status::StreamEnd) if is_whole => {
                    let next = at.saturating_add(skip as u64).saturating_add(zlib.total_in());
                    return Ok(Block { kind: Kind::Logs, bytes, next });
                }
                Ok(Status::Ok | Status::BufError)
                    if !is_stuck && zlib.total_out() <= content as u64 => {}
                _ => return Err(table.broken(at)),
            }
        }
    }
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
            newest: 0,
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
        table.newest = big_endian(&head[16..24]);
        // Without a reference or a log line there is no block at all.
        let first = table.stretch().block(0)?;
        if let Some(first) = first {
            table.references = (first.kind == Kind::References)
                .then_some(Part { start: 0, index: reference_index });
            table.logs = (first.kind == Kind::Logs || logs > 0)
                .then_some(Part { start: logs, index: log_index });
        }
        Ok(Some(table))
    }

    /// Returns the largest index of its updates.
    pub fn newest(&self) -> u64 {
        self.newest
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
        let mut stretch = self.stretch();
        let Some(mut at) = stretch.leaf(part, kind, first)? else { return Ok(()) };
        while let Some(block) = stretch.block(at)?.filter(|block| block.kind == kind) {
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

    fn records<'b>(&self, block: &'b Block) -> Result<Records<'b>> {
        Records::new(block.kind, &block.bytes, self.id_bytes)
            .ok_or_else(|| self.damaged("has a block without an end"))
    }

    fn stretch(&self) -> Stretch<'_> {
        Stretch { table: self, start: 0, bytes: Vec::new() }
    }

    /// Returns the number of bytes of blocks from a position on.
    fn left(&self, at: u64) -> usize {
        usize::try_from(self.end.saturating_sub(at)).unwrap_or(usize::MAX)
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

/// Makes bytes so many, the new ones 0.
fn fill(bytes: &mut Vec<u8>, count: usize) -> Result<()> {
    reserve(bytes, count.saturating_sub(bytes.len()))?;
    bytes.resize(count, 0);
    Ok(())
}
