//! The plan of a change of several files, kept outside of the sandbox until it is done:
//! with it, the next operation reverts or finishes the changes of a killed process.
//!
//! One file for each change that is under way, which its process keeps locked; its name begins with
//! the identity of the sandbox, so that no other sandbox reads it. Each state is one more line, so
//! that a line that was cut by a crash leaves the one before it.

use crate::system::fd::OwnedFd;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::system::fs::{
    AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, Stat, flock, fstat, fsync, open, openat,
    unlinkat,
};
use crate::system::process::geteuid;
use serde::{Deserialize, Serialize};

use crate::open::beneath::DIRECTORY;
use crate::open::state::{EntryKind, FileId, FileState, mode_of};
use crate::rules::policy::Sandbox;
use crate::rules::sandboxes::Sandboxes;
use crate::write::locked::make;
use redline_base::error::{Error, Result};
use redline_base::form::hex;
use redline_base::{limits, strict_json};

/// How the name of an intent ends.
const SUFFIX: &str = ".intent";
/// The bits of a mode that let others in.
const OTHERS: u32 = 0o077;

/// How far a change has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    /// New contents are written; no file has changed.
    Staging,
    /// Files are put in place: some have changed.
    Moving,
    /// All have changed.
    Done,
}

/// The planned change, and its progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// How far it has come.
    pub stage: Stage,
    /// The directories that are made for it, those above first.
    pub made: Vec<String>,
    /// The files.
    #[serde(deserialize_with = "strict_json::list")]
    pub files: Vec<FileSwap>,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileSwap {
    /// The path beneath the root.
    pub path: String,
    /// The file that is there before.
    pub old: Option<FileId>,
    /// The file that takes its place, once it is staged.
    pub new: Option<FileId>,
}

/// The directory of the intents of this user.
#[derive(Debug)]
pub(crate) struct Intents(OwnedFd);

/// An intent locked by this process.
#[derive(Debug)]
pub(crate) struct Intent<'a> {
    directory: &'a OwnedFd,
    name: String,
    file: File,
}

impl Intents {
    /// Opens the directory: below the user's state directory, else below the directory of temporary
    /// files, and outside of all sandboxes. If it is missing, creates it if `makes` is set.
    ///
    /// # Errors
    /// `tool_failed` if no directory belongs to this user alone.
    pub(crate) fn open(sandboxes: &Sandboxes, makes: bool) -> Result<Self> {
        let mut refused = io::Error::from(io::ErrorKind::NotFound);
        for path in candidates() {
            match open_private(&path, sandboxes, makes) {
                Ok(directory) => return Ok(Self(directory)),
                Err(error) => refused = error,
            }
        }
        Err(Error::tool_failed(
            "no directory outside of the sandboxes can hold the record of a change of several files",
        )
        .with_hint("Let XDG_STATE_HOME name a directory of this user that others cannot write and no sandbox has")
        .with_source(refused))
    }

    /// Starts an intent for a sandbox; it is locked until it is dropped.
    pub(crate) fn start(&self, sandbox: &Sandbox, plan: &Plan) -> io::Result<Intent<'_>> {
        let prefix = prefix(sandbox)?;
        loop {
            let mut bytes = [0; 8];
            getrandom::fill(&mut bytes).map_err(|_| io::ErrorKind::Other)?;
            let name = format!("{prefix}{}{SUFFIX}", hex(&bytes));
            let flags =
                OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = File::from(openat(&self.0, &name, flags, Mode::from_raw_mode(0o600))?);
            let is_locked = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
            // Between the two calls, another process may have treated it as a leftover.
            if is_locked && fstat(&file)?.st_nlink == 1 {
                let mut intent = Intent { directory: &self.0, name, file };
                if let Err(error) = intent.append(plan).and_then(|()| Ok(fsync(&self.0)?)) {
                    intent.end();
                    return Err(error);
                }
                return Ok(intent);
            }
        }
    }

    /// Returns the intents for a sandbox whose processes have ended, each locked.
    pub(crate) fn left(&self, sandbox: &Sandbox) -> io::Result<Vec<(Intent<'_>, Plan)>> {
        let prefix = prefix(sandbox)?;
        let mut left = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let Some(name) = entry
                .file_name()
                .to_str()
                .ok()
                .filter(|name| name.starts_with(&prefix) && name.ends_with(SUFFIX))
            else {
                continue;
            };
            let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let Ok(file) = openat(&self.0, name, flags, Mode::empty()).map(File::from) else {
                continue;
            };
            let found = fstat(&file)?;
            let is_ours = is_private(&found) && FileState::new(&found).kind == EntryKind::File;
            if !is_ours || flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            let intent = Intent { directory: &self.0, name: name.to_owned(), file };
            match intent.read()? {
                // Its process was killed before it changed anything.
                None => intent.end(),
                Some(plan) => left.push((intent, plan)),
            }
        }
        Ok(left)
    }
}

impl Intent<'_> {
    /// Records the progress of the change durably.
    pub(crate) fn append(&mut self, plan: &Plan) -> io::Result<()> {
        let end = self.file.stream_position()?;
        let mut line = BufWriter::new(&self.file);
        let written = serde_json::to_writer(&mut line, plan)
            .map_err(io::Error::from)
            .and_then(|()| line.write_all(b"\n"))
            .and_then(|()| line.flush())
            .and_then(|()| Ok(fsync(&self.file)?));
        // What it has not written after a failure is not written when it is dropped.
        drop(line.into_parts());
        if written.is_err() {
            // Truncates a partial record, so that no unreached state is read from it.
            let _ = self.file.set_len(end).and_then(|()| (&self.file).seek(SeekFrom::Start(end)));
        }
        written
    }

    /// Removes the intent: nothing is left to do.
    pub(crate) fn end(self) {
        // If removal fails, the next operation finds the intent and has nothing to do for it.
        let _ = unlinkat(self.directory, self.name.as_str(), AtFlags::empty());
    }

    /// Returns the last complete record.
    fn read(&self) -> io::Result<Option<Plan>> {
        let mut text = Vec::new();
        (&self.file).rewind()?;
        (&self.file).take(limits::INTENT_BYTES).read_to_end(&mut text)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
        let last = text[..whole].rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        Ok(serde_json::from_slice(last).ok())
    }
}

/// Returns how the names of a sandbox's intents begin: with the device, number and birth of its root.
fn prefix(sandbox: &Sandbox) -> io::Result<String> {
    Ok(format!("{}-", hex(&sandbox.root.identity()?)))
}

/// Returns the candidate paths of the directory, the preferred one first.
fn candidates() -> Vec<PathBuf> {
    let named = |variable: &str| {
        std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let state = named("XDG_STATE_HOME").or_else(|| Some(named("HOME")?.join(".local/state")));
    let temporary = std::env::temp_dir().join(format!("redline-{}", geteuid().as_raw()));
    state.map(|state| state.join("redline")).into_iter().chain([temporary]).collect()
}

/// Opens a directory that belongs to this user alone; creates a missing one if `makes` is set.
fn open_private(path: &Path, sandboxes: &Sandboxes, makes: bool) -> io::Result<OwnedFd> {
    let (above, name) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
    let above = match above.canonicalize() {
        Err(error) if makes && error.kind() == io::ErrorKind::NotFound => {
            std::fs::create_dir_all(above)?;
            above.canonicalize()?
        }
        found => found?,
    };
    let path = above.join(name);
    if sandboxes.iter().any(|sandbox| path.starts_with(&sandbox.path)) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    if makes {
        make(CWD, &path, 0o700)?;
    }
    let directory = open(&path, DIRECTORY, Mode::empty())?;
    if !is_private(&fstat(&directory)?) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(directory)
}

/// Tells whether an entry belongs to this user, and nobody else has rights to it.
fn is_private(found: &Stat) -> bool {
    found.st_uid == geteuid().as_raw() && mode_of(found) & OTHERS == 0
}
