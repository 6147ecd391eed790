//! The source of a comparison's contents and attributes, and its attribute files, each read once
//! for all threads.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gix::bstr::ByteSlice;

use super::NAMES;
use super::list::{AttributeList, Names};
use crate::index::Index;
use crate::objects::Objects;
use crate::repository::Repository;
use redline_base::budget::Budget;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_sandbox::Root;

const FILE: &[u8] = b".gitattributes";

/// A repository and, if a side of the comparison needs it, its index; cheap to clone and to share
/// between threads.
#[derive(Clone)]
pub struct ContentSource {
    repository: Repository,
    index: Option<Arc<Index>>,
    /// Read once for all clones, at the first lookup.
    attributes: Arc<OnceLock<Arc<AttributeFiles>>>,
}

impl ContentSource {
    /// Returns the source of a repository, with the index if a side needs it.
    pub fn new(repository: Repository, index: Option<Arc<Index>>) -> Self {
        Self { repository, index, attributes: Arc::default() }
    }

    /// Returns the source of a history: only trees and objects.
    pub fn of_objects(repository: &Repository) -> Self {
        Self::new(repository.clone(), None)
    }

    /// Sets the budget of reading.
    #[must_use]
    pub fn with_budget(self, budget: Arc<Budget>) -> Self {
        Self { repository: self.repository.with_budget(budget), ..self }
    }

    /// Returns the repository.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Returns the index, if a side needs it.
    pub(crate) fn index(&self) -> Option<&Arc<Index>> {
        self.index.as_ref()
    }

    /// Returns the attribute files.
    pub(super) fn attributes(&self) -> Result<Arc<AttributeFiles>> {
        if let Some(files) = self.attributes.get() {
            return Ok(Arc::clone(files));
        }
        let files = Arc::new(AttributeFiles::new(&self.repository, self.index())?);
        Ok(Arc::clone(self.attributes.get_or_init(|| files)))
    }
}

/// The attribute files that lookups have needed so far.
#[derive(Debug)]
pub struct AttributeFiles {
    /// The work tree, if there is one.
    root: Option<Root>,
    /// Whether ASCII letters in patterns match in either case: `core.ignoreCase`.
    fold_case: bool,
    /// The names that are kept: those that redline reads, and those of macros.
    pub(super) names: Names,
    /// `info/attributes`, which has precedence.
    pub(super) info: AttributeList,
    /// The file in the root of the work tree, which may also define macros.
    top: Option<Arc<AttributeList>>,
    built_in: AttributeList,
    others: Mutex<Others>,
}

/// The lists of directories below the root.
#[derive(Debug, Default)]
struct Others {
    lists: HashMap<Vec<u8>, Option<Arc<AttributeList>>>,
    /// The bytes of all files.
    bytes: usize,
}

impl AttributeFiles {
    /// Reads the files that define macros.
    pub fn new(repository: &Repository, index: Option<&Arc<Index>>) -> Result<Self> {
        let root = repository.work_tree_if_any()?;
        let info = repository
            .location
            .common_dir
            .read(b"info/attributes", limits::ATTRIBUTES_BYTES)?
            .unwrap_or_default();
        let top = match &root {
            Some(root) => read(root, index, &repository.objects(), b"")?,
            None => None,
        };
        let fold_case = repository.checkout.ignores_case;
        let mut names: Names =
            NAMES.iter().enumerate().map(|(at, name)| (name.as_bytes().to_vec(), at)).collect();
        let mut macros = vec![b"binary".to_vec()];
        for bytes in [Some(&info), top.as_ref()].into_iter().flatten() {
            macros.extend(AttributeList::macro_names(bytes)?);
        }
        for name in macros {
            let next = names.len();
            names.entry(name).or_insert(next);
        }
        let list = |bytes: &[u8]| AttributeList::new(bytes, &names, true, fold_case);
        let (info, top, built_in) = (
            list(&info)?,
            top.map(|top| list(&top).map(Arc::new)).transpose()?,
            list(b"[attr]binary -diff -merge -text")?,
        );
        Ok(Self { root, fold_case, names, info, top, built_in, others: Mutex::default() })
    }

    /// Tells whether directories have files of their own.
    pub(super) fn has_work_tree(&self) -> bool {
        self.root.is_some()
    }

    /// Returns the assignments of a macro.
    pub(super) fn definition(&self, name: usize) -> Option<(&AttributeList, Range<usize>)> {
        let lists = [Some(&self.info), self.top.as_deref(), Some(&self.built_in)];
        lists.into_iter().flatten().find_map(|list| Some((list, list.macros.get(&name)?.clone())))
    }

    /// Returns the list of a directory, whose path ends in a slash unless it is the root; `None` if
    /// it has no file.
    pub(super) fn list(
        &self,
        directory: &[u8],
        index: Option<&Arc<Index>>,
        objects: &Objects,
    ) -> Result<Option<Arc<AttributeList>>> {
        let Some(root) = &self.root else { return Ok(None) };
        if directory.is_empty() {
            return Ok(self.top.clone());
        }
        if let Some(known) = self.others().lists.get(directory) {
            return Ok(known.clone());
        }
        let bytes = read(root, index, objects, directory)?;
        // Macros count only at the root.
        let list = bytes
            .map(|bytes| {
                AttributeList::new(&bytes, &self.names, false, self.fold_case).map(Arc::new)
            })
            .transpose()?;
        let mut others = self.others();
        others.bytes += list.as_ref().map_or(0, |list| list.bytes);
        if others.bytes > limits::PATTERN_BYTES || others.lists.len() == limits::ATTRIBUTE_PATHS {
            *others = Others::default();
        }
        others.lists.insert(directory.to_vec(), list.clone());
        Ok(list)
    }

    fn others(&self) -> std::sync::MutexGuard<'_, Others> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the attribute file of a directory, whose path ends in a slash unless it is the root.
fn read(
    root: &Root,
    index: Option<&Arc<Index>>,
    objects: &Objects,
    directory: &[u8],
) -> Result<Option<Vec<u8>>> {
    let path = [directory, FILE].concat();
    let shown = || quoted(&path.to_str_lossy());
    let too_large = |size: u64| {
        Error::too_large(format!(
            "{} has {size} bytes, over the limit of {}",
            shown(),
            limits::ATTRIBUTES_BYTES
        ))
        .with_hint("It decides which files are binary; make it smaller")
    };
    let found = root.read_or_size(&path, limits::ATTRIBUTES_BYTES).map_err(|error| {
        Error::tool_failed(format!("{} cannot be read", shown()))
            .with_hint("It decides which files are binary")
            .with_source(error)
    })?;
    if let Some(read) = found {
        return read.map(Some).map_err(too_large);
    }
    let staged = index.and_then(|index| index.content(&path));
    let Some(entry) = staged.filter(|entry| entry.mode.is_regular()) else { return Ok(None) };
    let size = objects.blob_size(&entry.oid)?;
    if size > limits::ATTRIBUTES_BYTES {
        return Err(too_large(size));
    }
    Ok(Some(objects.blob(&entry.oid)?.to_vec()))
}
