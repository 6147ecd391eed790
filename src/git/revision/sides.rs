//! Resolves names to the sides of a comparison.

use super::range::{Range, one_commit};
use super::resolver::Resolver;
use super::short::Hint;
use super::side::Revision;
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::git::Oid;
use crate::git::graph::merge_base::MergeBases;
use crate::git::repository::Repository;

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
    match Range::of(&resolver, Hint::Any)? {
        Range::One(id) => resolver.tree(id).map(Revision::Tree),
        _ => Err(Error::invalid_args(format!(
            "{} is a range, and one revision is wanted here",
            quoted(name)
        ))
        .with_hint(of_range)),
    }
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
    if Revision::named(from).is_some() {
        return Ok([None, None]);
    }
    let resolver = Resolver::new(repository, from);
    let commit = |id: Oid| if_commit(resolver.commit(id));
    Ok(match Range::of(&resolver, Hint::Any)? {
        Range::Between { from, to } => [commit(from)?, commit(to)?],
        Range::Symmetric { from, to } => {
            let ends = [resolver.commit(from)?, resolver.commit(to)?];
            let mut bases = MergeBases::new(resolver.commits()?, resolver.cancel);
            [bases.of(ends[0], ends[1])?.first().copied(), Some(ends[1])]
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
    if Revision::named(name).is_some() {
        return Ok([side_of(repository, name)?, Revision::WorkTree]);
    }
    let resolver = Resolver::new(repository, name);
    match Range::of(&resolver, Hint::Any)? {
        Range::Between { from, to } if !merge_base => {
            Ok([Revision::Tree(resolver.tree(from)?), Revision::Tree(resolver.tree(to)?)])
        }
        Range::Between { from, to } | Range::Symmetric { from, to } => {
            let ends = [resolver.commit(from)?, resolver.commit(to)?];
            since_merge_base(&resolver, ends, || quoted(name))
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
    let shown = || format!("{} and {}", quoted(from), quoted(to));
    let [base, to] = since_merge_base(&last, ends, shown)?;
    Ok([base, second.unwrap_or(to)])
}

/// Compares the merge base of two commits with the second; git uses the first of several.
fn since_merge_base(
    resolver: &Resolver<'_>,
    ends: [Oid; 2],
    shown: impl Fn() -> String,
) -> Result<[Revision; 2]> {
    let bases = MergeBases::new(resolver.commits()?, resolver.cancel).of(ends[0], ends[1])?;
    let Some(base) = bases.first().copied() else {
        return Err(Error::not_found(format!("{} have no merge base", shown()))
            .with_hint("Compare them directly, with two dots or two arguments"));
    };
    Ok([Revision::Tree(resolver.tree(base)?), Revision::Tree(resolver.tree(ends[1])?)])
}
