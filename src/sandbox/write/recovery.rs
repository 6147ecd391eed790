//! Recovery of changes of several files whose process was killed: the next operation reverts or
//! finishes them.

use std::io;

use crate::open::sandbox_path::SandboxPath;
use crate::rules::policy::Sandbox;
use crate::write::intent::{Intents, Stage};
use crate::write::staging::Staging;
use redline_base::budget::Stopped;
use redline_base::error::{Error, Result, quoted};

/// Reverts or finishes the changes that killed processes have left in a sandbox.
///
/// # Errors
/// `tool_failed` if the system refuses or another writer holds a lock.
pub(crate) fn settle(place: &SandboxPath<'_>) -> Result<()> {
    if !place.sandbox().is_writable() {
        return Ok(());
    }
    match Intents::open(place.sandboxes(), false) {
        Ok(intents) => roll_back_left(&intents, place.sandbox()),
        // No such change was ever started from here.
        Err(_) => Ok(()),
    }
}

/// Does the same for the intents of a directory.
pub(crate) fn roll_back_left(intents: &Intents, sandbox: &Sandbox) -> Result<()> {
    for (intent, plan) in intents.left(sandbox).map_err(cannot_record)? {
        let staging = Staging::open(sandbox, &plan, false)?;
        match plan.stage {
            // All files are in place: leftovers that cannot be removed now do not block the caller.
            Stage::Done if staging.finish(&plan).is_err() => continue,
            Stage::Done => {}
            Stage::Staging | Stage::Moving => {
                staging.roll_back(&plan).map_err(|error| left(sandbox, error))?;
                if Staging::remove_made(sandbox, &plan).is_err() {
                    continue;
                }
            }
        }
        intent.end();
    }
    Ok(())
}

fn left(sandbox: &Sandbox, error: io::Error) -> Error {
    Error::tool_failed(format!(
        "a change of several files in {} was interrupted, and the system does not let it be taken back",
        quoted(&sandbox.name)
    ))
    .with_hint("Check the permissions of its directories, and try again")
    .with_source(error)
}

/// Returns the error for a change that cannot be recorded.
pub(crate) fn cannot_record(error: io::Error) -> Error {
    if let Some(stopped) = Stopped::of_io(&error) {
        return stopped.into();
    }
    Error::tool_failed("the change cannot be recorded before it is made; no file is changed")
        .with_hint("Make room in the directory of this user's state (XDG_STATE_HOME)")
        .with_source(error)
}
