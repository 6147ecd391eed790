//! Commits, and what is staged for one: planned from a repository, and then written.
//!
//! | file | holds |
//! |---|---|
//! | this one | the plan: the new objects, the new commit |
//! | `new_index` | the plan's index |
//! | `head` | HEAD, and the operation that git began and a commit ends |
//! | `files` | lists of the files of an index and of a commit |
//! | `selection` | the versions of files that paths and hunks name |
//! | `undoing` | what takes an operation back |
//! | `trees`, `object` | trees of a list of files; objects as loose files |
//! | `message` | message, people, times, and the line in the logs |
//! | `obstacles` | what git would run, and what stands in the way |
//! | `write` | writes a plan, in git's order and under git's locks |
//!
//! A plan reads, and writes nothing. What it was made from is checked again under the locks.

mod files;
mod head;
mod message;
mod new_index;
mod object;
mod obstacles;
mod selection;
mod trees;
mod undoing;
mod write;

use gix::bstr::ByteSlice;

use crate::Oid;
use crate::change::comparison::Comparison;
use crate::change::differences::walk;
use crate::index::{CachedTrees, Index, Staged};
use crate::model::bytes::Bytes;
use crate::model::changed_file::{Entry, Mode};
use crate::model::commit::links;
use crate::pathspec::Pathspec;
use crate::repository::Repository;
use crate::revision::Revision;
use files::{Files, edited, files_of, merged, versions};
use head::{Ending, Head};
use new_index::NewIndex;
use object::NewObject;
use redline_base::budget::{Copied, Gather, Grow, GrowBy, GrowSet, Joined};
use redline_base::error::{Error, Result, quoted};
use redline_base::form::counted;
use redline_base::limits;
use redline_sandbox::Stamp;
use selection::{Selected, Selector};
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
    /// The digest of its entries.
    entries_sum: Vec<u8>,
    /// The new index.
    index: NewIndex,
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

/// Counts files, and names the first.
fn listed(file: &str, whats: &str, paths: &[&[u8]]) -> String {
    let shown = paths.iter().take(limits::REPORTED_CONFLICTS);
    let shown: Vec<String> = shown.map(|path| quoted(&path.to_str_lossy())).gather();
    format!("{} {whats}: {}", counted(paths.len() as u64, file), shown.joined(", "))
}

/// Returns the error of a selection that names nothing.
fn unselected(what: &str, near: &[String]) -> Error {
    Error::not_found(format!("{what} names no file that git knows or that could be added"))
        .near(near)
        .and_hint("Paths start at the root of the repository, without the name of its sandbox")
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
        let selector = Selector::new(repository, &index, &committed, action)?;
        let found = selector.select(selection)?;
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
                new.iter().map(|(path, entry)| (path.as_slice(), *entry)).gather();
            let trees = Trees::of(&files, hash)?;
            plan.objects.add_all(trees.objects);
            known = trees.all;
            plan.left_out = plan.left(&index, &entries, new)?;
            plan.add_commit(options, &ending, trees.root)?;
        }
        plan.set_index(&index, entries, &known, &staged)?;
        Ok(plan)
    }

    /// Returns a plan that changes nothing yet.
    fn started(
        repository: &Repository,
        head: Head,
        index: &Index,
        written: obstacles::Written,
    ) -> Result<Self> {
        obstacles::check_index(repository)?;
        Ok(Self {
            programs: obstacles::programs(repository, written)?,
            repository: repository.clone(),
            stamp: index.stamp(),
            entries_sum: Vec::new(),
            head,
            written,
            index: NewIndex::default(),
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
        let parents: Vec<Oid> = self.head.commit.into_iter().chain(ending.parents.clone()).gather();
        let mut text = format!("tree {tree}\n");
        for parent in &parents {
            text += &format!("parent {parent}\n");
        }
        text += &format!("author {author}\ncommitter {}\n\n", committer.at(time));
        text.add(message.as_str());
        let object = NewObject::new("commit", text.as_bytes(), self.repository.object_hash())?;
        let kind = match self.head.commit {
            None => "commit (initial)",
            Some(_) => ending.kind.unwrap_or("commit"),
        };
        let shown = author.rfind('>').map_or(author.as_str(), |end| &author[..=end]);
        self.basis.add_slice(format!("{tree} {parents:?} {shown} {committer}").as_bytes());
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
        self.objects.add(object);
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
                Some(object) => object.content().copied_vec().into(),
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
        let paths: std::collections::BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).gather();
        let mut changed = Vec::new();
        for path in paths {
            let (before, after) = (old.get(path), new.get(path));
            if before.map(|one| (one.mode, one.oid)) != after.map(|one| (one.mode, one.oid)) {
                let (old, new) = (version(before)?, version(after)?);
                changed.add(PlannedPath { path: path.clone(), old, new });
            }
        }
        Ok(changed)
    }

    /// Returns some of the tracked files that still differ from the commit.
    fn left(&self, index: &Index, entries: &[Staged], new: &Files) -> Result<Vec<Vec<u8>>> {
        let staged = versions(entries);
        let mut left: std::collections::BTreeSet<Vec<u8>> = std::collections::BTreeSet::new();
        left.add_all(
            staged
                .iter()
                .filter(|(path, entry)| new.get(*path) != Some(*entry))
                .map(|(path, _)| path.clone()),
        );
        left.add_all(new.keys().filter(|path| !staged.contains_key(*path)).cloned());
        let comparison =
            Comparison::new(self.repository.clone(), Revision::Index, Revision::WorkTree)?;
        for change in walk(&comparison)? {
            let change = change?;
            let on_disk = change.new.map(|entry| (entry.mode, entry.oid));
            if new.get(&change.path).map(|entry| (entry.mode, entry.oid)) != on_disk {
                left.put(change.path);
            }
        }
        left.add_all(
            index
                .conflicts()
                .map(|staged| staged.path.copied_vec())
                .filter(|path| !new.contains_key(path)),
        );
        Ok(left.into_iter().take(limits::COMMIT_LEFT_OUT).gather())
    }
}

/// Returns the error of an index with conflicts.
fn conflicted(entries: &[Staged]) -> Error {
    let mut paths: Vec<&[u8]> =
        entries.iter().filter(|entry| entry.stage > 0).map(|entry| &entry.path[..]).gather();
    paths.dedup();
    Error::stale(listed("file", "in a conflict", &paths))
        .with_hint("Resolve them, and stage each with git_stage")
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
