//! The contents of a file's sides as git diffs them.

use std::borrow::Cow;
use std::path::PathBuf;
use std::slice::from_mut;
use std::sync::Arc;

use crate::attributes::{ContentSource, DiffAttributes};
use crate::change::renames::{Blobs, RenameOptions, Version, pair};
use crate::index::Index;
use crate::model::bytes::Bytes;
use crate::model::changed_file::{Change, Entry, Source};
use crate::model::diff_attribute::{DiffAttribute, PathAttributes};
use crate::objects::Objects;
use crate::worktree::files::WorkTree;
use redline_base::budget::{Current, append};
use redline_base::error::{ErrorKind, Result};
use redline_base::limits;
use redline_text::section::Sections;
use redline_text::{CancelToken, binary_line, is_binary, quoted_path};

/// One side's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents {
    /// The file is absent on this side.
    Absent,
    /// The bytes of a file, a link's target, or a submodule's commit line.
    Text(Bytes),
    /// Binary by its attributes, its size or its bytes, which are not kept.
    Binary,
}

impl Contents {
    /// Returns the bytes to compare, `None` for a binary side; an absent one is empty.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Absent => Some(&[]),
            Self::Text(bytes) => Some(bytes),
            Self::Binary => None,
        }
    }
}

/// Reads the contents of changes for one thread.
pub struct Reader {
    pub(super) objects: Objects,
    /// The source, and the work tree once one of its files is read.
    source: ContentSource,
    work_tree: Option<WorkTree>,
    attributes: DiffAttributes,
    /// Whether two versions of each file are all that is read of it.
    is_of_pairs: bool,
}

impl Reader {
    /// Creates a reader of the files of a source.
    pub fn new(source: &ContentSource) -> Self {
        Self {
            objects: source.repository().objects(),
            source: source.clone(),
            work_tree: None,
            attributes: DiffAttributes::new(source),
            is_of_pairs: false,
        }
    }

    /// Returns the same for a comparison of two sides: what lies between two versions of a file is
    /// not kept.
    #[must_use]
    pub fn of_pairs(self) -> Self {
        self.objects.keep_pair(None);
        Self { is_of_pairs: true, ..self }
    }

    /// Reads both sides of a change, the new first.
    pub fn contents(&mut self, change: &Change) -> Result<(Contents, Contents)> {
        let attributes = self.diff_attributes(change)?;
        self.contents_by(change, attributes)
    }

    /// Returns the `diff` attributes of both sides of a change.
    pub(super) fn diff_attributes(&mut self, change: &Change) -> Result<[DiffAttribute; 2]> {
        let new = self.attributes.of(&change.path)?.diff;
        let old =
            if change.origin.is_some() { self.attributes.of(change.old_path())?.diff } else { new };
        Ok([old, new])
    }

    /// Reads both sides of a change, given their `diff` attributes. The new one is first: a pack
    /// mostly has it as the base of the old one.
    pub(super) fn contents_by(
        &mut self,
        change: &Change,
        [old, new]: [DiffAttribute; 2],
    ) -> Result<(Contents, Contents)> {
        if self.is_of_pairs {
            let is_object = |entry: &Entry| entry.source == Source::Object;
            self.objects.keep_pair(change.old.filter(is_object).map(|entry| entry.oid));
        }
        let new = self.side(change.new, &change.path, new)?;
        if self.is_of_pairs {
            self.objects.keep_pair(None);
        }
        Ok((self.side(change.old, change.old_path(), old)?, new))
    }

    /// Finds the origins of added files, as [`pair`], on this thread alone.
    pub(crate) fn pair(
        &mut self,
        changes: Vec<Change>,
        options: &RenameOptions,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<Change>> {
        pair(changes, options, from_mut(self), cancel)
    }

    /// Returns the size in bytes above which a blob is binary.
    pub(super) fn big_file_bytes(&self) -> u64 {
        self.source.repository().big_file_bytes
    }

    /// Returns the attributes of a path.
    pub fn attributes(&mut self, path: &[u8]) -> Result<PathAttributes> {
        self.attributes.of(path)
    }

    /// Returns git's line for a binary change, without its newline.
    pub fn binary_line(&self, change: &Change) -> Vec<u8> {
        let (old, new) = change.labels();
        binary_line(&old, &new, self.quotes_high())
    }

    /// Returns a path as patches show it.
    pub(crate) fn quoted<'p>(&self, path: &'p [u8]) -> Cow<'p, [u8]> {
        quoted_path(path, self.quotes_high())
    }

    /// Tells whether paths with bytes of 0x80 and above are quoted.
    pub(crate) fn quotes_high(&self) -> bool {
        self.source.repository().quotes_high
    }

    /// Returns the rule that finds the section headings of a change.
    pub(crate) fn sections(&mut self, change: &Change) -> Result<&'static Sections> {
        // The old file's driver has precedence over the new one's.
        self.sections_of([(change.old, change.old_path()), (change.new, &change.path)])
    }

    /// Returns the rule of the first file whose driver has one, else the default rule.
    pub(crate) fn sections_of<'p>(
        &mut self,
        files: impl IntoIterator<Item = (Option<Entry>, &'p [u8])>,
    ) -> Result<&'static Sections> {
        static DEFAULT: Sections = Sections::default_rule();
        for (entry, path) in files {
            if entry.is_some_and(|entry| entry.mode.is_regular())
                && let Some(driver) = self.attributes.of(path)?.driver
                && let Some(sections) = Sections::driver(&driver)
            {
                return Ok(sections);
            }
        }
        Ok(&DEFAULT)
    }

    /// Returns the size of one side from its header; `None` for a submodule.
    pub fn size(&self, entry: Option<Entry>) -> Result<Option<u64>> {
        match entry {
            Some(entry) if !entry.mode.is_submodule() => self.bytes_of(entry).map(Some),
            _ => Ok(None),
        }
    }

    fn bytes_of(&self, entry: Entry) -> Result<u64> {
        match entry.source {
            Source::WorkTree { size } => Ok(size),
            _ => self.objects.blob_size(&entry.oid),
        }
    }

    /// Returns the bytes of one side as git stores them, binary or not; requires a blob.
    pub(super) fn read(&mut self, entry: Entry, path: &[u8]) -> Result<Bytes> {
        let (Source::WorkTree { .. }, Some(index)) = (entry.source, self.source.index()) else {
            return self.objects.blob(&entry.oid);
        };
        let mut bytes = Vec::new();
        let work_tree = Self::work_tree(&mut self.work_tree, &self.source, index)?;
        work_tree.read(path, entry.oid, &mut bytes)?;
        let charge = self.source.repository().budget().charge_large(bytes.len() as u64)?;
        Ok(Bytes::held(Arc::new(bytes), charge))
    }

    fn work_tree<'w>(
        opened: &'w mut Option<WorkTree>,
        source: &ContentSource,
        index: &Arc<Index>,
    ) -> Result<&'w mut WorkTree> {
        Ok(match opened {
            Some(work_tree) => work_tree,
            none => none.insert(WorkTree::new(source, index)?),
        })
    }

    /// Returns the path on disk of a file of the work tree whose content there is what git would
    /// store, `size` bytes; `None` for a link, and for one that is converted.
    pub(super) fn unconverted(&mut self, path: &[u8], size: u64) -> Result<Option<PathBuf>> {
        let Some(index) = self.source.index() else { return Ok(None) };
        let work_tree = Self::work_tree(&mut self.work_tree, &self.source, index)?;
        work_tree.unconverted(path, size)
    }

    /// Returns the bytes of one side, binary or not: none for an absent one, and for a submodule
    /// the line with its commit.
    pub(crate) fn whole(&mut self, entry: Option<Entry>, path: &[u8]) -> Result<Bytes> {
        match entry {
            None => Ok(Bytes::default()),
            Some(entry) if entry.mode.is_submodule() => Ok(commit_line(entry, "")),
            Some(entry) => self.read(entry, path),
        }
    }

    /// Does the same; `None` if the side is too large for any diff, not only for the memory
    /// available now.
    pub(super) fn whole_if_any(
        &mut self,
        entry: Option<Entry>,
        path: &[u8],
    ) -> Result<Option<Bytes>> {
        match self.whole(entry, path) {
            Err(error)
                if error.kind() == ErrorKind::TooLarge
                    && Self::size(self, entry)? > Some(limits::OBJECT_BYTES) =>
            {
                Ok(None)
            }
            whole => whole.map(Some),
        }
    }

    fn side(
        &mut self,
        entry: Option<Entry>,
        path: &[u8],
        attribute: DiffAttribute,
    ) -> Result<Contents> {
        let Some(entry) = entry else { return Ok(Contents::Absent) };
        if entry.mode.is_submodule() {
            let dirty = if entry.dirt().is_some() { "-dirty" } else { "" };
            return Ok(Contents::Text(commit_line(entry, dirty)));
        }
        // git reads the attributes of regular files only: a link's target is never binary by name.
        let attribute =
            if entry.mode.is_regular() { attribute } else { DiffAttribute::Unspecified };
        match attribute {
            DiffAttribute::Set => self.read(entry, path).map(Contents::Text),
            DiffAttribute::Unset => Ok(Contents::Binary),
            DiffAttribute::Unspecified => {
                let bytes = self.whole_if_any(Some(entry), path)?;
                let is_text = |bytes: &Bytes| {
                    bytes.len() as u64 <= self.big_file_bytes() && !is_binary(bytes)
                };
                Ok(bytes.filter(is_text).map_or(Contents::Binary, Contents::Text))
            }
        }
    }
}

/// Returns the line that is the content of a submodule.
fn commit_line(submodule: Entry, mark: &str) -> Bytes {
    format!("Subproject commit {}{mark}\n", submodule.oid).into_bytes().into()
}

/// Renames are found on several threads; each reads under the budget of its reader.
impl Blobs for Reader {
    fn size(&mut self, file: &Version<'_>) -> Result<u64> {
        self.bytes_of(file.entry)
    }

    fn read(&mut self, file: &Version<'_>, bytes: &mut Vec<u8>) -> Result<bool> {
        let _current = Current::enter(self.objects.budget());
        bytes.clear();
        append(bytes, &self.read(file.entry, file.path)?)?;
        Ok(match self.attributes.of(file.path)?.diff {
            DiffAttribute::Set => true,
            DiffAttribute::Unset => false,
            DiffAttribute::Unspecified => !is_binary(bytes),
        })
    }
}
