//! The objects that may be named if a sandbox limits the readable references: commits reachable
//! from one of them, and the tags on the way. The contents of their trees are reached from them.

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::resolver::Resolver;
use super::side::Revision;
use crate::error::Result;
use crate::git::Oid;
use crate::git::graph::walk::{History, HistoryOptions, Merges, RevRange};
use crate::git::model::id_tables::IdSet;
use crate::git::repository::Repository;
use crate::limits;

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

/// Tells whether an object may be named by its id.
fn may_name(resolver: &Resolver<'_>, id: &Oid) -> Result<bool> {
    if resolver.repository.ref_limit().is_none() || id.is_empty_tree() {
        return Ok(true);
    }
    if let Some(known) = resolver.repository.nameable().get() {
        return Ok(known.contains(id));
    }
    let found = reached(resolver)?;
    Ok(resolver.repository.nameable().get_or_init(|| found).contains(id))
}

/// Returns the id of an object if it may be named.
pub fn nameable(resolver: &Resolver<'_>, id: Oid) -> Result<Option<Oid>> {
    Ok(may_name(resolver, &id)?.then_some(id))
}

/// Finds the commits reachable from the references, and the tags on the way to them.
fn reached(resolver: &Resolver<'_>) -> Result<IdSet> {
    let mut found: IdSet = IdSet::default();
    let mut tips = Vec::new();
    let mut named = Vec::new();
    resolver.references.each(|_, id| {
        named.extend(id);
        Ok(())
    })?;
    for id in named {
        let mut at = id;
        for _ in 0..limits::TAG_DEPTH {
            resolver.cancel.check()?;
            match resolver.kind(&at)? {
                Some(Kind::Tag) if found.insert(at) => {}
                Some(Kind::Commit) => {
                    tips.push(at);
                    break;
                }
                _ => break,
            }
            let Some((_, bytes)) = resolver.objects.object(&at)? else { break };
            let line = bytes.lines().next().unwrap_or_default();
            let Some(Ok(target)) = line.strip_prefix(b"object ").map(Oid::from_hex) else {
                break;
            };
            at = target;
        }
    }
    let ends = RevRange { tips, hidden: Vec::new(), read: Vec::new() };
    let options = HistoryOptions { merges: Merges::AllParents, ..HistoryOptions::default() };
    let mut history = History::new(resolver.repository, &ends, options)?;
    while let Some(commit) = history.next_commit() {
        found.insert(commit?.id);
    }
    Ok(found)
}
