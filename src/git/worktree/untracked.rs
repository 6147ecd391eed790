//! The files of the work tree that are neither tracked nor ignored.
//!
//! Follows `gitignore`: the `.gitignore` files from the root down, then `info/exclude`; the user's
//! own list (`core.excludesFile`) is not read. A `.gitignore` that is absent from a sparse checkout
//! is read from the index. A directory is opened once and listed, and no file is opened: the
//! listing has the kind of each name.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::attributes::ignore::Ignores;
use crate::index::Index;
use crate::model::changed_file::Mode;
use crate::pathspec::PathFilter;
use crate::repository::Repository;
use redline_base::budget::Pace;
use redline_base::error::{Error, ErrorKind, Result, quoted};
use redline_base::limits;
use redline_sandbox::{Directories, DirectoryEntry, EntryKind};

const IGNORE_FILE: &[u8] = b".gitignore";

/// Returns the paths of the selected files, sorted, each with its kind; a nested repository is one
/// path. Ignored ones go to `ignored` if that is given, and are skipped otherwise.
pub fn files(
    repository: &Repository,
    directories: &mut Directories,
    index: &Index,
    paths: &PathFilter,
    ignored: Option<&mut Vec<(Vec<u8>, EntryKind)>>,
) -> Result<Vec<(Vec<u8>, EntryKind)>> {
    let budget = repository.budget();
    let exclude = Arc::new(Ignores::of(repository, b"")?);
    let fold_case = exclude.folds_case();
    let folded = fold_case.then(|| Folded::new(index));
    let (mut found, mut passed) = (Vec::new(), Vec::new());
    let mut pace = Pace::new();
    // The third field: whether a directory is ignored, and so everything below it.
    let mut waiting = vec![(Vec::new(), exclude, false)];
    while let Some((directory, above, is_below)) = waiting.pop() {
        budget.check()?;
        let listed = directories.entries(&directory).map_err(|error| {
            Error::tool_failed(format!(
                "the directory {} in the work tree cannot be read",
                quoted(&directory.to_str_lossy())
            ))
            .with_hint("Check its permissions")
            .with_source(error)
        })?;
        let Some(entries) = listed else { continue };
        let prefix =
            if directory.is_empty() { Vec::new() } else { [&directory[..], b"/"].concat() };
        let tracked = index.below(&prefix);
        if !directory.is_empty() {
            let is_known = !tracked.is_empty() || folded.as_ref().is_some_and(|it| it.has(&prefix));
            let has_git = || entries.iter().any(|entry| entry.name == b".git");
            if !is_known && has_git() && is_repository(repository, &directory)? {
                // A nested repository; not where its files are tracked by this one. In place of a
                // tracked file it is a change of that.
                let is_other = index.find(&directory).is_empty();
                if is_other && paths.matches_in_list(&directory, Mode::submodule()) {
                    let list = if is_below { &mut passed } else { &mut found };
                    list.push((directory, EntryKind::Directory));
                }
                continue;
            }
            if !paths.may_enter(&prefix) {
                continue;
            }
        }
        let ignore_path = [&prefix[..], IGNORE_FILE].concat();
        let bytes = match entries.iter().find(|entry| entry.name == IGNORE_FILE) {
            Some(entry) if entry.kind == EntryKind::File => ignore_file(directories, &ignore_path)?,
            Some(entry) if entry.kind == EntryKind::Directory => None,
            // As in git, a path of a sparse checkout that is there is not absent from it.
            Some(entry) if entry.kind == EntryKind::Link && repository.checkout.is_sparse => None,
            _ => ignore_file_of_index(repository, index, &ignore_path)?,
        };
        let patterns = match bytes {
            Some(bytes) => Arc::new(Ignores::new(&bytes, &directory, Some(above), fold_case)?),
            None => above,
        };
        for DirectoryEntry { name, kind } in entries {
            pace.entry(budget)?;
            let is_directory = kind == EntryKind::Directory;
            if kind == EntryKind::Special || is_git(&name, fold_case) {
                continue;
            }
            // A directory that replaced a tracked file is not tracked.
            let start = tracked.partition_point(|known| known.path[prefix.len()..] < name[..]);
            let is_tracked = tracked[start..]
                .iter()
                .take_while(|known| known.path[prefix.len()..] == name[..])
                .any(|known| !is_directory || known.entry.mode.is_submodule());
            if is_tracked {
                continue;
            }
            let path = [&prefix[..], &name].concat();
            if folded.as_ref().is_some_and(|it| it.holds(&path, is_directory)) {
                continue;
            }
            if is_directory {
                let may_hold = paths.may_enter(&[&path[..], b"/"].concat())
                    || paths.matches_in_list(&path, Mode::submodule());
                if may_hold {
                    let is_below = is_below || patterns.is_ignored(&path, true)?;
                    if !is_below || ignored.is_some() {
                        waiting.push((path, Arc::clone(&patterns), is_below));
                    }
                }
            } else if paths.matches_in_list(&path, Mode::regular(false)) {
                if !is_below && !patterns.is_ignored(&path, false)? {
                    found.push((path, kind));
                } else if ignored.is_some() {
                    passed.push((path, kind));
                }
            }
        }
    }
    for list in [&mut found, &mut passed] {
        list.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    }
    if let Some(ignored) = ignored {
        *ignored = passed;
    }
    Ok(found)
}

/// Tells whether an untracked directory is a repository; one whose `.git` leads to where nothing may
/// be read is none, so that it hides nothing.
fn is_repository(repository: &Repository, directory: &[u8]) -> Result<bool> {
    match repository.is_repository(directory) {
        Err(error) if error.kind() == ErrorKind::FsDenied => Ok(false),
        found => found,
    }
}

/// Tells whether a name is that of a git directory.
fn is_git(name: &[u8], fold_case: bool) -> bool {
    if fold_case { name.eq_ignore_ascii_case(b".git") } else { name == b".git" }
}

/// The paths of the index without regard to case, as git looks them up where `core.ignoreCase` is
/// set: a file in another spelling is the tracked one.
struct Folded {
    /// Of files, and of submodules with a slash at the end.
    files: HashSet<Vec<u8>>,
    /// Of directories with tracked files, with a slash at the end.
    directories: HashSet<Vec<u8>>,
}

impl Folded {
    fn new(index: &Index) -> Self {
        let (mut files, mut directories) = (HashSet::new(), HashSet::new());
        for version in index.versions(0..index.count()) {
            let mut path = version.path.to_ascii_lowercase();
            let ends = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
            for (end, _) in ends {
                if !directories.insert(path[..=end].to_vec()) {
                    break;
                }
            }
            if version.entry.mode.is_submodule() {
                path.push(b'/');
            }
            files.insert(path);
        }
        Self { files, directories }
    }

    /// Tells whether the index has files in a directory, whose path ends in a slash.
    fn has(&self, directory: &[u8]) -> bool {
        self.directories.contains(&directory.to_ascii_lowercase())
    }

    /// Tells whether the index has a file at the path, or a submodule where it is a directory.
    fn holds(&self, path: &[u8], is_directory: bool) -> bool {
        let mut path = path.to_ascii_lowercase();
        if is_directory {
            path.push(b'/');
        }
        self.files.contains(&path)
    }
}

/// Reads a pattern file from the index that is absent from a sparse checkout.
fn ignore_file_of_index(
    repository: &Repository,
    index: &Index,
    path: &[u8],
) -> Result<Option<Vec<u8>>> {
    let [staged] = index.find(path) else { return Ok(None) };
    if staged.stage > 0 || !staged.flags.skip_worktree || staged.entry.mode.is_submodule() {
        return Ok(None);
    }
    let objects = repository.objects();
    check_size(path, objects.blob_size(&staged.entry.oid)?)?;
    Ok(Some(objects.blob(&staged.entry.oid)?.to_vec()))
}

fn check_size(path: &[u8], size: u64) -> Result<()> {
    if size > limits::IGNORE_BYTES {
        return Err(Error::too_large(format!("{} has {size} bytes", quoted(&path.to_str_lossy()))));
    }
    Ok(())
}

/// Reads a pattern file; like git, not through a link.
fn ignore_file(directories: &mut Directories, path: &[u8]) -> Result<Option<Vec<u8>>> {
    let unreadable = |error: io::Error| {
        Error::tool_failed(format!("{} cannot be read", quoted(&path.to_str_lossy())))
            .with_source(error)
    };
    let Some((file, state)) = directories.open(path).map_err(unreadable)? else { return Ok(None) };
    check_size(path, state.size)?;
    let mut bytes = Vec::new();
    file.take(limits::IGNORE_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(Some(bytes))
}
