//! `GitLog`: the commits of a range, of a file or of its lines, and those that say or change
//! something.

use super::call::{Answers, Call};
use super::commits::{CommitReader, short_names};
use super::missing_file::explained;
use super::pages::{Pages, opened};
use super::shown::{shown_day, shown_id, shown_inside, shown_refs};
use super::unnamed::unnamed;
use super::view;
use super::view::{ShownColumns, Values, View, Viewed};
use crate::machinery::history_jobs::Jobs;
use crate::machinery::run::Run;
use crate::questions::commit_columns::CommitThen;
use crate::questions::commits::{Attached, AttachedColumns};
use crate::questions::file_history::{FileChanges, FileThere};
use crate::questions::line_history::LinesThere;
use crate::{Context, moment};
use redline_base::budget::{CopiedText, Gather, Grow, GrowBy, TryGather};
use redline_base::error::{Error, Result, escaped_line, quoted, visible};
use redline_base::limits;
use redline_base::pipeline::{Unweighed, Window};
use redline_git::{
    CommitFilter, CommitMeasure, CommitMeasurer, Comparable, ContentSource, FileChange, History,
    HistoryOptions, LineLog, LineVersion, LinesAsked, Measured, Merges, Oid, Pathspec, Reader,
    RenameOptions, Repository, RevRange, Search, Searcher, Visited, is_whole_date, object_of,
    range_of, side_of,
};
use redline_rows::{Need, Needs};
use redline_text::CancelToken;
use redline_tools::{Alias, LINES, LineRange, Listing, Reply, Tool, readings};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Lists commits.
pub struct GitLog;

impl Tool for GitLog {
    const NAME: &'static str = "GitLog";
    const TITLE: &'static str = "List commits";
    const DESCRIPTION: &'static str = "Lists commits, newest first; with file those that changed it, through renames, or only its lines \
         or a function of it. Example: range = v1..main, contains = parse_args";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("rev", "range"),
        Alias::Means("branch", "range"),
        Alias::Means("ref", "range"),
        Alias::Means("revision", "range"),
        Alias::Means("revision_range", "range"),
        Alias::Means("commit", "range"),
        Alias::Means("sha", "range"),
        Alias::Means("after", "since"),
        Alias::Means("before", "until"),
        Alias::Means("start_timestamp", "since"),
        Alias::Means("end_timestamp", "until"),
        Alias::Say("from", "Give range = from..to"),
        Alias::Say("to", "Give range = from..to"),
        Alias::Means("max_count", "limit"),
        Alias::Means("count", "limit"),
        Alias::Means("n", "limit"),
        Alias::Means("max_results", "limit"),
        Alias::Say("skip", "Give cursor = next_cursor of the previous answer to go on"),
        Alias::Means("grep", "message"),
        Alias::Means("pattern", "message"),
        Alias::Means("query", "message"),
        Alias::Means("pickaxe", "contains"),
        Alias::Means("text", "contains"),
        Alias::Means("string", "contains"),
        Alias::Means("S", "contains"),
        Alias::Means("G", "changed_lines"),
        Alias::Read("line", readings::lines, LINES),
        Alias::Read("lines", readings::lines, LINES),
        Alias::Read("line_range", readings::lines, LINES),
        Alias::Means("symbol", "function"),
    ];
    const OPENS: &'static [&'static str] = &["range_diff", "ahead_behind"];
    type Arguments = GitLogArguments;
    type Output = Listing<Viewed<Self>>;
}

/// The arguments of `GitLog`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitLogArguments {
    /// Revision, a..b or ALL. Default: HEAD.
    pub range: Option<String>,
    pub repo: Option<String>,
    pub file: Option<String>,
    pub paths: Option<Vec<String>>,
    /// A text added or removed.
    pub contains: Option<String>,
    /// A regex of changed lines.
    pub changed_lines: Option<String>,
    /// A regex of a message line.
    pub message: Option<String>,
    /// A regex of the author.
    pub author: Option<String>,
    /// Of lines of file.
    pub first_line: Option<u64>,
    pub last_line: Option<u64>,
    /// A function of file.
    pub function: Option<String>,
    pub since: Option<String>,
    /// A date.
    pub until: Option<String>,
    /// Most commits in all.
    pub limit: Option<u64>,
    pub cursor: Option<String>,
}

impl GitLogArguments {
    /// Tells whether lines of a file are requested.
    pub fn asks_for_lines(&self) -> bool {
        self.first_line.is_some() || self.last_line.is_some() || self.function.is_some()
    }

    /// Checks the rules that types cannot express.
    ///
    /// # Errors
    /// `invalid_args` for arguments that exclude each other.
    pub fn checked(mut self) -> Result<Self> {
        if self.range.as_deref() == Some("--all") {
            self.range = Some("ALL".to_owned());
        }
        let refused = |what: &str, instead: &str| {
            Err(Error::invalid_args(format!("GitLog was given {what}")).with_hint(instead))
        };
        let has_paths = self.paths.as_ref().is_some_and(|paths| !paths.is_empty());
        if self.file.is_some() && has_paths {
            return refused(
                "both file and paths",
                "Give file for one file through its renames, or paths for those that pathspecs name",
            );
        }
        if self.contains.is_some() && self.changed_lines.is_some() {
            return refused(
                "both contains and changed_lines",
                "Give contains for a text, or changed_lines for an expression",
            );
        }
        if !self.asks_for_lines() {
            return Ok(self);
        }
        if self.file.is_none() {
            return refused(
                "lines or a function and no file",
                "Give file, and first_line and last_line, or function",
            );
        }
        if self.function.is_some() && (self.first_line.is_some() || self.last_line.is_some()) {
            return refused(
                "both function and lines",
                "Give function, or first_line and last_line",
            );
        }
        if self.contains.is_some() || self.changed_lines.is_some() {
            return refused(
                "lines of a file and a text to search for",
                "Give file with contains alone, or with its lines alone",
            );
        }
        Ok(self)
    }
}

impl View for GitLog {
    const LIST: &'static str = "commits";
    const COLUMNS: ShownColumns = &[
        ("commit_id", view::plain),
        ("parent_ids", view::plain),
        ("author_name", view::known_line),
        ("author_email", view::known_line),
        ("author_date", view::time),
        ("subject", view::known_line),
        ("refs", refs),
        ("file_path", view::line),
        ("old_path", view::line),
        ("status", view::plain),
        ("first_line", view::plain),
        ("last_line", view::plain),
        ("patch", cut),
    ];

    fn text(row: &Values) -> String {
        let said = |column| row.text(column).unwrap_or_default();
        // redline's own words come before the day, where no name, author or subject is.
        let mut text = shown_id(said("commit_id")).to_owned();
        if row.texts("parent_ids").len() > 1 {
            text.add_slice(" (merge)");
        }
        if row.texts("refs").len() > 0 {
            text.add_slice(&format!(" [{}]", shown_refs(row.texts("refs"))));
        }
        let path = shown_inside(said("file_path"));
        match (row.text("status"), row.text("old_path")) {
            (Some(status), Some(old)) => {
                text.add_slice(&format!(" ({status}: {} => {path})", shown_inside(old)));
            }
            (Some(status), None) if status != "modified" => {
                text.add_slice(&format!(" ({status})"));
            }
            _ => {}
        }
        if let (Some(first), Some(last)) = (row.number("first_line"), row.number("last_line")) {
            text.add_slice(&format!(" (lines {first} to {last} of {path})"));
        }
        let day = shown_day(row.text("author_date"));
        text.add_slice(&format!(" {day} {}: {}\n", said("author_name"), said("subject")));
        // Indented, so that no line of a file looks like a commit.
        for line in said("patch").lines() {
            text.add_slice(&format!("    {}\n", escaped_line(line)));
        }
        text
    }
}

/// The divisor for the part of an answer that the patch of one commit may take.
const PATCH_PART: usize = 4;

/// A commit of the list, and its change of the file or the lines.
struct LoggedCommit {
    commit: Visited,
    file: Option<Measured>,
    lines: Option<LineVersion>,
}

impl From<Visited> for LoggedCommit {
    fn from(commit: Visited) -> Self {
        Self { commit, file: None, lines: None }
    }
}

type LoggedCommits<'a> = Box<dyn Iterator<Item = Result<LoggedCommit>> + 'a>;

/// A range of commits and the request for them.
struct Asked<'a> {
    context: &'a Context,
    arguments: &'a GitLogArguments,
    repository: Repository,
    range: &'a str,
    ends: RevRange,
    options: HistoryOptions,
    search: Option<Search>,
}

/// Lists the commits of a range that the arguments mean.
pub fn log(
    context: &Context,
    reply: &Reply,
    arguments: &GitLogArguments,
) -> Result<Listing<Viewed<GitLog>>> {
    let (repo, repository) = opened(context, arguments.repo.as_deref())?;
    let options = HistoryOptions {
        merges: Merges::AllParents,
        since: time(&repository, "since", arguments.since.as_deref())?,
        until: time(&repository, "until", arguments.until.as_deref())?,
        first_parent: false,
    };
    let repository = repository.with_budget(context.budget.part());
    let range = arguments.range.as_deref().unwrap_or("HEAD");
    let ends = range_of(&repository, range)?;
    let asked = GitLogArguments { cursor: None, ..arguments.clone() };
    let pages =
        Pages::new(&format!("GitLog {asked:?}"), &ends.state(), arguments.cursor.as_deref())?;
    let mut head = format!("{}{} in {repo}", quoted(range), shown_ends(&ends));
    if let Some(file) = &arguments.file {
        head += &format!(", {}", quoted(file));
    }
    let filter = CommitFilter::new(arguments.message.as_deref(), arguments.author.as_deref())?;
    let reader = CommitReader::new(&repository)?;
    let asked = Asked {
        options,
        search: search(arguments)?,
        context,
        arguments,
        repository: repository.clone(),
        range,
        ends,
    };
    let objects = repository.objects();
    let cancel = repository.cancel();
    let is_meant = |found: &Result<LoggedCommit>| -> Result<bool> {
        let Ok(found) = found else { return Ok(true) };
        Ok(filter.is_any()
            || filter.matches(&objects.commit(&found.commit.id)?, reader.mailmap(), &cancel)?)
    };
    let explain = |error| match &arguments.file {
        Some(file) => explained(error, &repository, file),
        None => error,
    };
    let commits = asked.commits().map_err(explain)?;
    let meant = commits.filter_map(|found| match is_meant(&found) {
        Ok(is_meant) => is_meant.then_some(found),
        Err(error) => Some(Err(error)),
    });
    let most =
        arguments.limit.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let rows = meant.take(most).skip(pages.first()).map(|found| viewed(&reader, found?, reply));
    let mut page = pages.filled(head, reply, rows).map_err(explain)?;
    if page.rows.is_empty() && pages.first() == 0 {
        page.head += &format!(": {}", no_commit(arguments));
        let paths = arguments.paths.as_deref().unwrap_or_default();
        let ends = asked.ends.tips.iter().take(limits::SUGGESTION_ENDS);
        let sides = ends.map(|tip| side_of(&repository, &tip.to_string()));
        if let Some(wrong) = unnamed(&repository, &sides.try_gather::<Vec<_>>()?, paths)? {
            page.head += &format!(". {wrong}");
        }
    }
    Ok(page)
}

impl<'a> Asked<'a> {
    /// Returns the matching commits of any author.
    fn commits(&'a self) -> Result<LoggedCommits<'a>> {
        match &self.arguments.file {
            Some(file) if self.arguments.asks_for_lines() => self.of_lines(file),
            Some(file) => self.of_file(file),
            None => self.of_paths(),
        }
    }

    fn of_paths(&self) -> Result<LoggedCommits<'a>> {
        let given = self.arguments.paths.iter().flatten();
        let paths = given.map(|path| Pathspec::parse(path)).try_gather::<Vec<_>>()?;
        // As in git: a merge shows no changes, so it is not searched.
        let merges = if self.search.is_some() { Merges::Skip } else { Merges::AllParents };
        let options = HistoryOptions { merges, ..self.options };
        let history = History::new(&self.repository, &self.ends, options)?;
        let mut history = history.with_paths(&self.repository, &paths)?;
        history.settle();
        let Some(search) = self.search.clone() else {
            let commits = std::iter::from_fn(move || history.next_commit());
            return Ok(Box::new(commits.map(|commit| commit.map(LoggedCommit::from))));
        };
        self.searched(search, &paths, history)
    }

    /// Returns the commits with matching changes of `paths`, as `git log -S` and `git log -G`; the
    /// hidden commits of `history` must be known.
    fn searched(
        &self,
        search: Search,
        paths: &[Pathspec],
        history: History,
    ) -> Result<LoggedCommits<'a>> {
        let measure = CommitMeasure {
            renames: Some(RenameOptions::default()),
            search: Some(search),
            ..CommitMeasure::default()
        };
        let run = Run::over(self.context, self.repository.clone(), usize::MAX);
        let jobs = Jobs::source(history, History::next, limits::JOB_COMMITS);
        let work = run.start(jobs, Window::of(limits::WINDOW_HISTORY_JOBS), |run| {
            let mut measurer = CommitMeasurer::new(&run.repository, paths, &measure, None)?;
            Ok(move |job: Vec<Comparable>, cancel: &CancelToken<'_>| {
                let mut found = Vec::new();
                for commit in job {
                    let mut changes = Vec::new();
                    measurer.measure(&commit, &mut changes, cancel)?;
                    if !changes.is_empty() {
                        let Comparable { id, tree, parents } = commit;
                        let parents = parents.into_iter().map(|(parent, _)| parent).gather();
                        found.add(Ok(LoggedCommit::from(Visited {
                            id,
                            tree,
                            parents,
                            content: None,
                        })));
                    }
                }
                Ok(Unweighed(found))
            })
        })?;
        Ok(Box::new(work.flat_map(|found| match found {
            Ok(Unweighed(found)) => found,
            Err(error) => vec![Err(error)],
        })))
    }

    fn of_file(&'a self, file: &str) -> Result<LoggedCommits<'a>> {
        let file = self.repository.file_from_root(file)?;
        let names = [file.as_str(), self.range];
        let jobs = FileChanges::new(&self.repository, &self.ends, names, self.options, None)?;
        let source = ContentSource::of_objects(&self.repository);
        let mut searcher =
            self.search.clone().map(|search| Searcher::new(search, Reader::new(&source)));
        let cancel = self.repository.cancel();
        Ok(Box::new(jobs.filter_map(move |found| {
            let mut listed = |found: Result<FileChange>| -> Result<Option<LoggedCommit>> {
                let FileChange { commit, change } = found?;
                let is_meant = match &mut searcher {
                    Some(searcher) => searcher.look(&change, &cancel)?.is_some(),
                    None => true,
                };
                let file = Some(Measured::unmeasured(change));
                Ok(is_meant.then(|| LoggedCommit { file, ..LoggedCommit::from(commit) }))
            };
            listed(found).transpose()
        })))
    }

    fn of_lines(&self, file: &str) -> Result<LoggedCommits<'a>> {
        let GitLogArguments { first_line, last_line, function, .. } = self.arguments;
        let asked = match function {
            Some(name) => LinesAsked::Function(name.clone()),
            None => between(*first_line, *last_line)?,
        };
        let file = self.repository.file_from_root(file)?;
        let log = LineLog::new(&self.repository, &file, &asked, self.range, self.options)?;
        Ok(Box::new(log.map(|found| {
            let found = found?;
            let commit = found.commit.clone();
            Ok(LoggedCommit { lines: Some(found), ..LoggedCommit::from(commit) })
        })))
    }
}

/// Returns the time that an argument gives. git reads a date in almost any text: in 3.0.0 the third
/// of a month, where the tag of this name was meant.
fn time(repository: &Repository, name: &str, given: Option<&str>) -> Result<Option<i64>> {
    let Some(text) = given else { return Ok(None) };
    if is_whole_date(text) || object_of(repository, text).is_err() {
        return moment(name, text).map(Some);
    }
    let range = visible(text) + if name == "since" { "..HEAD" } else { "" };
    Err(Error::invalid_args(format!("{name} is {}, which is a revision", quoted(text)))
        .with_hint(format!("Give range = {range} for its commits, or a date such as 2026-01-31")))
}

/// Returns the ids of the ends of a range, for the next call.
fn shown_ends(ends: &RevRange) -> String {
    let id = |oid: &Oid| shown_id(&oid.to_string()).to_owned();
    match (&ends.tips[..], &ends.hidden[..]) {
        ([tip], []) => format!(" ({})", id(tip)),
        ([tip], [hidden]) => format!(" ({}..{})", id(hidden), id(tip)),
        _ => String::new(),
    }
}

fn search(arguments: &GitLogArguments) -> Result<Option<Search>> {
    match (&arguments.contains, &arguments.changed_lines) {
        (Some(text), _) => Search::texts(vec![text.copied_text()]).map(Some),
        (None, Some(pattern)) => Search::lines(pattern).map(Some),
        (None, None) => Ok(None),
    }
}

fn between(first: Option<u64>, last: Option<u64>) -> Result<LinesAsked> {
    let line = |given: u64| u32::try_from(given).unwrap_or(u32::MAX);
    let range = LineRange::of(first, last, None)?;
    Ok(LinesAsked::Between(line(range.from.line), line(range.last_line)))
}

/// Returns the reason for which a list of commits is empty.
fn no_commit(arguments: &GitLogArguments) -> &'static str {
    let GitLogArguments {
        paths, file, since, until, contains, changed_lines, message, author, ..
    } = arguments;
    let names_paths = paths.as_ref().is_some_and(|paths| !paths.is_empty());
    if message.is_some() || author.is_some() {
        return "0 commits whose words match; upper and lower case differ, and (foo|bar), [Ff]oo and foo.*bar are expressions";
    }
    match (contains, changed_lines) {
        (Some(_), _) => {
            return "0 commits add or remove the text; changed_lines takes a regular expression";
        }
        (_, Some(_)) => return "0 commits add or remove a line that matches",
        _ => {}
    }
    match (names_paths, file, since.is_some() || until.is_some()) {
        (true, ..) => "0 commits change what paths names",
        (_, Some(_), _) => "0 commits change the file",
        (_, _, true) => "0 commits of that time",
        _ => "0 commits: all that the range leads to is left out by its start",
    }
}

/// Shows the references that point to a commit.
fn refs(names: Value, _: &Reply) -> Value {
    let names = names.as_array().map_or(&[][..], Vec::as_slice);
    short_names(names.iter().map(|name| name.as_str().unwrap_or_default().as_bytes())).into()
}

/// Shows the change of the lines by a commit; hunks for which there is no room are left out.
fn cut(patch: Value, reply: &Reply) -> Value {
    let room = reply.max_bytes / PATCH_PART;
    view::text(patch, |patch| {
        let hunks = patch.find("\n@@ ").map_or("", |at| &patch[at + 1..]);
        if hunks.len() <= room {
            return hunks.to_owned();
        }
        let end = hunks.char_indices().map(|(at, _)| at).take_while(|&at| at <= room).last();
        let end = end.unwrap_or_default();
        let kept = &hunks[..hunks[..end].rfind('\n').map_or(end, |newline| newline + 1)];
        format!("{kept}[cut: GitShow shows the rest]\n")
    })
}

/// Returns a commit for the list.
fn viewed(reader: &CommitReader<'_>, found: LoggedCommit, reply: &Reply) -> Result<Viewed<GitLog>> {
    let commit = reader.commit(found.commit, Needs::of(&[Need::Info, Need::Names]))?;
    let refs = reader.refs(&commit.visited.id);
    let mut row = Viewed::of::<CommitThen<()>>((&commit, ()), reply);
    if !refs.is_empty() {
        row = row.with::<AttachedColumns>(Attached { refs, ..Attached::default() }, reply);
    }
    if let Some(file) = &found.file {
        row = row.with::<FileThere>(file, reply);
    }
    if let Some(lines) = &found.lines {
        row = row.with::<LinesThere>(lines, reply);
    }
    Ok(row)
}

impl Answers for GitLog {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let arguments = arguments.checked()?;
        call.caller.context.read(|| log(&call.caller.context, &call.reply, &arguments))
    }
}
