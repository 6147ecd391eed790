//! Lists of the files of an index and of a commit, and lists with edits made.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::Oid;
use crate::index::Staged;
use crate::model::changed_file::Entry;
use crate::repository::Repository;
use crate::tree::walk::TreeChanges;
use redline_base::budget::{Copied, Gather, Grow, GrowMap, Ordered};
use redline_base::error::Result;
use redline_base::limits;

/// The files of a commit, by their paths.
pub type Files = BTreeMap<Vec<u8>, Entry>;

/// What becomes of paths: a version, or `None` where it goes.
pub type Edits<T> = BTreeMap<Vec<u8>, Option<T>>;

/// Returns the files of an index that a commit of it has.
pub(super) fn versions(entries: &[Staged]) -> Files {
    let real = entries.iter().filter(|entry| entry.stage == 0 && !entry.flags.intent_to_add);
    real.map(|entry| (entry.path.copied_vec(), Entry::object(entry.entry.mode, entry.entry.oid)))
        .gather()
}

/// Returns the files of a tree.
pub(super) fn files_of(repository: &Repository, tree: Option<Oid>) -> Result<Files> {
    let mut files = Files::new();
    let Some(tree) = tree else { return Ok(files) };
    for change in TreeChanges::new(repository.objects(), None, Some(tree), Arc::default())? {
        let change = change?;
        if let Some(entry) = change.new {
            if files.len() == limits::INDEX_ENTRIES {
                let gate = repository.location.git_dir.gate();
                return Err(gate.too_large("has a commit with more files than redline reads"));
            }
            files.put(change.path, entry);
        }
    }
    Ok(files)
}

/// Tells whether a path is in the way of others: a file where they have a directory, or a file in
/// a directory where they have a file.
pub(super) struct Ways<'a> {
    files: HashSet<&'a [u8]>,
    directories: HashSet<&'a [u8]>,
}

impl<'a> Ways<'a> {
    pub(super) fn new(added: impl Iterator<Item = &'a [u8]>) -> Self {
        let files: HashSet<&[u8]> = added.gather();
        let above = |path: &&'a [u8]| {
            let path: &'a [u8] = path;
            memchr::memchr_iter(b'/', path).map(move |at| &path[..at])
        };
        let directories = files.iter().flat_map(above).gather();
        Self { files, directories }
    }

    pub(super) fn is_free(&self, path: &[u8]) -> bool {
        !self.directories.contains(path)
            && !memchr::memchr_iter(b'/', path).any(|at| self.files.contains(&path[..at]))
    }
}

/// Returns entries of an index with the edits made, sorted.
pub(super) fn edited(entries: &[Staged], edits: &Edits<Staged>) -> Vec<Staged> {
    let added = edits.iter().filter(|(_, new)| new.is_some()).map(|(path, _)| path.as_slice());
    let ways = Ways::new(added);
    let kept = entries
        .iter()
        .filter(|entry| !edits.contains_key(&entry.path[..]) && ways.is_free(&entry.path));
    let mut all: Vec<Staged> = kept.chain(edits.values().flatten()).cloned().gather();
    all.order_by(|a, b| (&a.path, a.stage).cmp(&(&b.path, b.stage)));
    all
}

/// Returns the files of a commit with the edits made.
pub(super) fn merged(files: &Files, edits: &Edits<Entry>) -> Files {
    let added = edits.iter().filter(|(_, new)| new.is_some()).map(|(path, _)| path.as_slice());
    let ways = Ways::new(added);
    let kept = files.iter().filter(|(path, _)| !edits.contains_key(*path) && ways.is_free(path));
    let mut all: Files = kept.map(|(path, entry)| (path.clone(), *entry)).gather();
    let added = edits.iter().filter_map(|(path, new)| Some((path.clone(), (*new)?)));
    all.add_all(added.map(|(path, entry)| (path, Entry::object(entry.mode, entry.oid))));
    all
}
