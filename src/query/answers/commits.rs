//! Commits as tools list them.

use std::collections::HashMap;

use super::pages::{short, shown, utc_text};
use crate::commit::Commit;
use redline_base::budget::{Gather, Grow};
use redline_base::error::Result;
use redline_base::limits;
use redline_git::{Mailmap, Oid, Repository, Visited, decorations, mailmap_of};
use redline_rows::{Need, Needs};
use redline_tools::ListedCommit;

/// Reads commits for lists.
pub struct CommitReader<'a> {
    repository: &'a Repository,
    mailmap: Mailmap,
    decorations: HashMap<Oid, Vec<Vec<u8>>>,
}

impl<'a> CommitReader<'a> {
    /// Reads the mailmap, and the references that point to commits.
    pub fn new(repository: &'a Repository) -> Result<Self> {
        let (mailmap, decorations) = (mailmap_of(repository)?, decorations(repository)?);
        Ok(Self { repository, mailmap, decorations })
    }

    /// Returns the needed fields of a commit.
    pub fn commit(&self, visited: Visited, needs: Needs) -> Result<Commit> {
        let (objects, cancel) = (self.repository.objects(), self.repository.cancel());
        Commit::read(visited, needs, &objects, Some(&self.mailmap), &cancel)
    }

    /// Returns the short names of the references that point to a commit.
    pub fn refs(&self, id: &Oid) -> Vec<String> {
        let names = self.decorations.get(id).map_or(&[][..], Vec::as_slice);
        let first = names.iter().take(limits::SHOWN_REFERENCES);
        let mut texts: Vec<String> = first.map(|name| shown(short(name))).gather();
        if let Some(more @ 1..) = names.len().checked_sub(limits::SHOWN_REFERENCES) {
            texts.add(format!("and {more} more"));
        }
        texts
    }

    /// Returns the mailmap.
    pub fn mailmap(&self) -> &Mailmap {
        &self.mailmap
    }

    /// Returns a commit for a list.
    pub fn read(&self, visited: Visited) -> Result<ListedCommit> {
        let commit = self.commit(visited, Needs::of(&[Need::Info, Need::Names]))?;
        let (id, info) = (commit.visited.id, commit.info.as_ref());
        let author = info.and_then(|info| info.author.as_ref());
        Ok(ListedCommit {
            commit_id: id.to_string(),
            parent_ids: commit.visited.parents.iter().map(Oid::to_string).gather(),
            author_name: author.map_or(String::new(), |person| shown(&person.name)),
            author_email: author.map_or(String::new(), |person| shown(&person.email)),
            author_date: info.and_then(|info| info.author_date).map(utc_text),
            subject: info.map_or(String::new(), |info| shown(&info.subject)),
            refs: self.refs(&id),
            file: None,
            lines: None,
        })
    }
}
