//! `GitBlame`: the lines of a file with the commits that they come from.

use super::call::{Answers, Call};
use super::git_file::FILE_ALIASES;
use super::missing_file::explained;
use super::pages::{Pages, opened};
use super::shown::{shown_day, shown_id, shown_inside};
use super::view;
use super::view::{ShownColumns, Values};
use crate::Context;
use crate::questions::blame::{Blamed, BlamedCommit, BlamedLines};
use redline_base::budget::{Grow, GrowSet};
use redline_base::error::{Error, Result, escaped, escaped_line};
use redline_find::shortened;
use redline_git::{
    Blame, BlameOptions, ReadLimit, Repository, SideFiles, mailmap_of, state_of_file,
};
use redline_review::Binding;
use redline_rows::{Need, Needs};
use redline_tools::{Alias, ListedRow, Listing, Reply, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// Shows the commit of each line.
pub struct GitBlame;

impl Tool for GitBlame {
    const NAME: &'static str = "GitBlame";
    const TITLE: &'static str = "Blame";
    const DESCRIPTION: &'static str =
        "Says which commit each line of a file is from. Example: file = src/main.rs";
    const ALIASES: &'static [Alias] = FILE_ALIASES;
    type Arguments = GitBlameArguments;
    type Output = Listing<ListedBlame>;
}

/// The arguments of `GitBlame`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitBlameArguments {
    pub file: String,
    pub rev: Option<String>,
    pub repo: Option<String>,
    pub first_line: Option<u64>,
    pub last_line: Option<u64>,
    pub cursor: Option<String>,
}

/// A run of lines of one commit.
#[derive(Default)]
pub struct BlamedRun {
    /// The commit, and where the lines are in it.
    commit: Values,
    is_renamed: bool,
    /// Whether an earlier run of the page describes the commit.
    is_known: bool,
}

/// What is shown of the commit of a run.
const COMMIT: ShownColumns = &[
    ("commit_id", view::plain),
    ("author_name", view::known_line),
    ("author_date", view::time),
    ("subject", view::known_line),
    ("original_path", view::line),
    ("original_line", view::plain),
];

/// A line and its commit.
#[derive(Serialize)]
pub struct ListedBlame {
    /// Its number, from 1.
    pub line: u64,
    /// Its text.
    pub text: String,
    /// The run that it is in.
    #[serde(skip)]
    pub run: Arc<BlamedRun>,
}

impl ListedBlame {
    fn begins(&self, before: Option<&Self>) -> bool {
        before.is_none_or(|before| !Arc::ptr_eq(&before.run, &self.run))
    }
}

impl ListedRow for ListedBlame {
    const NAME: &'static str = "runs";

    fn shown(&self, before: Option<&Self>) -> String {
        let line = format!("{}\t{}\n", self.line, escaped_line(&self.text));
        if !self.begins(before) {
            return line;
        }
        let BlamedRun { commit, is_renamed, is_known } = &*self.run;
        let said = |column| commit.text(column).unwrap_or_default();
        let Some(id) = commit.text("commit_id").map(shown_id) else {
            return format!("not committed\n{line}");
        };
        let path = shown_inside(said("original_path"));
        let from = if *is_renamed { format!(" (in {path})") } else { String::new() };
        if *is_known {
            return format!("{id}{from} (above)\n{line}");
        }
        let day = shown_day(commit.text("author_date"));
        format!("{id}{from} {day} {}: {}\n{line}", said("author_name"), said("subject"))
    }

    fn values(rows: &[Self]) -> Value {
        let mut runs: Vec<Value> = Vec::new();
        let mut before = None;
        for row in rows {
            if row.begins(before) {
                let mut run = json!(row.run.commit);
                run["first_line"] = json!(row.line);
                run["lines"] = json!([]);
                runs.add(run);
            }
            let lines = runs.last_mut().and_then(|run| run["lines"].as_array_mut());
            lines.into_iter().for_each(|lines| lines.add(json!(row.text)));
            before = Some(row);
        }
        json!(runs)
    }

    fn value_bytes(&self, before: Option<&Self>) -> usize {
        let text = json!(self.text).to_string().len() + ",".len();
        if !self.begins(before) {
            return text;
        }
        let around = r#","first_line":,"lines":[]"#.len() + self.line.to_string().len();
        json!(self.run.commit).to_string().len() + around + text + ",".len()
    }
}

/// Returns the lines of a file with the commits that they come from.
pub fn blame(
    context: &Context,
    reply: &Reply,
    arguments: &GitBlameArguments,
) -> Result<Listing<ListedBlame>> {
    let (repo, repository) = opened(context, arguments.repo.as_deref())?;
    let (rev, path) = (arguments.rev.as_deref().unwrap_or("HEAD"), arguments.file.as_str());
    let number = |given: u64| u32::try_from(given).unwrap_or(u32::MAX);
    let first = arguments.first_line.map_or(1, number);
    let last = arguments.last_line.map_or(u32::MAX, number);
    if last < first {
        return Err(Error::invalid_args(format!("first_line is {first} and last_line is {last}"))
            .with_hint("The last line must not be before the first"));
    }
    let asked = format!("GitBlame {repo:?} {path:?} {rev:?} {first} {last}");
    let peeked = arguments.cursor.as_deref().map(|given| Binding::peek(given, asked.as_bytes()));
    let shown_before = peeked.transpose()?.unwrap_or_default().listed;
    let from = first.saturating_add(u32::try_from(shown_before).unwrap_or(u32::MAX));
    let state = state_of_file(&repository, path, rev)?;
    let pages = Pages::new(&asked, &state, arguments.cursor.as_deref())?;
    let last_of_page = last.min(last_of_page(&repository, path, rev, from, reply)?);
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
        let lines = BlamedLines { blamed: &blamed, run: *run };
        let described = Arc::new(BlamedRun {
            commit: Values::of::<BlamedCommit>(COMMIT, lines, reply),
            is_renamed: lines.version().path != path.as_bytes(),
            is_known: !known.put(lines.version().commit),
        });
        (0..run.lines).map(move |offset| (run.line + offset, Arc::clone(&described)))
    });
    let rows = runs.map(|(line, run)| {
        let text = blame.line(line);
        Ok(ListedBlame { line: u64::from(line) + 1, text: shortened(text), run })
    });
    let place = escaped(&format!("{path} at {rev}"));
    let lines = format!("{place}, lines {first} to {} of {count}", last.min(count));
    pages.filled(lines, reply, rows)
}

/// Returns the last line that fits on a page starting at a line; later lines need no blame.
fn last_of_page(
    repository: &Repository,
    path: &str,
    rev: &str,
    from: u32,
    reply: &Reply,
) -> Result<u32> {
    let path = repository.file_from_root(path)?;
    let mut files = SideFiles::open_end(repository, rev)?;
    // The blame reports a missing file.
    let Some(entry) = files.find(path.as_bytes())? else { return Ok(u32::MAX) };
    let content = files.read(path.as_bytes(), entry, ReadLimit::OBJECT)?;
    let run = Arc::new(BlamedRun::default());
    let (mut room, mut last) = (reply.max_bytes, from);
    for text in content.split(|&byte| byte == b'\n').skip(from.saturating_sub(1) as usize) {
        let row =
            ListedBlame { line: u64::from(last), text: shortened(text), run: Arc::clone(&run) };
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

impl Answers for GitBlame {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        call.caller.context.read(|| blame(&call.caller.context, &call.reply, &arguments))
    }
}
