//! The files of a sandbox or of a revision selected by a directory, a glob and a depth, and how
//! they are read.

use std::io::{self, Read};

use crate::{Context, Revisions};
use redline_base::budget::{Copied, Grow, GrowBy, Taken, check_current, text_of};
use redline_base::error::{Error, Result, escaped, quoted};
use redline_base::limits;
use redline_find::{Glob, IGNORE_FILE, Ignored};
use redline_git::{Change, Contents, Ignores, Reader, changed_files};
use redline_review::{Binding, Position};
use redline_sandbox::{
    Directory, EntryKind, Next, OpenError, RegularFile, Sandbox, Sandboxes, WalkEntry,
};

/// A selection of files.
#[derive(Debug, Clone, Copy)]
pub struct FilesWanted<'a> {
    /// A directory as `sandbox/directory`; `None`: the only sandbox.
    pub path: Option<&'a str>,
    /// The repository of `rev`.
    pub repo: Option<&'a str>,
    /// A revision, instead of the files on disk.
    pub rev: Option<&'a str>,
    /// A glob for the path below the directory.
    pub glob: Option<&'a str>,
    /// The number of levels to enter.
    pub depth: u64,
    /// Whether ignored files are included.
    pub include_ignored: bool,
}

/// A file or directory that was found.
struct Located {
    /// The path for display.
    path: String,
    /// The path beneath the root of the sandbox, or of the repository.
    relative: String,
    is_directory: bool,
    change: Option<Change>,
}

/// The files that were found, in the order of their paths, and their source.
pub struct FoundFiles {
    /// The directory or revision, for display.
    pub place: String,
    located: Vec<Located>,
    source: Source,
}

impl FoundFiles {
    /// Returns the reason for which no file was selected by a glob, or at all.
    pub fn none(&self, glob: Option<&str>) -> String {
        let nothing = match glob {
            Some(glob) => format!(
                "No file matches the glob {}; globs match paths from the directory that is searched on",
                quoted(glob)
            ),
            None => "There is no file".to_owned(),
        };
        match self.source {
            Source::Disk(_) => format!("{nothing}. include_ignored = true adds ignored files"),
            Source::Revision(_) => nothing,
        }
    }
}

enum Source {
    /// The root of a sandbox.
    Disk(Directory),
    /// The revision of a repository.
    Revision(Box<Reader>),
}

impl FilesWanted<'_> {
    /// Finds the files.
    ///
    /// # Errors
    /// `invalid_args` for both a path and a revision; those of the sandbox and of the repository.
    pub fn find(&self, context: &Context) -> Result<FoundFiles> {
        let glob = self.glob.map(Glob::parse).transpose()?;
        match (self.rev, self.path) {
            (Some(_), Some(_)) => Err(Error::invalid_args("both rev and path were given")
                .with_hint(
                    "Give path for files on disk, or repo, rev and glob for those of a revision",
                )),
            (Some(rev), None) => self.of_revision(context, rev, glob.as_ref()),
            (None, _) if self.repo.is_some() && self.path.is_some() => Err(Error::invalid_args(
                "both repo and path were given",
            )
            .with_hint("Give path for files on disk, or repo and rev for those of a revision")),
            (None, path) => self.on_disk(context, path.or(self.repo), glob.as_ref()),
        }
    }

    fn on_disk(
        &self,
        context: &Context,
        path: Option<&str>,
        glob: Option<&Glob>,
    ) -> Result<FoundFiles> {
        let Some(sandboxes) = context.access.sandboxes() else {
            return Err(Error::fs_denied("no sandbox is configured, so no directory is listed")
                .with_hint("Ask the host to configure a directory in redline_sandboxes"));
        };
        let path = match path {
            Some(path) => path,
            None => sandboxes.only().map(|only| only.name.as_str()).ok_or_else(|| {
                Error::invalid_args("there are several sandboxes, and path names none")
                    .with_hint(sandboxes.readable())
            })?,
        };
        let (sandbox, start) = sandboxes.folder(path)?;
        let root = sandbox.open_root()?;
        let mut ignored = Ignored::default();
        for above in above(&start) {
            let excludes = excludes(context, sandbox, &root, above)?;
            ignored.enter(above, excludes, &ignore_file(&root, above))?;
        }
        let levels = start.split('/').filter(|name| !name.is_empty()).count() as u64;
        let mut located = Vec::new();
        let visit = |entry: &WalkEntry| {
            let is_directory = entry.kind == EntryKind::Directory;
            if !self.include_ignored && ignored.is_ignored(&entry.path, is_directory)? {
                return Ok(Next::Skip);
            }
            let level = entry.path.split('/').count() as u64 - levels;
            let is_last = level >= self.depth;
            let is_meant = is_meant(glob, below(&entry.path, &start))?;
            if (is_directory && is_last && glob.is_none()) || (!is_directory && is_meant) {
                let end = if is_directory { "/" } else { "" };
                located.add(Located {
                    path: format!("{}/{}{end}", sandbox.name, entry.path),
                    relative: entry.path.clone(),
                    is_directory,
                    change: None,
                });
            }
            if is_directory && !is_last {
                let excludes = excludes(context, sandbox, &root, &entry.path)?;
                ignored.enter(&entry.path, excludes, &ignore_file(&root, &entry.path))?;
            }
            Ok(if is_last { Next::Skip } else { Next::Go })
        };
        sandbox.walk_files(&start, visit)?;
        let place = format!("{}/{start}", sandbox.name);
        Ok(FoundFiles {
            place: place.trim_end_matches('/').to_owned(),
            located,
            source: Source::Disk(root),
        })
    }

    fn of_revision(&self, context: &Context, rev: &str, glob: Option<&Glob>) -> Result<FoundFiles> {
        let repo = self.repo.map_or_else(|| context.default_repository(), str::to_owned);
        let place = escaped(&format!("{repo} at {rev}"));
        let revisions = Revisions::between("EMPTY".to_owned(), Some(rev.to_owned()), repo);
        let comparison = revisions.open(context)?;
        let mut located = Vec::new();
        for change in changed_files(&comparison, None)? {
            let change = change?;
            let path = text_of(&change.path).taken();
            let is_file = change.new.is_some_and(|entry| entry.mode.is_regular());
            if is_file && is_meant(glob, &path)? {
                located.add(Located {
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
        Ok(FoundFiles { place, located, source: Source::Revision(reader) })
    }

    /// Replaces files that are deeper by their directories.
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
            cut.add(file);
        }
        cut
    }
}

impl FoundFiles {
    /// Returns the one file at a path of a sandbox; `None` for a directory.
    ///
    /// # Errors
    /// Those of `read_file`, whose rules apply to a file given by its path.
    pub fn one(sandboxes: &Sandboxes, path: &str) -> Result<Option<Self>> {
        let (sandbox, relative) = sandboxes.folder(path)?;
        let root = sandbox.open_root()?;
        if relative.is_empty() || root.file(relative.as_bytes()).is_err() {
            return Ok(None);
        }
        sandboxes.resolve(path)?.open()?;
        let located =
            vec![Located { path: path.to_owned(), relative, is_directory: false, change: None }];
        Ok(Some(Self { place: path.to_owned(), located, source: Source::Disk(root) }))
    }

    /// Returns their number.
    pub fn len(&self) -> usize {
        self.located.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.located.is_empty()
    }

    /// Returns the path of a file, as it is shown.
    pub fn path(&self, index: usize) -> &str {
        &self.located[index].path
    }

    /// Returns the state to which a cursor is bound: these files, by their paths and objects.
    pub fn binding(&self, options: &str) -> Binding {
        let mut state = Vec::new();
        for file in &self.located {
            state.add_slice(file.path.as_bytes());
            state.add(0);
            if let Some(entry) = file.change.as_ref().and_then(|change| change.new) {
                state.add_all(entry.oid.to_string().into_bytes());
            }
        }
        Binding::new(options.as_bytes(), &state)
    }

    /// Returns the size of a file; `None` for a directory, and for a file that no longer exists.
    ///
    /// # Errors
    /// Those of reading the revision.
    pub fn bytes(&self, index: usize) -> Result<Option<u64>> {
        let file = &self.located[index];
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

    /// Returns a reader for a file; `None` for one that no longer exists or is binary.
    ///
    /// # Errors
    /// Those of reading the revision.
    pub fn open(&mut self, index: usize) -> Result<Option<Box<dyn Read>>> {
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
                        Some(Box::new(io::Cursor::new(bytes.copied_vec())) as Box<dyn Read>)
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

/// Returns the content of the ignore file of a directory; empty if there is none that may be read.
fn ignore_file(root: &Directory, directory: &str) -> Vec<u8> {
    let file = root.file(inside(directory, IGNORE_FILE).as_bytes());
    file.ok().and_then(|file| file.read_all(limits::IGNORE_BYTES).ok()).unwrap_or_default()
}

/// Returns the ignore rules of the repository whose root is a directory, if there is one that may
/// be read.
fn excludes(
    context: &Context,
    sandbox: &Sandbox,
    root: &Directory,
    directory: &str,
) -> Result<Option<Ignores>> {
    if matches!(root.file(inside(directory, ".git").as_bytes()), Err(OpenError::Absent)) {
        return Ok(None);
    }
    let name = inside(&sandbox.name, directory);
    let opened = context.read(|| Ignores::of(&context.repository(&name)?, directory.as_bytes()));
    check_current()?;
    Ok(opened.ok())
}

/// Returns the cursor for a line of a file of a list.
///
/// # Errors
/// `too_large` for a line number that a cursor cannot hold.
pub fn cursor(binding: &Binding, file: usize, line: u64) -> Result<String> {
    let line = usize::try_from(line).unwrap_or(usize::MAX);
    binding.cursor(Position { listed: file, offset: line, ..Position::default() }).ok_or_else(
        || {
            Error::too_large("there are more lines than a cursor can count")
                .with_hint("Name fewer files")
        },
    )
}
