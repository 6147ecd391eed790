//! The attributes of a path, from the places git asks.
//!
//! Files and macros are parsed and matched by gix-attributes; where they come from is ours: the
//! work tree's `.gitattributes` (read beneath its root, never through a link), the index's where
//! the comparison has one and the work tree lacks the file, and `info/attributes`. A bare
//! repository has only the last, as in git, and like `git diff` of two revisions those do not ask
//! the index. The user's and the system's files take no part.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Case;

use super::Comparison;
use super::index::Index;
use super::objects::Objects;
use crate::error::{Error, Result, quoted};
use crate::limits;
use crate::sandbox::Root;

const FILE: &[u8] = b".gitattributes";

/// Looks attributes up for one thread; fastest for paths in ascending order.
pub struct Attributes {
    /// The work tree, where there is one.
    root: Option<Root>,
    /// The index, where the comparison has one, and the reader of what it names.
    index: Option<(Arc<Index>, Objects)>,
    /// The attributes that are looked up.
    selected: &'static [&'static str],
    names: MetadataCollection,
    outcome: Outcome,
    /// The built-in macro, then one list per folder of `folder` from the root on that has a file.
    stack: Search,
    /// `info/attributes`, which goes before all others.
    info: Search,
    /// The folder the stack stands for: for each of its prefixes, whether it has a list.
    folder: Vec<u8>,
    has_list: Vec<bool>,
}

impl Attributes {
    /// Returns what looks up the attributes named by `selected`.
    pub(super) fn new(comparison: &Comparison, selected: &'static [&'static str]) -> Self {
        let repository = comparison.repository();
        let root = repository.location.work_tree.as_deref().and_then(|path| Root::open(path).ok());
        let mut names = MetadataCollection::default();
        let mut info = Search::default();
        let info_path = repository.location.common_dir.path().join("info/attributes");
        if std::fs::metadata(&info_path).is_ok_and(|found| found.len() <= limits::ATTRIBUTES_BYTES)
            && let Ok(bytes) = std::fs::read(&info_path)
        {
            add(&mut info, &mut names, &bytes, &[], true);
        }
        let mut stack = Search::default();
        add(&mut stack, &mut names, b"[attr]binary -diff -merge -text", &[], true);
        let mut attributes = Self {
            root,
            index: comparison.index().map(|index| (Arc::clone(index), repository.objects())),
            selected,
            names,
            outcome: Outcome::default(),
            stack,
            info,
            folder: Vec::new(),
            has_list: Vec::new(),
        };
        attributes.outcome.initialize_with_selection(&attributes.names, selected.iter().copied());
        attributes
    }

    /// Returns the states of the selected attributes for the file at `path`, in their order.
    pub fn of(&mut self, path: &[u8]) -> Result<impl Iterator<Item = StateRef<'_>>> {
        self.enter(path.rfind_byte(b'/').map_or(&[][..], |slash| &path[..slash]))?;
        self.outcome.reset();
        let path: &BStr = path.into();
        self.info.pattern_matching_relative_path(path, Case::Sensitive, Some(false), &mut self.outcome);
        if !self.outcome.is_done() {
            self.stack.pattern_matching_relative_path(path, Case::Sensitive, Some(false), &mut self.outcome);
        }
        Ok(self.outcome.iter_selected().map(|found| found.assignment.state))
    }

    /// Makes the stack hold the lists of `folder` and the folders above it.
    fn enter(&mut self, folder: &[u8]) -> Result<()> {
        let Some(root) = &self.root else { return Ok(()) };
        if self.folder == folder && !self.has_list.is_empty() {
            return Ok(());
        }
        // `has_list[0]` is the root's; `has_list[n]` that of the first n components.
        let kept = if self.has_list.is_empty() { 0 } else { 1 + common_components(&self.folder, folder) };
        for had_list in self.has_list.drain(kept..) {
            if had_list {
                self.stack.pop_pattern_list();
            }
        }
        let ends = std::iter::once(0)
            .chain(folder.iter().enumerate().filter_map(|(at, &byte)| (byte == b'/').then_some(at)))
            .chain((!folder.is_empty()).then_some(folder.len()));
        let mut changed = false;
        for (depth, end) in ends.enumerate().skip(kept) {
            let prefix = &folder[..end];
            let bytes = read(root, self.index.as_ref(), prefix)?;
            if let Some(bytes) = &bytes {
                // Macros count only at the root.
                add(&mut self.stack, &mut self.names, bytes, prefix, depth == 0);
                changed = true;
            }
            self.has_list.push(bytes.is_some());
        }
        if changed {
            self.outcome.initialize_with_selection(&self.names, self.selected.iter().copied());
        }
        self.folder.clear();
        self.folder.extend_from_slice(folder);
        Ok(())
    }
}

/// Reads the attribute file of a folder.
fn read(root: &Root, index: Option<&(Arc<Index>, Objects)>, folder: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut path = folder.to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(FILE);
    let unreadable = |path: &[u8]| {
        Error::tool_failed(format!("{} cannot be read", quoted(&path.to_str_lossy())))
            .with_hint("It decides which files are binary")
    };
    let found = root.read(&path, limits::ATTRIBUTES_BYTES).map_err(|error| unreadable(&path).with_source(error))?;
    if found.is_some() {
        return Ok(found);
    }
    let Some((index, objects)) = index else { return Ok(None) };
    let Some(entry) = index.content(&path) else { return Ok(None) };
    if !entry.mode.is_regular() || objects.blob_size(&entry.oid)? > limits::ATTRIBUTES_BYTES {
        return Ok(None);
    }
    Ok(Some(objects.blob(&entry.oid)?.to_vec()))
}

fn add(search: &mut Search, names: &mut MetadataCollection, bytes: &[u8], folder: &[u8], allow_macros: bool) {
    // The list's base is the folder of its source below a root; both are names only.
    let mut source = b"/".to_vec();
    source.extend_from_slice(folder);
    source.extend_from_slice(b"/.gitattributes");
    let source = PathBuf::from(OsString::from_vec(source));
    let added = search.add_patterns_buffer(bytes, source, Some(Path::new("/")), names, allow_macros);
    debug_assert!(added.is_ok(), "parsing from memory does no I/O");
}

/// Returns how many leading components two folders share.
fn common_components(a: &[u8], b: &[u8]) -> usize {
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    a.split(|&byte| byte == b'/').zip(b.split(|&byte| byte == b'/')).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_share_letters_share_no_component() {
        for (a, b, common) in
            [("", "", 0), ("", "a", 0), ("a", "a", 1), ("a/b", "a/b/c", 2), ("a/b", "a/bc", 1), ("ab", "a", 0)]
        {
            assert_eq!(common_components(a.as_bytes(), b.as_bytes()), common, "{a} {b}");
        }
    }
}
