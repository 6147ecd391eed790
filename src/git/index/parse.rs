//! Header, entries, extensions and checksum of one index file.

use std::panic::resume_unwind;
use std::thread;

use bytes::{Bytes, BytesMut};
use gix::hash::Kind;

use super::cached_tree::{self, CachedTrees};
use super::ewah::{self, Bitmap};
use super::staged::{Flags, Staged, Stat};
use crate::Oid;
use crate::model::big_endian;
use crate::model::changed_file::{Entry, Mode};
use redline_base::budget::{Copied, Permits};
use redline_base::limits;

/// Why an index could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is not an index, or truncated; the text continues "its index".
    Damaged(&'static str),
    /// It exceeds a limit; the text continues "has an index".
    TooLarge(&'static str),
}

/// The content of one index file.
#[derive(Debug)]
pub struct Parsed {
    /// In the order of the file; one without a path replaces an entry of the shared index.
    pub entries: Vec<Staged>,
    /// Whether directories are among them, as in a sparse index.
    pub has_directories: bool,
    /// The shared index that the file changes.
    pub link: Option<Link>,
    /// The trees of directories without a change.
    pub trees: CachedTrees,
    /// The checksum at its end; null if git did not compute one.
    pub checksum: Oid,
    /// The version of the format.
    pub version: u32,
    /// The extension `REUC`: the versions of conflicts that were resolved.
    pub resolved: Vec<u8>,
}

/// The changes of a split index to the shared one.
#[derive(Debug)]
pub struct Link {
    /// The checksum of the shared index, which is in its name; null if there is none.
    pub base: Oid,
    /// The deleted entries of the shared index.
    pub deleted: Bitmap,
    /// The entries that the first entries of this file replace.
    pub replaced: Bitmap,
}

/// The bytes of paths that are allocated at once.
const PATHS_BYTES: usize = 64 << 10;

/// The bytes before an entry's id.
const STAT_BYTES: usize = 40;

/// The size from which a file's checksum is computed on another thread: it takes as long as all the
/// rest.
const BESIDE_BYTES: usize = 1 << 20;

/// Parses an index file, on two threads where `threads` may be used and the file is worth it.
///
/// # Errors
/// A fault for a damaged file or one over the limits, a wrong checksum first. Memory is bounded by
/// the size of the file.
pub fn parse(bytes: &[u8], hash: Kind, threads: usize) -> Result<Parsed, Fault> {
    let end = bytes.len().checked_sub(hash.len_in_bytes()).ok_or(Fault::Damaged("is cut short"))?;
    let (content, checksum) = bytes.split_at(end);
    let checksum = Oid::try_from(checksum).map_err(|_| Fault::Damaged("has no checksum"))?;
    let verify = || verify(content, checksum, hash);
    let is_worth_it = threads > 1 && bytes.len() >= BESIDE_BYTES && !checksum.is_null();
    let permits = is_worth_it.then(|| Permits::take(2));
    if permits.as_ref().is_none_or(|permits| permits.count() < 2) {
        verify()?;
        return contents(content, checksum, hash);
    }
    thread::scope(|scope| {
        let named = thread::Builder::new().name("redline".to_owned());
        let beside = named.spawn_scoped(scope, verify);
        let parsed = contents(content, checksum, hash);
        match beside {
            Ok(beside) => beside.join().unwrap_or_else(|panic| resume_unwind(panic))?,
            // Without another thread it is computed afterwards.
            Err(_) => verify()?,
        }
        parsed
    })
}

/// Parses what is before the checksum.
fn contents(content: &[u8], checksum: Oid, hash: Kind) -> Result<Parsed, Fault> {
    let mut reader = Reader { bytes: content, paths: BytesMut::new() };
    if reader.take(4)? != b"DIRC" {
        return Err(Fault::Damaged("has no signature"));
    }
    let version = reader.number()?;
    if !(2..=4).contains(&version) {
        return Err(Fault::Damaged("has a version other than 2, 3 and 4"));
    }
    let count = usize::try_from(reader.number()?).unwrap_or(usize::MAX);
    let smallest = STAT_BYTES + hash.len_in_bytes() + 2;
    if count > reader.bytes.len() / smallest {
        return Err(Fault::Damaged("states more entries than it can hold"));
    }
    if count > limits::INDEX_ENTRIES {
        return Err(Fault::TooLarge("with more entries than redline reads"));
    }
    let mut entries: Vec<Staged> = Vec::new();
    entries.try_reserve_exact(count).map_err(|_| Fault::TooLarge("that does not fit in memory"))?;
    // Prefix-compressed paths of version 4 may expand to any length; real ones stay far below this.
    let mut room = (1 << 20) + 8 * (content.len() + hash.len_in_bytes());
    let mut has_directories = false;
    for _ in 0..count {
        let last = entries.last().map_or(&[][..], |last| &last.path[..]);
        let entry = reader.entry(version, hash, last)?;
        room = room
            .checked_sub(entry.path.len())
            .ok_or(Fault::TooLarge("whose paths unfold to far more than its own size"))?;
        has_directories |= entry.entry.mode.is_directory();
        entries.push(entry);
    }
    let mut link = None;
    let mut trees = CachedTrees::new();
    let mut resolved = Vec::new();
    let mut is_sparse = false;
    // As in git, fewer bytes than a header before the checksum are ignored.
    while reader.bytes.len() >= 8 {
        let name = reader.take(4)?;
        let size = usize::try_from(reader.number()?).unwrap_or(usize::MAX);
        let content = reader.take(size)?;
        match name {
            b"link" if link.is_some() => return Err(Fault::Damaged("names two shared indexes")),
            b"link" => link = Some(read_link(content, hash)?),
            b"TREE" => trees = cached_tree::read(content, hash),
            b"REUC" => resolved = content.copied_vec(),
            b"sdir" => is_sparse = true,
            [b'A'..=b'Z', ..] => {}
            _ => return Err(Fault::Damaged("needs an extension that redline does not know")),
        }
    }
    if has_directories && !is_sparse {
        return Err(Fault::Damaged("has a directory among its files"));
    }
    Ok(Parsed { entries, has_directories, link, trees, checksum, version, resolved })
}

/// Refuses a checksum that is neither that of the content nor null.
fn verify(content: &[u8], checksum: Oid, hash: Kind) -> Result<(), Fault> {
    if checksum.is_null() {
        return Ok(());
    }
    let mut hasher = gix::hash::hasher(hash);
    hasher.update(content);
    match hasher.try_finalize() {
        Ok(computed) if computed == checksum => Ok(()),
        _ => Err(Fault::Damaged("has a wrong checksum")),
    }
}

fn read_link(content: &[u8], hash: Kind) -> Result<Link, Fault> {
    let torn = || Fault::Damaged("has a torn link to its shared index");
    let (base, rest) = content.split_at_checked(hash.len_in_bytes()).ok_or_else(torn)?;
    let base = Oid::try_from(base).map_err(|_| torn())?;
    if rest.is_empty() {
        return Ok(Link { base, deleted: Bitmap::default(), replaced: Bitmap::default() });
    }
    let (deleted, rest) = ewah::read(rest).ok_or_else(torn)?;
    let (replaced, rest) = ewah::read(rest).ok_or_else(torn)?;
    if rest.is_empty() { Ok(Link { base, deleted, replaced }) } else { Err(torn()) }
}

/// The rest of the file, without its checksum.
struct Reader<'a> {
    bytes: &'a [u8],
    /// Where the next paths are put.
    paths: BytesMut,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) =
            self.bytes.split_at_checked(count).ok_or(Fault::Damaged("is cut short"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, Fault> {
        Ok(big_endian(self.take(4)?) as u32)
    }

    fn short(&mut self) -> Result<u16, Fault> {
        Ok(big_endian(self.take(2)?) as u16)
    }

    fn entry(&mut self, version: u32, hash: Kind, last: &[u8]) -> Result<Staged, Fault> {
        const ASSUME_VALID: u16 = 0x8000;
        const EXTENDED: u16 = 0x4000;
        /// Longer lengths are stored as this one; the NUL ends the path.
        const LENGTH: u16 = 0x0FFF;
        const SKIP_WORKTREE: u16 = 0x4000;
        const INTENT_TO_ADD: u16 = 0x2000;
        let before = self.bytes.len();
        let changed = (self.number()?, self.number()?);
        let modified = (self.number()?, self.number()?);
        let (device, inode, mode) = (self.number()?, self.number()?, self.number()?);
        let (user, group, size) = (self.number()?, self.number()?, self.number()?);
        let stat = Stat { changed, modified, device, inode, user, group, size };
        let oid = Oid::try_from(self.take(hash.len_in_bytes())?)
            .map_err(|_| Fault::Damaged("has a torn id"))?;
        let flags = self.short()?;
        let more = if flags & EXTENDED != 0 { self.short()? } else { 0 };
        if more & !(SKIP_WORKTREE | INTENT_TO_ADD) != 0 {
            return Err(Fault::Damaged("has an entry with flags that redline does not know"));
        }
        let kept = if version == 4 { self.kept(last.len())? } else { 0 };
        let rest = self.bytes;
        let too_long = Fault::TooLarge("with a path longer than any system opens");
        let end = memchr::memchr(0, &rest[..rest.len().min(limits::INDEX_PATH_BYTES + 1)]);
        let Some(end) = end else {
            let is_cut = rest.len() <= limits::INDEX_PATH_BYTES;
            return Err(if is_cut { Fault::Damaged("is cut short") } else { too_long });
        };
        let length = kept + end;
        if length > limits::INDEX_PATH_BYTES {
            return Err(too_long);
        }
        if length.min(usize::from(LENGTH)) != usize::from(flags & LENGTH) {
            return Err(Fault::Damaged("has a path of a wrong length"));
        }
        let path = self.path(&last[..kept], &rest[..end]);
        self.take(end)?;
        // One NUL ends the path; before version 4, up to seven more pad the entry.
        let read = before - self.bytes.len();
        self.take(if version == 4 { 1 } else { 8 - read % 8 })?;
        Ok(Staged {
            path,
            entry: Entry::object(Mode::canonical(mode), oid),
            stage: u8::try_from(flags >> 12 & 3).unwrap_or(0),
            flags: Flags {
                assume_valid: flags & ASSUME_VALID != 0,
                skip_worktree: more & SKIP_WORKTREE != 0,
                intent_to_add: more & INTENT_TO_ADD != 0,
            },
            stat,
        })
    }

    /// Returns a path of two parts.
    fn path(&mut self, start: &[u8], end: &[u8]) -> Bytes {
        let length = start.len() + end.len();
        if self.paths.capacity() < length {
            self.paths.reserve(PATHS_BYTES.max(length));
        }
        self.paths.extend_from_slice(start);
        self.paths.extend_from_slice(end);
        self.paths.split().freeze()
    }

    /// Reads the number of bytes to remove from the last path, and returns how many stay.
    fn kept(&mut self, last: usize) -> Result<usize, Fault> {
        let wrong = Fault::Damaged("shortens a path by more than it has");
        let mut byte = self.take(1)?[0];
        let mut gone = usize::from(byte & 0x7F);
        while byte & 0x80 != 0 {
            if gone > last {
                return Err(wrong);
            }
            byte = self.take(1)?[0];
            gone = (gone + 1) << 7 | usize::from(byte & 0x7F);
        }
        last.checked_sub(gone).ok_or(wrong)
    }
}
