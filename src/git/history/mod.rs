//! Histories of contents: `blame` (the commit of each line), `follow` (the commits that changed one
//! file), `line_log` (the commits that changed some of its lines), `commit_changes` (the changed
//! files of each commit), `words` (the commits with a matching message or author), `notes`,
//! `mailmap`, `commit_patch_id`, and `range_patch` (a commit as a text that is compared with other
//! versions of it).

pub mod blame;
pub mod commit_changes;
pub mod commit_patch_id;
pub mod follow;
pub mod line_log;
pub mod mailmap;
pub mod notes;
pub mod range_patch;
pub mod words;

use crate::Oid;
use crate::graph::walk::RevRange;
use redline_base::error::{Error, Result, quoted};

/// Returns the only end of a range; `why` says that there must be one.
fn only_tip(ends: &RevRange, named: &str, why: &str) -> Result<Oid> {
    let &[tip] = ends.tips.as_slice() else {
        return Err(Error::invalid_args(format!(
            "{} names several commits, and {why}",
            quoted(named)
        ))
        .with_hint("Give a revision, or a range such as 'v1..HEAD'"));
    };
    Ok(tip)
}

/// Rejects lines that begin after the end of a file.
fn check_first_line(first: u32, count: u32) -> Result<()> {
    if first <= count {
        return Ok(());
    }
    Err(Error::invalid_args(format!("the lines begin at {first}, and the file has {count}"))
        .with_hint("Give lines of the file, counted from 1"))
}
