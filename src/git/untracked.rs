//! The files of the work tree that are neither tracked nor ignored.
//!
//! After `gitignore`: the `.gitignore` files from the root down, then `info/exclude`; the user's
//! own list (`core.excludesFile`) takes no part. Patterns are parsed and matched by gix-ignore.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Case;
use gix::glob::search::pattern::List;
use gix::ignore::search::{Ignore, pattern_matching_relative_path};

use super::changes::Mode;
use super::index::Index;
use super::pathspec::PathFilter;
use super::repository::Repository;
use crate::budget::Budget;
use crate::error::{Error, Result, quoted};
use crate::limits;
use crate::sandbox::{FileKind, Folders};

/// The patterns of a folder and of those above it.
struct Patterns {
    above: Option<Rc<Patterns>>,
    list: List<Ignore>,
}

/// Returns the paths of the files that are named, in order; the path of a repository inside stands for all of it.
pub fn files(
    repository: &Repository,
    folders: &mut Folders,
    index: &Index,
    paths: &PathFilter,
    budget: &Budget,
) -> Result<Vec<Vec<u8>>> {
    let case = if repository.checkout.ignores_case { Case::Fold } else { Case::Sensitive };
    let exclude = repository.location.common_dir.path().join("info/exclude");
    let exclude = match std::fs::metadata(&exclude) {
        Ok(found) if found.is_file() && found.len() <= limits::IGNORE_BYTES => {
            std::fs::read(&exclude).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let exclude = Rc::new(Patterns { above: None, list: list(&exclude, b"")? });
    let mut found = Vec::new();
    let mut waiting = vec![(Vec::new(), exclude)];
    while let Some((folder, above)) = waiting.pop() {
        budget.check()?;
        let unreadable = || {
            Error::tool_failed(format!("the folder {} in the work tree cannot be read", quoted(&folder.to_str_lossy())))
                .with_hint("Look at its permissions")
        };
        let Some(names) = folders.names(&folder).map_err(|error| unreadable().with_source(error))? else { continue };
        let prefix = if folder.is_empty() { Vec::new() } else { [&folder[..], b"/"].concat() };
        let patterns = match ignore_file(folders, &[&prefix[..], b".gitignore"].concat())? {
            Some(bytes) => Rc::new(Patterns { above: Some(above), list: list(&bytes, &folder)? }),
            None => above,
        };
        for name in names {
            if name.eq_ignore_ascii_case(b".git") {
                continue;
            }
            let path = [&prefix[..], &name].concat();
            let Some(state) = folders.look(&path).map_err(|error| unreadable().with_source(error))? else { continue };
            let is_folder = state.kind == FileKind::Folder;
            // A folder that took the place of a tracked file is not tracked by it.
            let is_tracked = index.find(&path).iter().any(|known| !is_folder || known.entry.mode.is_submodule());
            if state.kind == FileKind::Special || is_tracked || is_ignored(&patterns, path.as_bstr(), is_folder, case) {
                continue;
            }
            let mut is_repository = || folders.look(&[&path[..], b"/.git"].concat()).is_ok_and(|found| found.is_some());
            if is_folder && !is_repository() {
                if paths.may_enter(&[&path[..], b"/"].concat()) {
                    waiting.push((path, Rc::clone(&patterns)));
                }
            } else if paths.matches_in_list(&path, if is_folder { Mode::submodule() } else { Mode::regular(false) }) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Tells whether the nearest list with a pattern for a path excludes it.
fn is_ignored(patterns: &Patterns, path: &BStr, is_folder: bool, case: Case) -> bool {
    let name = path.rfind_byte(b'/').map(|slash| slash + 1);
    let mut level = Some(patterns);
    while let Some(Patterns { above, list }) = level {
        if let Some(found) = pattern_matching_relative_path(list, path, name, Some(is_folder), case) {
            return !found.pattern.is_negative();
        }
        level = above.as_deref();
    }
    false
}

/// Reads a list of patterns; like git, not through a link.
fn ignore_file(folders: &mut Folders, path: &[u8]) -> Result<Option<Vec<u8>>> {
    let unreadable = || Error::tool_failed(format!("{} cannot be read", quoted(&path.to_str_lossy())));
    let Some((file, state)) = folders.open(path).map_err(|error| unreadable().with_source(error))? else {
        return Ok(None);
    };
    if state.size > limits::IGNORE_BYTES {
        return Err(Error::too_large(format!("{} has {} bytes", quoted(&path.to_str_lossy()), state.size)));
    }
    let mut bytes = Vec::new();
    file.take(limits::IGNORE_BYTES).read_to_end(&mut bytes).map_err(|error| unreadable().with_source(error))?;
    Ok(Some(bytes))
}

fn list(bytes: &[u8], folder: &[u8]) -> Result<List<Ignore>> {
    // The list's base is the folder of its source below a root; both are names only.
    let source = PathBuf::from(OsString::from_vec([b"/", folder, b"/.gitignore"].concat()));
    List::from_bytes(bytes, source, Some(Path::new("/")), Ignore::default())
        .map_err(|error| Error::tool_failed("a .gitignore cannot be parsed").with_source(error))
}
