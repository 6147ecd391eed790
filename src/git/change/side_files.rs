//! Single files of one side: a revision, the index or the work tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use crate::budget::Budget;
use crate::error::{Error, Result, quoted};
use crate::git::change::changed_file::{Change, Entry, Mode};
use crate::git::change::comparison::{Comparison, Untracked};
use crate::git::change::contents::Reader;
use crate::git::change::differences::PathChange;
use crate::git::objects::bytes::Bytes;
use crate::git::repository::Repository;
use crate::git::revision::Revision;
use crate::git::tree::pathspec::{PathFilter, Pathspec};
use crate::git::worktree::untracked;
use crate::sandbox::{Directories, Place};

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
        let side = repository.revision(name)?;
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
        match repository.ends(range)?.tips.as_slice() {
            [tip] => Self::open(repository, &tip.to_string()),
            _ => Self::open(repository, range),
        }
    }

    /// Opens a side of which single files are shown: in a work tree they have the rules of their sandbox.
    pub fn open_alone(repository: &Repository, name: &str) -> Result<Self> {
        Ok(Self { is_alone: true, ..Self::open(repository, name)? })
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
            Revision::Tree(tree) => self.comparison.repository().find(Some(tree), path)?.file(),
            Revision::Empty => None,
            Revision::Index => self.comparison.index().and_then(|index| index.content(path)),
            Revision::WorkTree if !is_in_work_tree(path) => None,
            Revision::WorkTree => {
                // What is tracked is in diffs; what is not, and each file alone, has the rules of its sandbox.
                let index = self.comparison.index();
                let is_tracked = index.is_some_and(|index| !index.find(path).is_empty());
                let place = if is_tracked && !self.is_alone { None } else { self.place(path)? };
                let entry = match self.comparison.path(path)? {
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
        self.reader.bytes(entry, path)
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
    pub(in crate::git) fn staged_changes(
        &self,
        tree: Revision,
        budget: &Arc<Budget>,
    ) -> Result<Vec<Change>> {
        self.comparison.between(tree, Revision::Index).walk(Arc::clone(budget))?.collect()
    }

    /// Says that a file is not there.
    pub(in crate::git) fn not_found(&self, file: &str, revision: &str) -> Result<Error> {
        let error =
            Error::not_found(format!("there is no file {} in {}", quoted(file), quoted(revision)));
        Ok(match self.nearest(file)?.as_slice() {
            [] => error.with_hint(
                "Paths start at the root of the repository; tree_files(rev, repo) lists them",
            ),
            near => error.with_hint(format!("Did you mean {}?", near.join(" or "))),
        })
    }

    /// Returns the paths nearest to one that was not found, for a hint.
    pub fn nearest(&self, path: &str) -> Result<Vec<String>> {
        self.comparison.nearest_paths(path)
    }
}

impl Comparison {
    /// Returns the files of the work tree that are neither tracked nor ignored, where a side is the work tree.
    pub fn untracked_paths(&self) -> Result<Vec<Vec<u8>>> {
        let repository = self.repository();
        let Some(index) = self.index().filter(|_| self.sides().contains(&Revision::WorkTree))
        else {
            return Ok(Vec::new());
        };
        let mut directories = Directories::new(repository.work_tree_root()?);
        let budget = repository.budget();
        let only = self.paths();
        let listed = untracked::files(repository, &mut directories, index, only, None, budget)?;
        Ok(listed.into_iter().map(|(path, _)| path).collect())
    }

    /// Refuses a file of the work tree that is neither tracked nor listed by the status, where sandboxes say what may be read.
    pub fn check_listed(&self, path: &[u8]) -> Result<()> {
        let repository = self.repository();
        let Some(index) = self.index() else { return Ok(()) };
        if repository.access().sandboxes().is_none() || !index.find(path).is_empty() {
            return Ok(());
        }
        let shown = String::from_utf8_lossy(path);
        let only = Pathspec::parse(&format!(":(top,literal){shown}"))?;
        let only = PathFilter::new(&[only], b"")?;
        let mut directories = Directories::new(repository.work_tree_root()?);
        let budget = repository.budget();
        let listed = untracked::files(repository, &mut directories, index, &only, None, budget)?;
        if listed.iter().any(|(found, _)| found == path) {
            return Ok(());
        }
        Err(Error::fs_denied(format!(
            "the file {} is ignored, or lies in another repository: no diff shows it",
            quoted(&shown)
        ))
        .with_hint(
            "Of a work tree in a sandbox what is tracked may be read, and what file_status lists",
        ))
    }
}

impl Repository {
    /// Returns a text that changes when a file of a revision, or what lies behind the revision, does.
    pub fn state_of_file(&self, file: &str, revision: &str) -> Result<String> {
        if !Revision::is_named(revision) {
            return Ok(self.ends(revision)?.state());
        }
        let entry = SideFiles::open(self, revision)?.find(file.as_bytes())?;
        Ok(format!("{:?} {:?}", self.head()?, entry.map(|entry| (entry.mode, entry.oid))))
    }
}

/// Tells a path that names a file beneath the root of the work tree and nothing of git's own.
fn is_in_work_tree(path: &[u8]) -> bool {
    path.split(|&byte| byte == b'/')
        .all(|name| !matches!(name, b"" | b"." | b"..") && !name.eq_ignore_ascii_case(b".git"))
}

impl Mode {
    /// Returns the word that SQL shows for what an entry is.
    pub fn kind_name(self) -> &'static str {
        if self.is_regular() {
            if self == Self::regular(true) { "executable" } else { "file" }
        } else if self.is_link() {
            "symlink"
        } else {
            "submodule"
        }
    }
}
