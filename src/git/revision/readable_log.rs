//! The log of a reference as it would be without the branches that may not be read.

use gix::bstr::ByteSlice;

use super::resolver::Resolver;
use crate::Oid;
use crate::refs::LogLine;
use redline_base::error::Result;

/// What the message of a checkout begins with.
const CHECKOUT: &[u8] = b"checkout: moving from ";
/// What is between the branches that it left and went to.
const TO: &[u8] = b" to ";

/// Returns the lines of a reference's log, the newest first. If a sandbox limits the readable
/// references, only those of commits that may be named, made on branches that may be read: a visit
/// to other branches is one checkout from the branch before it to the one after it, and none if it
/// came back to where it began. HEAD without a branch is one that may not be read.
///
/// # Errors
/// Those of the log and of the commits that may be named.
pub fn readable_log(resolver: &Resolver<'_>, name: &[u8]) -> Result<Vec<LogLine>> {
    let lines = resolver.references.reflog(name)?;
    if resolver.repository.ref_limit().is_none() {
        return Ok(lines);
    }
    let may_read = |branch: &[u8]| resolver.references.may_read(&[b"refs/heads/", branch].concat());
    // The oldest first: where HEAD was before the first line, the first checkout says.
    let first = lines.iter().rev().find_map(|line| checkout(&line.message));
    let mut is_away = first.is_some_and(|(from, _)| !may_read(from));
    let mut left: Option<Vec<u8>> = None;
    let mut kept: Vec<LogLine> = Vec::new();
    let mut is_gap = false;
    for line in lines.into_iter().rev() {
        resolver.cancel.check()?;
        let (was_away, moved) = (is_away, checkout(&line.message));
        is_away = moved.map_or(is_away, |(_, to)| !may_read(to));
        if let Some((from, _)) = moved.filter(|_| is_away && !was_away) {
            left = Some(from.to_vec());
        }
        if is_away || resolver.nameable(line.new)?.is_none() {
            is_gap = true;
            continue;
        }
        let last = kept.last().map(|line| line.new);
        let to = moved.map(|(_, to)| to.to_vec());
        let is_back = is_gap && last == Some(line.new) && (!was_away || to == left);
        if is_back {
            (is_gap, left) = (false, None);
            continue;
        }
        let message = match (was_away, to, left.take()) {
            (false, ..) => line.message,
            (true, Some(to), Some(from)) => [CHECKOUT, &from, TO, &to].concat(),
            (true, ..) => Vec::new(),
        };
        let old = if is_gap { last.unwrap_or(Oid::null(line.new.kind())) } else { line.old };
        kept.push(LogLine { old, message, ..line });
        is_gap = false;
    }
    kept.reverse();
    Ok(kept)
}

/// Returns the branches that a checkout left and went to.
pub fn checkout(message: &[u8]) -> Option<(&[u8], &[u8])> {
    let moved = message.strip_prefix(CHECKOUT)?;
    let at = moved.find(TO)?;
    Some((&moved[..at], moved[at + TO.len()..].trim_end_with(|c| c == '\n')))
}
