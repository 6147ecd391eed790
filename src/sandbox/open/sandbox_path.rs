//! A file below a sandbox's root, by name: opens it and reads it within limits.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::system::fs::fstat;
use crate::system::io::Errno;

use crate::open::beneath::read_bounded;
use crate::open::state::{EntryKind, FileState};
use crate::rules::policy::Sandbox;
use crate::rules::rel_path::RelPath;
use crate::rules::sandboxes::Sandboxes;
use redline_base::budget::{Stopped, check_current, filled};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::suggest::nearest_names;

/// The file by which an environment of Python is known.
const ENVIRONMENT: &str = "pyvenv.cfg";

/// A path that the rules allow to be read. Whether it is a file is known only when it is opened.
#[derive(Debug, Clone)]
pub struct SandboxPath<'a> {
    sandboxes: &'a Sandboxes,
    sandbox: &'a Sandbox,
    path: RelPath,
}

/// A regular file, opened.
#[derive(Debug)]
pub struct OpenFile {
    /// The handle, for reading.
    pub file: File,
    /// Its state when it was opened.
    pub state: FileState,
}

impl Sandboxes {
    /// Resolves a path `name/relative/path`, if the rules allow reading it. Does not access any
    /// file.
    pub fn resolve(&self, given: &str) -> Result<SandboxPath<'_>> {
        self.resolve_or(given, |what| self.refuse_near(what, given, |place| place.open().is_ok()))
    }

    /// Does the same for a file to be written: a refusal does not suggest another existing file.
    pub fn resolve_for_writing(&self, given: &str) -> Result<SandboxPath<'_>> {
        self.resolve_or(given, |what| self.refuse_unwritable(what, given))
    }

    fn resolve_or(&self, given: &str, refuse: impl Fn(String) -> Error) -> Result<SandboxPath<'_>> {
        if given.is_empty() {
            return Err(Error::invalid_args("the path is ''").with_hint(self.readable()));
        }
        let (sandbox, rest) = self.named(given).map_err(&refuse)?;
        let path = RelPath::parse(rest.unwrap_or_default())
            .map_err(|flaw| refuse(format!("the path {} {flaw}", quoted(given))))?;
        if let Some(name) = path.reserved() {
            return Err(self.refuse(format!(
                "the path {} has the part {}, which is reserved: read only as part of a git diff and never written",
                quoted(given),
                quoted(name)
            )));
        }
        if !sandbox.allows_name(path.name()) {
            return Err(self.refuse(format!(
                "the path {} does not have an ending that its sandbox allows",
                quoted(given)
            )));
        }
        Ok(SandboxPath::new(self, sandbox, path))
    }

    /// Returns the place of a file by its absolute path, after resolving all links: in the sandbox
    /// that allows reading most of it, by the rules for files.
    ///
    /// # Errors
    /// `fs_denied` if no sandbox allows reading it.
    pub fn place_of(&self, path: &Path) -> Result<SandboxPath<'_>> {
        let mut refused = None;
        let mut found: Option<SandboxPath<'_>> = None;
        for sandbox in self.iter().filter(|sandbox| !sandbox.approvals.read) {
            let Ok(rest) = path.strip_prefix(&sandbox.path) else { continue };
            let given = format!("{}/{}", sandbox.name, rest.to_string_lossy());
            let place = self.resolve(&given).and_then(|place| {
                place.check_no_git_directory()?;
                Ok(place)
            });
            match place {
                Ok(place) => {
                    let limit = |place: &SandboxPath<'_>| place.sandbox.max_file_bytes;
                    if found.as_ref().is_none_or(|other| limit(other) < limit(&place)) {
                        found = Some(place);
                    }
                }
                Err(error) => refused = Some(error),
            }
        }
        found.ok_or_else(|| {
            let nowhere = || self.refuse("the work tree is not in a sandbox".to_owned());
            refused.unwrap_or_else(nowhere)
        })
    }

    /// Returns the place of a file of a work tree, by its path there, to be written.
    ///
    /// # Errors
    /// `fs_denied` if its sandbox does not allow that.
    pub fn place_to_write(&self, work_tree: &Path, file: &str) -> Result<SandboxPath<'_>> {
        let path = work_tree.join(file);
        let around = self.iter().filter(|sandbox| path.starts_with(&sandbox.path));
        let sandbox = around.max_by_key(|sandbox| sandbox.path.as_os_str().len());
        let rest = sandbox.and_then(|sandbox| path.strip_prefix(&sandbox.path).ok()?.to_str());
        let Some((sandbox, rest)) = sandbox.zip(rest) else {
            return Err(self.refuse("the work tree is not in a sandbox".to_owned()));
        };
        let place = self.resolve_for_writing(&format!("{}/{rest}", sandbox.name))?;
        place.check_writable()?;
        Ok(place)
    }
}

impl<'a> SandboxPath<'a> {
    pub(crate) fn new(sandboxes: &'a Sandboxes, sandbox: &'a Sandbox, path: RelPath) -> Self {
        Self { sandboxes, sandbox, path }
    }

    /// Returns the sandbox.
    pub fn sandbox(&self) -> &'a Sandbox {
        self.sandbox
    }

    /// Returns all sandboxes.
    pub(crate) fn sandboxes(&self) -> &'a Sandboxes {
        self.sandboxes
    }

    /// Returns the path beneath the root.
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// Returns `name/relative/path` for a message.
    pub(crate) fn shown(&self) -> String {
        quoted(&self.to_string())
    }

    /// Rejects a file that the rules do not allow to be written, or that is part of a repository.
    pub fn check_writable(&self) -> Result<()> {
        self.check_rules()?;
        self.check_no_environment()?;
        self.check_no_git_directory()
    }

    /// Rejects a file of an environment of Python, whatever its name, where the environment's own
    /// settings are reserved: programs are started from it.
    fn check_no_environment(&self) -> Result<()> {
        for directory in self.path.directories() {
            let separator = if directory.is_empty() { "" } else { "/" };
            let settings = format!("{directory}{separator}{ENVIRONMENT}");
            let Ok(named) = RelPath::parse(&settings) else { continue };
            let is_kept = self.sandbox.keeps(&named).is_some();
            if is_kept && self.sandbox.root.open_any(settings.as_bytes()).is_ok() {
                return Err(Error::fs_denied(format!(
                    "{} is in an environment of Python, which has {}: programs are started from it, so it is read and not written",
                    self.shown(),
                    quoted(&settings)
                ))
                .with_hint("Install packages outside of the session"));
            }
        }
        Ok(())
    }

    /// Rejects a file that the rules do not allow to be written, whatever the directory contains.
    pub fn check_rules(&self) -> Result<()> {
        let refused = |what: &str| {
            Err(Error::fs_denied(format!("{} {what}", self.shown()))
                .with_hint(self.sandboxes.writable()))
        };
        if !self.sandbox.is_writable() {
            return refused("is in a read-only sandbox");
        }
        if let Some(pattern) = self.sandbox.keeps(&self.path) {
            return Err(Error::fs_denied(format!(
                "{} matches {}, which is reserved: tools obey such files, so they are read and not written",
                self.shown(),
                quoted(pattern)
            ))
            .with_hint("The sandbox's field 'reserved' lists the names that are not written"));
        }
        if self.path.is_head() {
            return refused("could make its directory a repository");
        }
        Ok(())
    }

    /// Tells whether nothing exists at the path, without a search for similar names.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(
            self.sandbox.root.open_any(self.path.as_str().as_bytes()),
            Err(Errno::NOENT | Errno::NOTDIR)
        )
    }

    /// Opens the file. Does not follow links, and opens only a regular file.
    pub fn open(&self) -> Result<OpenFile> {
        self.check_no_git_directory()?;
        let shown = self.shown();
        let file =
            self.sandbox.root.open_any(self.path.as_str().as_bytes()).map_err(
                |error| match error {
                    Errno::NOENT | Errno::NOTDIR => self.not_found(),
                    Errno::LOOP | Errno::XDEV => self.sandboxes.refuse(format!(
                        "{shown} is a link or is reached through one, and links are not followed"
                    )),
                    Errno::NXIO | Errno::NODEV => self.not_a_file("a socket or a device"),
                    Errno::ACCESS | Errno::PERM => {
                        self.sandboxes.refuse(format!("{shown} is not readable for this process"))
                    }
                    error => self.failed(error.into()),
                },
            )?;
        let state = self.state_of(&file)?;
        if state.kind != EntryKind::File {
            return Err(self.not_a_file(match state.kind {
                EntryKind::Directory => "a directory",
                _ => "a pipe or a device",
            }));
        }
        Ok(OpenFile { file, state })
    }

    /// Returns the file's bytes; a file over the sandbox's limit is `too_large:`, and not read.
    pub fn read(&self) -> Result<Vec<u8>> {
        self.read_with_state().map(|(bytes, _)| bytes)
    }

    /// Reads a file of any size in pieces: `take` gets the whole size and each piece.
    ///
    /// # Errors
    /// Those of [`Self::open`] and of `take`; `stale` for a file that changed meanwhile; the reason
    /// why the thread's work ended.
    pub fn stream(&self, mut take: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let OpenFile { mut file, state } = self.open()?;
        let mut piece = filled(0, limits::PIECE_BYTES);
        let mut size = 0;
        loop {
            check_current()?;
            let read = match file.read(&mut piece) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                read => read.map_err(|error| self.failed(error))?,
            };
            if read == 0 {
                break;
            }
            size += read as u64;
            take(state.size, &piece[..read])?;
        }
        if size != state.size || self.state_of(&file)?.modified != state.modified {
            let shown = self.shown();
            return Err(Error::stale(format!("{shown} changed while it was read"))
                .with_hint("Read it again"));
        }
        Ok(())
    }

    fn state_of(&self, file: &File) -> Result<FileState> {
        fstat(file).map(|stat| FileState::new(&stat)).map_err(|error| self.failed(error.into()))
    }

    /// Returns the file's bytes and its state when they were read.
    pub(crate) fn read_with_state(&self) -> Result<(Vec<u8>, FileState)> {
        let OpenFile { file, state } = self.open()?;
        let limit = self.sandbox.max_file_bytes;
        let bytes =
            read_bounded(file, limit).map_err(|error| self.failed(error))?.ok_or_else(|| {
                Error::too_large(format!(
                    "{} has {} bytes, and its sandbox allows {limit}",
                    self.shown(),
                    state.size.max(limit + 1)
                ))
                .with_hint("read_file and search read files of any size; to edit or compare this one, ask the host to raise the sandbox's max_file_bytes")
            })?;
        Ok((bytes, state))
    }

    /// Rejects a file in a git directory with another name than `.git`, such as a bare repository.
    fn check_no_git_directory(&self) -> Result<()> {
        let mut is_git_directory = false;
        for directory in self.path.directories() {
            let found = self.sandbox.root.is_git_directory(directory);
            is_git_directory |= found.map_err(|error| self.failed(error.into()))?;
        }
        if !is_git_directory {
            return Ok(());
        }
        let shown = self.shown();
        Err(self
            .sandboxes
            .refuse(format!("{shown} is a part of a repository: read only as part of a git diff")))
    }

    /// Returns the error of a missing file, with the nearest readable names in the deepest existing
    /// directory.
    fn not_found(&self) -> Error {
        let error = Error::not_found(format!("there is no file {}", self.shown()));
        if !self.sandbox.reads_freely() {
            // The names of other files are hidden, too.
            return error;
        }
        let (near, directory) = self.near();
        let mut near: Vec<String> = near.iter().map(|name| quoted(name)).collect();
        match near.last_mut() {
            None => error.with_hint(self.sandboxes.readable()),
            Some(last) => {
                last.push_str(&format!(", in {}", quoted(&directory)));
                error.near(&near)
            }
        }
    }

    /// Returns the path if the file exists, or that of the nearest name in its directory.
    pub(crate) fn existing_or_near(&self) -> Option<String> {
        if !self.is_absent() {
            return Some(self.to_string());
        }
        // A similar name in another directory than the given one says little.
        let above = self.path.directories().next_back().unwrap_or_default();
        let (near, directory) = self.near();
        let is_there = directory == self.directory_shown(above);
        near.first().filter(|_| is_there).map(|name| format!("{directory}/{name}"))
    }

    fn directory_shown(&self, directory: &str) -> String {
        match directory {
            "" => self.sandbox.name.clone(),
            directory => format!("{}/{directory}", self.sandbox.name),
        }
    }

    /// Returns the nearest readable names in the deepest existing directory of the path, and that
    /// directory.
    fn near(&self) -> (Vec<String>, String) {
        let root = &self.sandbox.root;
        let mut deepest = self.path.directories().rev();
        let found = deepest.find_map(|directory| {
            Some((directory, root.names(directory, limits::DIRECTORY_NAMES).ok()?))
        });
        let (directory, names) = found.unwrap_or_default();
        let rest =
            self.path.as_str().strip_prefix(directory).unwrap_or_default().trim_start_matches('/');
        let (wanted, is_file) =
            rest.split_once('/').map_or((rest, true), |(name, _)| (name, false));
        let may_be_read = |name: &&str| {
            RelPath::parse(name).is_ok_and(|name| name.reserved().is_none())
                && (!is_file || self.sandbox.allows_name(name))
        };
        let near = nearest_names(wanted, names.iter().map(String::as_str).filter(may_be_read));
        (near, self.directory_shown(directory))
    }

    fn not_a_file(&self, what: &str) -> Error {
        Error::tool_failed(format!("{} is {what}, not a file", self.shown()))
            .with_hint("Give the path of a file; list_files lists a directory")
    }

    fn failed(&self, error: std::io::Error) -> Error {
        if let Some(stopped) = Stopped::of_io(&error) {
            return stopped.into();
        }
        Error::tool_failed(format!("{} cannot be read", self.shown())).with_source(error)
    }
}

/// `name/relative/path`
impl fmt::Display for SandboxPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.sandbox.name, self.path.as_str())
    }
}
