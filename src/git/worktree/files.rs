//! Reads the files of the work tree below its root.
//!
//! Links are not followed and nothing is waited for or executed: a directory that became a link has
//! no files, and a FIFO in place of a file is not a file. A file whose state on disk is that of the
//! index is not read.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::Oid;
use crate::attributes::ContentSource;
use crate::index::{Index, Staged};
use crate::model::changed_file::{Entry, Mode, Source};
use crate::objects::blob_id::blob_hasher;
use crate::repository::Repository;
use crate::worktree::clean::Cleaner;
use crate::worktree::submodule::{Submodules, names};
use redline_base::budget::Stopped;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::os_path;
use redline_sandbox::{Directories, EntryKind, FileState};

/// Bytes that are read or hashed between two checks of the budget.
const PIECE: usize = 4 << 20;

/// Reads the files of a work tree for one thread; fastest in the order of paths.
pub struct WorkTree {
    repository: Repository,
    index: Arc<Index>,
    directories: Directories,
    cleaner: Cleaner,
}

impl WorkTree {
    /// Opens the work tree of a source's repository; `index` has the known states of its files.
    pub fn new(source: &ContentSource, index: &Arc<Index>) -> Result<Self> {
        let repository = source.repository().clone();
        let root = repository.work_tree_root()?;
        let cleaner = Cleaner::new(source, Arc::clone(index));
        let directories = Directories::new(root);
        Ok(Self { repository, index: Arc::clone(index), directories, cleaner })
    }

    /// Returns the directories of the work tree.
    pub fn directories(&mut self) -> &mut Directories {
        &mut self.directories
    }

    /// Returns the entry at a path that git would compare with `known`, the index's version, or
    /// `None` if there is nothing that git could store.
    pub fn entry(
        &mut self,
        path: &[u8],
        known: Option<&Staged>,
        submodules: &Submodules,
    ) -> Result<Option<Entry>> {
        let Some(state) = self.look(path)? else { return Ok(None) };
        let known_mode = known.map(|known| known.entry.mode);
        let checkout = &self.repository.checkout;
        let mode = match state.kind {
            EntryKind::Special => return Ok(None),
            EntryKind::Directory => return self.directory(path, known, submodules),
            EntryKind::Link => Mode::link(),
            EntryKind::File if !checkout.has_links && known_mode.is_some_and(Mode::is_link) => {
                Mode::link()
            }
            EntryKind::File if !checkout.trusts_executable => {
                known_mode.filter(|mode| mode.is_regular()).unwrap_or(Mode::regular(false))
            }
            EntryKind::File => Mode::regular(state.is_executable()),
        };
        if let Some(known) = known
            && known.entry.mode.is_kind_of(mode)
            && self.index.remembers(known, &state)
        {
            return Ok(Some(Entry { mode, ..known.entry }));
        }
        let Some((oid, size)) = self.identify(path, state)? else { return Ok(None) };
        let source = match known {
            Some(known) if known.entry.oid == oid && !known.flags.intent_to_add => Source::Object,
            _ => Source::WorkTree { size },
        };
        Ok(Some(Entry { mode, oid, source }))
    }

    /// Tells whether the file on disk is ignored: it is assumed to be unchanged, or absent from a
    /// sparse checkout (where a file that exists nevertheless counts).
    pub fn is_left_alone(&mut self, known: &Staged) -> Result<bool> {
        if known.flags.assume_valid || !known.flags.skip_worktree {
            return Ok(known.flags.assume_valid);
        }
        Ok(!self.repository.checkout.is_sparse || self.look(&known.path)?.is_none())
    }

    /// Reads the content of a file that [`Self::entry`] found, as git would store it.
    pub fn read(&mut self, path: &[u8], oid: Oid, bytes: &mut Vec<u8>) -> Result<()> {
        match self.content(path)? {
            Some(found) if self.hash(path, &found)? == oid => *bytes = found,
            _ => return Err(changed(path)),
        }
        Ok(())
    }

    /// Returns the path on disk of a regular file that no conversion changes; `stored` is the size
    /// of what git would store. Every conversion of line ends and of `$Id$` that changes a content
    /// makes it shorter; of an encoding that is not known.
    pub fn unconverted(&mut self, path: &[u8], stored: u64) -> Result<Option<PathBuf>> {
        let state = self.look(path)?.filter(|state| state.kind == EntryKind::File);
        if state.is_none_or(|state| state.size != stored) || self.cleaner.has_encoding(path)? {
            return Ok(None);
        }
        Ok(Some(self.repository.work_tree()?.join(os_path::of_git(path))))
    }

    /// Returns the id that a file's content would have and its size as stored.
    fn identify(&mut self, path: &[u8], state: FileState) -> Result<Option<(Oid, u64)>> {
        if state.size > limits::OBJECT_BYTES && state.kind == EntryKind::File {
            return self.identify_large(path);
        }
        let Some(bytes) = self.content(path)? else { return Ok(None) };
        Ok(Some((self.hash(path, &bytes)?, bytes.len() as u64)))
    }

    /// Computes the same for a file that is too large for memory, without conversions.
    fn identify_large(&mut self, path: &[u8]) -> Result<Option<(Oid, u64)>> {
        let Some((mut file, state)) = self.open(path)? else { return Ok(None) };
        let mut hasher = blob_hasher(self.repository.object_hash(), state.size);
        let (mut piece, mut left) = (vec![0; PIECE], state.size);
        while left > 0 {
            self.repository.budget().check()?;
            let wanted = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            let read = file.read(&mut piece[..wanted]).map_err(unreadable(path))?;
            if read == 0 {
                return Err(changed(path));
            }
            hasher.update(&piece[..read]);
            left -= read as u64;
        }
        let oid = hasher.try_finalize().map_err(unreadable(path))?;
        Ok(Some((oid, state.size)))
    }

    /// Returns the content that git would store for a file or link.
    fn content(&mut self, path: &[u8]) -> Result<Option<Vec<u8>>> {
        if let Some((file, state)) = self.open(path)? {
            if state.size > limits::OBJECT_BYTES {
                return Err(too_large(path, state.size));
            }
            let bytes = self.read_whole(path, file, state.size)?;
            return self.cleaner.clean(path, bytes).map(Some);
        }
        self.directories.read_link(path).map_err(unreadable(path))
    }

    /// Returns the state of a file, link or directory, `None` if there is none.
    pub fn state(&mut self, path: &[u8]) -> Result<Option<FileState>> {
        self.look(path)
    }

    fn look(&mut self, path: &[u8]) -> Result<Option<FileState>> {
        self.directories.look(path).map_err(unreadable(path))
    }

    fn open(&mut self, path: &[u8]) -> Result<Option<(File, FileState)>> {
        self.directories.open(path).map_err(unreadable(path))
    }

    /// Reads a file of the stated size; fails if its size has changed.
    fn read_whole(&self, path: &[u8], mut file: File, size: u64) -> Result<Vec<u8>> {
        let budget = self.repository.budget();
        let wanted = usize::try_from(size).map_err(|_| Stopped::Allocation)?;
        let _held = budget.charge_large(size)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(wanted + 1).map_err(|_| Stopped::Allocation)?;
        loop {
            budget.check()?;
            let room = (wanted + 1 - bytes.len()).min(PIECE);
            let read = file.by_ref().take(room as u64).read_to_end(&mut bytes);
            if read.map_err(unreadable(path))? < room {
                break;
            }
        }
        if bytes.len() == wanted { Ok(bytes) } else { Err(changed(path)) }
    }

    fn hash(&self, path: &[u8], bytes: &[u8]) -> Result<Oid> {
        let mut hasher = blob_hasher(self.repository.object_hash(), bytes.len() as u64);
        for piece in bytes.chunks(PIECE) {
            self.repository.budget().check()?;
            hasher.update(piece);
        }
        hasher.try_finalize().map_err(unreadable(path))
    }

    /// Returns the submodule in a directory. Another directory only replaces a file, and leaves a
    /// submodule that is not checked out unchanged.
    fn directory(
        &mut self,
        path: &[u8],
        known: Option<&Staged>,
        submodules: &Submodules,
    ) -> Result<Option<Entry>> {
        let unchanged = known.map(|known| known.entry).filter(|entry| entry.mode.is_submodule());
        let is_known = unchanged.is_some();
        let Some(checked_out) = submodules.look(&self.repository, path, is_known)? else {
            return Ok(unchanged);
        };
        let dirt = checked_out.dirt;
        // Printed is the id that the submodule has; one that the index names is unchanged.
        let named =
            unchanged.map(|entry| entry.oid).filter(|known| names(*known, checked_out.head));
        let oid = named.filter(|_| dirt.is_none()).unwrap_or(checked_out.head);
        let source = dirt.map_or(Source::Object, Source::Dirty);
        Ok(Some(Entry { mode: Mode::submodule(), oid, source }))
    }
}

/// Returns what makes the error of a path from that of the system.
fn unreadable<E: std::error::Error + Send + Sync + 'static>(path: &[u8]) -> impl Fn(E) -> Error {
    move |error| {
        let shown = quoted(&path.to_str_lossy());
        Error::tool_failed(format!("{shown} in the work tree cannot be read"))
            .with_hint("Check its permissions and those of its directories")
            .with_source(error)
    }
}

fn changed(path: &[u8]) -> Error {
    Error::stale(format!(
        "{} in the work tree changed while it was compared",
        quoted(&path.to_str_lossy())
    ))
    .with_hint("Ask again")
}

fn too_large(path: &[u8], size: u64) -> Error {
    Error::too_large(format!(
        "{} in the work tree has {size} bytes, over the limit of {}",
        quoted(&path.to_str_lossy()),
        limits::OBJECT_BYTES
    ))
}
