//! `git status`: the index against HEAD, the work tree against the index, and untracked files.

use std::collections::BTreeMap;

use gix::bstr::ByteSlice;

use crate::change::comparison::Comparison;
use crate::change::differences::{changed_files, collect};
use crate::change::renames::RenameOptions;
use crate::model::changed_file::{Change, Dirt, Status};
use crate::pathspec::Pathspec;
use crate::repository::Repository;
use crate::revision::{Revision, side_of};
use crate::worktree::files::WorkTree;
use crate::worktree::submodule::Above;
use crate::worktree::untracked;
use redline_base::budget::{Charge, Weigh, reserve};
use redline_base::error::{Error, Result, quoted};
use redline_sandbox::EntryKind;

/// The options of the status.
#[derive(Debug, Clone)]
pub struct StatusOptions {
    /// The selected paths.
    pub paths: Vec<Pathspec>,
    /// The options of rename detection.
    pub renames: Option<RenameOptions>,
    /// Whether untracked files are listed.
    pub untracked: bool,
    /// Whether ignored files are listed.
    pub ignored: bool,
}

/// A file that `git status` lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileStatus {
    /// Its path; that of a nested, untracked repository ends in a slash.
    pub path: Vec<u8>,
    /// The old path of a renamed file.
    pub old_path: Option<Vec<u8>>,
    /// The similarity of both in percent.
    pub similarity: Option<u8>,
    /// The change in the index.
    pub index: Option<&'static str>,
    /// The change in the work tree.
    pub work_tree: Option<&'static str>,
    /// The kind of its conflict.
    pub conflict: Option<&'static str>,
    /// Whether it is a submodule.
    pub is_submodule: bool,
    /// What differs in a submodule of the work tree.
    pub submodule_change: Option<&'static str>,
}

impl Weigh for FileStatus {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.path.len() + self.old_path.as_ref().map_or(0, Vec::len)
    }
}

/// A third of the status, computed separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusPart {
    /// The index against HEAD.
    Index,
    /// The work tree against the index.
    WorkTree,
    /// The untracked files.
    Untracked,
}

/// The result of a part.
pub enum StatusFound {
    /// The changes of the index, and the stages of files in a conflict.
    Index(Vec<Change>, Vec<(Vec<u8>, u8)>),
    /// The changes of the work tree.
    WorkTree(Vec<Change>),
    /// The untracked files, and the ignored ones.
    Untracked(Vec<Vec<u8>>, Vec<Vec<u8>>),
}

/// Computes the status of a repository's work tree.
#[derive(Clone)]
pub struct StatusWalk {
    comparison: Comparison,
    head: Revision,
    options: StatusOptions,
}

impl StatusWalk {
    /// Reads HEAD and the index.
    ///
    /// # Errors
    /// `invalid_args` for a bare repository and for a path that leads out of the repository.
    pub fn new(repository: &Repository, options: StatusOptions) -> Result<Self> {
        let head = match repository.head()? {
            Some(head) => side_of(repository, &head.to_string())?,
            None => Revision::Empty,
        };
        let mut comparison = Comparison::new(repository.clone(), head, Revision::WorkTree)?
            .with_paths(&options.paths)?;
        if options.untracked {
            comparison.above = Above::counting_untracked();
        }
        Ok(Self { comparison, head, options })
    }

    /// Computes a part.
    pub fn find(&self, part: StatusPart) -> Result<StatusFound> {
        let cancel = self.comparison.repository().cancel();
        let changes = |old, new| {
            let comparison = self.comparison.between(old, new);
            let mut changes = changed_files(&comparison, self.options.renames)?;
            collect(&mut changes, &mut Charge::free(), &cancel)
        };
        match part {
            StatusPart::Index => {
                let found = changes(self.head, Revision::Index)?;
                Ok(StatusFound::Index(found, self.conflicts()))
            }
            StatusPart::WorkTree => {
                changes(Revision::Index, Revision::WorkTree).map(StatusFound::WorkTree)
            }
            StatusPart::Untracked => self.untracked(),
        }
    }

    /// Returns the files in a conflict, with their stages as bits: 1 the ancestor's, 2 ours, 4
    /// theirs.
    fn conflicts(&self) -> Vec<(Vec<u8>, u8)> {
        let mut found: Vec<(Vec<u8>, u8)> = Vec::new();
        let Some(index) = self.comparison.index() else { return found };
        for version in index.conflicts() {
            let bit = 1 << (version.stage - 1);
            match found.last_mut() {
                Some((path, bits)) if *path == version.path => *bits |= bit,
                _ if self.comparison.paths.matches_in_list(&version.path, version.entry.mode) => {
                    found.push((version.path.to_vec(), bit));
                }
                _ => {}
            }
        }
        found
    }

    fn untracked(&self) -> Result<StatusFound> {
        let (mut found, mut passed) = (Vec::new(), Vec::new());
        if (self.options.untracked || self.options.ignored)
            && let Some(index) = self.comparison.index()
        {
            let mut work_tree = WorkTree::new(self.comparison.source(), index)?;
            found = untracked::files(
                self.comparison.repository(),
                work_tree.directories(),
                index,
                &self.comparison.paths,
                self.options.ignored.then_some(&mut passed),
            )?;
        }
        if !self.options.untracked {
            found.clear();
        }
        let named = |files: Vec<(Vec<u8>, EntryKind)>| {
            let name = |(mut path, kind): (Vec<u8>, EntryKind)| {
                if kind == EntryKind::Directory {
                    path.push(b'/');
                }
                path
            };
            let mut names: Vec<Vec<u8>> = files.into_iter().map(name).collect();
            names.sort_unstable();
            names
        };
        Ok(StatusFound::Untracked(named(found), named(passed)))
    }
}

/// Joins the parts, in git's order: changed files, conflicts, untracked files, ignored ones.
///
/// # Errors
/// `stale` if the index has an impossible conflict.
pub fn join(parts: Vec<StatusFound>) -> Result<Vec<FileStatus>> {
    let mut changed: BTreeMap<Vec<u8>, FileStatus> = BTreeMap::new();
    let (mut conflicts, mut others) = (BTreeMap::new(), Vec::new());
    for part in parts {
        match part {
            StatusFound::Index(changes, stages) => {
                conflicts = stages.into_iter().collect();
                add(&mut changed, changes, |row, change| row.index = Some(change.status().name()));
            }
            StatusFound::WorkTree(changes) => {
                add(&mut changed, changes, |row, change| {
                    row.work_tree = Some(change.status().name());
                    row.submodule_change = submodule_change(change);
                });
            }
            StatusFound::Untracked(untracked, ignored) => {
                let row = |word| {
                    move |path| FileStatus { path, work_tree: Some(word), ..FileStatus::default() }
                };
                others.extend(untracked.into_iter().map(row("untracked")));
                others.extend(ignored.into_iter().map(row("ignored")));
            }
        }
    }
    let mut rows = Vec::new();
    reserve(&mut rows, changed.len() + conflicts.len() + others.len())?;
    rows.extend(
        changed.into_iter().filter(|(path, _)| !conflicts.contains_key(path)).map(|(_, row)| row),
    );
    for (path, stages) in conflicts {
        rows.push(conflict(path, stages)?);
    }
    rows.extend(others);
    Ok(rows)
}

/// Adds the changes of one part.
fn add(
    rows: &mut BTreeMap<Vec<u8>, FileStatus>,
    changes: Vec<Change>,
    set: fn(&mut FileStatus, &Change),
) {
    for change in changes {
        if change.status() == Status::Unmerged {
            continue;
        }
        let row = rows.entry(change.path.clone()).or_default();
        set(row, &change);
        let sides = [change.old, change.new].into_iter().flatten();
        row.is_submodule |= sides.into_iter().any(|entry| entry.mode.is_submodule());
        if let Some(origin) = change.origin
            && !origin.is_copy
        {
            row.old_path = Some(origin.path);
            row.similarity = Some(origin.similarity);
        }
        row.path = change.path;
    }
}

/// Returns what differs in a submodule of the work tree: the first that does, as in a letter of
/// `git status --short`.
fn submodule_change(change: &Change) -> Option<&'static str> {
    let new = change.new.filter(|new| new.mode.is_submodule())?;
    let is_same = change.old.is_some_and(|old| old.oid == new.oid);
    Some(match new.dirt().filter(|_| is_same) {
        None => "commits",
        Some(Dirt::Content) => "content",
        Some(Dirt::Untracked) => "untracked",
    })
}

/// Returns the row of a conflict: the changes of both sides to the file.
fn conflict(path: Vec<u8>, stages: u8) -> Result<FileStatus> {
    const UNMERGED: &str = Status::Unmerged.name();
    const ADDED: &str = Status::Added.name();
    const DELETED: &str = Status::Deleted.name();
    let (kind, index, work_tree) = match stages {
        1 => ("both_deleted", DELETED, DELETED),
        2 => ("added_by_us", ADDED, UNMERGED),
        3 => ("deleted_by_them", UNMERGED, DELETED),
        4 => ("added_by_them", UNMERGED, ADDED),
        5 => ("deleted_by_us", DELETED, UNMERGED),
        6 => ("both_added", ADDED, ADDED),
        7 => ("both_modified", UNMERGED, UNMERGED),
        _ => {
            return Err(Error::stale(format!(
                "the index has no version of {}, which is in a conflict",
                quoted(&path.to_str_lossy())
            ))
            .with_hint("Ask again"));
        }
    };
    Ok(FileStatus {
        path,
        index: Some(index),
        work_tree: Some(work_tree),
        conflict: Some(kind),
        ..FileStatus::default()
    })
}
