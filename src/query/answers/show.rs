//! The words of a commit, for the answer of `GitShow`.

use super::commits::CommitReader;
use super::pages::{shown, utc_text};
use redline_base::budget::{Gather, Joined, Taken, text_of};
use redline_base::error::{Error, Result, escaped, quoted};
use redline_base::form::Form;
use redline_git::{
    CommitInfo, History, HistoryOptions, Merges, Person, Repository, Visited, range_of,
};
use redline_rows::{Need, Needs};
use redline_tools::{CommitWords, Reply};

/// What part of an answer the message may be.
const MESSAGE_PART: usize = 3;

/// Returns the commit that a revision names.
fn commit(repository: &Repository, rev: &str) -> Result<Visited> {
    let ends = range_of(repository, rev)?;
    if ends.tips.len() != 1 || !ends.hidden.is_empty() {
        return Err(Error::invalid_args(format!("{} is not one commit", quoted(rev)))
            .with_hint("Give one revision; GitLog lists the commits of a range"));
    }
    let options = HistoryOptions { merges: Merges::AllParents, ..HistoryOptions::default() };
    let mut history = History::new(repository, &ends, options)?;
    let first = history.next_commit().transpose()?;
    first.ok_or_else(|| {
        Error::not_found(format!("{} names no commit", quoted(rev))).with_hint("Call GitLog")
    })
}

/// Returns the header of a commit; the message is cut if it would leave no room for the changes.
pub fn words(repository: &Repository, rev: &str, reply: &Reply) -> Result<CommitWords> {
    let reader = CommitReader::new(repository)?;
    let visited = commit(repository, rev)?;
    let commit = reader.commit(visited, Needs::of(&[Need::Info, Need::Names, Need::Body]))?;
    let visited = &commit.visited;
    let mut words = CommitWords {
        commit_id: visited.id.to_string(),
        parent_ids: visited.parents.iter().map(|id| id.to_string()).gather(),
        refs: reader.refs(&visited.id),
        ..CommitWords::default()
    };
    if let Some(info) = &commit.info {
        words.author = named(info.author.as_ref());
        words.author_date = info.author_date.map(utc_text);
        words.committer = named(info.committer.as_ref());
        words.committer_date = info.committer_date.map(utc_text);
        words.message = message(info, reply);
    }
    Ok(words)
}

fn named(person: Option<&Person>) -> String {
    person.map_or_else(
        || "(nobody)".to_owned(),
        |person| format!("{} <{}>", shown(&person.name), shown(&person.email)),
    )
}

fn message(info: &CommitInfo, reply: &Reply) -> String {
    let text = |bytes: &[u8]| text_of(bytes).taken();
    let mut whole = text(&info.subject);
    if !info.body.is_empty() {
        whole = format!("{whole}\n\n{}", text(&info.body));
    }
    // Characters that are hard to see are escaped line by line; an indent is added for display.
    let lines: Vec<String> = whole.trim_end().lines().map(escaped).gather();
    let whole = lines.joined("\n");
    let room = reply.max_bytes / MESSAGE_PART;
    let indents = 4 * lines.len();
    let kept = Form::Json.fitting(&whole, room.saturating_sub(indents.min(room / 2)));
    if kept.len() == whole.len() {
        return whole;
    }
    format!("{kept}\n[message cut at {} of {} bytes]", kept.len(), whole.len())
}
