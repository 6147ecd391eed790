//! `GitShow`: a commit and its changes.

use super::call::{Answers, Call};
use super::commits::{CommitReader, CommitWords, short_names};
use super::compared::{Compared, PageAnswer};
use super::git_diff::{self, GitDiffArguments, no_change, request};
use super::pages::{shown, utc_text};

use crate::answers::opened;
use redline_base::budget::{Gather, Grow, Joined, Taken, text_of};
use redline_base::error::{Error, Result, escaped, quoted};
use redline_base::form::Form;
use redline_git::{
    CommitInfo, History, HistoryOptions, Merges, Person, Repository, Visited, range_of,
};
use redline_rows::{Need, Needs};
use redline_text::Combined;
use redline_tools::{Alias, Reply, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// Shows a commit.
pub struct GitShow;

impl Tool for GitShow {
    const NAME: &'static str = "GitShow";
    const TITLE: &'static str = "Show a commit";
    const DESCRIPTION: &'static str = "Shows a commit: its message, then what it changed as GitDiff. \
         Example: rev = HEAD~1";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("id", "rev"),
        Alias::Means("commit_hash", "rev"),
        Alias::Say("range", "Give rev, or call GitLog or GitDiff for a range"),
    ];
    const UNLISTED: &'static [&'static str] = &["merges"];
    type Arguments = GitShowArguments;
    type Output = Compared;
}

/// The arguments of `GitShow`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitShowArguments {
    /// Default: HEAD.
    pub rev: Option<String>,
    pub repo: Option<String>,
    pub paths: Option<Vec<String>>,
    pub context_lines: Option<i64>,
    /// first_parent (default) or combined.
    #[schemars(with = "Option<String>")]
    pub merges: Option<ShownMerges>,
    pub cursor: Option<String>,
}

/// The side with which a merge is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownMerges {
    /// Its first parent.
    FirstParent,
    /// All its parents at once: what differs from each is shown.
    Combined,
}

impl Answers for GitShow {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let rev = arguments.rev.as_deref().unwrap_or("HEAD");
        let names_file = rev
            .split_once(':')
            .is_some_and(|(rev, file)| !rev.is_empty() && !file.is_empty() && !rev.contains('{'));
        if names_file {
            let error = Error::invalid_args(format!("{} names a file, not a commit", quoted(rev)));
            return Err(error.with_hint(
                "Call GitFile: rev is the part before the colon, file the part after it",
            ));
        }
        let context = &call.caller.context;
        let words = context.read(|| {
            let (_, repository) = opened(context, arguments.repo.as_deref())?;
            words(&repository, rev, &call.reply)
        })?;
        let is_combined =
            arguments.merges == Some(ShownMerges::Combined) && words.parent_ids.len() > 1;
        let (from, to) = if is_combined {
            (format!("{}^!", words.commit_id), None)
        } else {
            let parent = words.parent_ids.first().map_or("EMPTY", String::as_str);
            (parent.to_owned(), Some(words.commit_id.clone()))
        };
        let paths = arguments.paths.clone().unwrap_or_default();
        let sides = GitDiffArguments {
            from,
            to,
            repo: arguments.repo,
            paths: arguments.paths,
            context_lines: arguments.context_lines,
            cursor: arguments.cursor,
            ..GitDiffArguments::default()
        };
        let mut request = request(&call, sides, true)?;
        request.revisions.combined = is_combined.then_some(Combined::Dense);
        let is_first = request.cursor.is_none();
        let header = if is_first { words.text() } else { words.short_text() };
        let besides = match (call.reply.is_data, is_first) {
            (true, true) => serde_json::to_string(&words).map_or(0, |json| json.len()) + 16,
            (true, false) => 0,
            (false, _) => call.reply.form.cost(&header),
        };
        let frame = PageAnswer { reply: call.reply, has_hunks: true, has_ids: false, besides };
        let whole = request.revisions.of_all_paths();
        let reviewed = request.answer(context, Some(&frame))?;
        let is_empty = reviewed.rows.is_empty();
        let mut compared = git_diff::compared(&frame, reviewed);
        if is_empty
            && !call.reply.is_data
            && let Some(why) = no_change(&call, &whole, &paths)?
        {
            compared.text = why;
        }
        compared.text = header + &compared.text;
        compared.commit_id = Some(words.commit_id.clone());
        compared.commit = is_first.then_some(words);
        Ok(compared)
    }
}

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
        refs: short_names(reader.refs(&visited.id).iter().map(Vec::as_slice)),
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
    let mut whole = text_of(&info.subject).taken();
    if !info.body.is_empty() {
        whole.add("\n\n");
        whole.add(text_of(&info.body));
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
    let cut = format!("\n[message cut at {} of {} bytes]", kept.len(), whole.len());
    [kept, &cut].joined("")
}
