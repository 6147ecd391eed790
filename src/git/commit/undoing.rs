//! What takes an operation back: the branch where it was and the index as it was, or a commit of the
//! reverse. No file of the work tree changes.
//!
//! Source: git-reset(1), "--soft", and git-revert(1).

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use super::files::{Ways, files_of, versions};
use super::head::{Ending, Head};
use super::message::{CommitTime, Ident};
use super::selection::{Selected, Selector};
use super::{Action, CommitOptions, GitPlan, HeadMove, Selection, obstacles, tree_of};
use crate::Oid;
use crate::index::{CachedTrees, Flags, Index, Staged, Stat};
use crate::model::changed_file::{Entry, Mode};
use crate::model::commit::{CommitInfo, links};
use crate::repository::Repository;
use crate::revision::ahead_behind;
use crate::tree::walk::TreeChanges;
use redline_base::budget::{Copied, Gather, Grow, GrowBy, GrowMap, Ordered, Taken};
use redline_base::error::{Error, Result, quoted};
use redline_text::revert::{Conflict, Conflicting, Contents, State, Step, changed_since, reverted};
use redline_text::{CancelToken, Engine};

/// The words for git's flags, as the journal has them.
const FLAGS: [&str; 3] = ["assume-unchanged", "skip-worktree", "intent-to-add"];

/// A version of a path in the index, without the state of its file; as text `<mode> <id> <stage>` and
/// its flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedVersion {
    mode: Mode,
    oid: Oid,
    stage: u8,
    flags: Flags,
}

/// What an operation did to a path in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedChange {
    /// The path from the root.
    pub path: Vec<u8>,
    /// The versions before, by their stages.
    pub old: Vec<StagedVersion>,
    /// The versions after.
    pub new: Vec<StagedVersion>,
}

/// Where an operation moved HEAD.
#[derive(Debug, Clone)]
pub struct Moved {
    /// The commit before; `None` before the first.
    pub from: Option<Oid>,
    /// The commit after.
    pub to: Oid,
    /// Whether the operation made that commit.
    pub is_made: bool,
}

/// An operation on a repository that is taken back.
#[derive(Debug, Clone)]
pub struct Undone {
    /// The full name of the branch that HEAD named; `None` for a detached HEAD.
    pub branch: Option<Vec<u8>>,
    /// What moved; `None` if only the index changed.
    pub moved: Option<Moved>,
    /// What changed in the index.
    pub staged: Vec<StagedChange>,
}

impl StagedVersion {
    fn of(staged: &Staged) -> Self {
        let Staged { entry, stage, flags, .. } = staged;
        Self { mode: entry.mode, oid: entry.oid, stage: *stage, flags: *flags }
    }

    fn staged(&self, path: &[u8]) -> Staged {
        let (entry, stat) = (Entry::object(self.mode, self.oid), Stat::default());
        Staged { path: path.copied_vec().into(), entry, stage: self.stage, stat, flags: self.flags }
    }
}

impl fmt::Display for StagedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.mode, self.oid, self.stage)?;
        let Flags { assume_valid, skip_worktree, intent_to_add } = self.flags;
        let set = FLAGS.iter().zip([assume_valid, skip_worktree, intent_to_add]);
        set.filter(|(_, is_set)| *is_set).try_for_each(|(name, _)| write!(f, " {name}"))
    }
}

impl FromStr for StagedVersion {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let mut words = text.split(' ');
        let mut next = || words.next().ok_or(());
        let mode = u32::from_str_radix(next()?, 8).map_err(drop)?;
        let oid = Oid::from_hex(next()?.as_bytes()).map_err(drop)?;
        let stage = next()?.parse().ok().filter(|stage| *stage <= 3).ok_or(())?;
        let mut flags = Flags::default();
        for word in words {
            match FLAGS.iter().position(|name| *name == word) {
                Some(0) => flags.assume_valid = true,
                Some(1) => flags.skip_worktree = true,
                Some(_) => flags.intent_to_add = true,
                None => return Err(()),
            }
        }
        Ok(Self { mode: Mode::canonical(mode), oid, stage, flags })
    }
}

/// Returns what differs between the entries of two indexes, both sorted.
pub(super) fn staged_changes(old: &[Staged], new: &[Staged]) -> Vec<StagedChange> {
    let (mut sides, mut changes) = ([old, new], Vec::new());
    while let Some(path) = sides.iter().filter_map(|side| Some(&side.first()?.path)).min().cloned()
    {
        let [old, new] = sides.each_mut().map(|side| {
            let count = side.iter().take_while(|staged| staged.path == path).count();
            let (taken, rest) = side.split_at(count);
            *side = rest;
            taken.iter().map(StagedVersion::of).gather::<Vec<_>>()
        });
        if old != new {
            changes.add(StagedChange { path: path.copied_vec(), old, new });
        }
    }
    changes
}

/// Returns the entries of an index with paths as they were before an operation, where they still are
/// as it left them. What was staged since stays.
fn restored(index: &Index, changes: &[StagedChange]) -> Result<Vec<Staged>> {
    let is_left = |change: &&StagedChange| {
        let now: Vec<_> = index.find(&change.path).iter().map(StagedVersion::of).gather();
        now == change.new
    };
    let left: Vec<&StagedChange> = changes.iter().filter(is_left).gather();
    let paths: std::collections::HashSet<&[u8]> =
        left.iter().map(|change| change.path.as_slice()).gather();
    let kept = || index.entries().iter().filter(|staged| !paths.contains(&staged.path[..]));
    let added = left.iter().filter(|change| !change.old.is_empty());
    let ways = Ways::new(added.map(|change| change.path.as_slice()));
    if let Some(other) = kept().find(|staged| !ways.is_free(&staged.path)) {
        return Err(Error::stale(format!(
            "{} was staged since, and is in the way of what was staged before",
            quoted(&other.path.to_str_lossy())
        ))
        .with_hint("Nothing was changed: unstage it with git_unstage, and try again"));
    }
    let old = left.iter().flat_map(|change| {
        change.old.iter().map(|version| version.staged(&change.path)).gather::<Vec<_>>()
    });
    let mut all: Vec<Staged> = kept().cloned().chain(old).gather();
    all.order_by(|a, b| (&a.path, a.stage).cmp(&(&b.path, b.stage)));
    Ok(all)
}

impl GitPlan {
    /// Plans to take an operation back: HEAD and the index as they were if HEAD still is where the
    /// operation left it, else a commit of the reverse.
    ///
    /// # Errors
    /// `stale` if HEAD is on another branch, if the commit is not in it any more, or if others have
    /// changed the same lines since; `invalid_args` if nothing would change, or for a merge that is
    /// not the last commit; those of [`GitPlan::new`].
    pub fn undo(repository: &Repository, undone: &Undone) -> Result<Self> {
        repository.work_tree()?;
        let head = Head::read(repository)?;
        let Some(moved) = &undone.moved else {
            return Self::put_back(repository, head, undone, None);
        };
        if head.branch != undone.branch {
            let shown = |branch: &Option<Vec<u8>>| match branch {
                Some(name) => quoted(&name.to_str_lossy()),
                None => "a detached HEAD".to_owned(),
            };
            let (now, then) = (shown(&head.branch), shown(&undone.branch));
            return Err(Error::stale(format!("the operation moved {then}, and HEAD is on {now}"))
                .with_hint("A person checks out what it was on"));
        }
        match (moved.from, head.commit) {
            (Some(from), Some(now)) if now == moved.to => {
                Self::put_back(repository, head, undone, Some((from, moved)))
            }
            (_, Some(now)) if moved.is_made => {
                let names = [moved.to.to_string(), now.to_string()];
                if ahead_behind(repository, &names[0], &names[1])?.0 > 0 {
                    return Err(moved_on(moved));
                }
                let message = reverse_message(repository, &moved.to)?;
                let options = CommitOptions { message, ..CommitOptions::default() };
                let selection = Selection { reversed: Some(moved.to), ..Selection::default() };
                Self::new(repository, &Action::Commit(options), &selection)
            }
            _ => Err(moved_on(moved)),
        }
    }

    /// Plans HEAD at `from` again, if anything is, and the index as it was.
    fn put_back(
        repository: &Repository,
        head: Head,
        undone: &Undone,
        back: Option<(Oid, &Moved)>,
    ) -> Result<Self> {
        let written = match back {
            Some(_) => obstacles::Written::Head,
            None => obstacles::Written::Index,
        };
        if back.is_some() {
            obstacles::check_sequence(repository)?;
            if Ending::read(repository)?.is_any {
                return Err(Error::stale("a merge, a pick or a revert has begun since")
                    .with_hint("End it with git_commit, or a person ends it with git"));
            }
        }
        let index = Index::read(repository)?;
        let entries = restored(&index, &undone.staged)?;
        let mut plan = Self::started(repository, head, &index, written)?;
        plan.staged = staged_changes(index.entries(), &entries);
        let staged = versions(&entries);
        match back {
            None if plan.staged.is_empty() => {
                return Err(Error::invalid_args(
                    "nothing would change: what was staged is as it was",
                )
                .with_hint("file_status(repo) lists what is staged"));
            }
            None => {
                plan.files =
                    plan.changed(&versions(index.entries()), &staged, &Selected::default())?;
            }
            Some((from, moved)) => {
                let read = repository.objects().commit(&moved.to)?;
                let bad = |what| repository.objects().bad_commit(&moved.to, what);
                if moved.is_made && links(&read).map_err(bad)?.parents.first() != Some(&from) {
                    return Err(moved_on(moved));
                }
                let [now, then] = [&moved.to, &from]
                    .map(|id| files_of(repository, Some(tree_of(repository, id)?)));
                plan.files = plan.changed(&now?, &then?, &Selected::default())?;
                let who = Ident::configured(repository, "committer");
                // Who made the commit takes it back, where nobody is configured.
                let who = who.or_else(|error| committer_of(&read).ok_or(error))?;
                plan.basis.add_slice(format!("{from} {who}").as_bytes());
                let (time, text) = (CommitTime::now(), format!("reset: moving to {from}"));
                plan.moved = Some(HeadMove { to: from, who, time, text });
            }
        }
        plan.set_index(&index, entries, &CachedTrees::new(), &staged)?;
        Ok(plan)
    }
}

/// Returns the committer of a commit.
fn committer_of(bytes: &[u8]) -> Option<Ident> {
    let line =
        bytes.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"committer "))?;
    let end = line.rfind_byte(b'>')?;
    Ident::parse(line[..=end].to_str().ok()?).ok()
}

/// Returns the error of a commit that HEAD has left behind.
fn moved_on(moved: &Moved) -> Error {
    Error::stale(format!("HEAD is not at {} any more, and not on top of it", moved.to))
        .with_hint("Nothing was changed: a person looks at the branch with git")
}

/// Returns the message of the commit that reverses another, as `git revert` makes it.
fn reverse_message(repository: &Repository, commit: &Oid) -> Result<String> {
    let bytes = repository.objects().commit(commit)?;
    let info = CommitInfo::read(&bytes, None, &CancelToken::of(repository.budget()))?;
    let subject = info.subject.to_str_lossy();
    let title = match subject.strip_prefix("Revert \"") {
        Some(reverted) if !reverted.starts_with("Revert \"") => format!("Reapply \"{reverted}"),
        _ => format!("Revert \"{subject}\""),
    };
    Ok(format!("{title}\n\nThis reverts commit {commit}.\n"))
}

impl Selector<'_> {
    /// Selects what a commit changed, as it was before; what others have changed since stays.
    ///
    /// # Errors
    /// `stale` with the files of which others have changed the same lines, `invalid_args` for a merge.
    pub(super) fn reverse(&mut self, commit: &Oid) -> Result<()> {
        let bytes = self.objects.commit(commit)?;
        let bad = |what| self.objects.bad_commit(commit, what);
        let read = links(&bytes).map_err(bad)?;
        let old = match &read.parents[..] {
            [] => None,
            [parent] => Some(tree_of(self.repository, parent)?),
            _ => {
                return Err(Error::invalid_args(format!(
                    "{commit} is a merge, and not the last commit"
                ))
                .with_hint("A person takes it back with git: 'git revert -m 1'"));
            }
        };
        let engine = &mut Engine::default();
        let mut conflicts: Vec<Conflict> = Vec::new();
        for change in
            TreeChanges::new(self.repository.objects(), old, Some(read.tree), Arc::default())?
        {
            let change = change?;
            self.repository.budget().check()?;
            let step = [change.old, change.new];
            let (in_head, in_index) =
                (self.head.get(&change.path).copied(), self.in_index(&change.path)?);
            let committed = self.reverted(engine, in_head, step)?;
            let staged = match in_index == in_head {
                true => committed.clone(),
                false => self.reverted(engine, in_index, step)?,
            };
            let (committed, staged) = match (committed, staged) {
                (Ok(committed), Ok(staged)) => (committed, staged),
                (Err(why), _) | (_, Err(why)) => {
                    conflicts.add((change.path.to_str_lossy().taken(), why));
                    continue;
                }
            };
            if committed != in_head {
                self.found.commit.put(change.path.clone(), committed);
            }
            if staged != in_index {
                let (stage, stat, flags) = Default::default();
                let path = change.path.clone().into();
                let staged = staged.map(|entry| Staged { path, entry, stage, stat, flags });
                self.found.index.put(change.path, staged);
            }
        }
        if conflicts.is_empty() {
            return Ok(());
        }
        let hint = "Nothing was changed: make the remaining change in the files, and commit it";
        Err(changed_since(&conflicts, hint))
    }

    /// Returns a version without the change from `base` to `result`.
    fn reverted(
        &mut self,
        engine: &mut Engine,
        now: Option<Entry>,
        [base, result]: [Option<Entry>; 2],
    ) -> Result<std::result::Result<Option<Entry>, Conflicting>> {
        if now == result {
            return Ok(Ok(base));
        }
        if now == base {
            return Ok(Ok(now));
        }
        if ![now, base, result].iter().flatten().all(|entry| entry.mode.is_regular()) {
            return Ok(Err(Conflicting::Binary));
        }
        let state = |entry: Option<Entry>| -> Result<State> {
            let Some(Entry { mode, oid, .. }) = entry else { return Ok(None) };
            let bytes = self.objects.blob(&oid)?.copied_vec();
            Ok(Some(Contents { bytes, executable: mode == Mode::regular(true) }))
        };
        let (step, now) = (Step { base: state(base)?, result: state(result)? }, state(now)?);
        let cancel = CancelToken::of(self.repository.budget());
        Ok(match reverted(engine, now, &step, &cancel)? {
            Err(why) => Err(why),
            Ok(None) => Ok(None),
            Ok(Some(Contents { bytes, executable })) => {
                Ok(Some(Entry::object(Mode::regular(executable), self.add(&bytes)?)))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staged_version_is_read_back_from_its_text() {
        let oid = "0123456789abcdef0123456789abcdef01234567";
        for text in [
            format!("100644 {oid} 0"),
            format!("120000 {oid} 3"),
            format!("100755 {oid} 0 assume-unchanged skip-worktree intent-to-add"),
        ] {
            assert_eq!(text.parse::<StagedVersion>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "100644",
            "100644 0123 0",
            &format!("100644 {oid} 4"),
            &format!("100644 {oid} 0 x"),
        ] {
            assert_eq!(text.parse::<StagedVersion>(), Err(()), "{text}");
        }
    }
}
