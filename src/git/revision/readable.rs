//! Which objects may be named, where a sandbox names the references that may be read: commits that one of them reaches, and
//! the tags on the way. What lies in their trees is reached from them.

use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use super::Revision;
use super::resolve::Resolver;
use crate::error::Result;
use crate::git::Oid;
use crate::git::graph::walk::{History, HistoryOptions, Merges, RevRange};
use crate::git::model::id_tables::IdSet;
use crate::git::repository::Repository;
use crate::limits;

impl Repository {
    /// Refuses a side that is the index or the work tree, where what is checked out may not be read.
    pub(in crate::git) fn check_side(&self, side: Revision) -> Result<()> {
        match (self.ref_limit(), side) {
            (Some(limit), Revision::Index | Revision::WorkTree)
                if self.references().branch()?.is_none() =>
            {
                Err(limit.refuse_work_tree())
            }
            _ => Ok(()),
        }
    }
}

impl Resolver<'_> {
    /// Tells whether an object may be named by its id.
    pub(super) fn may_name(&self, id: &Oid) -> Result<bool> {
        if self.repository.ref_limit().is_none() || id.is_empty_tree() {
            return Ok(true);
        }
        if let Some(known) = self.repository.nameable().get() {
            return Ok(known.contains(id));
        }
        let found = self.reached()?;
        Ok(self.repository.nameable().get_or_init(|| found).contains(id))
    }

    /// Returns the id of an object if it may be named.
    pub(super) fn nameable(&self, id: Oid) -> Result<Option<Oid>> {
        Ok(self.may_name(&id)?.then_some(id))
    }

    /// Finds the commits that the references reach, and the tags on the way to them.
    fn reached(&self) -> Result<IdSet> {
        let mut found: IdSet = IdSet::default();
        let mut tips = Vec::new();
        let mut named = Vec::new();
        self.references.each(|_, id| {
            named.extend(id);
            Ok(())
        })?;
        for id in named {
            let mut at = id;
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
                let line = bytes.lines().next().unwrap_or_default();
                let Some(Ok(target)) = line.strip_prefix(b"object ").map(Oid::from_hex) else {
                    break;
                };
                at = target;
            }
        }
        let ends = RevRange { tips, hidden: Vec::new(), read: Vec::new() };
        let options = HistoryOptions { merges: Merges::AllParents, ..HistoryOptions::default() };
        let budget = Arc::clone(self.repository.shared_budget());
        let mut history = History::new(self.repository, &ends, options, budget)?;
        while let Some(commit) = history.next_commit() {
            found.insert(commit?.id);
        }
        Ok(found)
    }
}
