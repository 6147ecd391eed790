//! The file `index`, read by redline's own bounded parser.
//!
//! Source: git's `gitformat-index`, versions 2 to 4, with split and sparse indexes. Of the
//! optional extensions only the trees of directories are read; the others (untracked files, file
//! system monitors, offsets) are skipped: they only repeat the entries.

use gix::hash::Kind;

use super::cached_tree::CachedTrees;
use super::parse::{Fault, Parsed, parse};
use super::split;
use super::staged::Staged;
use crate::store::GitDirectory;
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_sandbox::RegularFile;

/// The content of an index.
#[derive(Debug, Default)]
pub struct IndexFile {
    /// Sorted by path and stage.
    pub entries: Vec<Staged>,
    /// Whether directories are among them.
    pub has_directories: bool,
    /// The trees of directories without a change.
    pub trees: CachedTrees,
    /// Whether a shared index was read, too.
    pub is_split: bool,
    /// The version of the format.
    pub version: u32,
    /// The extension `REUC`.
    pub resolved: Vec<u8>,
}

const NAME: &[u8] = b"index";

/// Opens the index of a git directory, `None` if there is none.
pub fn open(git_dir: &GitDirectory) -> Result<Option<RegularFile>> {
    git_dir.open(NAME)
}

/// Reads the index of a git directory, on two threads where there may be as many.
///
/// # Errors
/// `tool_failed` for a damaged one, `too_large` beyond the limits.
pub fn read(
    git_dir: &GitDirectory,
    file: &RegularFile,
    hash: Kind,
    threads: usize,
) -> Result<IndexFile> {
    let bytes = git_dir.contents(file, NAME, limits::INDEX_BYTES)?;
    let failed = |fault| failure(git_dir, fault);
    let parsed = parse(&bytes, hash, threads).map_err(failed)?;
    let Some(link) = parsed.link.filter(|link| !link.base.is_null()) else {
        let Parsed { entries, has_directories, trees, version, resolved, .. } = parsed;
        let is_split = false;
        return Ok(IndexFile { entries, has_directories, trees, is_split, version, resolved });
    };
    let name = format!("sharedindex.{}", link.base);
    let shared = git_dir.read(name.as_bytes(), limits::INDEX_BYTES)?;
    let shared =
        shared.ok_or_else(|| failed(Fault::Damaged("names a shared index that is missing")))?;
    let shared = parse(&shared, hash, threads).map_err(failed)?;
    let has_directories = parsed.has_directories || shared.has_directories;
    let entries = split::join(shared, parsed.entries, &link).map_err(failed)?;
    let Parsed { trees, version, resolved, .. } = parsed;
    Ok(IndexFile { entries, has_directories, trees, is_split: true, version, resolved })
}

fn failure(git_dir: &GitDirectory, fault: Fault) -> Error {
    match fault {
        Fault::Damaged(what) => git_dir.gate().damaged(format!("its index {what}")),
        Fault::TooLarge(what) => git_dir.gate().too_large(format!("has an index {what}")),
    }
}

#[cfg(test)]
mod tests;
