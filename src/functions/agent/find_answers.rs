//! What the tools `list_files`, `search` and `redline_capabilities` do.

use std::io::{self, Read};

use super::entry::{Answers, Call};
use super::tools::TOOLS;
use crate::budget::check_current;
use crate::error::{Error, Result, escaped, quoted};
use crate::find::{Glob, IGNORE_FILE, Ignored, Query, QueryOptions};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::context::{grants, settings};
use crate::git::{Change, Changes, Contents, Ignores, Reader};
use crate::limits;
use crate::query::Revisions;
use crate::review::{Binding, Position};
use crate::sandbox::{
    Directory, EntryKind, Next, OpenError, RegularFile, Sandbox, Sandboxes, Stop,
};
use crate::tools::{
    Abilities, Capabilities, CapabilitiesArguments, FileList, ListFiles, ListFilesArguments,
    ListedFile, MatchedFile, MatchedLine, Matches, Reply, SandboxAbilities, Search,
    SearchArguments,
};

/// Where files are looked for.
struct Area<'a> {
    path: Option<&'a str>,
    repo: Option<&'a str>,
    rev: Option<&'a str>,
    glob: Option<&'a str>,
    depth: u64,
    include_ignored: bool,
}

/// A file or directory that was found.
struct Located {
    /// As it is shown.
    path: String,
    /// Beneath the root of the sandbox, or of the repository.
    relative: String,
    is_directory: bool,
    change: Option<Change>,
}

/// What was found, and what reads it.
struct Files {
    place: String,
    located: Vec<Located>,
    source: Source,
}

enum Source {
    /// The root of a sandbox.
    Disk(Directory),
    /// The revision of a repository.
    Revision(Box<Reader>),
}

impl Area<'_> {
    /// Returns the files, in the order of their paths.
    fn files(&self, execution: &ExecutionContext) -> Result<Files> {
        let glob = self.glob.map(Glob::parse).transpose()?;
        match (self.rev, self.path) {
            (Some(_), Some(_)) => Err(Error::invalid_args("both rev and path were given")
                .with_hint(
                    "Give path for files on disk, or repo, rev and glob for those of a revision",
                )),
            (Some(rev), None) => self.of_revision(execution, rev, glob.as_ref()),
            (None, _) if self.repo.is_some() && self.path.is_some() => Err(Error::invalid_args(
                "both repo and path were given",
            )
            .with_hint("Give path for files on disk, or repo and rev for those of a revision")),
            (None, path) => self.on_disk(execution, path.or(self.repo), glob.as_ref()),
        }
    }

    fn on_disk(
        &self,
        execution: &ExecutionContext,
        path: Option<&str>,
        glob: Option<&Glob>,
    ) -> Result<Files> {
        let Some(sandboxes) = execution.access.sandboxes() else {
            return Err(Error::fs_denied("no sandbox is configured, so no directory is listed")
                .with_hint("Ask the host to configure a directory in redline_sandboxes"));
        };
        let path = match path {
            Some(path) => path,
            None => sandboxes.only().map(|only| only.name()).ok_or_else(|| {
                Error::invalid_args("there are several sandboxes, and path names none")
                    .with_hint(sandboxes.readable())
            })?,
        };
        let (sandbox, start) = sandboxes.folder(path)?;
        let root = sandbox.open_root()?;
        let mut ignored = Ignored::default();
        for above in above(&start) {
            let excludes = excludes(execution, sandbox, &root, above)?;
            ignored.enter(above, excludes, &ignore_file(&root, above))?;
        }
        let levels = start.split('/').filter(|name| !name.is_empty()).count() as u64;
        let mut located = Vec::new();
        let visit = |stop: &Stop| {
            let is_directory = stop.kind == EntryKind::Directory;
            if !self.include_ignored && ignored.is_ignored(&stop.path, is_directory)? {
                return Ok(Next::Skip);
            }
            let level = stop.path.split('/').count() as u64 - levels;
            let is_last = level >= self.depth;
            let is_meant = is_meant(glob, below(&stop.path, &start))?;
            if (is_directory && is_last && glob.is_none()) || (!is_directory && is_meant) {
                let end = if is_directory { "/" } else { "" };
                located.push(Located {
                    path: format!("{}/{}{end}", sandbox.name(), stop.path),
                    relative: stop.path.clone(),
                    is_directory,
                    change: None,
                });
            }
            if is_directory && !is_last {
                let excludes = excludes(execution, sandbox, &root, &stop.path)?;
                ignored.enter(&stop.path, excludes, &ignore_file(&root, &stop.path))?;
            }
            Ok(if is_last { Next::Skip } else { Next::Go })
        };
        sandbox.tour(&start, visit)?;
        let place = format!("{}/{start}", sandbox.name());
        Ok(Files {
            place: place.trim_end_matches('/').to_owned(),
            located,
            source: Source::Disk(root),
        })
    }

    fn of_revision(
        &self,
        execution: &ExecutionContext,
        rev: &str,
        glob: Option<&Glob>,
    ) -> Result<Files> {
        let repo = self.repo.map_or_else(|| execution.default_repository(), str::to_owned);
        let place = escaped(&format!("{repo} at {rev}"));
        let revisions =
            Revisions::of_tool("EMPTY".to_owned(), Some(rev.to_owned()), repo, &[], None)?;
        let comparison = revisions.open(execution)?;
        let mut located = Vec::new();
        for change in Changes::new(&comparison, None)? {
            let change = change?;
            let path = String::from_utf8_lossy(&change.path).into_owned();
            let is_file = change.new.is_some_and(|entry| entry.mode.is_regular());
            if is_file && is_meant(glob, &path)? {
                located.push(Located {
                    relative: path.clone(),
                    path,
                    is_directory: false,
                    change: Some(change),
                });
            }
        }
        if self.depth < u64::MAX {
            located = self.cut_at_depth(located);
        }
        let reader = Box::new(comparison.reader());
        Ok(Files { place, located, source: Source::Revision(reader) })
    }

    /// Puts directories in the place of the files that lie deeper.
    fn cut_at_depth(&self, located: Vec<Located>) -> Vec<Located> {
        let mut cut: Vec<Located> = Vec::new();
        for mut file in located {
            let end =
                file.path.match_indices('/').map(|(at, _)| at).nth(self.depth.max(1) as usize - 1);
            if let Some(end) = end {
                file.path.truncate(end + 1);
                (file.is_directory, file.change) = (true, None);
                if cut.last().is_some_and(|last| last.path == file.path) {
                    continue;
                }
            }
            cut.push(file);
        }
        cut
    }
}

impl Files {
    /// Returns what a cursor holds for: these files, by their names.
    fn binding(&self, options: &str) -> Binding {
        let mut state = Vec::new();
        for file in &self.located {
            state.extend_from_slice(file.path.as_bytes());
            state.push(0);
            if let Some(entry) = file.change.as_ref().and_then(|change| change.new) {
                state.extend(entry.oid.to_string().into_bytes());
            }
        }
        Binding::new(options.as_bytes(), &state)
    }

    fn bytes(&self, file: &Located) -> Result<Option<u64>> {
        match &self.source {
            _ if file.is_directory => Ok(None),
            Source::Disk(root) => {
                Ok(root.file(file.relative.as_bytes()).ok().map(|opened| opened.stamp().size()))
            }
            Source::Revision(reader) => {
                reader.size(file.change.as_ref().and_then(|change| change.new))
            }
        }
    }

    /// Returns what reads a file; `None` for one that is gone or binary.
    fn open(&mut self, index: usize) -> Result<Option<Box<dyn Read>>> {
        let file = &self.located[index];
        match &mut self.source {
            Source::Disk(root) => {
                let opened = root.file(file.relative.as_bytes());
                Ok(opened.ok().map(|file| Box::new(Pieces { file, at: 0 }) as Box<dyn Read>))
            }
            Source::Revision(reader) => {
                let Some(change) = &file.change else { return Ok(None) };
                Ok(match reader.contents(change)?.1 {
                    Contents::Text(bytes) => {
                        Some(Box::new(io::Cursor::new(bytes.to_vec())) as Box<dyn Read>)
                    }
                    Contents::Absent | Contents::Binary => None,
                })
            }
        }
    }
}

/// Reads an opened file from its start.
struct Pieces {
    file: RegularFile,
    at: u64,
}

impl Read for Pieces {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        check_current().map_err(io::Error::other)?;
        let read = self.file.read_at(self.at, bytes)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Returns the directories from the root down to one, itself included.
fn above(start: &str) -> impl Iterator<Item = &str> {
    let inner = start.match_indices('/').map(|(at, _)| &start[..at]);
    let itself = (!start.is_empty()).then_some(start);
    std::iter::once("").chain(inner).chain(itself)
}

fn below<'a>(path: &'a str, start: &str) -> &'a str {
    path.strip_prefix(start).unwrap_or(path).trim_start_matches('/')
}

fn is_meant(glob: Option<&Glob>, path: &str) -> Result<bool> {
    glob.map_or(Ok(true), |glob| glob.matches(path))
}

fn inside(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Returns the content of the ignore file of a directory; nothing where there is none that may be read.
fn ignore_file(root: &Directory, directory: &str) -> Vec<u8> {
    let file = root.file(inside(directory, IGNORE_FILE).as_bytes());
    file.ok().and_then(|file| file.read_all(limits::IGNORE_BYTES).ok()).unwrap_or_default()
}

/// Returns the rules of the repository that starts at a directory, if one does that may be read.
fn excludes(
    execution: &ExecutionContext,
    sandbox: &Sandbox,
    root: &Directory,
    directory: &str,
) -> Result<Option<Ignores>> {
    if matches!(root.file(inside(directory, ".git").as_bytes()), Err(OpenError::Absent)) {
        return Ok(None);
    }
    let name = inside(sandbox.name(), directory);
    let opened =
        execution.read(|| Ignores::of(&execution.repository(&name)?, directory.as_bytes()));
    check_current()?;
    Ok(opened.ok())
}

/// The place in a list of files, and in one of them.
fn cursor(binding: &Binding, file: usize, line: u64) -> Result<String> {
    let line = usize::try_from(line).unwrap_or(usize::MAX);
    binding.cursor(Position { listed: file, offset: line, ..Position::default() }).ok_or_else(
        || {
            Error::too_large("there are more lines than a cursor can count")
                .with_hint("Name fewer files")
        },
    )
}

impl Answers for ListFiles {
    fn answer(call: Call, arguments: ListFilesArguments) -> Result<FileList> {
        within(&call.execution, arguments.rev.is_some(), || list(&call, &arguments))
    }
}

/// Does what reads a repository on a thread that can open nothing else.
fn within<T: Send>(
    execution: &ExecutionContext,
    is_repository: bool,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    if is_repository { execution.read(work) } else { work() }
}

fn list(call: &Call, arguments: &ListFilesArguments) -> Result<FileList> {
    let depth = arguments.depth.unwrap_or(u64::MAX);
    if depth == 0 {
        return Err(Error::invalid_args("depth is 0").with_hint("1 lists a directory itself"));
    }
    let area = Area {
        path: arguments.path.as_deref(),
        repo: arguments.repo.as_deref(),
        rev: arguments.rev.as_deref(),
        glob: arguments.glob.as_deref(),
        depth,
        include_ignored: arguments.include_ignored.unwrap_or(false),
    };
    let files = area.files(&call.execution)?;
    let options = format!("list_files {:?}", (area.path, area.repo, area.rev, area.glob, depth));
    let binding = files.binding(&options);
    let from = arguments.cursor.as_deref().map(|cursor| binding.position(cursor)).transpose()?;
    let start = from.map_or(0, |from| from.listed).min(files.located.len());
    let mut list = FileList { place: files.place.clone(), ..FileList::default() };
    let mut sizes = Vec::with_capacity(files.located.len());
    for file in &files.located {
        check_current()?;
        let bytes = files.bytes(file)?;
        list.bytes += bytes.unwrap_or(0);
        sizes.push(bytes);
    }
    list.count = files.located.len() as u64;
    list.next_cursor = Some(cursor(&binding, start, 0)?);
    let (reply, mut room) = (call.reply, call.reply.room(&list));
    let mut next = start;
    for (file, bytes) in files.located[start..].iter().zip(&sizes[start..]) {
        let listed = ListedFile { path: file.path.clone(), bytes: *bytes };
        let Some(left) = room.checked_sub(file_cost(&reply, list.files.last(), &listed)) else {
            break;
        };
        room = left;
        list.files.push(listed);
        next += 1;
    }
    if next == start && next < files.located.len() {
        return Err(Error::too_large("max_bytes has no room for a path")
            .with_hint("Give a larger max_bytes"));
    }
    list.next_cursor = match next < files.located.len() {
        true => Some(cursor(&binding, next, 0)?),
        false => None,
    };
    Ok(list)
}

fn file_cost(reply: &Reply, before: Option<&ListedFile>, file: &ListedFile) -> usize {
    if reply.is_data {
        return serde_json::to_string(file).map_or(0, |json| json.len() + ",".len());
    }
    reply.form.cost(&FileList::line(before, file))
}

impl Answers for Search {
    fn answer(call: Call, arguments: SearchArguments) -> Result<Matches> {
        within(&call.execution, arguments.rev.is_some(), || search(&call, &arguments))
    }
}

fn search(call: &Call, arguments: &SearchArguments) -> Result<Matches> {
    let context = arguments.context_lines.unwrap_or(0);
    let context = usize::try_from(context).ok().filter(|lines| *lines <= limits::SEARCH_CONTEXT);
    let context = context.ok_or_else(|| {
        Error::invalid_args("context_lines is out of range")
            .with_hint(format!("Give 0 to {} lines", limits::SEARCH_CONTEXT))
    })?;
    let query = QueryOptions {
        pattern: &arguments.pattern,
        is_regex: arguments.regex.unwrap_or(false),
        ignores_case: arguments.ignore_case.unwrap_or(false),
        context,
    };
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
    let mut files = found(&call.execution, arguments)?;
    let binding = files.binding(&options);
    let from = arguments.cursor.as_deref().map(|cursor| binding.position(cursor)).transpose()?;
    let from = from.unwrap_or_default();
    let mut matches = Matches {
        place: format!("{} in {}", quoted(&arguments.pattern), files.place),
        next_cursor: Some(cursor(&binding, 0, 0)?),
        ..Matches::default()
    };
    let (reply, mut room) = (call.reply, call.reply.room(&matches));
    matches.next_cursor = None;
    for index in from.listed..files.located.len() {
        check_current()?;
        let first = if index == from.listed { from.offset as u64 } else { 0 };
        let Some(content) = files.open(index)? else { continue };
        let found = query.search(content, first, room, &mut || Ok(check_current()?))?;
        let path = files.located[index].path.clone();
        let mut file = MatchedFile { path, lines: Vec::new() };
        let head = reply.body().cost(&file.head()) + if reply.is_data { 32 } else { 0 };
        let mut left = room.checked_sub(head);
        let mut next = None;
        for line in found.lines {
            let shown = MatchedLine {
                line: line.number,
                text: line.text,
                is_match: line.is_match,
                is_after_gap: line.is_after_gap,
            };
            left = left.and_then(|left| left.checked_sub(line_cost(&reply, &shown)));
            if left.is_none() {
                next = Some(shown.line);
                break;
            }
            file.lines.push(shown);
        }
        if next.is_none() && found.is_over {
            next = file.lines.last().map(|line| line.line + 1).or(Some(first));
        }
        let has_lines = !file.lines.is_empty();
        if has_lines {
            room = left.unwrap_or(0);
            matches.files.push(file);
        }
        if let Some(next) = next {
            if matches.files.is_empty() {
                return Err(Error::too_large("max_bytes has no room for a line that matches")
                    .with_hint("Give a larger max_bytes"));
            }
            matches.next_cursor = Some(cursor(&binding, index, next)?);
            break;
        }
    }
    if matches.files.is_empty() && arguments.cursor.is_none() {
        matches.reason = reason(&mut files, arguments)?;
    }
    Ok(matches)
}

/// Lines that are counted of an expression that was searched for as a text.
const COUNTED_LINES: usize = 1_000;

/// Returns why a search has found nothing: no file was meant, or the pattern is an expression that was taken as a text.
fn reason(files: &mut Files, arguments: &SearchArguments) -> Result<Option<String>> {
    if files.located.is_empty() {
        let start = "globs match paths from the directory that is searched on";
        return Ok(Some(match &arguments.glob {
            Some(glob) => format!("No file matches the glob {}; {start}", quoted(glob)),
            None => "There is no file to search".to_owned(),
        }));
    }
    let is_expression =
        arguments.pattern.contains(['|', '*', '+', '?', '[', '(', '^', '$', '\\', '.']);
    if !is_expression || arguments.regex.unwrap_or(false) {
        return Ok(None);
    }
    let query = QueryOptions {
        pattern: &arguments.pattern,
        is_regex: true,
        ignores_case: arguments.ignore_case.unwrap_or(false),
        context: 0,
    };
    // What is no expression was meant as the text that it is.
    let Ok(mut query) = Query::new(query) else { return Ok(None) };
    let mut lines = 0;
    for index in 0..files.located.len() {
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

/// Returns the files to search: those of an area, or the one that the path names.
fn found(execution: &ExecutionContext, arguments: &SearchArguments) -> Result<Files> {
    let area = Area {
        path: arguments.path.as_deref(),
        repo: arguments.repo.as_deref(),
        rev: arguments.rev.as_deref(),
        glob: arguments.glob.as_deref(),
        depth: u64::MAX,
        include_ignored: arguments.include_ignored.unwrap_or(false),
    };
    if let (Some(path), None, Some(sandboxes)) = (area.path, area.rev, execution.access.sandboxes())
        && let Some(file) = one_file(sandboxes, path)?
    {
        return Ok(file);
    }
    area.files(execution)
}

fn one_file(sandboxes: &Sandboxes, path: &str) -> Result<Option<Files>> {
    let (sandbox, relative) = sandboxes.folder(path)?;
    let root = sandbox.open_root()?;
    if relative.is_empty() || root.file(relative.as_bytes()).is_err() {
        return Ok(None);
    }
    // The rules for a file are those of read_file.
    sandboxes.resolve(path)?.open()?;
    let located =
        vec![Located { path: path.to_owned(), relative, is_directory: false, change: None }];
    Ok(Some(Files { place: path.to_owned(), located, source: Source::Disk(root) }))
}

fn line_cost(reply: &Reply, line: &MatchedLine) -> usize {
    if reply.is_data {
        return serde_json::to_string(line).map_or(0, |json| json.len() + ",".len());
    }
    reply.form.cost(&line.shown())
}

impl Answers for Capabilities {
    fn answer(call: Call, _: CapabilitiesArguments) -> Result<Abilities> {
        let Call { execution, .. } = call;
        let granted = TOOLS.iter().map(|tool| tool.declaration.name);
        let tools = granted
            .filter(|name| grants::require_tool(name, &execution.settings).is_ok())
            .collect();
        let sandboxes = execution.access.sandboxes();
        let listed = sandboxes.map(|sandboxes| {
            let of = |sandbox: &crate::sandbox::Sandbox| {
                let asked = sandbox.approvals();
                let asked = [
                    ("read_file", asked.read),
                    ("write_file", asked.write && sandbox.is_writable()),
                    ("edit_file", asked.edit && sandbox.is_writable()),
                ];
                SandboxAbilities {
                    name: sandbox.name().to_owned(),
                    mode: sandbox.mode(),
                    approvals: asked.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect(),
                    max_file_bytes: sandbox.max_file_bytes(),
                    example: sandbox.example(),
                    refs: sandbox.refs().map(|refs| {
                        refs.iter().map(|pattern| pattern.as_str().to_owned()).collect()
                    }),
                }
            };
            sandboxes.iter().map(of).collect()
        });
        Ok(Abilities {
            sandboxes: listed,
            repositories: sandboxes
                .map_or_else(Vec::new, |found| found.repositories(limits::SURVEY_REPOSITORIES)),
            tools,
            has_approver: settings::approvers(&execution.settings)?.is_some(),
        })
    }
}
