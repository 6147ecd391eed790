//! The contents of a file's sides as git diffs them.

use super::attributes::{Attributes, DiffAttribute};
use super::changes::{Change, Entry};
use super::objects::Objects;
use super::repository::Repository;
use crate::error::{ErrorKind, Result};
use crate::text::is_binary;
use crate::text::section::Sections;

/// One side's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents {
    /// The file is not on this side.
    Absent,
    /// Its bytes: a file's, a link's target, or the line that stands for a submodule's commit.
    Text(Vec<u8>),
    /// It is binary by its attributes, its size or its bytes; those are not kept.
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
    objects: Objects,
    attributes: Attributes,
    /// Blobs of more bytes are binary.
    big_file_bytes: u64,
}

impl Reader {
    /// Reads both sides of a change, the old first.
    pub fn contents(&mut self, change: &Change) -> Result<(Contents, Contents)> {
        let attribute = self.attributes.of(&change.path)?.diff;
        Ok((self.side(change.old, attribute)?, self.side(change.new, attribute)?))
    }

    /// Returns the rule that finds the section headings of a change.
    pub(super) fn sections(&mut self, change: &Change) -> Result<&'static Sections> {
        static DEFAULT: Sections = Sections::default_rule();
        let is_regular = change.old.or(change.new).is_some_and(|entry| entry.mode.is_regular());
        let driver = if is_regular { self.attributes.of(&change.path)?.driver } else { None };
        Ok(driver.and_then(|name| Sections::driver(&name)).unwrap_or(&DEFAULT))
    }

    /// Returns the bytes of one side from its header; none for a submodule, which is no blob.
    pub fn size(&self, entry: Option<Entry>) -> Result<Option<u64>> {
        match entry {
            Some(entry) if !entry.mode.is_submodule() => self.objects.blob_size(&entry.oid).map(Some),
            _ => Ok(None),
        }
    }

    fn side(&self, entry: Option<Entry>, attribute: DiffAttribute) -> Result<Contents> {
        let Some(entry) = entry else { return Ok(Contents::Absent) };
        if entry.mode.is_submodule() {
            return Ok(Contents::Text(format!("Subproject commit {}\n", entry.oid).into_bytes()));
        }
        // git asks the attributes of regular files only: a link's target is never binary by name.
        let attribute = if entry.mode.is_regular() { attribute } else { DiffAttribute::Unspecified };
        if attribute == DiffAttribute::Unset {
            return Ok(Contents::Binary);
        }
        let mut bytes = Vec::new();
        match self.objects.blob(&entry.oid, &mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::TooLarge && attribute != DiffAttribute::Set => {
                return Ok(Contents::Binary);
            }
            Err(error) => return Err(error),
        }
        let is_guessed = attribute != DiffAttribute::Set;
        if is_guessed && (bytes.len() as u64 > self.big_file_bytes || is_binary(&bytes)) {
            return Ok(Contents::Binary);
        }
        Ok(Contents::Text(bytes))
    }
}

impl Repository {
    /// Returns what reads contents on one thread.
    pub fn reader(&self) -> Reader {
        Reader { objects: self.objects(), attributes: self.attributes(), big_file_bytes: self.big_file_bytes() }
    }
}
