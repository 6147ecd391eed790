//! The shared readers of a resolution: the objects, links and references of a repository; and one
//! side of a comparison, resolved.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use crate::Oid;
use crate::graph::commit_links::Commits;
use crate::graph::merge_base::MergeBases;
use crate::graph::walk::{History, HistoryOptions, Merges, RevRange};
use crate::model::id_tables::IdSet;
use crate::objects::Objects;
use crate::refs::{Packed, References};
use crate::repository::Repository;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_text::CancelToken;

/// Resolves revisions of one repository.
pub struct Resolver<'a> {
    pub repository: &'a Repository,
    pub references: References<'a>,
    pub objects: Objects,
    commits: OnceCell<Commits>,
    /// The whole revision, for messages.
    pub asked: String,
    /// A damaged reference that a name may mean.
    pub broken: RefCell<Option<Vec<u8>>>,
    pub cancel: CancelToken<'a>,
}

impl<'a> Resolver<'a> {
    /// Creates a resolver of `asked` and its parts.
    pub fn new(repository: &'a Repository, asked: &str) -> Self {
        Self {
            repository,
            references: repository.references(),
            objects: repository.objects(),
            commits: OnceCell::new(),
            asked: asked.to_owned(),
            broken: RefCell::default(),
            cancel: repository.cancel(),
        }
    }

    /// Sets packed references that were read before.
    pub fn with_packed(self, packed: Arc<Packed>) -> Self {
        Self { references: self.references.with_packed(packed), ..self }
    }

    /// Returns the reader of links between commits.
    pub fn commits(&self) -> Result<&Commits> {
        if let Some(commits) = self.commits.get() {
            return Ok(commits);
        }
        let commits = Commits::new(self.repository)?;
        Ok(self.commits.get_or_init(|| commits))
    }

    /// Returns the parents of a commit.
    pub fn parents(&self, commit: &Oid) -> Result<Vec<Oid>> {
        Ok(self.commits()?.links(commit)?.parents)
    }

    /// Returns a finder of merge bases.
    pub fn merge_bases(&self) -> Result<MergeBases<'_>> {
        Ok(MergeBases::new(self.commits()?, self.cancel))
    }

    /// Returns the kind of an object, `None` if it is missing.
    pub fn kind(&self, id: &Oid) -> Result<Option<Kind>> {
        if id.is_empty_tree() {
            return Ok(Some(Kind::Tree));
        }
        Ok(self.objects.header(id)?.map(|(kind, _)| kind))
    }

    /// Peels tags; `None` if the target is missing.
    pub fn untag(&self, id: Oid) -> Result<Option<(Kind, Oid)>> {
        Ok(self.untagged(id)?.ok())
    }

    /// Peels tags, or returns the missing object.
    ///
    /// # Errors
    /// `tool_failed` for a cycle of tags, and beyond [`limits::TAG_DEPTH`].
    pub fn untagged(&self, id: Oid) -> Result<std::result::Result<(Kind, Oid), Oid>> {
        let mut id = id;
        let mut seen = Vec::new();
        let damaged = |id: &Oid, what: &str| {
            self.repository.location.git_dir.gate().damaged(format!("tag {id} {what}"))
        };
        loop {
            self.cancel.check()?;
            match self.kind(&id)? {
                None => return Ok(Err(id)),
                Some(Kind::Tag) => {}
                Some(kind) => return Ok(Ok((kind, id))),
            }
            if seen.contains(&id) {
                return Err(damaged(&id, "leads to itself"));
            }
            if seen.len() == limits::TAG_DEPTH {
                return Err(damaged(&id, "leads to too many other tags"));
            }
            seen.push(id);
            let Some((_, bytes)) = self.objects.object(&id)? else { return Ok(Err(id)) };
            match tag_target(&bytes).filter(|target| target.kind() == id.kind()) {
                Some(target) => id = target,
                None => return Err(damaged(&id, "names no object")),
            }
        }
    }

    /// Peels tags, and commits to their trees, to an object of a kind; `None` if there is none.
    pub fn peel_to(&self, id: Oid, wanted: Kind) -> Result<Option<Oid>> {
        if wanted == Kind::Tag {
            return Ok((self.kind(&id)? == Some(Kind::Tag)).then_some(id));
        }
        match self.untag(id)? {
            Some((kind, id)) if kind == wanted => Ok(Some(id)),
            Some((Kind::Commit, id)) if wanted == Kind::Tree => {
                Ok(Some(self.commits()?.links(&id)?.tree))
            }
            _ => Ok(None),
        }
    }

    /// Returns the error of a range with an end that does not resolve.
    pub fn unresolved_end(&self, end: &str) -> Error {
        Error::not_found(format!(
            "no revision {} in {} can be resolved in the repository at {}",
            quoted(end),
            quoted(&self.asked),
            quoted(&self.repository.given)
        ))
    }

    /// Returns the error of a revision that does not resolve, with the reason.
    pub fn unresolved(&self, why: &str) -> Error {
        Error::not_found(format!(
            "no revision {} can be resolved in the repository at {}{why}",
            quoted(&self.asked),
            quoted(&self.repository.given)
        ))
    }

    /// Peels tags to a commit.
    pub fn commit(&self, id: Oid) -> Result<Oid> {
        match self.untagged(id)? {
            Ok((Kind::Commit, commit)) => Ok(commit),
            Ok(_) => Err(Error::invalid_args(format!(
                "{} does not lead to a commit",
                quoted(&self.asked)
            ))
            .with_hint("Name a branch, a tag or a commit")),
            Err(missing) => Err(self.unreadable(missing)),
        }
    }

    /// Peels tags and commits to a tree.
    pub fn tree(&self, id: Oid) -> Result<Oid> {
        match self.untagged(id)? {
            Ok((Kind::Tree, tree)) => Ok(tree),
            Ok((Kind::Commit, commit)) => {
                let tree = self.commits()?.links(&commit)?.tree;
                if self.kind(&tree)? == Some(Kind::Tree) {
                    Ok(tree)
                } else {
                    Err(self.unreadable(tree))
                }
            }
            Ok(_) => Err(Error::invalid_args(format!(
                "{} is a file's content, not a revision",
                quoted(&self.asked)
            ))
            .with_hint("Name a commit, a tag or a tree")),
            Err(missing) => Err(self.unreadable(missing)),
        }
    }

    /// Returns the id of an object if it may be named: if a sandbox limits the readable references,
    /// only commits reachable from one of them, and the tags on the way. The contents of their
    /// trees are reached from them.
    pub fn nameable(&self, id: Oid) -> Result<Option<Oid>> {
        if self.repository.ref_limit().is_none() || id.is_empty_tree() {
            return Ok(Some(id));
        }
        let known = match self.repository.nameable.get() {
            Some(known) => known,
            None => {
                let found = self.reached()?;
                self.repository.nameable.get_or_init(|| found)
            }
        };
        Ok(known.contains(&id).then_some(id))
    }

    /// Finds the commits reachable from the references, and the tags on the way to them.
    fn reached(&self) -> Result<IdSet> {
        let mut found: IdSet = IdSet::default();
        let mut tips = Vec::new();
        let mut named = Vec::new();
        self.references.each(|_, id| {
            named.extend(id);
            Ok(())
        })?;
        for mut at in named {
            for _ in 0..limits::TAG_DEPTH {
                self.cancel.check()?;
                match self.kind(&at)? {
                    Some(Kind::Tag) if found.insert(at) => {}
                    Some(Kind::Commit) => {
                        tips.push(at);
                        break;
                    }
                    _ => break,
                }
                let Some((_, bytes)) = self.objects.object(&at)? else { break };
                let Some(target) = tag_target(&bytes) else { break };
                at = target;
            }
        }
        let ends = RevRange { tips, ..RevRange::default() };
        let options = HistoryOptions { merges: Merges::AllParents, ..HistoryOptions::default() };
        let mut history = History::new(self.repository, &ends, options)?;
        while let Some(commit) = history.next_commit() {
            found.insert(commit?.id);
        }
        Ok(found)
    }

    fn unreadable(&self, id: Oid) -> Error {
        Error::tool_failed(format!(
            "object {id}, which {} leads to, cannot be read in the repository at {}",
            quoted(&self.asked),
            quoted(&self.repository.given)
        ))
        .with_hint("Run 'git fsck' there; a partial or shallow clone may lack the object")
    }
}

/// Returns the object that a tag names.
fn tag_target(tag: &[u8]) -> Option<Oid> {
    Oid::from_hex(tag.lines().next()?.strip_prefix(b"object ")?).ok()
}

/// One side of a comparison, resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// The tree of a revision.
    Tree(Oid),
    /// The empty tree, `EMPTY`.
    Empty,
    /// The content of the next commit, `INDEX` or `STAGED`.
    Index,
    /// The files on disk, `WORKTREE` or `WORKDIR`.
    WorkTree,
}

impl Revision {
    /// Returns the id of a tree, `Some(None)` for the empty one; `None` for index and work tree.
    pub fn as_tree(self) -> Option<Option<Oid>> {
        match self {
            Self::Tree(id) => Some(Some(id)),
            Self::Empty => Some(None),
            Self::Index | Self::WorkTree => None,
        }
    }

    /// Tells whether a name is a side that is not a revision.
    pub(crate) fn is_named(name: &str) -> bool {
        Self::named(name).is_some()
    }

    /// Returns the side of a name that is not a revision, in any case.
    pub(super) fn named(name: &str) -> Option<Self> {
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

/// Rejects the index or the work tree as a side if the checked-out branch may not be read.
pub fn check_side(repository: &Repository, side: Revision) -> Result<()> {
    match (repository.ref_limit(), side) {
        (Some(limit), Revision::Index | Revision::WorkTree)
            if repository.references().branch()?.is_none() =>
        {
            Err(limit.refuse_work_tree())
        }
        _ => Ok(()),
    }
}
