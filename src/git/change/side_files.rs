//! Single files of one side: a revision, the index or the work tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::error::{Error, Result, quoted};
use crate::git::attributes::ContentSource;
use crate::git::change::comparison::{Comparison, Untracked};
use crate::git::change::contents::Reader;
use crate::git::change::differences::{PathChange, walk};
use crate::git::change::suggest::nearest_paths;
use crate::git::model::bytes::Bytes;
use crate::git::model::changed_file::{Change, Entry};
use crate::git::repository::Repository;
use crate::git::revision::{Revision, range_of, side_of};
use crate::git::tree::tree_lookup::TreeItem;
use crate::sandbox::Place;

/// How many bytes a file may have, and what says so.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimit {
    /// The bytes.
    pub bytes: u64,
    /// The name of the limit in messages.
    pub name: &'static str,
}

impl ReadLimit {
    /// What redline reads of any object.
    pub const OBJECT: Self =
        Self { bytes: crate::limits::OBJECT_BYTES, name: "the most that redline reads" };
}

/// A version that the index holds of a file in a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The common ancestor's.
    Base = 1,
    /// That of the branch that is checked out.
    Ours = 2,
    /// That of what is merged.
    Theirs = 3,
}

impl Stage {
    /// Returns the version that a name means: `:1` to `:3` as in git, or a word.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            ":1" | "base" => Some(Self::Base),
            ":2" | "ours" => Some(Self::Ours),
            ":3" | "theirs" => Some(Self::Theirs),
            _ => None,
        }
    }
}

/// Reads files of one side, for one thread.
pub struct SideFiles {
    comparison: Comparison,
    reader: Reader,
    /// Whether a file is shown by itself, and not as a part of what is tracked.
    is_alone: bool,
}

impl SideFiles {
    /// Opens a side that a name stands for, as in comparisons.
    pub fn open(repository: &Repository, name: &str) -> Result<Self> {
        let side = side_of(repository, name)?;
        let comparison = Comparison::new(repository.clone(), Revision::Empty, side)?
            .with_untracked(Untracked::Identified)
            .looking_everywhere();
        let reader = comparison.reader();
        Ok(Self { comparison, reader, is_alone: false })
    }

    /// Opens the side at the end of a range, or that a name stands for.
    pub fn open_end(repository: &Repository, range: &str) -> Result<Self> {
        if Revision::is_named(range) {
            return Self::open(repository, range);
        }
        match range_of(repository, range)?.tips.as_slice() {
            [tip] => Self::open(repository, &tip.to_string()),
            _ => Self::open(repository, range),
        }
    }

    /// Opens a side of which single files are shown: in a work tree they have the rules of their sandbox.
    pub fn open_alone(repository: &Repository, name: &str) -> Result<Self> {
        Ok(Self { is_alone: true, ..Self::open(repository, name)? })
    }

    /// Returns what the side is read from.
    pub(in crate::git) fn source(&self) -> &ContentSource {
        self.comparison.source()
    }

    /// Returns the side.
    pub fn side(&self) -> Revision {
        self.comparison.sides()[1]
    }

    /// Returns the path from the root of a file that an argument names, as [`Repository::path_from_root`].
    pub fn path_from_root(&self, file: &str) -> Result<Vec<u8>> {
        self.comparison.repository().path_from_root(file.as_bytes(), file)
    }

    /// Returns the file of a path; directories and submodules are none. Of a conflict in the index it is ours.
    pub fn find(&self, path: &[u8]) -> Result<Option<Entry>> {
        let entry = match self.side() {
            Revision::Tree(tree) => {
                let objects = self.comparison.repository().objects();
                TreeItem::find(&objects, Some(tree), path)?.file()
            }
            Revision::Empty => None,
            Revision::Index => self.comparison.index().and_then(|index| index.content(path)),
            Revision::WorkTree if !is_in_work_tree(path) => None,
            Revision::WorkTree => {
                // What is tracked is in diffs; what is not, and each file alone, has the rules of its sandbox.
                let index = self.comparison.index();
                let is_tracked = index.is_some_and(|index| !index.find(path).is_empty());
                let place = if is_tracked && !self.is_alone { None } else { self.place(path)? };
                let entry = match PathChange::of(&self.comparison, path)? {
                    PathChange::File(changes) => changes.into_iter().find_map(|change| change.new),
                    PathChange::Nothing | PathChange::Directory => None,
                };
                if let (Some(entry), Some(place)) = (entry, place) {
                    let bytes = place.sandbox().max_file_bytes();
                    self.check_size(path, entry, ReadLimit { bytes, name: "its sandbox's limit" })?;
                }
                entry
            }
        };
        Ok(entry.filter(|entry| !entry.mode.is_submodule() && !entry.mode.is_directory()))
    }

    /// Returns a version of a file that the index holds while it is in a conflict.
    pub fn find_stage(&self, path: &[u8], stage: Stage) -> Option<Entry> {
        let index = self.comparison.index()?;
        let version = index.find(path).iter().find(|version| version.stage == stage as u8)?;
        Some(version.entry).filter(|entry| !entry.mode.is_submodule())
    }

    /// Returns the content of a file that was found; of a link it is the target.
    ///
    /// # Errors
    /// `too_large` for more bytes than `limit` allows.
    pub fn read(&mut self, path: &[u8], entry: Entry, limit: ReadLimit) -> Result<Bytes> {
        self.check_size(path, entry, limit)?;
        self.reader.read(entry, path)
    }

    fn check_size(&self, path: &[u8], entry: Entry, limit: ReadLimit) -> Result<()> {
        let ReadLimit { bytes, name } = limit;
        let size = self.reader.size(Some(entry))?.unwrap_or(0);
        if size <= bytes {
            return Ok(());
        }
        let shown = quoted(&String::from_utf8_lossy(path));
        Err(Error::too_large(format!(
            "the file {shown} has {size} bytes there, and {name} is {bytes}"
        ))
        .with_hint("Ask for a smaller file, or ask the host to raise the limit"))
    }

    /// Returns the place of a file of the work tree, where sandboxes say what may be read.
    ///
    /// # Errors
    /// `fs_denied` where they do not let it be read as a file.
    fn place(&self, path: &[u8]) -> Result<Option<Place<'_>>> {
        let repository = self.comparison.repository();
        let Some(sandboxes) = repository.access().sandboxes() else { return Ok(None) };
        let path = repository.work_tree()?.join(OsStr::from_bytes(path));
        sandboxes.place_of(&path).map(Some)
    }

    /// Returns the files that differ between a tree and the index, as this side reads it.
    pub(in crate::git) fn staged_changes(&self, tree: Revision) -> Result<Vec<Change>> {
        walk(&self.comparison.between(tree, Revision::Index))?.collect()
    }

    /// Says that a file is not there.
    pub(in crate::git) fn not_found(&self, file: &str, revision: &str) -> Result<Error> {
        let error =
            Error::not_found(format!("there is no file {} in {}", quoted(file), quoted(revision)));
        Ok(error
            .near(&self.nearest(file)?)
            .or_hint("Paths start at the root of the repository; tree_files(rev, repo) lists them"))
    }

    /// Returns the paths nearest to one that was not found, for a hint.
    pub fn nearest(&self, path: &str) -> Result<Vec<String>> {
        nearest_paths(&self.comparison, path)
    }
}

/// Returns a text that changes when a file of a revision, or what lies behind the revision, does.
pub fn state_of_file(repository: &Repository, file: &str, revision: &str) -> Result<String> {
    if !Revision::is_named(revision) {
        return Ok(range_of(repository, revision)?.state());
    }
    let entry = SideFiles::open(repository, revision)?.find(file.as_bytes())?;
    Ok(format!("{:?} {:?}", repository.head()?, entry.map(|entry| (entry.mode, entry.oid))))
}

/// Tells a path that names a file beneath the root of the work tree and nothing of git's own.
fn is_in_work_tree(path: &[u8]) -> bool {
    path.split(|&byte| byte == b'/')
        .all(|name| !matches!(name, b"" | b"." | b"..") && !name.eq_ignore_ascii_case(b".git"))
}
