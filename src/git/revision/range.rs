//! Ranges: `a..b`, `a...b`, `a^!`, `a^@`, `a^-`, and `ALL`; and how names are resolved to the sides
//! of a comparison.

use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::resolve::resolve;
use super::resolver::{Resolver, Revision};
use super::short::Hint;
use super::unknown::unknown_name;
use crate::Oid;
use crate::graph::walk::RevRange;
use crate::model::id_tables::IdSet;
use crate::refs::Resolved;
use crate::repository::Repository;
use redline_base::error::{Error, ErrorKind, Result, quoted};

/// A parsed revision or range.
pub enum Range {
    /// A revision.
    One(Oid),
    /// `from..to`.
    Between { from: Oid, to: Oid },
    /// `from...to`.
    Symmetric { from: Oid, to: Oid },
    /// `a^@`: the parents of a commit.
    Parents(Oid),
    /// `a^!` or `a^-N`: a commit without all of its parents, or without one.
    Without { commit: Oid, parent: Option<usize> },
    /// `^a`.
    Not,
}

impl Range {
    /// Resolves the requested name to a range or a revision.
    ///
    /// # Errors
    /// `not_found` if the name does not resolve.
    pub fn of(resolver: &Resolver<'_>, hint: Hint) -> Result<Self> {
        let name = resolver.asked.as_str();
        if Revision::is_named(name) {
            return Err(Error::invalid_args(format!("{} has no history, and a merge base needs one", quoted(name)))
                .with_hint("Name a branch, a tag or a commit; a branch of this name is reached as refs/heads/<name>"));
        }
        if name.trim().is_empty() {
            return Err(Error::invalid_args(format!("the revision is {}", quoted(name)))
                .with_hint(
                    "Name a branch, a tag or a commit such as HEAD~1, or EMPTY for the empty tree",
                ));
        }
        let mut failed = None;
        // The end of the range that does not resolve.
        let mut unknown = None;
        if let Some((from, to)) = name.split_once("..") {
            let (to, is_symmetric) = to.strip_prefix('.').map_or((to, false), |to| (to, true));
            // In git two dots alone are a path.
            if !(from.is_empty() && to.is_empty() && !is_symmetric) {
                let ends = [from, to].map(|end| if end.is_empty() { "HEAD" } else { end });
                match ends.map(|end| (resolve(resolver, end.as_bytes(), Hint::Committish), end)) {
                    [(Ok(Some(from)), _), (Ok(Some(to)), _)] if is_symmetric => {
                        return Ok(Self::Symmetric { from, to });
                    }
                    [(Ok(Some(from)), _), (Ok(Some(to)), _)] => {
                        return Ok(Self::Between { from, to });
                    }
                    [(Err(error), _), _] | [_, (Err(error), _)] => failed = Some(error),
                    [(Ok(None), end), _] | [_, (_, end)] => unknown = Some(end),
                }
            }
        }
        if let Some(range) = Self::with_parents(resolver, name.as_bytes())? {
            return Ok(range);
        }
        let (is_not, rest) = name.strip_prefix('^').map_or((false, name), |rest| (true, rest));
        match resolve(resolver, rest.as_bytes(), hint) {
            Ok(Some(_)) if is_not => Ok(Self::Not),
            Ok(Some(id)) => Ok(Self::One(id)),
            Ok(None) => Err(match failed {
                Some(error) => error,
                None => unknown_name(resolver, unknown)?,
            }),
            Err(error) => Err(failed.unwrap_or(error)),
        }
    }

    /// Resolves `a^@`, `a^!` and `a^-N`.
    fn with_parents(resolver: &Resolver<'_>, name: &[u8]) -> Result<Option<Self>> {
        let base = |end: usize| resolve(resolver, &name[..end], Hint::Committish);
        if let Some(end) = name.find(b"^@").filter(|&end| end + 2 == name.len()) {
            return Ok(base(end)?.map(Self::Parents));
        }
        if let Some(end) = name.find(b"^!").filter(|&end| end + 2 == name.len()) {
            return Ok(base(end)?.map(|commit| Self::Without { commit, parent: None }));
        }
        let Some(end) = name.find(b"^-") else { return Ok(None) };
        let number = match &name[end + 2..] {
            [] => Some(1),
            digits => digits.to_str().ok().and_then(|digits| digits.parse().ok()),
        };
        if number.is_none_or(|number: usize| number == 0) {
            return Ok(None);
        }
        Ok(base(end)?.map(|commit| Self::Without { commit, parent: number }))
    }
}

/// Resolves a range of commits as `git log` does: `a..b`, `a...b` without their merge bases'
/// history, one revision with all its ancestors, or `ALL` references and HEAD.
pub fn range_of(repository: &Repository, range: &str) -> Result<RevRange> {
    let resolver = Resolver::new(repository, range);
    if range.eq_ignore_ascii_case("ALL") {
        return all(&resolver);
    }
    let commit = |id: Oid| resolver.commit(id);
    let mut read = Arc::default();
    let (tips, hidden) = match Range::of(&resolver, Hint::Committish)? {
        Range::One(id) => (vec![commit(id)?], Vec::new()),
        Range::Between { from, to } => (vec![commit(to)?], vec![commit(from)?]),
        Range::Symmetric { from, to } => {
            let tips = vec![commit(from)?, commit(to)?];
            let mut bases = resolver.merge_bases()?;
            let hidden = bases.of(tips[0], tips[1])?;
            read = Arc::new(bases.into_read());
            (tips, hidden)
        }
        Range::Parents(id) => (resolver.parents(&commit(id)?)?, Vec::new()),
        Range::Without { commit: id, parent } => {
            let id = commit(id)?;
            let parents = resolver.parents(&id)?;
            let count = parents.len();
            let hidden = match parent {
                None => parents,
                Some(number) => {
                    let none = || resolver.unresolved(&format!(": the commit has {count} parents"));
                    vec![*parents.get(number - 1).ok_or_else(none)?]
                }
            };
            (vec![id], hidden)
        }
        Range::Not => {
            return Err(Error::invalid_args(format!("{} only leaves commits out", quoted(range)))
                .with_hint("Give a revision, a range such as 'main..feature', or ALL"));
        }
    };
    Ok(RevRange { tips, hidden, read })
}

/// Returns the object of a revision, as `git rev-parse` does.
pub fn object_of(repository: &Repository, name: &str) -> Result<Oid> {
    one(&Resolver::new(repository, name), Hint::Any, ONE_END)
}

/// Resolves one revision, with advice for a range.
fn one(resolver: &Resolver<'_>, hint: Hint, of_range: &str) -> Result<Oid> {
    match Range::of(resolver, hint)? {
        Range::One(id) => Ok(id),
        _ => Err(Error::invalid_args(format!(
            "{} is a range, and one revision is wanted here",
            quoted(&resolver.asked)
        ))
        .with_hint(of_range)),
    }
}

/// Returns the commit of a revision.
///
/// # Errors
/// `not_found` if the name does not resolve, `invalid_args` for a range.
pub fn commit_of(repository: &Repository, name: &str) -> Result<Oid> {
    one_commit(&Resolver::new(repository, name))
}

/// Resolves one revision to a commit.
pub fn one_commit(resolver: &Resolver<'_>) -> Result<Oid> {
    resolver.commit(one(resolver, Hint::Committish, "Give its two ends as two arguments")?)
}

/// Returns the commits of all references, HEAD and other work trees' HEADs, sorted by name.
fn all(resolver: &Resolver<'_>) -> Result<RevRange> {
    let mut named = Vec::new();
    resolver.references.each(|name, id| {
        let id = id.map_err(|what| resolver.references.damaged(name, what))?;
        named.push((name.to_vec(), id));
        Ok(())
    })?;
    if let Resolved::Id { id, .. } = resolver.references.resolve(b"HEAD")? {
        named.push((b"HEAD".to_vec(), id));
    }
    named.extend(resolver.references.other_heads()?);
    let mut tips = Vec::new();
    let mut seen: IdSet = IdSet::default();
    for (name, id) in named {
        if !seen.insert(id) {
            continue;
        }
        match resolver.untagged(id)? {
            Ok((Kind::Commit, commit)) => tips.push(commit),
            // As in git, a reference without a commit (a tagged file) has no history.
            Ok(_) => {}
            Err(missing) => {
                return Err(resolver
                    .references
                    .damaged(&name, &format!("leads to object {missing}, which is missing")));
            }
        }
    }
    Ok(RevRange { tips, ..RevRange::default() })
}

/// The hint for a range in place of one revision.
const ONE_END: &str = "Give one of its ends";
/// The hint for a range in place of two sides.
const TWO_ENDS: &str = "Give its two ends as two arguments, or the range with NULL as the second";

/// Resolves a revision as `git rev-parse` does and peels it to its tree, or one of redline's names:
/// `EMPTY`, `INDEX`, `WORKTREE`.
pub fn side_of(repository: &Repository, name: &str) -> Result<Revision> {
    side_or(repository, name, ONE_END).map(|(side, _)| side)
}

/// Does the same for one side of two, with a hint for a range; also returns the named object.
fn side_or(repository: &Repository, name: &str, of_range: &str) -> Result<(Revision, Option<Oid>)> {
    if let Some(side) = Revision::named(name) {
        return Ok((side, None));
    }
    let resolver = Resolver::new(repository, name);
    let id = one(&resolver, Hint::Any, of_range)?;
    Ok((Revision::Tree(resolver.tree(id)?), Some(id)))
}

/// Both sides of a comparison, resolved once.
pub struct Sides {
    /// The sides, the old first.
    pub sides: [Revision; 2],
    /// The objects that were named, before a merge base takes the place of the first; `None` for
    /// a side that is not an object. `a...b` names the merge base.
    pub named: [Option<Oid>; 2],
}

/// Tells whether a name is that of HEAD on a branch without a commit: what is uncommitted is then
/// compared with the empty tree, as by `git diff --cached`.
fn is_unborn_head(repository: &Repository, name: &str) -> Result<bool> {
    let is_head = matches!(name, "HEAD" | "@");
    Ok(is_head && matches!(repository.references().resolve(b"HEAD")?, Resolved::Dangling(_)))
}

/// Resolves both sides: two revisions, or, without `to`, the range `from`, or one revision and the
/// work tree; HEAD of an unborn branch is the empty tree beside the index and the work tree.
/// `merge_base` replaces the first by the merge base of both.
pub fn sides_of(
    repository: &Repository,
    from: &str,
    to: Option<&str>,
    merge_base: bool,
) -> Result<Sides> {
    match to {
        None if !merge_base && is_unborn_head(repository, from)? => {
            Ok(Sides { sides: [Revision::Empty, Revision::WorkTree], named: [None, None] })
        }
        None => sides_of_range(repository, from, merge_base),
        Some(to) if merge_base => since_merge_base_of(repository, from, to),
        Some(to) => {
            // One revision alone is compared with nothing.
            let is_alone = Revision::named(from) == Some(Revision::Empty);
            let of_range = if is_alone { ONE_END } else { TWO_ENDS };
            let is_uncommitted =
                |name| matches!(Revision::named(name), Some(Revision::Index | Revision::WorkTree));
            let side = |name, other| {
                if is_uncommitted(other) && is_unborn_head(repository, name)? {
                    return Ok((Revision::Empty, None));
                }
                side_or(repository, name, of_range)
            };
            let ((old, first), (new, last)) = (side(from, to)?, side(to, from)?);
            Ok(Sides { sides: [old, new], named: [first, last] })
        }
    }
}

/// A commit, and the side that it is.
pub type Named = (Oid, Revision);

/// Resolves `commit^!` to the commit and its parents; anything else is `None`.
pub fn commit_and_parents(
    repository: &Repository,
    name: &str,
) -> Result<Option<(Named, Vec<Named>)>> {
    if !name.ends_with("^!") {
        return Ok(None);
    }
    let resolver = Resolver::new(repository, name);
    let Range::Without { commit, parent: None } = Range::of(&resolver, Hint::Committish)? else {
        return Ok(None);
    };
    let tree = |id: Oid| Ok::<_, Error>((id, Revision::Tree(resolver.tree(id)?)));
    let commit = resolver.commit(commit)?;
    let parents = resolver.parents(&commit)?;
    Ok(Some((tree(commit)?, parents.into_iter().map(tree).collect::<Result<_>>()?)))
}

/// Returns the commit that an object is, or that a tag leads to; `None` if there is none.
pub fn commit_at(repository: &Repository, id: Oid) -> Result<Option<Oid>> {
    match Resolver::new(repository, &id.to_string()).commit(id) {
        Err(error) if error.kind() == ErrorKind::InvalidArgs => Ok(None),
        found => found.map(Some),
    }
}

/// Resolves a range, or one revision and the work tree.
fn sides_of_range(repository: &Repository, name: &str, merge_base: bool) -> Result<Sides> {
    if let Some(side) = Revision::named(name) {
        return Ok(Sides { sides: [side, Revision::WorkTree], named: [None, None] });
    }
    let resolver = Resolver::new(repository, name);
    let tree = |id: Oid| resolver.tree(id).map(Revision::Tree);
    match Range::of(&resolver, Hint::Any)? {
        Range::Between { from, to } if !merge_base => {
            Ok(Sides { sides: [tree(from)?, tree(to)?], named: [Some(from), Some(to)] })
        }
        Range::Between { from, to } => {
            let ends = [resolver.commit(from)?, resolver.commit(to)?];
            let (sides, _) = since_merge_base(&resolver, ends, &quoted(name))?;
            Ok(Sides { sides, named: ends.map(Some) })
        }
        Range::Symmetric { from, to } => {
            let ends = [resolver.commit(from)?, resolver.commit(to)?];
            let (sides, base) = since_merge_base(&resolver, ends, &quoted(name))?;
            Ok(Sides { sides, named: [Some(base), Some(ends[1])] })
        }
        _ if merge_base => since_merge_base_of(repository, name, "WORKTREE"),
        Range::One(id) => {
            Ok(Sides { sides: [tree(id)?, Revision::WorkTree], named: [Some(id), None] })
        }
        _ => {
            Err(Error::invalid_args(format!("{} is neither a range nor a revision", quoted(name)))
                .with_hint("Give a revision, two of them, or a range such as 'main..feature'"))
        }
    }
}

/// Resolves two revisions to their merge base and the second.
fn since_merge_base_of(repository: &Repository, from: &str, to: &str) -> Result<Sides> {
    let second =
        Revision::named(to).filter(|side| matches!(side, Revision::Index | Revision::WorkTree));
    let to = if second.is_some() { "HEAD" } else { to };
    let [first, last] = [from, to].map(|name| Resolver::new(repository, name));
    let ends = [one_commit(&first)?, one_commit(&last)?];
    let shown = format!("{} and {}", quoted(from), quoted(to));
    let ([base, new], _) = since_merge_base(&last, ends, &shown)?;
    let named = [Some(ends[0]), Some(ends[1]).filter(|_| second.is_none())];
    Ok(Sides { sides: [base, second.unwrap_or(new)], named })
}

/// Compares the merge base of two commits with the second, and returns the base; git uses the
/// first of several.
fn since_merge_base(
    resolver: &Resolver<'_>,
    ends: [Oid; 2],
    shown: &str,
) -> Result<([Revision; 2], Oid)> {
    let bases = resolver.merge_bases()?.of(ends[0], ends[1])?;
    let Some(base) = bases.first().copied() else {
        return Err(Error::not_found(format!("{shown} have no merge base"))
            .with_hint("Compare them directly, with two dots or two arguments"));
    };
    let [old, new] = [base, ends[1]].map(|id| resolver.tree(id).map(Revision::Tree));
    Ok(([old?, new?], base))
}
