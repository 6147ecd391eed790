//! Files of a repository as paths that DuckDB's readers open: a copy of each content, by its id.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::machinery::rows::Query;
use crate::machinery::run::Context;
use crate::params::range::CommitRange;
use crate::questions::file_content::{OpenSide, OpenSides};
use crate::questions::file_history::FileHistoryQuery;
use redline_base::budget::{Gather, Grow, GrowSet, TryGather};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_git::{Bytes, Entry, LfsObject, LfsPointer, Pathspec, ReadLimit};
use redline_rows::Needs;
use redline_sandbox::{Copies, CopyAs, CopyRules, Sink, copy_name, is_read_as_written};

/// The side of a repository without files, with which versions by their ids are read.
const NO_SIDE: &str = "EMPTY";

/// The files of repositories for readers, for one thread.
#[derive(Default)]
pub struct FileCopies(OpenSides);

/// What a call for paths may use.
#[derive(Clone, Copy)]
pub struct Copying<'a> {
    /// What may be opened.
    pub context: &'a Context,
    /// The copies of the database.
    pub copies: &'a Copies,
    /// Where they may lie.
    pub rules: CopyRules<'a>,
    /// Whether pointers of Git LFS stand for what they point to.
    pub lfs: bool,
}

/// A file that was found.
enum Found {
    /// In the work tree, as git would store it.
    OnDisk(String),
    /// Anywhere else.
    Stored(Stored),
}

/// A content to copy.
struct Stored {
    path: Vec<u8>,
    entry: Entry,
    pointer: Option<LfsPointer>,
    key: String,
    name: String,
    size: u64,
}

/// A content, read or opened.
enum Content {
    Bytes(Bytes),
    Lfs(LfsObject),
}

impl FileCopies {
    /// Returns the path of a file; `None` if the side lacks it.
    ///
    /// # Errors
    /// Those of [`OpenSides::content`] and of [`Copies::add`].
    pub fn one(
        &mut self,
        file: &str,
        side: [String; 2],
        copying: Copying<'_>,
    ) -> Result<Option<String>> {
        let found = self.0.with(copying.context, side.clone(), |side| {
            let Some((path, entry)) = side.find(file)? else { return Ok(None) };
            located(side, path, entry, copying).map(Some)
        })?;
        let Some(found) = found else { return Ok(None) };
        Ok(self.paths(side, vec![found], copying)?.pop())
    }

    /// Returns the paths of the regular files that a pathspec selects, in git's order.
    ///
    /// # Errors
    /// As [`Self::one`].
    pub fn all(
        &mut self,
        pathspec: &str,
        side: [String; 2],
        copying: Copying<'_>,
    ) -> Result<Vec<String>> {
        let spec = [Pathspec::parse(pathspec)?];
        let found = self.0.with(copying.context, side.clone(), |side| {
            let files = side.files.files(&spec)?;
            files.into_iter().map(|(path, entry)| located(side, path, entry, copying)).try_gather()
        })?;
        self.paths(side, found, copying)
    }

    /// Returns the paths of the distinct contents that a file had in a range, the newest first.
    ///
    /// # Errors
    /// As [`Self::one`], and those of [`FileHistoryQuery`].
    pub fn versions(
        &mut self,
        file: String,
        range: CommitRange,
        copying: Copying<'_>,
    ) -> Result<Vec<String>> {
        let side = [range.repo.clone(), NO_SIDE.to_owned()];
        let history = FileHistoryQuery { file, range };
        let (mut seen, mut versions) = (HashSet::new(), Vec::new());
        let mut is_over = false;
        history.start(copying.context, Needs::NONE)?.each(|(_, measured)| {
            let entry = measured.change.new.filter(|entry| entry.mode.is_regular());
            let Some(entry) = entry else { return };
            is_over |= versions.len() == limits::COPIES;
            if !is_over && seen.put(entry.oid) {
                versions.add((measured.change.path, entry));
            }
        })?;
        if is_over {
            return Err(Error::too_large(format!(
                "the file has over {} versions there",
                limits::COPIES
            ))
            .with_hint("Ask for a shorter range"));
        }
        let found = self.0.with(copying.context, side.clone(), |side| {
            versions
                .into_iter()
                .map(|(path, entry)| located(side, path, entry, copying))
                .try_gather()
        })?;
        self.paths(side, found, copying)
    }

    /// Returns the paths of some files of a side, and copies what is not there yet.
    fn paths(
        &mut self,
        side: [String; 2],
        found: Vec<Found>,
        copying: Copying<'_>,
    ) -> Result<Vec<String>> {
        let Copying { copies, rules, .. } = copying;
        let stored = || {
            found.iter().filter_map(|found| match found {
                Found::Stored(stored) => Some(stored),
                Found::OnDisk(_) => None,
            })
        };
        let sizes: HashMap<&str, u64> =
            stored().map(|stored| (stored.key.as_str(), stored.size)).gather();
        let total = sizes.values().fold(0, |sum: u64, size| sum.saturating_add(*size));
        if total > rules.bytes {
            return Err(too_large(found.len(), total, rules));
        }
        let held: HashSet<String> = sizes.into_keys().map(|key| key.to_owned()).gather();
        let mut missing: Vec<&Stored> = Vec::new();
        for stored in stored() {
            let is_listed = |other: &&Stored| other.key == stored.key;
            if copies.find(stored.copy())?.is_none() && !missing.last().is_some_and(is_listed) {
                missing.add(stored);
            }
        }
        let mut left = missing.as_slice();
        while !left.is_empty() {
            let (batch, rest) = left.split_at(batch(left));
            let contents = self.0.with(copying.context, side.clone(), |side| {
                batch.iter().map(|stored| stored.content(side)).try_gather::<Vec<_>>()
            })?;
            for (stored, content) in batch.iter().zip(contents) {
                copies.add(rules, stored.copy(), &held, |sink| content.write(sink))?;
            }
            left = rest;
        }
        let path = |found: &Found| match found {
            Found::OnDisk(path) => Ok(path.clone()),
            Found::Stored(stored) => {
                let path = copies.find(stored.copy())?.ok_or_else(removed)?;
                text(&path).ok_or_else(removed)
            }
        };
        found.iter().map(path).try_gather()
    }
}

impl Stored {
    fn copy(&self) -> CopyAs<'_> {
        CopyAs { key: &self.key, name: &self.name, size: self.size }
    }

    fn content(&self, side: &mut OpenSide) -> Result<Content> {
        Ok(match &self.pointer {
            Some(pointer) => Content::Lfs(side.files.lfs_object(pointer.clone())?),
            None => Content::Bytes(side.files.read(&self.path, self.entry, ReadLimit::OBJECT)?),
        })
    }
}

impl Content {
    fn write(&self, sink: &mut Sink<'_>) -> Result<()> {
        match self {
            Self::Bytes(bytes) => sink.write(bytes),
            Self::Lfs(object) => object.read(|piece| sink.write(piece)),
        }
    }
}

/// Finds out what the path of a file will be.
fn located(
    side: &mut OpenSide,
    path: Vec<u8>,
    entry: Entry,
    copying: Copying<'_>,
) -> Result<Found> {
    let files = &mut side.files;
    let pointer = if copying.lfs { files.lfs_pointer(&path, entry)? } else { None };
    // Where access is limited, a link in the place of the file would lead DuckDB out.
    if pointer.is_none()
        && copying.context.access.is_unlimited()
        && let Some(path) = files.own_path(&path, entry)?
        && let Some(path) = text(&path).filter(|path| is_read_as_written(path))
    {
        return Ok(Found::OnDisk(path));
    }
    let (key, size) = match &pointer {
        Some(pointer) => (pointer.oid.clone(), pointer.size),
        None => (entry.oid.to_string(), files.size(entry)?),
    };
    let name = copy_name(&path);
    Ok(Found::Stored(Stored { path, entry, pointer, key, name, size }))
}

/// Returns how many contents are read together.
fn batch(left: &[&Stored]) -> usize {
    let mut bytes = 0_u64;
    let fits = |stored: &&&Stored| {
        bytes = bytes.saturating_add(stored.size);
        bytes <= limits::COPIED_AT_ONCE
    };
    left.iter().take(limits::COPIED_FILES_AT_ONCE).take_while(fits).count().max(1)
}

fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

fn too_large(files: usize, total: u64, rules: CopyRules<'_>) -> Error {
    let files =
        if files == 1 { "the file has".to_owned() } else { format!("the {files} files have") };
    Error::too_large(format!("{files} {total} bytes, and {} is {}", rules.name, rules.bytes))
        .with_hint("Ask for fewer or smaller files, or ask the host to raise the limit")
}

fn removed() -> Error {
    Error::stale("a copy was removed while others were made").with_hint("Ask again")
}
