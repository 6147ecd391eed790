//! `search`: the lines of files that match.

use super::call::{Answers, Call};
use super::list_files::within;
use crate::Context;
use crate::machinery::found_files::{FilesWanted, FoundFiles, cursor};
use redline_base::budget::{Grow, GrowBy, check_current};
use redline_base::error::{Error, Result, escaped, escaped_line, quoted};
use redline_base::form::counted;
use redline_base::limits;
use redline_find::{Query, QueryOptions};
use redline_tools::{Alias, ListedRow, Output, Reply, Rest, Room, Tool, readings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The advice for lines around a match.
const CONTEXT: &str = "Give context_lines = 3, or another number up to 20";

/// Searches files.
pub struct Search;

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search";
    const DESCRIPTION: &'static str = "Finds lines of the files of a sandbox \
         or of a revision. Example: pattern = fn main, glob = *.rs";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("query", "pattern"),
        Alias::Means("regexp", "pattern"),
        Alias::Means("search", "pattern"),
        Alias::Means("file_pattern", "glob"),
        Alias::Means("text", "pattern"),
        Alias::Means("directory", "path"),
        Alias::Means("is_regex", "regex"),
        Alias::Means("case_insensitive", "ignore_case"),
        Alias::Means("include_pattern", "glob"),
        Alias::Means("dir_path", "path"),
        Alias::Means("-i", "ignore_case"),
        Alias::Read("-A", readings::context, CONTEXT),
        Alias::Read("-B", readings::context, CONTEXT),
        Alias::Read("-C", readings::context, CONTEXT),
        Alias::Read("type", readings::file_type, "Give glob = *.py, or another ending"),
        Alias::Read("multiline", readings::no, "Leave it out: a match is within one line"),
        Alias::Read(
            "case_sensitive",
            readings::case_sensitive,
            "Give ignore_case = true where upper and lower case are the same",
        ),
        Alias::Beside("-n"),
        Alias::Beside("output_mode"),
        Alias::Beside("head_limit"),
        Alias::Say("target_directories", "Give path = sandbox/directory, one for each call"),
    ];
    const UNLISTED: &'static [&'static str] = &["include_ignored"];
    type Arguments = SearchArguments;
    type Output = Matches;
}

/// The arguments of `search`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct SearchArguments {
    /// A text within a line.
    pub pattern: String,
    /// pattern is a regex.
    #[schemars(extend("default" = false))]
    pub regex: Option<bool>,
    pub ignore_case: Option<bool>,
    /// As list_files, or a file.
    pub path: Option<String>,
    pub repo: Option<String>,
    pub rev: Option<String>,
    pub glob: Option<String>,
    /// 0 to 20.
    pub context_lines: Option<i64>,
    pub include_ignored: Option<bool>,
    pub cursor: Option<String>,
}

/// A line that was found.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct MatchedLine {
    /// Its number, from 1.
    pub line: u64,
    /// Its text.
    pub text: String,
    /// Whether it matches.
    pub is_match: bool,
    #[serde(skip)]
    pub is_after_gap: bool,
}

/// The lines of a file.
#[derive(Debug, Clone, Serialize)]
pub struct MatchedFile {
    /// Its path.
    pub path: String,
    /// Its lines.
    pub lines: Vec<MatchedLine>,
}

/// The answer of `search`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Matches {
    /// The searched directory or revision, for display.
    #[serde(skip)]
    pub place: String,
    /// The reason for which nothing was found, if known.
    #[serde(skip)]
    pub reason: Option<String>,
    /// Matching lines on this page.
    pub matches: usize,
    /// Files with a match on this page.
    pub files_matched: usize,
    /// The next page.
    #[serde(flatten)]
    pub rest: Rest,
    /// The matches on this page.
    #[schemars(skip)]
    pub files: Vec<MatchedFile>,
}

impl MatchedFile {
    /// Returns the line before those of the file: its name, which must not look like another line.
    pub fn head(&self) -> String {
        format!("\n{}\n", escaped(&self.path))
    }
}

/// Each line is indented below the name of its file, so that none depends on the one before it.
impl ListedRow for MatchedLine {
    const NAME: &'static str = "lines";

    fn shown(&self, _before: Option<&Self>) -> String {
        let gap = if self.is_after_gap { "--\n" } else { "" };
        let mark = if self.is_match { ':' } else { '-' };
        format!("{gap}{}{mark}{}\n", self.line, escaped_line(&self.text))
    }
}

/// The bytes of a file among the values besides its path and its lines.
const FILE_NAMES: usize = 32;

impl Matches {
    /// Adds lines of a file while there is room; returns the number of the first line without room.
    ///
    /// # Errors
    /// None of its own.
    pub fn add(
        &mut self,
        path: &str,
        lines: impl Iterator<Item = MatchedLine>,
        room: &mut Room,
    ) -> Result<Option<u64>> {
        let mut lines = lines.peekable();
        let Some(first) = lines.peek().map(|line| line.line) else { return Ok(None) };
        let mut file = MatchedFile { path: path.to_owned(), lines: Vec::new() };
        if !room.take_text(&file.head(), FILE_NAMES) {
            return Ok(Some(first));
        }
        let over = room.fill(lines.map(Ok), &mut file.lines)?;
        if !file.lines.is_empty() {
            self.matches += file.lines.iter().filter(|line| line.is_match).count();
            self.files_matched += 1;
            self.files.add(file);
        }
        Ok(over.map(|line| line.line))
    }
}

impl Output for Matches {
    fn text(&self) -> String {
        let mut text = format!("{}\n", self.line());
        for file in &self.files {
            text.add_slice(&file.head());
            text.add_slice(&MatchedLine::text(&file.lines));
        }
        text + &self.rest.text()
    }

    fn line(&self) -> String {
        let matches = counted(self.matches as u64, "matching line");
        let files = counted(self.files_matched as u64, "file");
        let page = if self.rest.cursor().is_some() { " on this page" } else { "" };
        let reason = self.reason.as_ref().map(|reason| format!(". {reason}")).unwrap_or_default();
        format!("{}: {matches} in {files}{page}{reason}", self.place)
    }

    fn next_cursor(&self) -> Option<&str> {
        self.rest.cursor()
    }
}

/// Searches the files that the arguments name.
fn search(context: &Context, reply: &Reply, arguments: &SearchArguments) -> Result<Matches> {
    let query = options(arguments)?;
    let options = format!(
        "search {query:?} {:?}",
        (
            &arguments.path,
            &arguments.repo,
            &arguments.rev,
            &arguments.glob,
            &arguments.include_ignored,
        )
    );
    let mut query = Query::new(query)?;
    let mut files = found(context, arguments)?;
    let binding = files.binding(&options);
    let from = arguments.cursor.as_deref().map(|cursor| binding.position(cursor)).transpose()?;
    let from = from.unwrap_or_default();
    let mut matches = Matches {
        place: format!("{} in {}", quoted(&arguments.pattern), files.place),
        rest: Rest::at(Some(cursor(&binding, 0, 0)?)),
        ..Matches::default()
    };
    let mut room = Room::beside(reply, &matches);
    matches.rest = Rest::default();
    for index in from.listed..files.len() {
        check_current()?;
        let first = if index == from.listed { from.offset as u64 } else { 0 };
        let Some(content) = files.open(index)? else { continue };
        let found = query.search(content, first, room.left(), &mut || Ok(check_current()?))?;
        // The search also ends at the end of the page.
        let end = found.is_over.then(|| found.lines.last().map_or(first, |line| line.number + 1));
        let lines = found.lines.into_iter().map(|line| MatchedLine {
            line: line.number,
            text: line.text,
            is_match: line.is_match,
            is_after_gap: line.is_after_gap,
        });
        let over = matches.add(files.path(index), lines, &mut room)?;
        if let Some(next) = over.or(end) {
            if matches.files.is_empty() {
                return Err(room.too_small());
            }
            matches.rest = Rest::at(Some(cursor(&binding, index, next)?));
            break;
        }
    }
    if matches.files.is_empty() && arguments.cursor.is_none() {
        matches.reason = reason(&mut files, arguments)?;
    }
    Ok(matches)
}

fn options(arguments: &SearchArguments) -> Result<QueryOptions<'_>> {
    let context = arguments.context_lines.unwrap_or(0);
    let context = usize::try_from(context).ok().filter(|lines| *lines <= limits::SEARCH_CONTEXT);
    let context = context.ok_or_else(|| {
        Error::invalid_args("context_lines is out of range")
            .with_hint(format!("Give 0 to {} lines", limits::SEARCH_CONTEXT))
    })?;
    Ok(QueryOptions {
        pattern: &arguments.pattern,
        is_regex: arguments.regex.unwrap_or(false),
        ignores_case: arguments.ignore_case.unwrap_or(false),
        context,
    })
}

/// Returns the files to search: those of a directory, or the one at the path.
fn found(context: &Context, arguments: &SearchArguments) -> Result<FoundFiles> {
    let wanted = FilesWanted {
        path: arguments.path.as_deref(),
        repo: arguments.repo.as_deref(),
        rev: arguments.rev.as_deref(),
        glob: arguments.glob.as_deref(),
        depth: u64::MAX,
        include_ignored: arguments.include_ignored.unwrap_or(false),
    };
    if let (Some(path), None, Some(sandboxes)) =
        (wanted.path, wanted.rev, context.access.sandboxes())
        && let Some(file) = FoundFiles::one(sandboxes, path)?
    {
        return Ok(file);
    }
    wanted.find(context)
}

/// The lines to count if a regular expression was searched for as text.
const COUNTED_LINES: usize = 1_000;

/// Returns the reason for which a search found nothing: no file was selected, or the pattern is a
/// regular expression that was searched for as text.
fn reason(files: &mut FoundFiles, arguments: &SearchArguments) -> Result<Option<String>> {
    if files.is_empty() {
        return Ok(Some(files.none(arguments.glob.as_deref())));
    }
    let is_expression =
        arguments.pattern.contains(['|', '*', '+', '?', '[', '(', '^', '$', '\\', '.']);
    if !is_expression || arguments.regex.unwrap_or(false) {
        return Ok(None);
    }
    let query = QueryOptions { is_regex: true, context: 0, ..options(arguments)? };
    // An invalid expression was meant as text.
    let Ok(mut query) = Query::new(query) else { return Ok(None) };
    let mut lines = 0;
    for index in 0..files.len() {
        check_current()?;
        let Some(content) = files.open(index)? else { continue };
        let most = COUNTED_LINES * limits::SEARCH_LINE_BYTES;
        lines += query.search(content, 0, most, &mut || Ok(check_current()?))?.lines.len();
        if lines >= COUNTED_LINES {
            break;
        }
    }
    let counted = match lines {
        0 => return Ok(None),
        1 => "1 line".to_owned(),
        COUNTED_LINES.. => format!("{COUNTED_LINES} lines and more"),
        _ => format!("{lines} lines"),
    };
    Ok(Some(format!("As an expression it matches {counted}: regex = true")))
}

impl Answers for Search {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        within(&call.caller.context, arguments.rev.is_some(), || {
            search(&call.caller.context, &call.reply, &arguments)
        })
    }
}
