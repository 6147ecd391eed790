//! What the tools `GitShow`, `GitFile` and `GitBlame` do.

use std::collections::HashSet;
use std::sync::Arc;

use super::entry::{Answers, Call};
use super::git_answers::{AnswerFrame, Shown, compared};
use super::history_answers::{CommitReader, Pages, opened, shown};
use super::missing_file::explained;
use crate::error::{Error, Result, escaped, quoted};
use crate::find::shortened;
use crate::form::Form;
use crate::functions::params::CONTEXT;
use crate::git::{
    Blame, BlameOptions, BlamedVersion, CommitInfo, History, HistoryOptions, Merges, Pathspec,
    Person, ReadLimit, RenameOptions, Repository, SideFiles, Stage, Visited, blob_id, mailmap_of,
    object_of, range_of, state_of_file,
};
use crate::query::Revisions;
use crate::query::blame::Blamed;
use crate::query::needs::{Need, Needs};
use crate::query::review::{Request, Reviewed};
use crate::review::{Binding, Position};
use crate::text::{Combined, DiffOptions};
use crate::tools::{
    BlameHead, CommitWords, FileLines, GitBlame, GitBlameArguments, GitFile, GitFileArguments,
    GitShow, GitShowArguments, LinePlace, LineScan, Lines, ListedBlame, ListedRow, Listing, Reply,
    ShownCommit, ShownMerges, utc_text,
};

/// What part of an answer a message may be.
const MESSAGE_PART: usize = 3;

impl Answers for GitShow {
    fn answer(call: Call, arguments: GitShowArguments) -> Result<ShownCommit> {
        let rev = arguments.rev.as_deref().unwrap_or("HEAD");
        let names_file = rev
            .split_once(':')
            .is_some_and(|(rev, file)| !rev.is_empty() && !file.is_empty() && !rev.contains('{'));
        if names_file {
            let error = Error::invalid_args(format!("{} names a file, not a commit", quoted(rev)));
            return Err(error.with_hint(
                "Call GitFile: rev is what stands before the colon, file what stands after it",
            ));
        }
        let execution = &call.execution;
        let words = execution.read(|| {
            let (_, repository) = opened(execution, arguments.repo.as_deref())?;
            words(&repository, rev, &call)
        })?;
        let repo = arguments.repo.unwrap_or_else(|| execution.default_repository());
        let paths = arguments.paths.unwrap_or_default();
        let renames = Some(RenameOptions::default());
        let is_combined =
            arguments.merges == Some(ShownMerges::Combined) && words.parent_ids.len() > 1;
        let (from, to) = if is_combined {
            (format!("{}^!", words.commit_id), None)
        } else {
            let parent = words.parent_ids.first().map_or("EMPTY", String::as_str);
            (parent.to_owned(), Some(words.commit_id.clone()))
        };
        let request = Request {
            revisions: Revisions {
                paths: Pathspec::parse_all(&paths)?,
                renames,
                combined: is_combined.then_some(Combined::Dense),
                ..Revisions::between(from, to, repo)
            },
            options: DiffOptions {
                context: CONTEXT.of_tool(arguments.context_lines)?,
                ..DiffOptions::default()
            },
            file: None,
            has_hunks: true,
            max_bytes: call.reply.max_bytes,
            cursor: arguments.cursor,
            except: Vec::new(),
        };
        let is_first = request.cursor.is_none();
        let besides = match (call.reply.is_data, is_first) {
            (true, true) => serde_json::to_string(&words).map_or(0, |json| json.len()) + 16,
            (true, false) => 0,
            (false, true) => call.reply.form.cost(&words.text()),
            (false, false) => call.reply.form.cost(&words.short_text()),
        };
        let frame = AnswerFrame::new(call.reply, Shown::Hunks, besides);
        let Reviewed { rows, page, .. } = request.answer(execution, &frame)?;
        let compared = compared(&call.reply, &rows, page);
        Ok(ShownCommit { words, is_first, compared })
    }
}

/// Returns the commit that a revision names, as a walk finds it.
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

/// Returns what a commit says of itself, the message cut where it would leave no room for anything
/// else.
fn words(repository: &Repository, rev: &str, call: &Call) -> Result<CommitWords> {
    let reader = CommitReader::new(repository)?;
    let visited = commit(repository, rev)?;
    let commit = reader.commit(visited, Needs::of(&[Need::Info, Need::Names, Need::Body]))?;
    let visited = &commit.visited;
    let mut words = CommitWords {
        commit_id: visited.id.to_string(),
        parent_ids: visited.parents.iter().map(|id| id.to_string()).collect(),
        refs: reader.refs(&visited.id),
        ..CommitWords::default()
    };
    if let Some(info) = &commit.info {
        words.author = named(info.author.as_ref());
        words.author_date = info.author_date.map(utc_text);
        words.committer = named(info.committer.as_ref());
        words.committer_date = info.committer_date.map(utc_text);
        words.message = message(info, &call.reply);
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
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut whole = text(&info.subject);
    if !info.body.is_empty() {
        whole = format!("{whole}\n\n{}", text(&info.body));
    }
    // What is hard to see is escaped line by line; an indent is added where it is shown.
    let lines: Vec<String> = whole.trim_end().lines().map(escaped).collect();
    let whole = lines.join("\n");
    let room = reply.max_bytes / MESSAGE_PART;
    let indents = 4 * lines.len();
    let kept = Form::Json.fitting(&whole, room.saturating_sub(indents.min(room / 2)));
    if kept.len() == whole.len() {
        return whole;
    }
    format!("{kept}\n[message cut at {} of {} bytes]", kept.len(), whole.len())
}

impl Answers for GitFile {
    fn answer(call: Call, arguments: GitFileArguments) -> Result<FileLines> {
        call.execution.read(|| file(&call, &arguments)).map(FileLines)
    }
}

fn file(call: &Call, arguments: &GitFileArguments) -> Result<Lines> {
    let mut range = arguments.range()?;
    let (repo, repository) = opened(&call.execution, arguments.repo.as_deref())?;
    let (rev, path) = (arguments.rev.as_deref().unwrap_or("HEAD"), arguments.file.as_str());
    // A branch may have the name of a stage.
    let stage =
        Stage::named(rev).filter(|_| rev.starts_with(':') || object_of(&repository, rev).is_err());
    let side = if stage.is_some() { "INDEX" } else { rev };
    let mut files = SideFiles::open_alone(&repository, side)?;
    let found = match stage {
        Some(stage) => files.find_stage(path.as_bytes(), stage),
        None => files.find(path.as_bytes())?,
    };
    let Some(entry) = found else {
        if stage.is_some() && files.find(path.as_bytes())?.is_some() {
            return Err(Error::not_found(format!(
                "{} has no version {} in the index",
                quoted(path),
                quoted(rev)
            ))
            .with_hint("ours, theirs and base are of files in a conflict, which GitStatus lists; rev = INDEX is what is staged"));
        }
        let error =
            Error::not_found(format!("there is no file {} in {}", quoted(path), quoted(rev)));
        if let Some(hint) = files.submodule_hint(path.as_bytes())? {
            return Err(error.with_hint(hint));
        }
        let error = error
            .near(&files.nearest(path)?)
            .or_hint("Paths start at the root of the repository; list_files lists them");
        return Err(explained(error, &repository, path));
    };
    let content = files.read(path.as_bytes(), entry, ReadLimit::OBJECT)?;
    let options = format!(
        "GitFile {repo:?} {path:?} {rev:?} {:?} {:?} {}",
        arguments.first_line, arguments.last_line, range.has_numbers
    );
    let base_oid = blob_id(&content)?;
    let binding = Binding::new(options.as_bytes(), base_oid.as_bytes());
    if let Some(cursor) = &arguments.cursor {
        let from = binding.position(cursor)?;
        range.from = LinePlace { line: from.listed as u64, byte: from.offset as u64 };
    }
    let mut scan = LineScan::new(range, call.reply.max_bytes);
    scan.push(&content);
    let cursor = |place: LinePlace| {
        let number = |given: u64| usize::try_from(given).unwrap_or(usize::MAX);
        let position = Position {
            listed: number(place.line),
            offset: number(place.byte),
            ..Position::default()
        };
        binding.cursor(position).ok_or_else(|| {
            Error::too_large(format!("{} has a line that no cursor reaches", quoted(path)))
                .with_hint("Use search to find a text in it")
        })
    };
    let path = escaped(&format!("{path} at {rev}"));
    let lines = Lines { path, base_oid, ..Lines::default() };
    lines.filled(&scan.finish(), range, &call.reply, cursor)
}

impl Answers for GitBlame {
    fn answer(call: Call, arguments: GitBlameArguments) -> Result<Listing<ListedBlame>> {
        call.execution.read(|| blame(&call, &arguments))
    }
}

fn blame(call: &Call, arguments: &GitBlameArguments) -> Result<Listing<ListedBlame>> {
    let (repo, repository) = opened(&call.execution, arguments.repo.as_deref())?;
    let (rev, path) = (arguments.rev.as_deref().unwrap_or("HEAD"), arguments.file.as_str());
    let number = |name: &str, given: Option<u64>, default: u32| match given {
        Some(0) => Err(Error::invalid_args(format!("{name} is 0")).with_hint("Lines count from 1")),
        Some(line) => Ok(u32::try_from(line).unwrap_or(u32::MAX)),
        None => Ok(default),
    };
    let first = number("first_line", arguments.first_line, 1)?;
    let last = number("last_line", arguments.last_line, u32::MAX)?;
    if last < first {
        return Err(Error::invalid_args(format!("first_line is {first} and last_line is {last}"))
            .with_hint("The last line is not before the first"));
    }
    let asked = format!("GitBlame {repo:?} {path:?} {rev:?} {first} {last}");
    let peeked = arguments.cursor.as_deref().map(|given| Binding::peek(given, asked.as_bytes()));
    let shown_before = peeked.transpose()?.unwrap_or_default().listed;
    let from = first.saturating_add(u32::try_from(shown_before).unwrap_or(u32::MAX));
    let state = state_of_file(&repository, path, rev)?;
    let pages = Pages::new(&asked, &state, arguments.cursor.as_deref())?;
    let last_of_page = last.min(last_of_page(&repository, path, rev, from, &call.reply)?);
    let options =
        BlameOptions { lines: Some((from, last_of_page.max(from))), ..BlameOptions::default() };
    let blame = Blame::of(&repository, path, rev, &options)
        .map_err(|error| explained(error, &repository, path))?;
    let count = u32::try_from(blame.bounds.len() - 1).unwrap_or(u32::MAX);
    let blamed =
        Blamed::new(blame, &repository, Some(&mailmap_of(&repository)?), Needs::of(&[Need::Info]))?;
    let blame = &blamed.blame;
    let mut known = HashSet::new();
    let runs = blame.runs.iter().flat_map(|run| {
        let version = blamed.version(*run);
        let head = head(version, blamed.info(*run), u64::from(run.source) + 1, path);
        let head = Arc::new(BlameHead { is_known: !known.insert(version.commit), ..head });
        (0..run.lines).map(move |offset| (run.line + offset, Arc::clone(&head)))
    });
    let mut rows = runs.map(|(line, head)| {
        let text = blame.line(line);
        Ok(ListedBlame { line: u64::from(line) + 1, text: shortened(text), head })
    });
    let place = escaped(&format!("{path} at {rev}"));
    let lines = format!("{place}, lines {first} to {} of {count}", last.min(count));
    Listing::filled(lines, &call.reply, pages.first(), &mut rows, |row| pages.cursor(row))
}

/// Returns the last line that a page can hold which begins at a line: what of the file is not shown
/// is not followed.
fn last_of_page(
    repository: &Repository,
    path: &str,
    rev: &str,
    from: u32,
    reply: &Reply,
) -> Result<u32> {
    let path = repository.file_from_root(path)?;
    let mut files = SideFiles::open_end(repository, rev)?;
    // What is not there, the blame says.
    let Some(entry) = files.find(path.as_bytes())? else { return Ok(u32::MAX) };
    let content = files.read(path.as_bytes(), entry, ReadLimit::OBJECT)?;
    let head = Arc::new(BlameHead::default());
    let (mut room, mut last) = (reply.max_bytes, from);
    for text in content.split(|&byte| byte == b'\n').skip(from.saturating_sub(1) as usize) {
        let row =
            ListedBlame { line: u64::from(last), text: shortened(text), head: Arc::clone(&head) };
        let cost = if reply.is_data {
            row.value_bytes(Some(&row))
        } else {
            reply.form.cost(&row.shown(Some(&row)))
        };
        let Some(left) = room.checked_sub(cost) else { break };
        room = left;
        last = last.saturating_add(1);
    }
    Ok(last)
}

fn head(
    version: &BlamedVersion,
    info: Option<&CommitInfo>,
    original_line: u64,
    path: &str,
) -> BlameHead {
    let author = info.and_then(|info| info.author.as_ref());
    BlameHead {
        commit_id: version.commit.map(|id| id.to_string()),
        author_name: author.map_or(String::new(), |person| shown(&person.name)),
        author_date: info.and_then(|info| info.author_date).map(utc_text),
        subject: info.map_or(String::new(), |info| shown(&info.subject)),
        original_path: shown(&version.path),
        original_line,
        is_renamed: version.path != path.as_bytes(),
        is_known: false,
    }
}
