//! Ranges: `a..b`, `a...b`, `a^!`, `a^@`, `a^-`, and `ALL`.

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::resolve::resolve;
use super::resolver::Resolver;
use super::short::Hint;
use super::side::Revision;
use super::unknown::unknown_name;
use crate::error::{Error, Result, quoted};
use crate::git::Oid;
use crate::git::graph::merge_base::MergeBases;
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
        if Revision::named(name).is_some() {
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
            let end =
                |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
            // In git two dots alone are a path.
            if !(from.is_empty() && to.is_empty() && !is_symmetric) {
                let ends = [end(from), end(to)]
                    .map(|name| (resolve(resolver, name.as_bytes(), Hint::Committish), name));
                match ends {
                    [(Ok(Some(from)), _), (Ok(Some(to)), _)] if is_symmetric => {
                        return Ok(Self::Symmetric { from, to });
                    }
                    [(Ok(Some(from)), _), (Ok(Some(to)), _)] => {
                        return Ok(Self::Between { from, to });
                    }
                    [(Err(error), _), _] | [_, (Err(error), _)] => failed = Some(error),
                    [(Ok(None), name), _] | [_, (_, name)] => unknown = Some(name),
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
                None => unknown_name(resolver, unknown.as_deref())?,
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
            digits => digits
                .to_str()
                .ok()
                .and_then(|digits| digits.parse().ok())
                .filter(|&number: &usize| number > 0),
        };
        match number {
            Some(number) => {
                Ok(base(end)?.map(|commit| Self::Without { commit, parent: Some(number) }))
            }
            None => Ok(None),
        }
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
    Ok(match Range::of(&resolver, Hint::Committish)? {
        Range::One(id) => {
            RevRange { tips: vec![commit(id)?], hidden: Vec::new(), read: Vec::new() }
        }
        Range::Between { from, to } => {
            RevRange { tips: vec![commit(to)?], hidden: vec![commit(from)?], read: Vec::new() }
        }
        Range::Symmetric { from, to } => {
            let tips = vec![commit(from)?, commit(to)?];
            let mut bases = MergeBases::new(resolver.commits()?, resolver.cancel);
            let hidden = bases.of(tips[0], tips[1])?;
            RevRange { tips, hidden, read: bases.into_read() }
        }
        Range::Parents(id) => {
            RevRange { tips: resolver.parents(&commit(id)?)?, hidden: Vec::new(), read: Vec::new() }
        }
        Range::Without { commit: id, parent } => {
            let id = commit(id)?;
            let parents = resolver.parents(&id)?;
            let hidden = match parent {
                None => parents,
                Some(number) => match parents.get(number - 1) {
                    Some(parent) => vec![*parent],
                    None => {
                        let count = parents.len();
                        return Err(
                            resolver.unresolved(&format!(": the commit has {count} parents"))
                        );
                    }
                },
            };
            RevRange { tips: vec![id], hidden, read: Vec::new() }
        }
        Range::Not => {
            return Err(Error::invalid_args(format!("{} only leaves commits out", quoted(range)))
                .with_hint("Give a revision, a range such as 'main..feature', or ALL"));
        }
    })
}

/// Returns the object of a revision, as `git rev-parse` does.
pub fn object_of(repository: &Repository, name: &str) -> Result<Oid> {
    match Range::of(&Resolver::new(repository, name), Hint::Any)? {
        Range::One(id) => Ok(id),
        _ => Err(Error::invalid_args(format!(
            "{} is a range, and one revision is wanted here",
            quoted(name)
        ))
        .with_hint("Give one of its ends")),
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
    let Range::One(id) = Range::of(resolver, Hint::Committish)? else {
        return Err(Error::invalid_args(format!(
            "{} is a range, and one revision is wanted here",
            quoted(&resolver.asked)
        ))
        .with_hint("Give its two ends as two arguments"));
    };
    resolver.commit(id)
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
    Ok(RevRange { tips, hidden: Vec::new(), read: Vec::new() })
}
