//! Ranges: `a..b`, `a...b`, `a^!`, `a^@`, `a^-`, and what all references lead to.

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::Revision;
use super::resolve::{Hint, Resolver};
use crate::error::{Error, Result, quoted};
use crate::git::Oid;
use crate::git::history::merge_base::MergeBases;
use crate::git::history::walk::RevRange;
use crate::git::id_tables::IdSet;
use crate::git::refs::Resolved;
use crate::git::repository::Repository;

/// What a text names.
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

impl Repository {
    /// Resolves a range of commits as `git log` does: `a..b`, `a...b` without their merge bases' history,
    /// one revision with all its ancestors, or `ALL` references and HEAD.
    pub fn ends(&self, range: &str) -> Result<RevRange> {
        let resolver = Resolver::new(self, range);
        if range.eq_ignore_ascii_case("ALL") {
            return resolver.all();
        }
        let commit = |id: Oid| resolver.commit(id);
        Ok(match resolver.range(Hint::Committish)? {
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
            Range::Parents(id) => RevRange {
                tips: resolver.parents(&commit(id)?)?,
                hidden: Vec::new(),
                read: Vec::new(),
            },
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
                return Err(Error::invalid_args(format!(
                    "{} only leaves commits out",
                    quoted(range)
                ))
                .with_hint("Give a revision, a range such as 'main..feature', or ALL"));
            }
        })
    }
}

impl Resolver<'_> {
    /// Resolves what was asked for to a range or a revision.
    ///
    /// # Errors
    /// `not_found` for what names nothing.
    pub fn range(&self, hint: Hint) -> Result<Range> {
        let name = self.asked.as_str();
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
        // The end of a range that names nothing.
        let mut unknown = None;
        if let Some((from, to)) = name.split_once("..") {
            let (to, is_symmetric) = to.strip_prefix('.').map_or((to, false), |to| (to, true));
            let end =
                |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
            // Two dots alone are a path for git.
            if !(from.is_empty() && to.is_empty() && !is_symmetric) {
                let ends = [end(from), end(to)]
                    .map(|name| (self.resolve(name.as_bytes(), Hint::Committish), name));
                match ends {
                    [(Ok(Some(from)), _), (Ok(Some(to)), _)] if is_symmetric => {
                        return Ok(Range::Symmetric { from, to });
                    }
                    [(Ok(Some(from)), _), (Ok(Some(to)), _)] => {
                        return Ok(Range::Between { from, to });
                    }
                    [(Err(error), _), _] | [_, (Err(error), _)] => failed = Some(error),
                    [(Ok(None), name), _] | [_, (_, name)] => unknown = Some(name),
                }
            }
        }
        if let Some(range) = self.with_parents(name.as_bytes())? {
            return Ok(range);
        }
        let (is_not, rest) = name.strip_prefix('^').map_or((false, name), |rest| (true, rest));
        match self.resolve(rest.as_bytes(), hint) {
            Ok(Some(_)) if is_not => Ok(Range::Not),
            Ok(Some(id)) => Ok(Range::One(id)),
            Ok(None) => Err(match failed {
                Some(error) => error,
                None => self.unknown(unknown.as_deref())?,
            }),
            Err(error) => Err(failed.unwrap_or(error)),
        }
    }

    /// Resolves `a^@`, `a^!` and `a^-N`.
    fn with_parents(&self, name: &[u8]) -> Result<Option<Range>> {
        let base = |end: usize| self.resolve(&name[..end], Hint::Committish);
        if let Some(end) = name.find(b"^@").filter(|&end| end + 2 == name.len()) {
            return Ok(base(end)?.map(Range::Parents));
        }
        if let Some(end) = name.find(b"^!").filter(|&end| end + 2 == name.len()) {
            return Ok(base(end)?.map(|commit| Range::Without { commit, parent: None }));
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
                Ok(base(end)?.map(|commit| Range::Without { commit, parent: Some(number) }))
            }
            None => Ok(None),
        }
    }

    /// Returns every commit that a reference, HEAD or another work tree's HEAD leads to, in the order of their names.
    fn all(&self) -> Result<RevRange> {
        let mut named = Vec::new();
        self.references.each(|name, id| {
            let id = id.map_err(|what| self.references.damaged(name, what))?;
            named.push((name.to_vec(), id));
            Ok(())
        })?;
        if let Resolved::Id { id, .. } = self.references.resolve(b"HEAD")? {
            named.push((b"HEAD".to_vec(), id));
        }
        named.extend(self.references.other_heads()?);
        let mut tips = Vec::new();
        let mut seen: IdSet = IdSet::default();
        for (name, id) in named {
            if !seen.insert(id) {
                continue;
            }
            match self.untagged(id)? {
                Ok((Kind::Commit, commit)) => tips.push(commit),
                // As for git, what leads to no commit (a tagged file) has no history.
                Ok(_) => {}
                Err(missing) => {
                    return Err(self
                        .references
                        .damaged(&name, &format!("leads to object {missing}, which is missing")));
                }
            }
        }
        Ok(RevRange { tips, hidden: Vec::new(), read: Vec::new() })
    }

    /// Says why what was asked for names nothing, or one `end` of the range that it is.
    fn unknown(&self, end: Option<&str>) -> Result<Error> {
        if let Some(end) = end.filter(|end| Revision::named(end).is_some()) {
            return Ok(Error::invalid_args(format!(
                "{} is no commit, so {} is no range of commits",
                quoted(end),
                quoted(&self.asked)
            ))
            .with_hint("Give the two sides as `from` and `to`, such as 'HEAD', 'WORKTREE'"));
        }
        if let Some(broken) = self.broken.borrow().as_ref() {
            return Ok(self.references.damaged(broken, "holds no id"));
        }
        let names = self.references.short_names()?;
        let near =
            crate::suggest::nearest(end.unwrap_or(&self.asked), names.iter().map(String::as_str));
        let error = match end {
            Some(end) => self.unresolved_end(end),
            None => self.unresolved(""),
        };
        Ok(if !near.is_empty() {
            error.near(&near)
        } else if self.commits().is_ok_and(|commits| commits.is_shallow()) {
            error.with_hint("The history is shallow; 'git fetch --unshallow' gets the rest")
        } else {
            error.with_hint("Name a branch, a tag or a commit that 'git rev-parse' knows")
        })
    }
}
