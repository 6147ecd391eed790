//! Commits, and what is staged for one: planned from a repository, and then written.
//!
//! | file | holds |
//! |---|---|
//! | this one | the plan: the new index, the new objects, the new commit |
//! | `selection` | the versions of files that paths and hunks name |
//! | `undoing` | what takes an operation back |
//! | `trees`, `object` | trees of a list of files; objects as loose files |
//! | `message` | message, people, times, and the line in the logs |
//! | `obstacles` | what git would run, and what stands in the way |
//! | `write` | writes a plan, in git's order and under git's locks |
//!
//! A plan reads, and writes nothing. What it was made from is checked again under the locks.

mod message;
mod object;
mod obstacles;
mod selection;
mod trees;
mod undoing;
mod write;

use std::collections::HashSet;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::Oid;
use crate::attributes::ContentSource;
use crate::change::comparison::Comparison;
use crate::change::differences::{find_dirt, walk};
use crate::index::{CachedTrees, Index, Staged};
use crate::model::bytes::Bytes;
use crate::model::changed_file::{Entry, Mode};
use crate::model::commit::links;
use crate::pathspec::Pathspec;
use crate::refs::Resolved;
use crate::repository::Repository;
use crate::revision::Revision;
use crate::store::stores_tables;
use crate::tree::walk::TreeChanges;
use crate::worktree::files::WorkTree;
use crate::worktree::submodule::{Above, Submodules};
use object::NewObject;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_sandbox::Stamp;
use selection::{Edits, Files, Selected, Selector};
use trees::Trees;
use undoing::staged_changes;

pub use message::{CommitTime, Ident};
pub use undoing::{Moved, StagedChange, StagedVersion, Undone};

/// What is staged or committed.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Everything that is staged; then nothing else is named.
    pub staged: bool,
    /// Whole files, as `git add` takes them.
    pub paths: Vec<Pathspec>,
    /// Hunks, as a patch.
    pub patch: Vec<u8>,
    /// What this commit changed, as it was before.
    pub reversed: Option<Oid>,
}

/// What is made of a selection.
#[derive(Debug, Clone)]
pub enum Action {
    /// A commit on top of HEAD.
    Commit(CommitOptions),
    /// New versions in the index.
    Stage,
    /// The versions of HEAD in the index, of files or of hunks.
    Unstage,
}

/// What a commit says.
#[derive(Debug, Clone, Default)]
pub struct CommitOptions {
    /// The message, as given.
    pub message: String,
    /// The trailers that are added to it, as `Key: value`.
    pub trailers: Vec<String>,
    /// The author; `None` for the one that the repository configures.
    pub author: Option<Ident>,
    /// The time of author and committer; `None` for now.
    pub time: Option<CommitTime>,
}

/// A version of a file in a plan.
#[derive(Debug, Clone)]
pub struct Version {
    /// Its mode.
    pub mode: Mode,
    /// Its id.
    pub oid: Oid,
    /// Its content; of a submodule, a line with its commit.
    pub content: Bytes,
}

/// A file that a plan changes: in the commit, or in the index.
#[derive(Debug, Clone)]
pub struct PlannedPath {
    /// Its path from the root.
    pub path: Vec<u8>,
    /// The version before.
    pub old: Option<Version>,
    /// The version after.
    pub new: Option<Version>,
}

/// A commit that is planned.
#[derive(Debug, Clone)]
pub struct NewCommit {
    /// Its id.
    pub id: Oid,
    /// Its parents.
    pub parents: Vec<Oid>,
    /// The cleaned message.
    pub message: String,
    /// Name and address of the author.
    pub author: String,
    /// Name and address of the committer.
    pub committer: String,
    /// Whether an operation that git began ends with it.
    ends: bool,
}

/// Where HEAD, or the branch that it names, moves.
#[derive(Debug, Clone)]
struct HeadMove {
    /// The commit.
    to: Oid,
    /// Who moves it, for the logs.
    who: Ident,
    /// When.
    time: CommitTime,
    /// The text for the logs.
    text: String,
}

/// What is to be written.
pub struct GitPlan {
    repository: Repository,
    /// HEAD as it was read.
    head: Head,
    /// The index as it was read.
    stamp: Option<Stamp>,
    /// The new index.
    index: Vec<u8>,
    objects: Vec<NewObject>,
    written: obstacles::Written,
    /// Where HEAD moves; `None` if only the index changes.
    moved: Option<HeadMove>,
    /// The commit that is made, if one is.
    pub commit: Option<NewCommit>,
    /// What changes in the index, in order.
    pub staged: Vec<StagedChange>,
    /// The files that change, in order.
    pub files: Vec<PlannedPath>,
    /// Some of the tracked files that still differ from the commit afterwards, in order.
    pub left_out: Vec<Vec<u8>>,
    /// What git would run, and is not run.
    pub programs: Vec<String>,
    /// What the plan was made from, beside the files: it must be the same when it is written.
    pub basis: Vec<u8>,
}

/// HEAD, as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Head {
    /// Its file; in tables, the name of its branch.
    bytes: Vec<u8>,
    /// The branch that it names.
    branch: Option<Vec<u8>>,
    /// The commit.
    commit: Option<Oid>,
}

/// What an operation that git began adds to the commit that ends it.
#[derive(Default)]
struct Ending {
    parents: Vec<Oid>,
    /// The commit whose author it has.
    picked: Option<Oid>,
    kind: Option<&'static str>,
    is_any: bool,
}

/// Returns the error of a selection that names nothing.
fn unselected(what: &str, near: &[String]) -> Error {
    Error::not_found(format!("{what} names no file that git knows or that could be added"))
        .near(near)
        .and_hint("Paths start at the root of the repository, without the name of its sandbox")
}

impl Head {
    fn read(repository: &Repository) -> Result<Self> {
        let references = repository.references();
        let (bytes, named) = if stores_tables(&repository.config) {
            // The file says nothing.
            let named = references.branch()?;
            (named.iter().flatten().copied().collect(), named)
        } else {
            let bytes = repository.location.git_dir.read(b"HEAD", limits::REFLOG_BYTES)?;
            let bytes = bytes.ok_or_else(|| references.damaged(b"HEAD", "is missing"))?;
            let named = bytes.strip_prefix(b"ref:").map(|name| name.trim().to_vec());
            (bytes, named)
        };
        let (branch, commit) = match (references.resolve(b"HEAD")?, named) {
            (Resolved::Id { name, id }, None) if name == b"HEAD" => (None, Some(id)),
            (Resolved::Id { name, id }, Some(named)) if name == named => (Some(name), Some(id)),
            (Resolved::Dangling(name), Some(named)) if name == named => (Some(name), None),
            _ => {
                return Err(Error::stale(format!(
                    "HEAD of the repository at {} names no branch that may be moved",
                    quoted(&repository.given)
                ))
                .with_hint("HEAD must name a branch that may be read, or a commit"));
            }
        };
        let is_branch =
            |name: &Vec<u8>| name.starts_with(b"refs/heads/") && references.may_read(name);
        if branch.as_ref().is_some_and(|name| !is_branch(name))
            || branch.is_none() && repository.ref_limit().is_some()
        {
            return Err(Error::fs_denied("HEAD names no branch that may be read")
                .with_hint("Check out a branch that refs(repo) lists"));
        }
        Ok(Self { bytes, branch, commit })
    }
}

impl Ending {
    fn read(repository: &Repository) -> Result<Self> {
        let git_dir = &repository.location.git_dir;
        let id = |name: &[u8]| {
            let bytes = git_dir.read(name, limits::REFLOG_BYTES)?;
            let Some(bytes) = bytes else { return Ok(None) };
            let oid = Oid::from_hex(bytes.trim()).ok();
            let oid = oid.filter(|oid| oid.kind() == repository.object_hash());
            let damaged = || repository.references().damaged(name, "leads to no object");
            oid.map(Some).ok_or_else(damaged)
        };
        let parents = repository.merge_heads()?;
        if !parents.is_empty() {
            let kind = Some("commit (merge)");
            return Ok(Self { parents, kind, is_any: true, picked: None });
        }
        if git_dir.has(b"MERGE_HEAD")? {
            return Err(repository.references().damaged(b"MERGE_HEAD", "names no commit"));
        }
        if let Some(picked) = id(b"CHERRY_PICK_HEAD")? {
            let kind = Some("commit (cherry-pick)");
            return Ok(Self { picked: Some(picked), kind, is_any: true, ..Self::default() });
        }
        Ok(Self { is_any: id(b"REVERT_HEAD")?.is_some(), ..Self::default() })
    }

    /// Tells whether only the whole index may be committed.
    fn is_whole(&self) -> bool {
        self.kind.is_some()
    }
}

impl GitPlan {
    /// Plans an action for the current state of a repository.
    ///
    /// # Errors
    /// `invalid_args` if nothing would change, and for a message or a person that cannot be used;
    /// those of the selection and of reading the repository.
    pub fn new(repository: &Repository, action: &Action, selection: &Selection) -> Result<Self> {
        repository.work_tree()?;
        let options = match action {
            Action::Commit(options) => Some(options),
            Action::Stage | Action::Unstage => None,
        };
        if options.is_some() {
            obstacles::check_sequence(repository)?;
        }
        let head = Head::read(repository)?;
        let ending = options.map(|_| Ending::read(repository)).transpose()?.unwrap_or_default();
        if ending.is_whole() && !selection.staged {
            return Err(Error::invalid_args("a merge or a cherry-pick is committed as a whole")
                .with_hint("Stage what is resolved with git_stage, then commit 'staged'"));
        }
        let index = Index::read(repository)?;
        let tree = head.commit.map(|id| tree_of(repository, &id)).transpose()?;
        let committed = files_of(repository, tree)?;
        let found = match action {
            Action::Unstage => unstaged(repository, &index, &committed, selection)?,
            _ => Selector::new(repository, &index, &committed, action).select(selection)?,
        };
        let entries = edited(index.entries(), &found.index);
        let written = match options {
            Some(_) => obstacles::Written::Commit,
            None => obstacles::Written::Index,
        };
        let mut plan = Self::started(repository, head, &index, written)?;
        plan.staged = staged_changes(index.entries(), &entries);
        let hash = repository.object_hash();
        let staged = versions(&entries);
        let mut known = CachedTrees::new();
        let is_whole = entries.iter().all(|entry| entry.stage == 0);
        let new = match options {
            None => {
                let before = versions(index.entries());
                plan.files = plan.changed(&before, &staged, &found)?;
                None
            }
            Some(_) => {
                let new = match selection.staged {
                    true if !is_whole => return Err(conflicted(&entries)),
                    true => staged.clone(),
                    false => merged(&committed, &found.commit),
                };
                plan.files = plan.changed(&committed, &new, &found)?;
                Some(new)
            }
        };
        if plan.files.is_empty()
            && (options.is_none() && plan.staged.is_empty()
                || options.is_some() && ending.parents.is_empty())
        {
            return Err(Error::invalid_args("nothing would change: what is named is as it was")
                .with_hint("file_status(repo) lists what has changed"));
        }
        plan.objects = found.objects;
        if let (Some(options), Some(new)) = (options, &new) {
            let files: Vec<trees::File<'_>> =
                new.iter().map(|(path, entry)| (path.as_slice(), *entry)).collect();
            let trees = Trees::of(&files, hash)?;
            plan.objects.extend(trees.objects);
            known = trees.all;
            plan.left_out = plan.left(&index, &entries, new)?;
            plan.add_commit(options, &ending, trees.root)?;
        }
        plan.write_index(&index, entries, &known, &staged)?;
        Ok(plan)
    }

    /// Returns a plan that changes nothing yet.
    fn started(
        repository: &Repository,
        head: Head,
        index: &Index,
        written: obstacles::Written,
    ) -> Result<Self> {
        Ok(Self {
            programs: obstacles::programs(repository, written)?,
            repository: repository.clone(),
            stamp: index.stamp(),
            head,
            written,
            index: Vec::new(),
            objects: Vec::new(),
            moved: None,
            commit: None,
            staged: Vec::new(),
            files: Vec::new(),
            left_out: Vec::new(),
            basis: Vec::new(),
        })
    }

    /// Returns the commits of HEAD before and after, if it moves.
    pub fn moved(&self) -> Option<(Option<Oid>, Oid)> {
        self.moved.as_ref().map(|moved| (self.head.commit, moved.to))
    }

    /// Returns the branch that moves, by its full name; `None` for a detached HEAD.
    pub fn branch(&self) -> Option<&[u8]> {
        self.head.branch.as_deref()
    }

    /// Returns the directories that are written, and the work tree.
    pub fn directories(repository: &Repository) -> Result<[&std::path::Path; 3]> {
        let location = &repository.location;
        Ok([location.git_dir.path(), location.common_dir.path(), repository.work_tree()?])
    }

    fn add_commit(&mut self, options: &CommitOptions, ending: &Ending, tree: Oid) -> Result<()> {
        let message = message::with_trailers(&options.message, &options.trailers)?;
        let time = options.time.unwrap_or_else(CommitTime::now);
        let committer = Ident::configured(&self.repository, "committer");
        let committer = match &options.author {
            // Who is named as the author commits, where nobody is configured.
            Some(author) => committer.unwrap_or_else(|_| author.clone()),
            None => committer?,
        };
        let author = match (&options.author, ending.picked) {
            (Some(author), _) => author.at(time),
            (None, Some(picked)) => author_of(&self.repository, &picked)?,
            (None, None) => Ident::configured(&self.repository, "author")?.at(time),
        };
        let parents: Vec<Oid> =
            self.head.commit.into_iter().chain(ending.parents.clone()).collect();
        let mut text = format!("tree {tree}\n");
        for parent in &parents {
            text += &format!("parent {parent}\n");
        }
        text += &format!("author {author}\ncommitter {}\n\n{message}", committer.at(time));
        let object = NewObject::new("commit", text.as_bytes(), self.repository.object_hash())?;
        let kind = match self.head.commit {
            None => "commit (initial)",
            Some(_) => ending.kind.unwrap_or("commit"),
        };
        let shown = author.rfind('>').map_or(author.as_str(), |end| &author[..=end]);
        self.basis.extend_from_slice(format!("{tree} {parents:?} {shown} {committer}").as_bytes());
        let text = message::log_text(kind, &message);
        self.moved = Some(HeadMove { to: object.id, who: committer.clone(), time, text });
        self.commit = Some(NewCommit {
            id: object.id,
            parents,
            author: shown.to_owned(),
            committer: committer.to_string(),
            message,
            ends: ending.is_any,
        });
        self.objects.push(object);
        Ok(())
    }

    /// Makes the file of the new index.
    fn write_index(
        &mut self,
        index: &Arc<Index>,
        mut entries: Vec<Staged>,
        known: &CachedTrees,
        staged: &Files,
    ) -> Result<()> {
        let repository = self.repository.clone();
        let source = ContentSource::new(repository.clone(), Some(Arc::clone(index)));
        let mut on_disk = WorkTree::new(&source, index)?;
        let submodules = Submodules::new(Above::default(), find_dirt);
        for entry in &mut entries {
            let is_old = index.find(&entry.path).iter().any(|old| old.stat == entry.stat);
            let is_file = entry.stage == 0 && !entry.entry.mode.is_submodule();
            if !(is_old && is_file && entry.stat.size != 0 && index.is_unsure(entry)) {
                continue;
            }
            // The new file is younger, so that a change in the tick of the old one would be unseen.
            repository.budget().check()?;
            let found = on_disk.entry(&entry.path, Some(entry), &submodules)?;
            if found.is_none_or(|found| found.oid != entry.entry.oid) {
                entry.stat.size = 0;
            }
        }
        let files: Vec<trees::File<'_>> =
            staged.iter().map(|(path, entry)| (path.as_slice(), *entry)).collect();
        let hash = repository.object_hash();
        // Only trees that exist are named, and of directories whose entries are all in them.
        let unfit: HashSet<&[u8]> = entries
            .iter()
            .filter(|entry| entry.stage > 0 || entry.flags.intent_to_add)
            .flat_map(|entry| {
                let slashes = memchr::memchr_iter(b'/', &entry.path).map(|at| at + 1);
                slashes.chain([0]).map(|end| &entry.path[..end])
            })
            .collect();
        let mut trees = Trees::of(&files, hash)?.all;
        trees.retain(|path, tree| {
            let is_there = known.get(path).is_some_and(|other| other.oid == tree.oid)
                || index.knows(path, &tree.oid);
            is_there && !unfit.contains(path.as_slice())
        });
        self.index = index.with_entries(&entries, &trees, hash)?;
        // What others stage meanwhile is a change; the times of files are none.
        let mut sum = gix::hash::hasher(gix::hash::Kind::Sha256);
        for entry in index.entries() {
            sum.update(&entry.path);
            sum.update(
                format!("\0{} {} {}", entry.stage, entry.entry.mode, entry.entry.oid).as_bytes(),
            );
        }
        let sum = sum.try_finalize().map_err(|error| {
            Error::tool_failed("the state of the index cannot be computed").with_source(error)
        })?;
        self.basis.extend_from_slice(sum.as_bytes());
        self.basis.extend_from_slice(&self.head.bytes);
        self.basis
            .extend_from_slice(format!(" {:?} {:?}", self.head.commit, self.programs).as_bytes());
        Ok(())
    }

    /// Returns the files that differ, with their contents.
    fn changed(&self, old: &Files, new: &Files, found: &Selected) -> Result<Vec<PlannedPath>> {
        let objects = self.repository.objects();
        let mut bytes = 0;
        let mut version = |entry: Option<&Entry>| {
            let Some(&Entry { mode, oid, .. }) = entry else { return Ok(None) };
            let content = match found.objects.iter().find(|object| object.id == oid) {
                _ if mode.is_submodule() => {
                    format!("Subproject commit {oid}\n").into_bytes().into()
                }
                Some(object) => object.content().to_vec().into(),
                None => objects.blob(&oid)?,
            };
            bytes += content.as_slice().len();
            if bytes > limits::COMMIT_BYTES {
                return Err(Error::too_large(format!(
                    "the files that change have more than {} bytes",
                    limits::COMMIT_BYTES
                ))
                .with_hint("Commit fewer files at once"));
            }
            Ok(Some(Version { mode, oid, content }))
        };
        let paths: std::collections::BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        let mut changed = Vec::new();
        for path in paths {
            let (before, after) = (old.get(path), new.get(path));
            if before.map(|one| (one.mode, one.oid)) != after.map(|one| (one.mode, one.oid)) {
                let (old, new) = (version(before)?, version(after)?);
                changed.push(PlannedPath { path: path.clone(), old, new });
            }
        }
        Ok(changed)
    }

    /// Returns some of the tracked files that still differ from the commit.
    fn left(&self, index: &Index, entries: &[Staged], new: &Files) -> Result<Vec<Vec<u8>>> {
        let staged = versions(entries);
        let mut left: std::collections::BTreeSet<Vec<u8>> = std::collections::BTreeSet::new();
        left.extend(
            staged
                .iter()
                .filter(|(path, entry)| new.get(*path) != Some(*entry))
                .map(|(path, _)| path.clone()),
        );
        left.extend(new.keys().filter(|path| !staged.contains_key(*path)).cloned());
        let comparison =
            Comparison::new(self.repository.clone(), Revision::Index, Revision::WorkTree)?;
        for change in walk(&comparison)? {
            let change = change?;
            let on_disk = change.new.map(|entry| (entry.mode, entry.oid));
            if new.get(&change.path).map(|entry| (entry.mode, entry.oid)) != on_disk {
                left.insert(change.path);
            }
        }
        left.extend(
            index
                .conflicts()
                .map(|staged| staged.path.to_vec())
                .filter(|path| !new.contains_key(path)),
        );
        Ok(left.into_iter().take(limits::COMMIT_LEFT_OUT).collect())
    }
}

/// Returns the error of an index with conflicts.
fn conflicted(entries: &[Staged]) -> Error {
    let mut paths: Vec<&[u8]> =
        entries.iter().filter(|entry| entry.stage > 0).map(|entry| &entry.path[..]).collect();
    paths.dedup();
    let shown = paths.iter().take(limits::REPORTED_CONFLICTS);
    let shown: Vec<String> = shown.map(|path| quoted(&path.to_str_lossy())).collect();
    Error::stale(format!("{} files are in a conflict: {}", paths.len(), shown.join(", ")))
        .with_hint("Resolve them, and stage each with git_stage")
}

/// Returns the files of an index that a commit of it has.
fn versions(entries: &[Staged]) -> Files {
    let real = entries.iter().filter(|entry| entry.stage == 0 && !entry.flags.intent_to_add);
    real.map(|entry| (entry.path.to_vec(), Entry::object(entry.entry.mode, entry.entry.oid)))
        .collect()
}

/// Returns the files of a tree.
fn files_of(repository: &Repository, tree: Option<Oid>) -> Result<Files> {
    let mut files = Files::new();
    let Some(tree) = tree else { return Ok(files) };
    for change in TreeChanges::new(repository.objects(), None, Some(tree), Arc::default())? {
        let change = change?;
        if let Some(entry) = change.new {
            if files.len() == limits::INDEX_ENTRIES {
                let gate = repository.location.git_dir.gate();
                return Err(gate.too_large("has a commit with more files than redline reads"));
            }
            files.insert(change.path, entry);
        }
    }
    Ok(files)
}

fn tree_of(repository: &Repository, commit: &Oid) -> Result<Oid> {
    let bytes = repository.objects().commit(commit)?;
    let read = links(&bytes).map_err(|what| repository.objects().bad_commit(commit, what))?;
    Ok(read.tree)
}

/// Returns the author of a commit, with the time.
fn author_of(repository: &Repository, commit: &Oid) -> Result<String> {
    let bytes = repository.objects().commit(commit)?;
    let line = bytes.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"author "));
    let text = line.and_then(|line| line.to_str().ok()).map(str::to_owned);
    text.ok_or_else(|| repository.objects().bad_commit(commit, "has no author that is UTF-8"))
}

/// Returns the versions of the index without what a selection names in it.
fn unstaged(
    repository: &Repository,
    index: &Arc<Index>,
    head: &Files,
    selection: &Selection,
) -> Result<Selected> {
    let mut found = Selected::default();
    if !selection.patch.is_empty() {
        let hunks = Selection { patch: selection.patch.clone(), ..Selection::default() };
        found = Selector::new(repository, index, head, &Action::Unstage).select(&hunks)?;
        if selection.paths.is_empty() {
            return Ok(found);
        }
    }
    let filter = repository.path_filter(&selection.paths)?;
    let mut is_any = false;
    let selected = |path: &[u8], mode: Mode| selection.staged || filter.matches_in_list(path, mode);
    for staged in index.entries().iter().filter(|one| selected(&one.path, one.entry.mode)) {
        is_any = true;
        let old = head.get(&staged.path[..]);
        let is_same = staged.stage == 0
            && !staged.flags.intent_to_add
            && old.is_some_and(|old| (old.mode, old.oid) == (staged.entry.mode, staged.entry.oid));
        if !is_same {
            found.index.insert(staged.path.to_vec(), old.map(|old| reset(&staged.path, *old)));
        }
    }
    for (path, entry) in head.iter().filter(|(path, entry)| selected(path, entry.mode)) {
        is_any = true;
        if index.find(path).is_empty() {
            found.index.insert(path.clone(), Some(reset(path, *entry)));
        }
    }
    if is_any { Ok(found) } else { Err(unselected("what", &[])) }
}

/// Returns a version whose file on disk is unknown.
fn reset(path: &[u8], entry: Entry) -> Staged {
    let (stat, flags) = Default::default();
    Staged { path: path.to_vec().into(), entry, stage: 0, stat, flags }
}

/// Tells whether a path is in the way of others: a file where they have a directory, or a file in
/// a directory where they have a file.
struct Ways<'a> {
    files: HashSet<&'a [u8]>,
    directories: HashSet<&'a [u8]>,
}

impl<'a> Ways<'a> {
    fn new(added: impl Iterator<Item = &'a [u8]>) -> Self {
        let files: HashSet<&[u8]> = added.collect();
        let above = |path: &&'a [u8]| {
            let path: &'a [u8] = path;
            memchr::memchr_iter(b'/', path).map(move |at| &path[..at])
        };
        let directories = files.iter().flat_map(above).collect();
        Self { files, directories }
    }

    fn is_free(&self, path: &[u8]) -> bool {
        !self.directories.contains(path)
            && !memchr::memchr_iter(b'/', path).any(|at| self.files.contains(&path[..at]))
    }
}

/// Returns entries of an index with the edits made, sorted.
fn edited(entries: &[Staged], edits: &Edits<Staged>) -> Vec<Staged> {
    let added = edits.iter().filter(|(_, new)| new.is_some()).map(|(path, _)| path.as_slice());
    let ways = Ways::new(added);
    let kept = entries
        .iter()
        .filter(|entry| !edits.contains_key(&entry.path[..]) && ways.is_free(&entry.path));
    let mut all: Vec<Staged> = kept.chain(edits.values().flatten()).cloned().collect();
    all.sort_by(|a, b| (&a.path, a.stage).cmp(&(&b.path, b.stage)));
    all
}

/// Returns the files of a commit with the edits made.
fn merged(files: &Files, edits: &Edits<Entry>) -> Files {
    let added = edits.iter().filter(|(_, new)| new.is_some()).map(|(path, _)| path.as_slice());
    let ways = Ways::new(added);
    let kept = files.iter().filter(|(path, _)| !edits.contains_key(*path) && ways.is_free(path));
    let mut all: Files = kept.map(|(path, entry)| (path.clone(), *entry)).collect();
    let added = edits.iter().filter_map(|(path, new)| Some((path.clone(), (*new)?)));
    all.extend(added.map(|(path, entry)| (path, Entry::object(entry.mode, entry.oid))));
    all
}
