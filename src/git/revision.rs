//! From the names of revisions to the sides of a comparison.

use gix::bstr::ByteSlice;
use gix::objs::Kind;
use gix::revision::plumbing::Spec;

use super::Oid;
use super::comparison::Comparison;
use super::history::Ends;
use super::repository::Repository;
use crate::error::{Error, Result, quoted};

/// One side of a comparison, resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// The tree of a revision.
    Tree(Oid),
    /// The empty tree, `EMPTY`.
    Empty,
    /// What the next commit would hold, `INDEX` or `STAGED`.
    Index,
    /// The files on disk, `WORKTREE` or `WORKDIR`.
    WorkTree,
}

impl Revision {
    /// Returns the id of a tree, `Some(None)` for the empty one; index and work tree are none.
    pub fn as_tree(self) -> Option<Option<Oid>> {
        match self {
            Self::Tree(id) => Some(Some(id)),
            Self::Empty => Some(None),
            Self::Index | Self::WorkTree => None,
        }
    }

    /// Returns the side that a name stands for without being a revision, in any case.
    fn named(name: &str) -> Option<Self> {
        let names = [
            ("EMPTY", Self::Empty),
            ("INDEX", Self::Index),
            ("STAGED", Self::Index),
            ("WORKTREE", Self::WorkTree),
            ("WORKDIR", Self::WorkTree),
        ];
        names.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, side)| side)
    }
}

impl Repository {
    /// Resolves what is compared: two revisions, or, without `to`, what `from` names: the range
    /// `a..b`, or `a...b` from their merge base, or one revision, which is compared with the work
    /// tree. `merge_base` compares from the merge base too; that of the index or the work tree is
    /// HEAD's.
    pub fn compare(&self, from: &str, to: Option<&str>, merge_base: bool) -> Result<Comparison> {
        let [old, new] = match to {
            None => self.range(from, merge_base)?,
            Some(to) if merge_base => self.since_merge_base_of(from, to)?,
            Some(to) => [self.revision(from)?, self.revision(to)?],
        };
        Comparison::new(self.clone(), old, new)
    }

    /// Resolves a range of commits as `git log` does: `a..b`, `a...b` without their merge bases' history,
    /// one revision with all its ancestors, or `ALL` references and HEAD.
    pub fn ends(&self, range: &str) -> Result<Ends> {
        let repo = self.opened.inner.to_thread_local();
        if range.eq_ignore_ascii_case("ALL") {
            return self.all_ends(&repo);
        }
        let commit = |id: Oid| self.peel_to_commit(&repo, id, range);
        let parents = |id: Oid| -> Result<Vec<Oid>> {
            let found = repo.find_object(commit(id)?).ok().and_then(|object| object.try_into_commit().ok());
            Ok(found.map(|commit| commit.parent_ids().map(gix::Id::detach).collect()).unwrap_or_default())
        };
        Ok(match self.parse(&repo, range)? {
            Spec::Include(id) => Ends { tips: vec![commit(id)?], hidden: Vec::new() },
            Spec::Range { from, to } => Ends { tips: vec![commit(to)?], hidden: vec![commit(from)?] },
            Spec::Merge { theirs, ours } => {
                let tips = vec![commit(theirs)?, commit(ours)?];
                let bases = self.merge_bases(&repo, [tips[0], tips[1]], || quoted(range))?;
                Ends { tips, hidden: bases }
            }
            Spec::IncludeOnlyParents(id) => Ends { tips: parents(id)?, hidden: Vec::new() },
            Spec::ExcludeParents(id) => Ends { tips: vec![commit(id)?], hidden: parents(id)? },
            Spec::Exclude(_) => {
                return Err(Error::invalid_args(format!("{} only leaves commits out", quoted(range)))
                    .with_hint("Give a revision, a range such as 'main..feature', or ALL"));
            }
        })
    }

    /// Returns every commit that a reference or HEAD leads to, in the order of their names.
    fn all_ends(&self, repo: &gix::Repository) -> Result<Ends> {
        let unreadable = || {
            Error::tool_failed(format!("the references of the repository at {} cannot be read", quoted(&self.given)))
                .with_hint("Run 'git fsck' there")
        };
        let references = repo.references().map_err(|error| unreadable().with_source(error))?;
        let all = references.all().map_err(|error| unreadable().with_source(error))?;
        // As for git, what leads to no commit (a tagged file, a reference that is broken) is none.
        let mut ids: Vec<Oid> =
            all.flatten().filter_map(|mut reference| reference.peel_to_id().ok().map(gix::Id::detach)).collect();
        ids.extend(repo.head_id().ok().map(gix::Id::detach));
        ids.retain(|id| repo.find_header(*id).is_ok_and(|header| header.kind() == Kind::Commit));
        Ok(Ends { tips: ids, hidden: Vec::new() })
    }

    /// Resolves a range, or one revision and the work tree.
    fn range(&self, name: &str, merge_base: bool) -> Result<[Revision; 2]> {
        if Revision::named(name).is_some() {
            return Ok([self.revision(name)?, Revision::WorkTree]);
        }
        let repo = self.opened.inner.to_thread_local();
        match self.parse(&repo, name)? {
            Spec::Range { from, to } if !merge_base => {
                Ok([Revision::Tree(self.peel(&repo, from, name)?), Revision::Tree(self.peel(&repo, to, name)?)])
            }
            Spec::Range { from, to } => self.since_merge_base(&repo, [from, to], [name, name]),
            Spec::Merge { theirs, ours } => self.since_merge_base(&repo, [theirs, ours], [name, name]),
            _ if merge_base => self.since_merge_base_of(name, "WORKTREE"),
            Spec::Include(id) => Ok([Revision::Tree(self.peel(&repo, id, name)?), Revision::WorkTree]),
            _ => Err(Error::invalid_args(format!("{} is neither a range nor a revision", quoted(name)))
                .with_hint("Give a revision, two of them, or a range such as 'main..feature'")),
        }
    }

    /// Resolves two revisions to the merge base and the second.
    fn since_merge_base_of(&self, from: &str, to: &str) -> Result<[Revision; 2]> {
        let repo = self.opened.inner.to_thread_local();
        let second = Revision::named(to).filter(|side| matches!(side, Revision::Index | Revision::WorkTree));
        let to = if second.is_some() { "HEAD" } else { to };
        let ends = [self.commit(&repo, from)?, self.commit(&repo, to)?];
        let [base, to] = self.since_merge_base(&repo, ends, [from, to])?;
        Ok([base, second.unwrap_or(to)])
    }

    /// Resolves a revision as `git rev-parse` does and peels it to its tree, or one of our own
    /// names: `EMPTY`, `INDEX`, `WORKTREE`.
    pub fn revision(&self, name: &str) -> Result<Revision> {
        if let Some(side) = Revision::named(name) {
            return Ok(side);
        }
        let repo = self.opened.inner.to_thread_local();
        match self.parse(&repo, name)? {
            Spec::Include(id) => self.peel(&repo, id, name).map(Revision::Tree),
            _ => Err(Error::invalid_args(format!("{} is a range, and one revision is wanted here", quoted(name)))
                .with_hint("Give its two ends as two arguments, or the range with NULL as the second")),
        }
    }

    /// Resolves a revision or range; errors are our own words.
    fn parse(&self, repo: &gix::Repository, name: &str) -> Result<Spec> {
        if Revision::named(name).is_some() {
            return Err(Error::invalid_args(format!("{} has no history, and a merge base needs one", quoted(name)))
                .with_hint("Name a branch, a tag or a commit; a branch of this name is reached as refs/heads/<name>"));
        }
        if name.trim().is_empty() {
            return Err(Error::invalid_args(format!("the revision is {}", quoted(name)))
                .with_hint("Name a branch, a tag or a commit such as HEAD~1, or EMPTY for the empty tree"));
        }
        match repo.rev_parse(name.as_bytes().as_bstr()) {
            Ok(spec) => Ok(spec.detach()),
            // What gix found is not told: its texts may quote the files of the repository.
            Err(error) => Err(self.unresolved(repo, name).with_source(error)),
        }
    }

    /// Resolves a revision to a commit.
    fn commit(&self, repo: &gix::Repository, name: &str) -> Result<Oid> {
        let Spec::Include(id) = self.parse(repo, name)? else {
            return Err(Error::invalid_args(format!("{} is a range, and one revision is wanted here", quoted(name)))
                .with_hint("Give its two ends as two arguments"));
        };
        Ok(id)
    }

    /// Compares the merge base of two commits with the second; of several, git takes the first.
    fn since_merge_base(&self, repo: &gix::Repository, ends: [Oid; 2], names: [&str; 2]) -> Result<[Revision; 2]> {
        let shown = || {
            if names[0] == names[1] {
                quoted(names[0])
            } else {
                format!("{} and {}", quoted(names[0]), quoted(names[1]))
            }
        };
        let mut commits = ends;
        for (commit, name) in commits.iter_mut().zip(names) {
            *commit = self.peel_to_commit(repo, *commit, name)?;
        }
        let Some(base) = self.merge_bases(repo, commits, shown)?.first().copied() else {
            return Err(Error::not_found(format!("{} have no merge base", shown()))
                .with_hint("Compare them directly, with two dots or two arguments"));
        };
        Ok([Revision::Tree(self.peel(repo, base, names[0])?), Revision::Tree(self.peel(repo, commits[1], names[1])?)])
    }

    /// Returns the merge bases of two commits, none where their histories have nothing in common.
    fn merge_bases(&self, repo: &gix::Repository, ends: [Oid; 2], shown: impl Fn() -> String) -> Result<Vec<Oid>> {
        let bases = repo.merge_bases_many(ends[0], &[ends[1]]).map_err(|error| {
            Error::tool_failed(format!("the merge base of {} cannot be found", shown()))
                .with_hint("Run 'git fsck' there; a shallow clone may lack the commits")
                .with_source(error)
        })?;
        Ok(bases.into_iter().map(gix::Id::detach).collect())
    }

    /// Follows tags to a commit.
    fn peel_to_commit(&self, repo: &gix::Repository, id: Oid, name: &str) -> Result<Oid> {
        let commit = repo.find_object(id).ok().and_then(|object| object.peel_to_kind(Kind::Commit).ok());
        commit.map(|commit| commit.id).ok_or_else(|| {
            Error::invalid_args(format!("{} does not lead to a commit", quoted(name)))
                .with_hint("Name a branch, a tag or a commit")
        })
    }

    /// Follows tags and commits to a tree.
    fn peel(&self, repo: &gix::Repository, id: Oid, name: &str) -> Result<Oid> {
        let unreadable = |id: Oid| {
            Error::tool_failed(format!(
                "object {id}, which {} leads to, cannot be read in the repository at {}",
                quoted(name),
                quoted(&self.given)
            ))
            .with_hint("Run 'git fsck' there; a partial or shallow clone may lack the object")
        };
        let mut id = id;
        loop {
            if id.is_empty_tree() {
                return Ok(id);
            }
            let object = match repo.try_find_object(id) {
                Ok(Some(object)) => object,
                Ok(None) => return Err(unreadable(id)),
                Err(error) => return Err(unreadable(id).with_source(error)),
            };
            id = match object.kind {
                Kind::Tree => return Ok(id),
                Kind::Commit => object.into_commit().tree_id().map_err(|_| unreadable(id))?.detach(),
                // A tag that names itself cannot exist: its id covers its target.
                Kind::Tag => object.into_tag().target_id().map_err(|_| unreadable(id))?.detach(),
                Kind::Blob => {
                    return Err(Error::invalid_args(format!("{} is a file's content, not a revision", quoted(name)))
                        .with_hint("Name a commit, a tag or a tree"));
                }
            };
        }
    }

    /// Says why a name could not be resolved.
    fn unresolved(&self, repo: &gix::Repository, name: &str) -> Error {
        let is_hex = name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hex
            && let Ok(prefix) = gix::hash::Prefix::from_hex(name)
            && let mut found = std::collections::HashSet::new()
            && let Ok(Some(Err(()))) = repo.objects.lookup_prefix(prefix, Some(&mut found))
        {
            let mut found: Vec<String> = found.iter().map(ToString::to_string).collect();
            found.sort();
            found.truncate(5);
            return Error::invalid_args(format!("the abbreviated id {} is ambiguous", quoted(name)))
                .with_hint(format!("Write more of it; it may be {}", found.join(", ")));
        }
        let error = Error::not_found(format!(
            "no revision {} can be resolved in the repository at {}",
            quoted(name),
            quoted(&self.given)
        ));
        let names: Vec<String> = repo
            .references()
            .ok()
            .and_then(|references| {
                let all = references.all().ok()?;
                Some(all.flatten().map(|reference| reference.name().shorten().to_str_lossy().into_owned()).collect())
            })
            .unwrap_or_default();
        match crate::suggest::nearest(name, names.iter().map(String::as_str)) {
            near if near.is_empty() && repo.is_shallow().unwrap_or(false) => {
                error.with_hint("The history is shallow; 'git fetch --unshallow' gets the rest")
            }
            near if near.is_empty() => error.with_hint("Name a branch, a tag or a commit that 'git rev-parse' knows"),
            near => error.with_hint(format!("Did you mean {}?", near.join(" or "))),
        }
    }
}
