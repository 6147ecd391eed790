//! All references with their targets, as `git for-each-ref` lists them, and those that decorate
//! commits.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gix::objs::Kind;

use super::ancestry::divergence;
use super::named::{self, RULES};
use super::resolver::Resolver;
use super::upstream::Branches;
use crate::Oid;
use crate::model::commit::{CommitInfo, Person, TagInfo};
use crate::refs::{Packed, Resolved};
use crate::repository::Repository;
use redline_base::budget::{Charge, Gather, Weigh};
use redline_base::error::{Error, Result};
use redline_text::CancelToken;

/// The target of HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedOut {
    /// The full name of the branch, whether it exists or not.
    pub branch: Option<Vec<u8>>,
    /// The commit; `None` before the first one.
    pub commit: Option<Oid>,
}

/// A reference.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// Its full name, such as `refs/heads/main`, or `HEAD`.
    pub name: Vec<u8>,
    /// The id of its object; `None` if the reference is damaged.
    pub object: Option<Oid>,
    /// The final target of a symbolic reference.
    pub target: Option<Vec<u8>>,
    /// Whether it is the branch of HEAD, or a detached HEAD itself.
    pub is_head: bool,
}

/// The requested details of references besides their names and objects.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReferenceDetails {
    /// git's shortest names.
    pub short: bool,
    /// The peeled commits.
    pub commit: bool,
    /// The time of that commit.
    pub committed: bool,
    /// The subject of the object's message, and the tagger.
    pub message: bool,
    /// The upstream of a branch.
    pub upstream: bool,
    /// The number of commits between both.
    pub distance: bool,
}

/// A reference and its requested details.
#[derive(Debug, Default)]
pub struct Reference {
    /// The reference.
    pub named: Named,
    /// Its shortest unambiguous name.
    pub short: Vec<u8>,
    /// The commit after peeling tags.
    pub commit: Option<Oid>,
    /// When that was committed, in microseconds since 1970.
    pub committed_at: Option<i64>,
    /// The first paragraph of its object's message; `None` for a tree or a blob.
    pub subject: Option<Vec<u8>>,
    /// The fields of an annotated tag.
    pub tag: Option<TagInfo>,
    /// The upstream branch.
    pub upstream: Option<Vec<u8>>,
    /// The number of commits that only it has, and that only its upstream has.
    pub distance: Option<(u64, u64)>,
    /// Its charge to the budget.
    charge: Charge,
}

impl Weigh for Reference {
    fn bytes(&self) -> usize {
        let texts = [self.subject.as_ref(), self.upstream.as_ref(), self.named.target.as_ref()];
        let tagger = self.tag.as_ref().and_then(|tag| tag.tagger.as_ref());
        size_of::<Self>()
            + self.named.name.len()
            + self.short.len()
            + texts.into_iter().flatten().map(Vec::len).sum::<usize>()
            + tagger.map_or(0, Person::bytes)
    }
}

/// Returns the branch and the commit of HEAD.
pub fn checked_out(repository: &Repository) -> Result<CheckedOut> {
    Ok(CheckedOut { branch: repository.references().branch()?, commit: repository.head()? })
}

/// Returns HEAD and all references, sorted by name.
pub fn reference_names(repository: &Repository) -> Result<Vec<Named>> {
    let references = repository.references();
    let mut found = Vec::new();
    let mut current = None;
    if let Resolved::Id { name, id } = references.resolve(b"HEAD")? {
        let target = Some(name.clone()).filter(|name| name != b"HEAD");
        let is_head = target.is_none();
        found.push(Named { name: b"HEAD".to_vec(), object: Some(id), target, is_head });
        current = Some(name);
    }
    let mut charge = Charge::free();
    let cancel = repository.cancel();
    references.each_with_target(|name, id, target| {
        cancel.room(&mut charge, &mut found, 1)?;
        let is_head = current.as_ref() == Some(&name);
        found.push(Named { name, object: id.ok(), target, is_head });
        Ok(())
    })?;
    Ok(found)
}

/// Returns the names that decorate each commit, in git's order: HEAD, its branch, then the others
/// from the last name to the first.
pub fn decorations(repository: &Repository) -> Result<HashMap<Oid, Vec<Vec<u8>>>> {
    const SHOWN: [&[u8]; 3] = [b"refs/heads/", b"refs/remotes/", b"refs/tags/"];
    let resolver = Resolver::new(repository, "");
    let mut found: HashMap<Oid, Vec<Vec<u8>>> = HashMap::new();
    let names = reference_names(repository)?;
    let is_shown = |name: &[u8]| {
        name == b"HEAD"
            || name == b"refs/stash"
            || SHOWN.iter().any(|prefix| name.starts_with(prefix))
    };
    let (first, others): (Vec<_>, Vec<_>) = names
        .into_iter()
        .filter(|named| is_shown(&named.name))
        .partition(|named| named.name == b"HEAD" || named.is_head);
    for named in first.into_iter().chain(others.into_iter().rev()) {
        let Some(object) = named.object else { continue };
        if let Some(commit) = resolver.peel_to(object, Kind::Commit)? {
            found.entry(commit).or_default().push(named.name);
        }
    }
    Ok(found)
}

/// The names of all references that lead to an object. A name that is not among them is none, and
/// its file need not be looked for. They are in lower case, as file systems may ignore case.
pub struct ListedNames {
    names: HashSet<Vec<u8>>,
    /// The first components of names outside of `refs`, if they are known.
    roots: Option<HashSet<Vec<u8>>>,
    _charge: Charge,
}

impl ListedNames {
    /// Keeps the names of `all`, which are all references of a repository.
    pub fn new(repository: &Repository, all: &[Named]) -> Result<Self> {
        let bytes = |named: &Named| size_of::<Vec<u8>>() + named.name.len();
        let charge = repository.budget().charge(2 * all.iter().map(bytes).sum::<usize>())?;
        let named = all.iter().filter(|named| named.object.is_some());
        let roots = repository.references().roots();
        Ok(Self {
            names: named.map(|named| named.name.to_ascii_lowercase()).gather(),
            roots: roots.map(|roots| roots.iter().map(|name| name.to_ascii_lowercase()).gather()),
            _charge: charge,
        })
    }

    /// Tells whether there may be a reference of this name.
    fn may_hold(&self, name: &[u8]) -> bool {
        let name = name.to_ascii_lowercase();
        if name.starts_with(b"refs/") {
            return self.names.contains(&name);
        }
        let root = name.split(|&byte| byte == b'/').next().unwrap_or_default();
        // The main work tree has no directory of this name, but its HEAD is called so elsewhere.
        root == b"main-worktree" || self.roots.as_ref().is_none_or(|roots| roots.contains(root))
    }
}

/// Reads the requested details of references, for one thread.
pub struct ReferenceReader<'a> {
    resolver: Resolver<'a>,
    details: ReferenceDetails,
    listed: Option<Arc<ListedNames>>,
}

impl<'a> ReferenceReader<'a> {
    /// Creates a reader of references.
    pub fn new(repository: &'a Repository, details: ReferenceDetails, packed: Arc<Packed>) -> Self {
        Self { resolver: Resolver::new(repository, "").with_packed(packed), details, listed: None }
    }

    /// Looks only for references that are listed, to shorten names.
    #[must_use]
    pub fn with_listed(self, listed: Option<Arc<ListedNames>>) -> Self {
        Self { listed, ..self }
    }

    /// Reads the requested details of one reference.
    pub fn read(&self, named: Named) -> Result<Reference> {
        let cancel = &self.resolver.cancel;
        cancel.check()?;
        let mut reference = Reference { named, ..Reference::default() };
        if self.details.short {
            reference.short = self.short(&reference.named.name)?;
        }
        if let Some(object) = reference.named.object {
            if (self.details.commit || self.details.committed)
                && let Some(commit) = self.resolver.peel_to(object, Kind::Commit)?
            {
                reference.commit = Some(commit);
                if self.details.committed {
                    let bytes = self.resolver.objects.commit(&commit)?;
                    let _charge = cancel.charge(bytes.len())?;
                    let info = CommitInfo::read(&bytes, None, &CancelToken::never())?;
                    reference.committed_at = info.committer_date;
                }
            }
            if self.details.message {
                match self.resolver.objects.object(&object)? {
                    Some((Kind::Commit, bytes)) => {
                        reference.charge = cancel.charge(bytes.len())?;
                        let info = CommitInfo::read(&bytes, None, &CancelToken::never())?;
                        reference.subject = Some(info.subject);
                    }
                    Some((Kind::Tag, bytes)) => {
                        reference.charge = cancel.charge(bytes.len())?;
                        let mut tag = TagInfo::read(&bytes)?;
                        reference.subject = Some(std::mem::take(&mut tag.subject));
                        reference.tag = Some(tag);
                    }
                    _ => {}
                }
            }
        }
        if self.details.upstream
            && let Some(branch) = reference.named.name.strip_prefix(b"refs/heads/")
        {
            reference.upstream =
                Branches::new(&self.resolver, named::reference).upstream_of(branch)?;
        }
        if self.details.distance {
            reference.distance = self.distance(&reference)?;
        }
        Ok(reference)
    }

    /// Counts the commits between a branch and its upstream, if both are commits.
    fn distance(&self, reference: &Reference) -> Result<Option<(u64, u64)>> {
        let (Some(own), Some(upstream)) = (reference.named.object, &reference.upstream) else {
            return Ok(None);
        };
        let Resolved::Id { id, .. } = self.resolver.references.resolve(upstream)? else {
            return Ok(None);
        };
        let commit = |id| self.resolver.peel_to(id, Kind::Commit);
        match (commit(own)?, commit(id)?) {
            (Some(own), Some(other)) => divergence(self.resolver.repository, own, other).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the shortest name that unambiguously means the reference.
    fn short(&self, name: &[u8]) -> Result<Vec<u8>> {
        let is_there = |name: &[u8]| {
            let may_be = self.listed.as_ref().is_none_or(|listed| listed.may_hold(name));
            let resolve = || self.resolver.references.resolve(name);
            Ok::<_, Error>(may_be && matches!(resolve()?, Resolved::Id { .. }))
        };
        for (rule, (before, after)) in RULES.iter().enumerate().skip(1).rev() {
            let short = name.strip_prefix(*before).and_then(|rest| rest.strip_suffix(*after));
            let Some(short) = short.filter(|short| !short.is_empty()) else { continue };
            let mut is_ambiguous = false;
            for (other, (before, after)) in RULES.iter().enumerate() {
                if other != rule {
                    is_ambiguous |= is_there(&[*before, short, *after].concat())?;
                }
            }
            if !is_ambiguous {
                return Ok(short.to_vec());
            }
        }
        Ok(name.to_vec())
    }
}
