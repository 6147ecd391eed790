//! `list_files`: the files of a directory or a revision.

use super::call::{Answers, Call};
use crate::Context;
use crate::machinery::found_files::{FilesWanted, cursor};
use redline_base::budget::{Grow, Joined, check_current, room_for};
use redline_base::error::{Result, escaped};
use redline_base::form::counted;
use redline_tools::{Alias, ListedRow, Output, Reply, Rest, Room, Tool, readings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lists files.
pub struct ListFiles;

impl Tool for ListFiles {
    const NAME: &'static str = "list_files";
    const TITLE: &'static str = "List files";
    const DESCRIPTION: &'static str = "Lists files with sizes: below a directory, without ignored ones, or of a \
         revision. Example: path = workspace/src, glob = *.rs";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("directory", "path"),
        Alias::Means("dir", "path"),
        Alias::Means("folder", "path"),
        Alias::Means("pattern", "glob"),
        Alias::Means("max_depth", "depth"),
        Alias::Means("show_hidden", "include_ignored"),
        Alias::Means("dir_path", "path"),
        Alias::Means("target_directory", "path"),
        Alias::Means("relative_workspace_path", "path"),
        Alias::Beside("respect_git_ignore"),
        Alias::Read("recursive", readings::recursive, "Give depth = 1 for one level"),
        Alias::Say("ignore", "Leave it out: ignored files are left out; glob selects files"),
        Alias::Say("case_sensitive", "Leave it out, and give glob = *.[Mm][Dd] for both cases"),
    ];
    type Arguments = ListFilesArguments;
    type Output = FileList;
}

/// The arguments of `list_files`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ListFilesArguments {
    /// sandbox/directory. Default: the only one.
    pub path: Option<String>,
    pub repo: Option<String>,
    /// Instead of the files on disk.
    pub rev: Option<String>,
    pub glob: Option<String>,
    /// Levels.
    pub depth: Option<u64>,
    #[schemars(extend("default" = false))]
    pub include_ignored: Option<bool>,
    pub cursor: Option<String>,
}

/// A file that is listed.
#[derive(Debug, Clone, Serialize)]
pub struct ListedFile {
    /// The path to give to read_file; of a revision, from the root of the repository.
    pub path: String,
    /// Its bytes; null for a directory that is not entered.
    pub bytes: Option<u64>,
}

/// The answer of `list_files`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileList {
    /// The directory or revision, for display.
    #[serde(skip)]
    pub place: String,
    /// The reason for which there is none.
    #[serde(skip)]
    pub reason: Option<String>,
    /// Files and directories on all pages.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The next page.
    #[serde(flatten)]
    pub rest: Rest,
    /// The files of this page.
    #[schemars(skip)]
    pub files: Vec<ListedFile>,
}

impl ListedRow for ListedFile {
    const NAME: &'static str = "files";

    /// Returns the line, after the name of its directory if that differs from the line before.
    fn shown(&self, before: Option<&Self>) -> String {
        let split = |path: &str| path.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
        let at = split(&self.path);
        let (directory, name) = self.path.split_at(at);
        // A name must not look like a row, or like a line by redline.
        let name = escaped(name);
        let is_same = before.is_some_and(|before| before.path[..split(&before.path)] == *directory);
        let head = if is_same || directory.is_empty() {
            String::new()
        } else {
            format!("{}\n", escaped(directory))
        };
        let indent = if directory.is_empty() { "" } else { " " };
        match self.bytes {
            Some(bytes) => format!("{head}{indent}{name} {bytes}\n"),
            None => format!("{head}{indent}{name}\n"),
        }
    }
}

impl Output for FileList {
    fn text(&self) -> String {
        [&self.line(), "\n", &ListedFile::text(&self.files), &self.rest.text()].joined("")
    }

    fn line(&self) -> String {
        let reason = self.reason.as_ref().map(|reason| format!(". {reason}")).unwrap_or_default();
        format!("{}: {}, {} bytes{reason}", self.place, counted(self.count, "file"), self.bytes)
    }

    fn next_cursor(&self) -> Option<&str> {
        self.rest.cursor()
    }
}

/// Runs work that reads a repository on a thread that can open nothing else.
pub(super) fn within<T: Send>(
    context: &Context,
    is_repository: bool,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    if is_repository { context.read(work) } else { work() }
}

/// Lists the files that the arguments name.
fn list(context: &Context, reply: &Reply, arguments: &ListFilesArguments) -> Result<FileList> {
    let depth = arguments.depth.unwrap_or(u64::MAX);
    let wanted = FilesWanted {
        path: arguments.path.as_deref(),
        repo: arguments.repo.as_deref(),
        rev: arguments.rev.as_deref(),
        glob: arguments.glob.as_deref(),
        depth,
        include_ignored: arguments.include_ignored.unwrap_or(false),
    };
    let files = wanted.find(context)?;
    let options =
        format!("list_files {:?}", (wanted.path, wanted.repo, wanted.rev, wanted.glob, depth));
    let binding = files.binding(&options);
    let from = arguments.cursor.as_deref().map(|cursor| binding.position(cursor)).transpose()?;
    let start = from.map_or(0, |from| from.listed).min(files.len());
    let mut listed = room_for(files.len());
    for index in 0..files.len() {
        check_current()?;
        listed.add(ListedFile { path: files.path(index).to_owned(), bytes: files.bytes(index)? });
    }
    let mut list = FileList {
        place: files.place.clone(),
        count: files.len() as u64,
        bytes: listed.iter().filter_map(|file| file.bytes).sum(),
        rest: Rest::at(Some(cursor(&binding, start, 0)?)),
        reason: files.is_empty().then(|| files.none(wanted.glob)),
        files: Vec::new(),
    };
    let mut room = Room::beside(reply, &list);
    let over = room.fill(listed.into_iter().skip(start).map(Ok), &mut list.files)?;
    list.rest = match over {
        None => Rest::default(),
        Some(_) if list.files.is_empty() => return Err(room.too_small()),
        Some(_) => Rest::at(Some(cursor(&binding, start + list.files.len(), 0)?)),
    };
    Ok(list)
}

impl Answers for ListFiles {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        within(&call.caller.context, arguments.rev.is_some(), || {
            list(&call.caller.context, &call.reply, &arguments)
        })
    }
}
