//! Decides whether a patch has been applied already: a call whose answer was lost is repeated, and
//! must not insert its lines twice.

use std::borrow::Borrow;

use super::{Fitted, State};
use redline_base::error::{Error, Result, quoted};

/// The decision about a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Apply it.
    Apply,
    /// All changes are in the files already: nothing is written.
    AlreadyApplied,
}

/// Decides for all files together.
///
/// # Errors
/// `stale` if some files have their change and others do not.
pub fn decide<F: Borrow<Fitted>>(files: &[F]) -> Result<Decision> {
    let files = || files.iter().map(Borrow::borrow);
    let mut all = State::Either;
    for file in files() {
        all = all.and(file.state).ok_or_else(|| {
            let is_after = |file: &&Fitted| file.state == State::After;
            let path = files().find(is_after).map_or("", |file| file.path.as_str());
            Error::stale(format!("{} has its change already, and other files do not", quoted(path)))
                .with_hint("Leave out the applied changes, and send the rest")
        })?;
    }
    Ok(if all == State::Before { Decision::Apply } else { Decision::AlreadyApplied })
}
