//! The versions of files that a selection names, for the index and for the commit.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use super::files::{Edits, Files};
use super::object::NewObject;
use super::{Action, Selection, listed, unselected};
use crate::Oid;
use crate::attributes::{Attributes, ContentSource, State};
use crate::change::comparison::{Comparison, Untracked};
use crate::change::differences::{find_dirt, walk};
use crate::change::suggest::nearest_paths;
use crate::index::{Flags, Index, Staged, Stat, is_path};
use crate::model::changed_file::{Entry, Mode};
use crate::objects::Objects;
use crate::pathspec::{PathFilter, Pathspec};
use crate::repository::Repository;
use crate::revision::Revision;
use crate::worktree::files::WorkTree;
use crate::worktree::sparse::SparseCheckout;
use crate::worktree::submodule::{Above, Submodules};
use redline_base::budget::{Copied, Gather, Grow, GrowMap, GrowSet, TryGather};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_sandbox::FileState;
use redline_text::patch::{self, FilePatch, PatchStatus};
use redline_text::{CancelToken, is_binary};

/// What a selection changes.
#[derive(Default)]
pub struct Selected {
    /// The versions of the index.
    pub index: Edits<Staged>,
    /// The versions of the commit.
    pub commit: Edits<Entry>,
    /// The new contents.
    pub objects: Vec<NewObject>,
}

/// Reads a selection.
pub struct Selector<'a> {
    pub(super) repository: &'a Repository,
    index: &'a Arc<Index>,
    pub(super) head: &'a Files,
    action: &'a Action,
    pub(super) objects: Objects,
    source: ContentSource,
    sparse: SparseCheckout,
    filters: Attributes<1>,
    pub(super) found: Selected,
    bytes: usize,
}

impl<'a> Selector<'a> {
    /// Creates a reader for a repository, its index and the files of its HEAD.
    ///
    /// # Errors
    /// Those of reading the patterns of a sparse checkout.
    pub fn new(
        repository: &'a Repository,
        index: &'a Arc<Index>,
        head: &'a Files,
        action: &'a Action,
    ) -> Result<Self> {
        let source = ContentSource::new(repository.clone(), Some(Arc::clone(index)));
        let filters = Attributes::new(&source, ["filter"]);
        let objects = repository.objects();
        let sparse = SparseCheckout::of(repository)?;
        let (found, bytes) = (Selected::default(), 0);
        Ok(Self { repository, index, head, action, objects, source, sparse, filters, found, bytes })
    }

    /// Returns what a selection changes.
    ///
    /// # Errors
    /// `not_found` for a path that names nothing, `stale` for a hunk that does not fit,
    /// `permission_denied` for a file that git would filter.
    pub fn select(mut self, selection: &Selection) -> Result<Selected> {
        let unstages = matches!(self.action, Action::Unstage);
        if !unstages && !selection.paths.is_empty() {
            self.select_paths(&selection.paths)?;
        }
        if !selection.patch.is_empty() {
            self.select_hunks(&selection.patch)?;
        }
        if unstages && (selection.staged || !selection.paths.is_empty()) {
            self.unstage(selection)?;
        }
        if let Some(commit) = &selection.reversed {
            self.reverse(commit)?;
        }
        Ok(self.found)
    }

    fn select_paths(&mut self, specs: &[Pathspec]) -> Result<()> {
        let filter = self.repository.path_filter(specs)?;
        let comparison =
            Comparison::new(self.repository.clone(), Revision::Index, Revision::WorkTree)?;
        let comparison = comparison.with_untracked(Untracked::Named).with_paths(specs)?;
        let mut paths = BTreeSet::new();
        for change in walk(&comparison)? {
            paths.put(change?.path);
        }
        // A conflict is resolved by what is on disk.
        let conflicts = self.index.conflicts().map(|staged| staged.path.copied_vec());
        let named = |path: &[u8]| filter.matches_in_list(path, Mode::regular(false));
        paths.add_all(conflicts.filter(|path| named(path)));
        let mut files = WorkTree::new(&self.source, self.index)?;
        let commits = matches!(self.action, Action::Commit(_));
        if commits {
            // `git commit -- path` looks at what is assumed to be unchanged, and `git add` does not.
            for staged in self.index.entries() {
                let is_assumed = staged.stage == 0 && staged.flags.assume_valid;
                if is_assumed && named(&staged.path) && !is_skipped(staged, &mut files)? {
                    paths.put(staged.path.copied_vec());
                }
            }
        }
        self.check_specs(specs, &paths, &mut files)?;
        let submodules = Submodules::new(Above::default(), find_dirt);
        for path in paths {
            // The same holds outside of a sparse checkout.
            if !commits && !self.sparse.has(&path)? {
                continue;
            }
            self.repository.budget().check()?;
            let staged = self.version_on_disk(&mut files, &submodules, &path)?;
            let is_same = |known: &Staged| {
                let new = staged.as_ref().map(|new| (new.stat, new.entry));
                known.flags.assume_valid && new == Some((known.stat, known.entry))
            };
            if self.index.find(&path).first().is_some_and(is_same) {
                continue;
            }
            self.found.commit.put(path.clone(), staged.as_ref().map(|staged| staged.entry));
            self.found.index.put(path, staged);
        }
        // What was staged before and is as it is on disk.
        let selected = |path: &[u8], entry: &Entry| filter.matches_in_list(path, entry.mode);
        for staged in self.index.entries() {
            let (path, entry) = (&staged.path[..], staged.entry);
            let is_version = staged.stage == 0 && !staged.flags.intent_to_add;
            let is_other = selected(path, &entry) && self.head.get(path) != Some(&entry);
            if is_version && is_other && !is_skipped(staged, &mut files)? {
                self.found.commit.slot(path.copied_vec()).or_insert(Some(entry));
            }
        }
        for (path, entry) in self.head {
            if selected(path, entry) && self.index.find(path).is_empty() {
                self.found.commit.slot(path.clone()).or_insert(None);
            }
        }
        Ok(())
    }

    /// Gives what is named the versions of HEAD, as `git reset` does: one that a sparse checkout
    /// leaves out stays so.
    fn unstage(&mut self, selection: &Selection) -> Result<()> {
        let filter = self.repository.path_filter(&selection.paths)?;
        let mut is_any = false;
        let selected =
            |path: &[u8], mode: Mode| selection.staged || filter.matches_in_list(path, mode);
        for staged in self.index.entries().iter().filter(|one| selected(&one.path, one.entry.mode))
        {
            is_any = true;
            let old = self.head.get(&staged.path[..]);
            let is_same = staged.stage == 0
                && !staged.flags.intent_to_add
                && old.is_some_and(|old| {
                    (old.mode, old.oid) == (staged.entry.mode, staged.entry.oid)
                });
            if !is_same {
                self.found.index.put(
                    staged.path.copied_vec(),
                    old.map(|old| reset(&staged.path, *old, staged.flags.skip_worktree)),
                );
            }
        }
        for (path, entry) in self.head.iter().filter(|(path, entry)| selected(path, entry.mode)) {
            is_any = true;
            if self.index.find(path).is_empty() {
                self.found
                    .index
                    .put(path.clone(), Some(reset(path, *entry, !self.sparse.has(path)?)));
            }
        }
        if is_any { Ok(()) } else { Err(unselected("what", &[])) }
    }

    /// Refuses pathspecs that name nothing, or, as `git add` does, only tracked files that a sparse
    /// checkout leaves out; and new files outside of it.
    fn check_specs(
        &self,
        specs: &[Pathspec],
        changed: &BTreeSet<Vec<u8>>,
        files: &mut WorkTree,
    ) -> Result<()> {
        let refused = |what: String| {
            Error::invalid_args(what)
                .with_hint("Name other paths; what is checked out is changed with git")
        };
        let new: Vec<&[u8]> = changed
            .iter()
            .map(Vec::as_slice)
            .filter(|path| self.index.find(path).is_empty())
            .gather();
        let outside = new.iter().copied().filter_map(|path| match self.sparse.has(path) {
            Ok(true) => None,
            Ok(false) => Some(Ok(path)),
            Err(error) => Some(Err(error)),
        });
        let outside = outside.try_gather::<Vec<_>>()?;
        if !outside.is_empty() {
            return Err(refused(listed("new file", "outside of the sparse checkout", &outside)));
        }
        for spec in specs.iter().filter(|spec| !spec.is_excluding()) {
            let filter: PathFilter = self.repository.path_filter(std::slice::from_ref(spec))?;
            let file = |path: &[u8]| filter.matches_in_list(path, Mode::regular(false));
            let is_changed = changed.iter().any(|path| file(path));
            if !is_changed
                && !self.index.paths().any(file)
                && !self.head.keys().any(|path| file(path))
            {
                let all =
                    Comparison::new(self.repository.clone(), Revision::Empty, Revision::WorkTree)?;
                let all = all.with_untracked(Untracked::Named);
                let near = nearest_paths(&all, spec.text())?;
                return Err(unselected(&format!("the path {}", quoted(spec.text())), &near));
            }
            let (mut leaves_any, mut takes_any) = (false, new.iter().any(|path| file(path)));
            let mut named = self.index.entries().iter().filter(|staged| file(&staged.path));
            while !takes_any && let Some(staged) = named.next() {
                takes_any = !is_skipped(staged, files)? && self.sparse.has(&staged.path)?;
                leaves_any |= !takes_any;
            }
            if leaves_any && !takes_any {
                return Err(refused(format!(
                    "the path {} names only files that are marked as skip-worktree or outside of the sparse checkout",
                    quoted(spec.text())
                )));
            }
        }
        Ok(())
    }

    /// Returns the version of a file on disk, as `git add` stages it.
    fn version_on_disk(
        &mut self,
        files: &mut WorkTree,
        submodules: &Submodules,
        path: &[u8],
    ) -> Result<Option<Staged>> {
        let shown = || quoted(&path.to_str_lossy());
        if path.ends_with(b"/") {
            return Err(Error::invalid_args(format!("{} is a repository of its own", shown()))
                .with_hint("Add it as a submodule with git, or name other paths"));
        }
        // The state before the content: a file that changes in between is read again.
        let state = files.state(path)?;
        let known = self.index.find(path).iter().find(|staged| staged.stage == 0).cloned();
        let Some(entry) = files.entry(path, known.as_ref(), submodules)? else { return Ok(None) };
        let entry = Entry::object(entry.mode, entry.oid);
        if entry.mode.is_regular() {
            self.check_filter(path)?;
        }
        // What neither names may be in a pack that git is about to delete.
        let is_staged = |known: Staged| !known.flags.intent_to_add && known.entry.oid == entry.oid;
        let is_named = known.is_some_and(is_staged)
            || self.head.get(path).is_some_and(|old| old.oid == entry.oid);
        let is_there = is_named && self.objects.header(&entry.oid)?.is_some();
        if !entry.mode.is_submodule() && !is_there {
            let mut bytes = Vec::new();
            files.read(path, entry.oid, &mut bytes)?;
            self.add(&bytes)?;
        }
        let stat = state.filter(|_| !entry.mode.is_submodule()).map_or_else(Stat::default, stat_of);
        Ok(Some(Staged {
            path: path.copied_vec().into(),
            entry,
            stage: 0,
            stat,
            flags: Flags::default(),
        }))
    }

    /// Refuses a file whose content a program would make.
    fn check_filter(&mut self, path: &[u8]) -> Result<()> {
        let [filter] = self.filters.of(path)?;
        let State::Value(name) = filter else { return Ok(()) };
        Err(Error::permission_denied(format!(
            "{} has the filter {}, a program that git would run, and redline runs none",
            quoted(&path.to_str_lossy()),
            quoted(&name.to_str_lossy())
        ))
        .with_hint("Leave the file out; a person commits it with git"))
    }

    /// Adds a new content; returns its id.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<Oid> {
        let object = NewObject::new("blob", bytes, self.repository.object_hash())?;
        self.bytes += object.bytes();
        if self.bytes > limits::COMMIT_BYTES {
            return Err(Error::too_large(format!(
                "the selected files have more than {} bytes",
                limits::COMMIT_BYTES
            ))
            .with_hint("Commit fewer files at once"));
        }
        let id = object.id;
        self.found.objects.add(object);
        Ok(id)
    }

    /// Applies a patch to the files of the index, and for a commit to those of HEAD; takes it back
    /// from the index if it is to be unstaged.
    fn select_hunks(&mut self, text: &[u8]) -> Result<()> {
        let repository = self.repository;
        let cancel = || CancelToken::of(repository.budget());
        let unstages = matches!(self.action, Action::Unstage);
        let text = match unstages {
            true => Cow::Owned(patch::reverse_within(text, cancel())?),
            false => Cow::Borrowed(text),
        };
        let read = patch::parse_within(&text, cancel())?;
        for file in &read.files {
            let path = |name: &Option<Cow<'_, [u8]>>| name.as_deref().map(<[u8]>::to_vec);
            let (old, new) = (path(&file.old_path), path(&file.new_path));
            let target = match (new, &old) {
                (Some(new), _) => new,
                (None, Some(old)) => old.clone(),
                (None, None) => Vec::new(),
            };
            let source = old.filter(|_| file.status == PatchStatus::Renamed);
            if file.status == PatchStatus::Copied {
                return Err(
                    Error::invalid_args("the patch has a copy").with_hint("Give it as a new file")
                );
            }
            for path in [Some(&target), source.as_ref()].into_iter().flatten() {
                if !is_path(path) {
                    return Err(Error::invalid_args(format!(
                        "the patch changes {}, which is no file of a work tree",
                        quoted(&path.to_str_lossy())
                    )));
                }
                if !unstages {
                    self.check_filter(path)?;
                }
            }
            let from = source.as_ref().unwrap_or(&target);
            let in_index = self.in_index(from)?;
            let in_head = match self.found.commit.get(from) {
                Some(edited) => *edited,
                None => self.head.get(from).copied(),
            };
            let staged = self.patched(in_index, file, &target, cancel())?;
            let committed = match in_head == in_index || !matches!(self.action, Action::Commit(_)) {
                true => staged,
                false => self.patched(in_head, file, &target, cancel())?,
            };
            if let Some(source) = source {
                self.found.index.put(source.clone(), None);
                self.found.commit.put(source, None);
            }
            let version = staged.map(|entry| Staged {
                path: target.clone().into(),
                entry,
                stage: 0,
                stat: Stat::default(),
                flags: Flags::default(),
            });
            self.found.index.put(target.clone(), version);
            self.found.commit.put(target, committed);
        }
        Ok(())
    }

    /// Returns the version of a file in the index, as far as it is edited.
    pub(super) fn in_index(&self, path: &[u8]) -> Result<Option<Entry>> {
        if let Some(edited) = self.found.index.get(path) {
            return Ok(edited.as_ref().map(|staged| staged.entry));
        }
        let versions = self.index.find(path);
        if versions.iter().any(|staged| staged.stage > 0) {
            return Err(Error::stale(format!("{} is in a conflict", quoted(&path.to_str_lossy())))
                .with_hint("Resolve it, and stage the whole file by its path"));
        }
        let version = versions.first().filter(|staged| !staged.flags.intent_to_add);
        Ok(version.map(|staged| staged.entry))
    }

    /// Returns what hunks make of a version.
    fn patched(
        &mut self,
        base: Option<Entry>,
        file: &FilePatch<'_>,
        path: &[u8],
        cancel: CancelToken<'_>,
    ) -> Result<Option<Entry>> {
        let shown = quoted(&path.to_str_lossy());
        let misfit = |why: String| {
            Error::stale(format!(
                "the change of {shown} does not fit what is staged and committed: {why}"
            ))
            .with_hint("Ask for the hunks again; or name the whole file by its path")
        };
        match (file.status, base) {
            (PatchStatus::Added, Some(_)) => return Err(misfit("the file exists".to_owned())),
            (PatchStatus::Added, None) => {}
            (_, None) => return Err(misfit("there is no such file".to_owned())),
            (_, Some(base)) if base.mode.is_submodule() => {
                return Err(misfit("it is a submodule".to_owned()));
            }
            _ => {}
        }
        let content = match &base {
            Some(base) => self.objects.blob(&base.oid)?.copied_vec(),
            None => Vec::new(),
        };
        if file.is_binary || is_binary(&content) {
            return Err(misfit("it is binary".to_owned()));
        }
        let made = patch::apply_within(&content, file, cancel);
        let made = made.map_err(|error| misfit(error.to_string()))?;
        if file.status == PatchStatus::Deleted {
            return Ok(None);
        }
        let mode = file.new_mode.map(Mode::canonical);
        let mode = mode.or(base.map(|base| base.mode)).unwrap_or(Mode::regular(false));
        if !(mode.is_regular() || mode.is_link()) {
            return Err(misfit("its mode is that of no file".to_owned()));
        }
        Ok(Some(Entry::object(mode, self.add(&made)?)))
    }
}

/// Tells whether git leaves a tracked file to the index for its flag.
fn is_skipped(staged: &Staged, files: &mut WorkTree) -> Result<bool> {
    Ok(staged.flags.skip_worktree && files.is_left_alone(staged)?)
}

/// Returns a version whose file on disk is unknown.
fn reset(path: &[u8], entry: Entry, skip_worktree: bool) -> Staged {
    let flags = Flags { skip_worktree, ..Flags::default() };
    Staged { path: path.copied_vec().into(), entry, stage: 0, stat: Stat::default(), flags }
}

/// Returns the state of a file as the index stores it.
fn stat_of(state: FileState) -> Stat {
    // The index has the low 32 bits of each number.
    let time = |moment: redline_sandbox::Moment| (moment.seconds as u32, moment.nanoseconds);
    Stat {
        changed: time(state.changed),
        modified: time(state.modified),
        device: state.device as u32,
        inode: state.inode as u32,
        user: state.user,
        group: state.group,
        size: state.size as u32,
    }
}
