//! Comparisons with the index and the work tree: uncommitted changes.
//!
//! The rows are those of `git diff` (index and work tree), `git diff --cached <revision>` (tree and
//! index) and `git diff <revision>` (tree and work tree), or of the same with `-R`.
//!
//! Three lists are merged in the order of paths: the files of the tree, of the index and, on
//! request, the untracked ones. A file on disk is read only if the index remembers another state,
//! converted (`git::worktree::clean`) and named by its id; when a row needs its content, it is
//! read again and its id is compared. If only names and statuses are requested, untracked files
//! are not examined: the listing of their directory is enough.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::sync::Arc;
use std::vec;

use crate::Oid;
use crate::change::comparison::{Comparison, Untracked};
use crate::index::{Index, Staged};
use crate::model::changed_file::{Change, Entry, Mode, Source};
use crate::pathspec::PathFilter;
use crate::repository::Repository;
use crate::revision::Revision;
use crate::tree::walk::TreeChanges;
use crate::worktree::files::WorkTree;
use crate::worktree::look_ahead::LookAhead;
use crate::worktree::submodule::{FindDirt, Submodules};
use crate::worktree::untracked;
use redline_base::error::Result;
use redline_sandbox::EntryKind;

/// An iterator over the files that differ, sorted by path; after an error it ends.
pub struct Uncommitted {
    /// The files of the tree, if one is compared.
    tree: Option<Peekable<TreeChanges>>,
    index: Arc<Index>,
    /// The position of the next path in the index.
    next: usize,
    /// The position in the index before which its versions are the tree's.
    same_until: usize,
    untracked: Peekable<vec::IntoIter<(Vec<u8>, EntryKind)>>,
    paths: Arc<PathFilter>,
    sides: UncommittedSides,
    /// Checks the files of the work tree ahead, if all of them are compared.
    ahead: Option<LookAhead>,
    /// Rows that are ready and not returned yet.
    ready: VecDeque<Change>,
}

/// The compared sides of a path.
struct UncommittedSides {
    /// Whether the tree is compared, instead of the index.
    has_tree: bool,
    /// The work tree, if it is compared, instead of the index.
    work_tree: Option<OnDisk>,
    /// How untracked files are treated.
    untracked: Untracked,
    /// The repository, with the budget of the comparison.
    repository: Repository,
    /// Whether the committed side is the new one.
    is_reverse: bool,
}

/// The work tree of a comparison.
struct OnDisk {
    files: WorkTree,
    submodules: Submodules,
    /// Whether files count that are assumed to be unchanged, or outside of a sparse checkout.
    looks_everywhere: bool,
}

impl Uncommitted {
    /// Starts a comparison of different sides, at least one of which is the index or the work tree;
    /// `find_dirt` compares submodules.
    pub fn new(comparison: &Comparison, find_dirt: FindDirt) -> Result<Self> {
        let index = comparison.index().map(Arc::clone).unwrap_or_default();
        let [old, new] = comparison.sides();
        // Whether the old side is farther from being committed than the new one.
        let is_reverse = match old {
            Revision::Tree(_) | Revision::Empty => false,
            Revision::Index => new != Revision::WorkTree,
            Revision::WorkTree => true,
        };
        let (nearer, farther) = if is_reverse { (new, old) } else { (old, new) };
        let repository = comparison.repository();
        let paths = Arc::clone(&comparison.paths);
        let tree = match nearer.as_tree() {
            Some(tree) => {
                let files = TreeChanges::new(repository.objects(), None, tree, Arc::clone(&paths))?;
                let known = Arc::clone(&index);
                let is_known = move |path: &[u8], tree| known.is_known_as(path, tree);
                Some(files.with_known(Box::new(is_known)).peekable())
            }
            None => None,
        };
        let mut work_tree = match farther {
            Revision::WorkTree => Some(OnDisk {
                files: WorkTree::new(comparison.source(), &index)?,
                submodules: Submodules::new(comparison.above.clone(), find_dirt),
                looks_everywhere: comparison.looks_everywhere,
            }),
            _ => None,
        };
        let files = match &mut work_tree {
            Some(on_disk) if comparison.untracked != Untracked::Ignored => {
                untracked::files(repository, on_disk.files.directories(), &index, &paths, None)?
            }
            _ => Vec::new(),
        };
        let sides = UncommittedSides {
            has_tree: nearer.as_tree().is_some(),
            work_tree,
            untracked: comparison.untracked,
            repository: repository.clone(),
            is_reverse,
        };
        let ahead = if sides.work_tree.is_some() && paths.is_everything() {
            LookAhead::new(repository, &index)
        } else {
            None
        };
        Ok(Self {
            tree,
            index,
            next: 0,
            same_until: 0,
            untracked: files.into_iter().peekable(),
            paths,
            sides,
            ahead,
            ready: VecDeque::new(),
        })
    }

    /// Returns the rows of one path, given the tree's version.
    pub fn path(&mut self, path: &[u8], committed: Option<Entry>) -> Result<Vec<Change>> {
        let mut rows = VecDeque::new();
        self.sides.compare(path, committed, self.index.find(path), false, &mut rows)?;
        Ok(rows.into_iter().map(Change::shown).collect())
    }

    /// Compares the next path of any side; returns whether there was one.
    fn step(&mut self) -> Result<bool> {
        self.sides.repository.budget().check()?;
        if (self.tree.is_none() || self.next < self.same_until) && self.untracked.len() == 0 {
            return self.step_index();
        }
        let failed = self.tree.as_mut().and_then(|tree| tree.next_if(Result::is_err));
        failed.transpose()?;
        let tree = self.tree.as_mut().and_then(Peekable::peek);
        let tree = tree.and_then(|file| file.as_ref().ok());
        let versions = self.index.path_at(self.next);
        let staged = self.index.versions(versions.clone()).first();
        let paths = [
            tree.map(|file| file.path.as_slice()),
            staged.map(|version| &version.path[..]),
            self.untracked.peek().map(|(path, _)| path.as_slice()),
        ];
        let Some(path) = paths.into_iter().flatten().min().map(<[u8]>::to_vec) else {
            return Ok(false);
        };
        let is_here = |file: &Result<Change>| file.as_ref().is_ok_and(|file| file.path == path);
        let committed = self.tree.as_mut().and_then(|tree| tree.next_if(is_here));
        let committed = committed.transpose()?.and_then(|file| file.new);
        if committed.is_some_and(|known| known.mode.is_directory()) {
            self.same_until = self.next + self.index.below(&path).len();
            if self.sides.work_tree.is_none() {
                self.next = self.same_until;
            }
            return Ok(true);
        }
        let is_staged = staged.is_some_and(|version| version.path == path);
        if is_staged {
            self.next = versions.end;
        }
        let listed =
            self.untracked.next_if(|(untracked, _)| *untracked == path).map(|(_, kind)| kind);
        let is_same = is_staged && versions.start < self.same_until;
        let committed =
            if is_same { as_tree(self.index.versions(versions.clone())) } else { committed };
        if let Some(kind) = listed
            && !is_staged
            && committed.is_none()
            && let Some(entry) = self.sides.named(kind)
        {
            let (old, new) =
                if self.sides.is_reverse { (Some(entry), None) } else { (None, Some(entry)) };
            self.ready.push_back(Change::new(path, old, new));
            return Ok(true);
        }
        let is_unchanged = is_staged
            && self.ahead.as_mut().is_some_and(|it| it.is_unchanged(&self.index, versions.start));
        let versions = if is_staged { self.index.versions(versions) } else { &[] };
        // As in git, the index's version decides whether the path is a submodule.
        let known = versions.first().map(|version| version.entry).or(committed);
        if known.is_none_or(|known| self.paths.matches_in_list(&path, known.mode)) {
            self.sides.compare(&path, committed, versions, is_unchanged, &mut self.ready)?;
        }
        Ok(true)
    }

    /// Compares the next path of the index, if no other side has other paths up to it.
    fn step_index(&mut self) -> Result<bool> {
        let positions = self.index.path_at(self.next);
        self.next = positions.end;
        let start = positions.start;
        let versions = self.index.versions(positions);
        let Some(first) = versions.first() else { return Ok(false) };
        let is_unchanged =
            self.ahead.as_mut().is_some_and(|it| it.is_unchanged(&self.index, start));
        if !is_unchanged && self.paths.matches_in_list(&first.path, first.entry.mode) {
            let committed = self.sides.has_tree.then(|| as_tree(versions)).flatten();
            self.sides.compare(&first.path, committed, versions, false, &mut self.ready)?;
        }
        Ok(true)
    }
}

impl UncommittedSides {
    /// Returns an untracked file of which only the name is needed, as its directory lists it;
    /// `None` if it must be checked.
    fn named(&self, kind: EntryKind) -> Option<Entry> {
        let mode = match kind {
            EntryKind::File => Mode::regular(false),
            EntryKind::Link => Mode::link(),
            EntryKind::Directory | EntryKind::Special => return None,
        };
        let oid = Oid::null(self.repository.object_hash());
        let entry = Entry { mode, oid, source: Source::WorkTree { size: 0 } };
        (self.untracked == Untracked::Named).then_some(entry)
    }

    /// Adds the rows of a path: `committed` is the tree's file, `versions` are the index's;
    /// `is_unchanged` if its file on disk is known to be unchanged.
    fn compare(
        &mut self,
        path: &[u8],
        committed: Option<Entry>,
        versions: &[Staged],
        is_unchanged: bool,
        rows: &mut VecDeque<Change>,
    ) -> Result<()> {
        let is_conflict = versions.first().is_some_and(|version| version.stage > 0);
        // The only version, or ours in a conflict.
        let staged = versions.iter().find(|version| matches!(version.stage, 0 | 2));
        let (old, new) = match (&mut self.work_tree, self.has_tree) {
            (None, _) => {
                if is_conflict {
                    rows.push_back(Change::unmerged(path.to_vec(), committed));
                    return Ok(());
                }
                (committed, as_tree(versions))
            }
            (Some(on_disk), true) => {
                // git uses the first version of a conflict, whichever it is.
                let known = versions.first();
                let is_present = known.is_some() || self.untracked != Untracked::Ignored;
                let new = match known {
                    Some(known) if is_unchanged => Some(known.entry),
                    _ if is_present => on_disk.entry(path, known)?,
                    _ => None,
                };
                (committed, new)
            }
            (Some(on_disk), false) => {
                if is_conflict {
                    rows.push_back(Change::unmerged(path.to_vec(), None));
                }
                match staged {
                    None if is_conflict => return Ok(()),
                    None if self.untracked == Untracked::Ignored => (None, None),
                    None => (None, on_disk.entry(path, None)?),
                    Some(staged) => {
                        let found = on_disk.entry(path, Some(staged))?;
                        // A file that git is told to ignore counts as the index's version, with
                        // content or not.
                        let is_new = staged.flags.intent_to_add
                            && found.is_some_and(|found| found != staged.entry);
                        ((!is_new).then_some(staged.entry), found)
                    }
                }
            }
        };
        // git compares a submodule only with the index, not with the tree.
        let is_stale = self.has_tree
            && self.work_tree.is_some()
            && new.is_some_and(|new| {
                new.mode.is_submodule()
                    && staged.is_some_and(|staged| {
                        staged.entry.mode == new.mode && staged.entry.oid != new.oid
                    })
            });
        let new = match new {
            // Reversed, the submodule is deleted, and git does not mark a deleted one as dirty.
            Some(new) if self.is_reverse && old.is_none() && new.dirt().is_some() => {
                Some(Entry { source: Source::Object, ..new })
            }
            new => new,
        };
        let is_same = match (&old, &new) {
            (Some(old), Some(new)) => {
                old.mode == new.mode && old.oid == new.oid && new.dirt().is_none() && !is_stale
            }
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            let (old, new) = if self.is_reverse { (new, old) } else { (old, new) };
            rows.push_back(Change::new(path.to_vec(), old, new));
        }
        Ok(())
    }
}

/// Returns the version of a path in a tree with the files of the index; in git a path without
/// content is not in the index yet.
fn as_tree(versions: &[Staged]) -> Option<Entry> {
    versions.first().filter(|staged| !staged.flags.intent_to_add).map(|staged| staged.entry)
}

impl OnDisk {
    /// Returns the work tree's version of a path; if git is told to ignore it, the index's version,
    /// unless all files count and the file exists.
    fn entry(&mut self, path: &[u8], known: Option<&Staged>) -> Result<Option<Entry>> {
        let Some(alone) = known.filter(|known| known.stage == 0) else {
            return self.files.entry(path, known, &self.submodules);
        };
        let is_left_alone = self.files.is_left_alone(alone)?;
        let found = if is_left_alone && !self.looks_everywhere {
            None
        } else {
            self.files.entry(path, known, &self.submodules)?
        };
        Ok(found.or(is_left_alone.then_some(alone.entry)))
    }
}

impl Iterator for Uncommitted {
    type Item = Result<Change>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(change) = self.ready.pop_front() {
                return Some(Ok(change));
            }
            match self.step() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.tree = None;
                    self.next = usize::MAX;
                    self.untracked = Vec::new().into_iter().peekable();
                    return Some(Err(error));
                }
            }
        }
    }
}
