//! The former values of a reference, as far as they may be named.

use super::named;
use super::readable_log::{checkout, readable_log};
use super::resolver::Resolver;
use super::unknown::unknown_name;
use crate::Oid;
use crate::model::commit::Person;
use crate::refs::LogLine;
use crate::repository::Repository;
use redline_base::budget::{Charge, Weigh};
use redline_base::error::Result;

/// The reference whose log lists the stashes; without a stash it does not exist.
const STASH: [&str; 2] = ["refs/stash", "stash"];

/// What the message of a commit begins with; a checkout names branches that may be read, and other
/// messages name any reference.
const OF_COMMITS: &[u8] = b"commit";

/// A change of a reference.
#[derive(Debug, Clone)]
pub struct LogEntry {
    /// Its number from the newest, which is 0.
    pub position: u64,
    /// The id before; `None` if the reference was created.
    pub old: Option<Oid>,
    /// The id after; `None` if it was deleted.
    pub new: Option<Oid>,
    /// Who changed it.
    pub person: Person,
    /// When, in seconds since 1970.
    pub time: u64,
    /// The reason; `None` where it may name what must not be named.
    pub message: Option<Vec<u8>>,
}

/// The log of a reference, the newest entry first.
#[derive(Debug)]
pub struct Reflog {
    /// The entries.
    pub entries: Vec<LogEntry>,
    _charge: Charge,
}

impl Weigh for LogEntry {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.person.bytes() + self.message.as_ref().map_or(0, Vec::len)
    }
}

/// Reads the log of a reference, as `git reflog show` lists it.
///
/// # Errors
/// `not_found` for a reference that does not exist, but for the stash.
pub fn reflog(repository: &Repository, name: &str) -> Result<Reflog> {
    let resolver = Resolver::new(repository, name);
    let mut charge = Charge::free();
    let Some((reference, _)) = named::logged(&resolver, name.as_bytes())? else {
        let is_known =
            STASH.contains(&name) || named::reference(&resolver, name.as_bytes())?.is_some();
        return if is_known {
            Ok(Reflog { entries: Vec::new(), _charge: charge })
        } else {
            Err(unknown_name(&resolver, None)?)
        };
    };
    let mut entries = Vec::new();
    for (position, line) in (0..).zip(readable_log(&resolver, &reference)?) {
        let entry = LogEntry::new(position, line, repository.ref_limit().is_some());
        charge.join(resolver.cancel.charge(entry.bytes())?);
        entries.push(entry);
    }
    Ok(Reflog { entries, _charge: charge })
}

impl LogEntry {
    fn new(position: u64, line: LogLine, is_limited: bool) -> Self {
        let LogLine { old, new, person, time, message } = line;
        let is_shown =
            !is_limited || message.starts_with(OF_COMMITS) || checkout(&message).is_some();
        Self {
            position,
            old: Some(old).filter(|id| !id.is_null()),
            new: Some(new).filter(|id| !id.is_null()),
            person,
            time,
            message: is_shown.then_some(message),
        }
    }
}
