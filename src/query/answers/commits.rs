//! Commits as tools list them.

use std::collections::HashMap;

use super::pages::{short, shown};
use super::shown::shown_refs;
use crate::questions::commit::Commit;
use redline_base::budget::{Gather, Grow, GrowBy, Joined};
use redline_base::error::Result;
use redline_base::limits;
use redline_git::{Mailmap, Oid, Repository, Visited, decorations, mailmap_of};
use redline_rows::Needs;
use serde::Serialize;

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

    /// Returns the full names of the references that point to a commit.
    pub fn refs(&self, id: &Oid) -> &[Vec<u8>] {
        self.decorations.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns the mailmap.
    pub fn mailmap(&self) -> &Mailmap {
        &self.mailmap
    }
}

/// Returns the short names of references for display: of the first ones, and how many there are more.
pub fn short_names<'a>(names: impl ExactSizeIterator<Item = &'a [u8]>) -> Vec<String> {
    let more = names.len().saturating_sub(limits::SHOWN_REFERENCES);
    let first = names.take(limits::SHOWN_REFERENCES);
    let mut texts: Vec<String> = first.map(|name| shown(short(name))).gather();
    if more > 0 {
        texts.add(format!("and {more} more"));
    }
    texts
}

/// The header of a commit.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CommitWords {
    /// Its id.
    pub commit_id: String,
    /// Its parents.
    pub parent_ids: Vec<String>,
    /// The author: name and address.
    pub author: String,
    /// The author date, in UTC.
    pub author_date: Option<String>,
    /// The committer.
    pub committer: String,
    /// The date.
    pub committer_date: Option<String>,
    /// The references that point to it.
    pub refs: Vec<String>,
    /// Its message.
    pub message: String,
}

impl CommitWords {
    /// Returns the header of a commit for the first page.
    pub fn text(&self) -> String {
        let Self { commit_id, parent_ids, author, committer, refs, message, .. } = self;
        let date = |date: &Option<String>| date.clone().unwrap_or_else(|| "(no date)".to_owned());
        let mut text = format!("commit {commit_id}\n");
        if !refs.is_empty() {
            text.add_slice(&format!("refs: {}\n", shown_refs(refs.iter().map(String::as_str))));
        }
        match parent_ids.as_slice() {
            [] => text.add_slice("parents: none\n"),
            [_] => {}
            several => text.add_slice(&format!("parents: {}\n", several.joined(" "))),
        }
        text.add_slice(&format!("author: {author} {}\n", date(&self.author_date)));
        if (committer, &self.committer_date) != (author, &self.author_date) {
            text.add_slice(&format!("committer: {committer} {}\n", date(&self.committer_date)));
        }
        text.add('\n');
        // Indented, so that no line of a message looks like redline's words.
        for line in message.trim_end().split('\n') {
            let indent = if line.is_empty() { "" } else { "    " };
            text.add_slice(&format!("{indent}{line}\n"));
        }
        text.add('\n');
        text
    }

    /// Returns the start of a later page.
    pub fn short_text(&self) -> String {
        format!("commit {}, continued\n\n", self.commit_id)
    }
}
