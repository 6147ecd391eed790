//! Changes of files of a sandbox: all or none, even if the process is killed in between.
//!
//! One file that only gets a content is written as in `write`. Of others, new contents are staged beside the files, in a directory of a reserved name. Then the
//! directories are locked in one order, the files are compared with the state that was read, and
//! each is swapped for its new content; the old ones are kept until all are in place. If the
//! process is killed, the next operation reads its progress from the intent, and reverts or
//! finishes the change.

use std::fs::File;
use std::io;

use crate::system::fs::{Mode, fstat, openat};

use crate::open::sandbox_path::SandboxPath;
use crate::open::state::{FileState, id_of};
use crate::rules::policy::Sandbox;
use crate::write::intent::{FileSwap, Intent, Intents, Plan, Stage};
use crate::write::new_file::{CREATE, fill};
use crate::write::recovery::{cannot_record, roll_back_left};
use crate::write::staging::{Staging, fault};
use crate::write::{Expected, KEPT_MODE, stale};
use redline_base::budget::{Gather, check_current};
use redline_base::error::{Error, Result};
use redline_base::limits;

const EXECUTE: u32 = 0o111;

/// A change of one file.
#[derive(Debug, Clone)]
pub struct Change<'a> {
    /// The file.
    pub place: SandboxPath<'a>,
    /// The required state of the file before the change.
    pub before: Expected,
    /// The file after the change; `None` if it is removed.
    pub after: Option<After<'a>>,
}

/// A file as it is to be.
#[derive(Debug, Clone)]
pub struct After<'a> {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether it is executable; `None` keeps the current permission.
    pub executable: Option<bool>,
    /// The file that moves here: it keeps its owner, permissions and attributes.
    pub moved_from: Option<(SandboxPath<'a>, Expected)>,
}

/// Applies changes of files of one sandbox, all or none; `done` is called once all are made, before
/// another writer of redline can change them.
///
/// # Errors
/// - `stale`: a file has changed since it was read.
/// - `invalid_args`: a file is named twice, or the files belong to several sandboxes.
/// - `fs_denied`: the rules do not allow a file to be written.
/// - `too_large`: there are too many files, or one has too many bytes.
/// - `tool_failed`: the system refuses, or another writer holds a lock.
pub fn apply(changes: &[Change<'_>], done: impl FnOnce()) -> Result<()> {
    let Some(first) = changes.first() else { return Ok(()) };
    if let [Change { place, before, after: Some(after) }] = changes
        && let After { bytes, executable: None, moved_from: None } = after
    {
        // A file is written whole or not at all by itself.
        return place.write_then(bytes, before, done);
    }
    let sandbox = first.place.sandbox();
    check(sandbox, changes)?;
    let intents = Intents::open(first.place.sandboxes(), true)?;
    roll_back_left(&intents, sandbox)?;
    let mut plan = planned(sandbox, changes)?;
    let mut intent = intents.start(sandbox, &plan).map_err(cannot_record)?;
    fault();
    let mut is_left = false;
    let result = Staging::open(sandbox, &plan, true).and_then(|staging| {
        let made = change_all(&staging, changes, &mut plan, &mut intent);
        if let Err(error) = made {
            let failed = staging.roll_back(&plan).err();
            is_left = failed.is_some();
            return Err(failed.map_or(error, half_done));
        }
        done();
        // All files are in place; the next operation removes leftovers that remain.
        is_left = staging.finish(&plan).is_err();
        Ok(())
    });
    if result.is_err() {
        is_left |= Staging::remove_made(sandbox, &plan).is_err();
    }
    if !is_left {
        intent.end();
    }
    result
}

/// Rejects changes that the rules or limits forbid, before anything is written.
fn check(sandbox: &Sandbox, changes: &[Change<'_>]) -> Result<()> {
    if changes.len() > limits::PATCH_FILES {
        return Err(Error::too_large(format!(
            "there are {} files, and one change has at most {}",
            changes.len(),
            limits::PATCH_FILES
        ))
        .with_hint("Make it in several changes"));
    }
    let mut files = std::collections::HashMap::new();
    for Change { place, before, after } in changes {
        check_current()?;
        place.check_writable()?;
        if place.sandbox().identity != sandbox.identity {
            return Err(Error::invalid_args("the files are in several sandboxes")
                .with_hint("Change the files of each sandbox by themselves"));
        }
        let key = match before.state().map(FileState::id) {
            Some((device, inode)) => format!("\0{device} {inode}"),
            None => place.path().as_str().to_owned(),
        };
        if let Some(other) = files.insert(key, (place, before)) {
            // Another writer may have moved the file of one path to the other in between.
            for (place, before) in [other, (place, before)] {
                place.check_unchanged(before)?;
            }
            return Err(Error::invalid_args(format!("{} is named twice", place.shown()))
                .with_hint("Put all changes of one file together"));
        }
        if let Some(after) = after {
            place.check_size(&after.bytes)?;
        }
    }
    Ok(())
}

fn planned(sandbox: &Sandbox, changes: &[Change<'_>]) -> Result<Plan> {
    let swap = |change: &Change<'_>| FileSwap {
        path: change.place.path().as_str().to_owned(),
        old: change.before.state().map(FileState::id),
        new: None,
    };
    let created = changes.iter().filter(|change| change.after.is_some());
    Ok(Plan {
        stage: Stage::Staging,
        made: Staging::missing(sandbox, created.map(|change| change.place.path())),
        files: changes.iter().map(swap).gather(),
    })
}

/// Makes all changes while the directories are locked; on failure some may be made.
fn change_all(
    staging: &Staging,
    changes: &[Change<'_>],
    plan: &mut Plan,
    intent: &mut Intent<'_>,
) -> Result<()> {
    let unchanged =
        || changes.iter().try_for_each(|change| change.place.check_unchanged(&change.before));
    unchanged()?;
    for (index, change) in changes.iter().enumerate() {
        check_current()?;
        if let Some(after) = &change.after {
            let staged = stage(staging, index, change, after, &plan.files[index].path);
            let staged = staged.map_err(|error| change.place.write_failed(error))?;
            let found = fstat(&staged).map_err(|error| change.place.write_failed(error.into()))?;
            plan.files[index].new = Some(id_of(&found));
        }
        if let Some(after) = &change.after
            && let Some((from, expected)) = &after.moved_from
        {
            from.check_unchanged(expected)?;
        }
        fault();
    }
    staging.prepare(plan).map_err(|error| changes[0].place.write_failed(error))?;
    plan.stage = Stage::Moving;
    intent.append(plan).map_err(cannot_record)?;
    fault();
    unchanged()?;
    for (index, (change, swap)) in changes.iter().zip(&plan.files).enumerate() {
        check_current()?;
        staging.put(index, swap).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound => stale(&change.place.shown()),
            _ => change.place.write_failed(error),
        })?;
        fault();
        if !staging.has_taken(index, swap) {
            return Err(stale(&change.place.shown()));
        }
    }
    staging.sync().map_err(|error| changes[0].place.write_failed(error))?;
    plan.stage = Stage::Done;
    intent.append(plan).map_err(cannot_record)?;
    fault();
    Ok(())
}

/// Writes the new content of a file beside it, with what the file keeps.
fn stage(
    staging: &Staging,
    index: usize,
    change: &Change<'_>,
    after: &After<'_>,
    path: &str,
) -> io::Result<File> {
    let opened = |place: &SandboxPath<'_>| place.open().map_err(io::Error::other);
    let (old, mode) = match (&after.moved_from, &change.before) {
        (Some((place, expected)), _) => (Some(opened(place)?.file), expected.mode()),
        (None, expected @ Expected::Present { .. }) => {
            (Some(opened(&change.place)?.file), expected.mode())
        }
        (None, Expected::Absent) => (None, None),
    };
    let new_mode = match (&old, after.executable) {
        (Some(_), _) => 0o600,
        (None, Some(true)) => 0o777,
        (None, _) => 0o666,
    };
    let directory = staging.directory_for(path)?;
    let file = openat(directory, index.to_string(), CREATE, Mode::from_raw_mode(new_mode))?;
    let file = File::from(file);
    let mode = mode.map(|mode| mode & KEPT_MODE).map(|mode| match after.executable {
        // As in git, everyone with read permission gets execute permission.
        Some(true) => mode | (mode & 0o444) >> 2,
        Some(false) => mode & !EXECUTE,
        None => mode,
    });
    fill(&file, &after.bytes, old.as_ref(), mode)?;
    Ok(file)
}

fn half_done(error: io::Error) -> Error {
    Error::tool_failed("a change of several files failed, and some of it could not be taken back")
        .with_hint("The next operation in the sandbox tries again")
        .with_source(error)
}

#[cfg(all(test, unix))]
mod tests;
