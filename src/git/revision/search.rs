//! Finds the newest commit with a matching message: `:/text`, `HEAD^{/text}`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::resolver::Resolver;
use crate::Oid;
use crate::model::id_tables::IdSet;
use crate::model::space::up_to_nul;
use crate::refs::Resolved;
use redline_base::budget::Charge;
use redline_base::error::Result;
use redline_base::pattern::{self, posix};

/// A pattern of messages.
struct Pattern {
    regex: pattern::Pattern,
    /// Whether it must not match.
    is_negative: bool,
}

/// A commit in the queue: the newest first, of the same second the one found first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    date: u64,
    found: Reverse<u64>,
    id: Oid,
    parents: Vec<Oid>,
    /// Whether its message matches: messages themselves may be too large to keep.
    is_match: bool,
}

impl Pattern {
    /// Parses `text`, `!-text` or `!!text`; `None` if git rejects it.
    fn read(text: &[u8]) -> Option<Self> {
        let (text, is_negative) = match text {
            [b'!', b'-', rest @ ..] => (rest, true),
            [b'!', rest @ ..] if rest.starts_with(b"!") => (rest, false),
            [b'!', ..] => return None,
            text => (text, false),
        };
        let regex = pattern::Pattern::extended(text, posix::Newline::Character)?;
        Some(Self { regex, is_negative })
    }

    fn matches(&self, commit: &[u8]) -> Result<bool> {
        // In git the text ends at a NUL.
        let commit = up_to_nul(commit);
        let found = match commit.find(b"\n\n") {
            Some(end) => self.regex.is_match(&commit[end + 2..])?,
            None => false,
        };
        Ok(found != self.is_negative)
    }
}

/// Returns the newest matching commit reachable from references and HEAD.
pub fn all(resolver: &Resolver<'_>, pattern: &[u8]) -> Result<Option<Oid>> {
    let mut tips = Vec::new();
    resolver.references.each(|_, id| {
        // As in git, a damaged reference has no commit.
        tips.extend(id);
        Ok(())
    })?;
    if let Resolved::Id { id, .. } = resolver.references.resolve(b"HEAD")? {
        tips.push(id);
    }
    let mut commits = Vec::new();
    // git prepends each, and keeps that order for equal times.
    for id in tips.into_iter().rev() {
        commits.extend(resolver.peel_to(id, Kind::Commit)?);
    }
    search(resolver, pattern, commits)
}

/// Returns the newest matching commit among `tips` and their ancestors.
pub fn search(resolver: &Resolver<'_>, pattern: &[u8], tips: Vec<Oid>) -> Result<Option<Oid>> {
    let Some(pattern) = Pattern::read(pattern) else { return Ok(None) };
    let mut seen: IdSet = IdSet::default();
    let mut queue = BinaryHeap::new();
    let mut count = 0;
    // The memory of the commits that were met.
    let mut charge = Charge::free();
    let mut meet = |id: Oid, queue: &mut BinaryHeap<Waiting>| -> Result<()> {
        if seen.insert(id) {
            resolver.cancel.check()?;
            let (links, bytes) = resolver.commits()?.read(&id)?;
            let parents = links.parents.len() * size_of::<Oid>();
            charge.join(resolver.cancel.charge_all(2 * size_of::<Waiting>() + parents)?);
            queue.push(Waiting {
                date: links.date,
                found: Reverse(count),
                id,
                parents: links.parents,
                is_match: pattern.matches(&bytes)?,
            });
            count += 1;
        }
        Ok(())
    };
    for id in tips {
        meet(id, &mut queue)?;
    }
    while let Some(commit) = queue.pop() {
        if commit.is_match {
            return Ok(Some(commit.id));
        }
        for parent in commit.parents {
            meet(parent, &mut queue)?;
        }
    }
    Ok(None)
}
