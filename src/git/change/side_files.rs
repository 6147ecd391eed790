//! Single files of one side: a revision, the index or the work tree.

use gix::bstr::ByteSlice;

use crate::attributes::ContentSource;
use crate::change::comparison::{Comparison, Untracked};
use crate::change::contents::Reader;
use crate::change::differences::{PathChange, walk};
use crate::change::suggest::nearest_paths;
use crate::index::is_path;
use crate::model::bytes::Bytes;
use crate::model::changed_file::{Change, Entry};
use crate::repository::Repository;
use crate::revision::{Revision, range_of, side_of};
use crate::tree::tree_lookup::file_at;
use redline_base::budget::Charge;
use redline_base::error::{Error, Result, quoted};
use redline_base::os_path;
use redline_sandbox::SandboxPath;
use redline_text::is_binary;
use redline_text::section::{OutlinedSection, Sections, outline};

/// The limit of a file's size, and its name.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimit {
    /// The bytes.
    pub bytes: u64,
    /// The name of the limit in messages.
    pub name: &'static str,
}

impl ReadLimit {
    /// The limit of any object.
    pub const OBJECT: Self =
        Self { bytes: redline_base::limits::OBJECT_BYTES, name: "the most that redline reads" };

    /// Refuses a file of more bytes.
    ///
    /// # Errors
    /// `too_large`.
    pub fn check(self, file: &str, size: u64) -> Result<()> {
        let Self { bytes, name } = self;
        if size <= bytes {
            return Ok(());
        }
        let file = quoted(file);
        Err(Error::too_large(format!(
            "the file {file} has {size} bytes there, and {name} is {bytes}"
        ))
        .with_hint("Ask for a smaller file, or ask the host to raise the limit"))
    }
}

/// A version of a file in a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The common ancestor's.
    Base = 1,
    /// The checked-out branch's.
    Ours = 2,
    /// The merged branch's.
    Theirs = 3,
}

impl Stage {
    /// Returns the version of a name: `:1` to `:3` as in git, or a word.
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
    pub(super) comparison: Comparison,
    pub(super) reader: Reader,
    /// Whether a file is shown by itself, not as a part of the tracked files.
    is_alone: bool,
}

impl SideFiles {
    /// Opens the side of a name, as in comparisons.
    pub fn open(repository: &Repository, name: &str) -> Result<Self> {
        let side = side_of(repository, name)?;
        let mut comparison = Comparison::new(repository.clone(), Revision::Empty, side)?;
        comparison.untracked = Untracked::Identified;
        comparison.looks_everywhere = true;
        let reader = comparison.reader();
        Ok(Self { comparison, reader, is_alone: false })
    }

    /// Opens the side at the end of a range, or of a name.
    pub fn open_end(repository: &Repository, range: &str) -> Result<Self> {
        if Revision::is_named(range) {
            return Self::open(repository, range);
        }
        match range_of(repository, range)?.tips.as_slice() {
            [tip] => Self::open(repository, &tip.to_string()),
            _ => Self::open(repository, range),
        }
    }

    /// Opens a side to show single files: in a work tree the rules of their sandbox apply.
    pub fn open_alone(repository: &Repository, name: &str) -> Result<Self> {
        Ok(Self { is_alone: true, ..Self::open(repository, name)? })
    }

    /// Returns the source of the side.
    pub(crate) fn source(&self) -> &ContentSource {
        self.comparison.source()
    }

    /// Returns the side.
    pub fn side(&self) -> Revision {
        self.comparison.sides()[1]
    }

    /// Returns the path from the root of a file argument, as [`Repository::path_from_root`].
    pub fn path_from_root(&self, file: &str) -> Result<Vec<u8>> {
        self.comparison.repository().path_from_root(file.as_bytes(), file)
    }

    /// Returns the file at a path, `None` for directories and submodules. For a conflict in the
    /// index it is ours.
    pub fn find(&self, path: &[u8]) -> Result<Option<Entry>> {
        let entry = self.entry(path)?;
        Ok(entry.filter(|entry| !entry.mode.is_submodule() && !entry.mode.is_directory()))
    }

    /// Returns the entry at a path; a submodule, too.
    fn entry(&self, path: &[u8]) -> Result<Option<Entry>> {
        Ok(match self.side() {
            Revision::Tree(tree) => {
                file_at(&self.comparison.repository().objects(), Some(tree), path)?
            }
            Revision::Empty => None,
            Revision::Index => self.comparison.index().and_then(|index| index.content(path)),
            Revision::WorkTree if !is_path(path) => None,
            Revision::WorkTree => {
                // Tracked files are in diffs; for others, and each file alone, the rules of its
                // sandbox apply.
                let index = self.comparison.index();
                let is_tracked = index.is_some_and(|index| !index.find(path).is_empty());
                let place = if is_tracked && !self.is_alone { None } else { self.place(path)? };
                let entry = match PathChange::of(&self.comparison, path)? {
                    PathChange::File(changes) => changes.into_iter().find_map(|change| change.new),
                    PathChange::Nothing | PathChange::Directory => None,
                };
                if let (Some(entry), Some(place)) = (entry, place) {
                    let bytes = place.sandbox().max_file_bytes;
                    self.check_size(path, entry, ReadLimit { bytes, name: "its sandbox's limit" })?;
                }
                entry
            }
        })
    }

    /// Returns why there is no file at a path that is a submodule, or beneath one.
    pub fn submodule_hint(&self, path: &[u8]) -> Result<Option<String>> {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in ends.chain([path.len()]) {
            let entry = self.entry(&path[..end])?.filter(|entry| entry.mode.is_submodule());
            if let Some(entry) = entry {
                return Ok(Some(format!(
                    "{} is a submodule, at commit {}: its files are those of a repository of its own, whose directory is given as repo",
                    quoted(&String::from_utf8_lossy(&path[..end])),
                    entry.oid
                )));
            }
        }
        Ok(None)
    }

    /// Returns a version of a file that is in a conflict in the index.
    pub fn find_stage(&self, path: &[u8], stage: Stage) -> Option<Entry> {
        let index = self.comparison.index()?;
        let version = index.find(path).iter().find(|version| version.stage == stage as u8)?;
        Some(version.entry).filter(|entry| !entry.mode.is_submodule())
    }

    /// Returns the content of a file that was found; for a link its target.
    ///
    /// # Errors
    /// `too_large` if the file exceeds `limit`.
    pub fn read(&mut self, path: &[u8], entry: Entry, limit: ReadLimit) -> Result<Bytes> {
        self.check_size(path, entry, limit)?;
        self.reader.read(entry, path)
    }

    /// Returns the headings of a file's content with the lines below each; none for a binary
    /// content. The rule is that of the attribute `diff`, else that of the language that the file's
    /// extension names, else git's default; their memory is added to `charge`.
    ///
    /// # Errors
    /// `not_found` for a missing file.
    pub fn outline(
        &mut self,
        file: &str,
        revision: &str,
        charge: &mut Charge,
    ) -> Result<Vec<OutlinedSection>> {
        let path = self.path_from_root(file)?;
        let entry = self.found(&String::from_utf8_lossy(&path), revision)?;
        let content = self.read(&path, entry, ReadLimit::OBJECT)?;
        if is_binary(&content) {
            return Ok(Vec::new());
        }
        let extension = path.rfind_byte(b'.').map_or(&[][..], |at| &path[at + 1..]);
        let sections = match self.reader.attributes(&path)?.driver {
            Some(_) => self.reader.sections_of([(Some(entry), &path[..])])?,
            None => match Sections::of_extension(extension) {
                Some(sections) => sections,
                None => self.reader.sections_of([])?,
            },
        };
        Ok(outline(sections, &content, charge, &self.comparison.repository().cancel())?)
    }

    fn check_size(&self, path: &[u8], entry: Entry, limit: ReadLimit) -> Result<()> {
        let size = self.reader.size(Some(entry))?.unwrap_or(0);
        limit.check(&String::from_utf8_lossy(path), size)
    }

    /// Returns the place of a file of the work tree, if sandboxes are defined.
    ///
    /// # Errors
    /// `fs_denied` if they do not allow it to be read as a file.
    fn place(&self, path: &[u8]) -> Result<Option<SandboxPath<'_>>> {
        let repository = self.comparison.repository();
        let Some(sandboxes) = repository.access().sandboxes() else { return Ok(None) };
        let path = repository.work_tree()?.join(os_path::of_git(path));
        sandboxes.place_of(&path).map(Some)
    }

    /// Returns the files that differ between a tree and the index, as this side reads it.
    pub(crate) fn staged_changes(&self, tree: Revision) -> Result<Vec<Change>> {
        walk(&self.comparison.between(tree, Revision::Index))?.collect()
    }

    /// Returns the file at a path, as [`Self::find`].
    ///
    /// # Errors
    /// `not_found` for a missing file.
    pub(crate) fn found(&self, file: &str, revision: &str) -> Result<Entry> {
        if let Some(entry) = self.find(file.as_bytes())? {
            return Ok(entry);
        }
        let error =
            Error::not_found(format!("there is no file {} in {}", quoted(file), quoted(revision)));
        Err(match self.submodule_hint(file.as_bytes())? {
            Some(hint) => error.with_hint(hint),
            None => error
                .near(&self.nearest(file)?)
                .or_hint("Paths start at the root of the repository"),
        })
    }

    /// Returns the paths nearest to a missing one, for a hint.
    pub fn nearest(&self, path: &str) -> Result<Vec<String>> {
        nearest_paths(&self.comparison, path)
    }
}

/// Returns a string that changes if a file of a revision, or the revision's commit, changes.
pub fn state_of_file(repository: &Repository, file: &str, revision: &str) -> Result<String> {
    if !Revision::is_named(revision) {
        return Ok(range_of(repository, revision)?.state());
    }
    let entry = SideFiles::open(repository, revision)?.find(file.as_bytes())?;
    Ok(format!("{:?} {:?}", repository.head()?, entry.map(|entry| (entry.mode, entry.oid))))
}
