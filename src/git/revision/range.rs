//! Ranges: `a..b`, `a...b`, `a^!`, `a^@`, `a^-`, and `ALL`; and how names are resolved to the sides of
//! a comparison.

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::resolve::resolve;
use super::resolver::{Resolver, Revision};
use super::short::Hint;
use super::unknown::unknown_name;
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::git::Oid;
use crate::git::graph::walk::RevRange;
use crate::git::model::id_tables::IdSet;
use crate::git::refs::Resolved;
use crate::git::repository::Repository;

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
    let mut read = Vec::new();
    let (tips, hidden) = match Range::of(&resolver, Hint::Committish)? {
        Range::One(id) => (vec![commit(id)?], Vec::new()),
        Range::Between { from, to } => (vec![commit(to)?], vec![commit(from)?]),
        Range::Symmetric { from, to } => {
            let tips = vec![commit(from)?, commit(to)?];
            let mut bases = resolver.merge_bases()?;
            let hidden = bases.of(tips[0], tips[1])?;
            read = bases.into_read();
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
    side_or(repository, name, ONE_END)
}

/// Does the same for one side of two, with a hint for a range.
fn side_or(repository: &Repository, name: &str, of_range: &str) -> Result<Revision> {
    if let Some(side) = Revision::named(name) {
        return Ok(side);
    }
    let resolver = Resolver::new(repository, name);
    resolver.tree(one(&resolver, Hint::Any, of_range)?).map(Revision::Tree)
}

/// Resolves both sides: two revisions, or, without `to`, the range `from`, or one revision and the
/// work tree. `merge_base` replaces the first by the merge base of both.
pub fn sides_of(
    repository: &Repository,
    from: &str,
    to: Option<&str>,
    merge_base: bool,
) -> Result<[Revision; 2]> {
    match to {
        None => sides_of_range(repository, from, merge_base),
        Some(to) if merge_base => since_merge_base_of(repository, from, to),
        Some(to) => {
            // One revision alone is compared with nothing.
            let is_alone = Revision::named(from) == Some(Revision::Empty);
            let of_range = if is_alone { ONE_END } else { TWO_ENDS };
            let side = |name| side_or(repository, name, of_range);
            Ok([side(from)?, side(to)?])
        }
    }
}

/// Resolves `commit^!` to the commit and its parents; anything else is `None`.
pub fn commit_and_parents(
    repository: &Repository,
    name: &str,
) -> Result<Option<(Revision, Vec<Revision>)>> {
    if !name.ends_with("^!") {
        return Ok(None);
    }
    let resolver = Resolver::new(repository, name);
    let Range::Without { commit, parent: None } = Range::of(&resolver, Hint::Committish)? else {
        return Ok(None);
    };
    let tree = |id: Oid| resolver.tree(id).map(Revision::Tree);
    let commit = resolver.commit(commit)?;
    let parents = resolver.parents(&commit)?;
    Ok(Some((tree(commit)?, parents.into_iter().map(tree).collect::<Result<_>>()?)))
}

/// Returns the commits of the sides that `sides_of` resolves without a merge base; `None` for a
/// side that is not a commit.
pub fn ends_of(repository: &Repository, from: &str, to: Option<&str>) -> Result<[Option<Oid>; 2]> {
    let side = |name: &str| match Revision::named(name) {
        Some(_) => Ok(None),
        None => if_commit(one_commit(&Resolver::new(repository, name))),
    };
    if let Some(to) = to {
        return Ok([side(from)?, side(to)?]);
    }
    if Revision::is_named(from) {
        return Ok([None, None]);
    }
    let resolver = Resolver::new(repository, from);
    let commit = |id: Oid| if_commit(resolver.commit(id));
    Ok(match Range::of(&resolver, Hint::Any)? {
        Range::Between { from, to } => [commit(from)?, commit(to)?],
        Range::Symmetric { from, to } => {
            let ends = [resolver.commit(from)?, resolver.commit(to)?];
            let bases = resolver.merge_bases()?.of(ends[0], ends[1])?;
            [bases.first().copied(), Some(ends[1])]
        }
        Range::One(id) => [commit(id)?, None],
        _ => [None, None],
    })
}

/// Returns the commit of a name; `None` if it is not a commit.
fn if_commit(found: Result<Oid>) -> Result<Option<Oid>> {
    match found {
        Err(error) if error.kind() == ErrorKind::InvalidArgs => Ok(None),
        found => found.map(Some),
    }
}

/// Resolves a range, or one revision and the work tree.
fn sides_of_range(repository: &Repository, name: &str, merge_base: bool) -> Result<[Revision; 2]> {
    if let Some(side) = Revision::named(name) {
        return Ok([side, Revision::WorkTree]);
    }
    let resolver = Resolver::new(repository, name);
    match Range::of(&resolver, Hint::Any)? {
        Range::Between { from, to } if !merge_base => {
            Ok([Revision::Tree(resolver.tree(from)?), Revision::Tree(resolver.tree(to)?)])
        }
        Range::Between { from, to } | Range::Symmetric { from, to } => {
            let ends = [resolver.commit(from)?, resolver.commit(to)?];
            since_merge_base(&resolver, ends, &quoted(name))
        }
        _ if merge_base => since_merge_base_of(repository, name, "WORKTREE"),
        Range::One(id) => Ok([Revision::Tree(resolver.tree(id)?), Revision::WorkTree]),
        _ => {
            Err(Error::invalid_args(format!("{} is neither a range nor a revision", quoted(name)))
                .with_hint("Give a revision, two of them, or a range such as 'main..feature'"))
        }
    }
}

/// Resolves two revisions to their merge base and the second.
fn since_merge_base_of(repository: &Repository, from: &str, to: &str) -> Result<[Revision; 2]> {
    let second =
        Revision::named(to).filter(|side| matches!(side, Revision::Index | Revision::WorkTree));
    let to = if second.is_some() { "HEAD" } else { to };
    let [first, last] = [from, to].map(|name| Resolver::new(repository, name));
    let ends = [one_commit(&first)?, one_commit(&last)?];
    let shown = format!("{} and {}", quoted(from), quoted(to));
    let [base, to] = since_merge_base(&last, ends, &shown)?;
    Ok([base, second.unwrap_or(to)])
}

/// Compares the merge base of two commits with the second; git uses the first of several.
fn since_merge_base(resolver: &Resolver<'_>, ends: [Oid; 2], shown: &str) -> Result<[Revision; 2]> {
    let bases = resolver.merge_bases()?.of(ends[0], ends[1])?;
    let Some(base) = bases.first().copied() else {
        return Err(Error::not_found(format!("{shown} have no merge base"))
            .with_hint("Compare them directly, with two dots or two arguments"));
    };
    Ok([Revision::Tree(resolver.tree(base)?), Revision::Tree(resolver.tree(ends[1])?)])
}
