//! Walks the readable files of a sandbox, sorted by path, only as far as requested.

use crate::open::directory::{Directory, DirectoryEntry, OpenError};
use crate::open::sandbox_path::SandboxPath;
use crate::open::state::EntryKind;
use crate::rules::policy::Sandbox;
use crate::rules::rel_path::RelPath;
use crate::rules::sandboxes::Sandboxes;
use crate::rules::spelling::{plain, without_side};
use redline_base::budget::check_current;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;

/// A file or directory that a walk visits.
#[derive(Debug)]
pub struct WalkEntry {
    /// Its path below the root of the sandbox.
    pub path: String,
    /// Its type.
    pub kind: EntryKind,
}

impl WalkEntry {
    /// Returns its name in its directory.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// The next step of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Continue; for a directory with its entries.
    Go,
    /// Skip the entries of the directory.
    Skip,
    /// End the walk.
    End,
}

impl Sandboxes {
    /// Returns the sandbox and the directory in it of a path: `name`, or `name/directory`.
    ///
    /// # Errors
    /// `fs_denied` if reading needs an approval or the path leads outside; `not_found`.
    pub fn folder(&self, given: &str) -> Result<(&Sandbox, String)> {
        let given = given.trim_end_matches('/');
        // With a single sandbox, it is what agents mean by the current directory.
        let is_there = |place: &SandboxPath<'_>| !place.is_absent();
        let only = self.only().filter(|_| matches!(given, "" | "."));
        let given = only.map_or(given, |only| &only.name);
        let (sandbox, rest) =
            self.named(given).map_err(|what| self.refuse_near(what, given, is_there))?;
        if sandbox.approvals.read {
            return Err(self.refuse(format!(
                "reading beneath {} needs a person's approval for each file, so nothing is listed there",
                quoted(&sandbox.name)
            )));
        }
        let Some(rest) = rest else { return Ok((sandbox, String::new())) };
        let path = RelPath::parse(rest).map_err(|flaw| {
            self.refuse_near(format!("the path {} {flaw}", quoted(given)), given, is_there)
        })?;
        if path.reserved().is_some() {
            return Err(self.refuse(format!("the path {} is reserved", quoted(given))));
        }
        Ok((sandbox, path.as_str().to_owned()))
    }
}

impl Sandbox {
    /// Visits a directory below the root and its contents, each directory before its entries, which
    /// are sorted by name. `visit` gets only readable entries: no links, no special files, no
    /// reserved names, nothing of a git directory, and only files with an allowed suffix.
    ///
    /// # Errors
    /// `not_found` and `tool_failed` for a missing directory; those of `visit`.
    pub fn walk_files(
        &self,
        start: &str,
        mut visit: impl FnMut(&WalkEntry) -> Result<Next>,
    ) -> Result<()> {
        let shown = || quoted(&format!("{}/{start}", self.name));
        let directory = match Directory::beneath(&self.root, &self.path, start.as_bytes()) {
            Ok(directory) => directory,
            Err(OpenError::Absent) => {
                return Err(Error::not_found(format!("there is no directory {}", shown()))
                    .with_hint("list_files of its sandbox shows what there is"));
            }
            Err(OpenError::Link) => {
                return Err(Error::fs_denied(format!(
                    "{} is not a directory, or is behind a link, and links are not followed",
                    shown()
                )));
            }
            Err(_) => {
                return Err(Error::tool_failed(format!("{} cannot be listed", shown()))
                    .with_hint("Give the path of a directory"));
            }
        };
        let mut left = limits::WALK_ENTRIES;
        self.enter(&directory, start, &mut left, &mut visit).map(drop)
    }

    /// Visits the entries of a directory; tells whether the walk continues.
    fn enter(
        &self,
        directory: &Directory,
        path: &str,
        left: &mut usize,
        visit: &mut impl FnMut(&WalkEntry) -> Result<Next>,
    ) -> Result<bool> {
        check_current()?;
        // A git directory by another name must not be read, nor one that may be one; a removed one
        // has no entries.
        if self.root.is_git_directory(path).unwrap_or(true)
            || path.matches('/').count() > limits::WALK_DEPTH
        {
            return Ok(true);
        }
        let Ok(mut entries) = directory.entries(limits::DIRECTORY_ENTRIES) else { return Ok(true) };
        entries.sort_by(|one, two| one.name.cmp(&two.name));
        for DirectoryEntry { name, kind } in entries {
            let Ok(name) = String::from_utf8(name) else { continue };
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            if !self.may_be_seen(&path, &name, kind) {
                continue;
            }
            *left = left.checked_sub(1).ok_or_else(|| {
                Error::too_large(format!("there are more than {} files", limits::WALK_ENTRIES))
                    .with_hint("Name a directory further down")
            })?;
            let entry = WalkEntry { path, kind };
            match visit(&entry)? {
                Next::End => return Ok(false),
                Next::Skip => continue,
                Next::Go => {}
            }
            if kind == EntryKind::Directory
                && let Ok(inner) = directory.directory(name.as_bytes())
                && !self.enter(&inner, &entry.path, left, visit)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Opens the root, to open files below it.
    ///
    /// # Errors
    /// `tool_failed`.
    pub fn open_root(&self) -> Result<Directory> {
        Directory::beneath(&self.root, &self.path, b"").map_err(|_| {
            Error::tool_failed(format!("the root of {} cannot be opened", quoted(&self.name)))
        })
    }

    fn may_be_seen(&self, path: &str, name: &str, kind: EntryKind) -> bool {
        let is_allowed = match kind {
            EntryKind::Directory => true,
            EntryKind::File => self.allows_name(name),
            EntryKind::Link | EntryKind::Special => false,
        };
        is_allowed && RelPath::parse(path).is_ok_and(|path| path.reserved().is_none())
    }

    /// Returns a readable file near the root, as an example of a path.
    pub fn example(&self) -> Option<String> {
        let mut found = None;
        if self.reads_freely() {
            let mut left = limits::SURVEY_ENTRIES;
            let _ = self.walk_files("", |entry| {
                left -= 1;
                if entry.kind == EntryKind::File && !entry.name().starts_with('.') {
                    found = Some(format!("{}/{}", self.name, entry.path));
                }
                let is_deep = entry.kind == EntryKind::Directory && entry.path.contains('/');
                Ok(if found.is_some() || left == 0 {
                    Next::End
                } else if is_deep || entry.name().starts_with('.') {
                    Next::Skip
                } else {
                    Next::Go
                })
            });
        }
        found
    }
}

impl Sandboxes {
    /// Returns the readable repositories, as named in a call: at most `most`, and only those a few
    /// levels below a root.
    pub fn repositories(&self, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        for sandbox in self.iter().filter(|sandbox| sandbox.reads_freely()) {
            let is_repository = |path: &str| {
                let git = if path.is_empty() { ".git".to_owned() } else { format!("{path}/.git") };
                sandbox.root.open_any(git.as_bytes()).is_ok()
                    || matches!(sandbox.root.is_git_directory(path), Ok(true))
            };
            if is_repository("") {
                found.push(sandbox.name.clone());
            }
            let mut left = limits::SURVEY_ENTRIES;
            let _ = sandbox.walk_files("", |entry| {
                left -= 1;
                if left == 0 || found.len() >= most {
                    return Ok(Next::End);
                }
                if entry.kind == EntryKind::Directory && is_repository(&entry.path) {
                    found.push(format!("{}/{}", sandbox.name, entry.path));
                    return Ok(Next::Skip);
                }
                let is_deep = entry.path.matches('/').count() >= limits::SURVEY_DEPTH;
                Ok(if is_deep { Next::Skip } else { Next::Go })
            });
        }
        found.truncate(most);
        found
    }

    /// Returns a refusal of a path for writing that does not start with a sandbox's name, with the
    /// same path in the first writable sandbox: a similar one would be another file.
    pub(crate) fn refuse_unwritable(&self, what: String, given: &str) -> Error {
        let plain = plain(given);
        let relative = plain.trim_start_matches('/');
        let is_writable = |place: &SandboxPath<'_>| place.sandbox().is_writable();
        let meant = self
            .spelled(given, &plain)
            .filter(is_writable)
            .or_else(|| {
                let mut sideless = self.meant(without_side(relative)?);
                sideless.find(|place| {
                    is_writable(place) && place.sandbox().reads_freely() && !place.is_absent()
                })
            })
            .or_else(|| self.meant(relative).find(is_writable));
        let meant = meant.map(|place| place.shown());
        Error::fs_denied(what).with_hint(self.writable()).near(meant.as_slice())
    }

    /// Returns a refusal of a path that does not start with a sandbox's name, with the path that
    /// was meant, if a sandbox has a similar one that `is_wanted`.
    pub(crate) fn refuse_near(
        &self,
        what: String,
        given: &str,
        is_wanted: impl Fn(&SandboxPath<'_>) -> bool,
    ) -> Error {
        let plain = plain(given);
        let reads_freely = |place: &SandboxPath<'_>| place.sandbox().reads_freely();
        let is_meant = |place: &SandboxPath<'_>| reads_freely(place) && is_wanted(place);
        if let Some(place) = self.spelled(given, &plain).filter(is_meant) {
            return self.refuse(what).near(&[place.shown()]);
        }
        let relative = plain.trim_start_matches('/');
        let exists = |path: &str| self.meant(path).find(is_meant).map(|place| place.shown());
        // A path of another machine ends as one of this one, and git writes a/ and b/ before paths.
        let ends = relative.match_indices('/').map(|(at, _)| &relative[at + 1..]);
        let is_elsewhere = given != relative;
        let mut ends = ends.take(if is_elsewhere { limits::PATH_ENDS } else { 0 });
        let near = exists(relative)
            .or_else(|| without_side(relative).and_then(exists))
            .or_else(|| ends.find_map(exists))
            .or_else(|| {
                let mut meant = self.meant(relative).filter(reads_freely);
                meant.find_map(|place| place.existing_or_near()).map(|near| quoted(&near))
            });
        self.refuse(what).near(near.as_slice())
    }

    /// Returns the place of a path that was given in another spelling.
    fn spelled(&self, given: &str, plain: &str) -> Option<SandboxPath<'_>> {
        let (sandbox, rest) = self.named(plain).ok().filter(|_| plain != given)?;
        let path = RelPath::parse(rest?).ok().filter(|path| path.reserved().is_none())?;
        Some(SandboxPath::new(self, sandbox, path))
    }

    /// Returns the place of a path in each sandbox, whatever its rules; none if the path is
    /// reserved.
    fn meant(&self, relative: &str) -> impl Iterator<Item = SandboxPath<'_>> {
        let path = RelPath::parse(relative).ok().filter(|path| path.reserved().is_none());
        let places = move |path: RelPath| {
            self.iter().map(move |sandbox| SandboxPath::new(self, sandbox, path.clone()))
        };
        path.into_iter().flat_map(places)
    }
}
