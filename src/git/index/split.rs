//! Joins a split index with its shared one.

use super::parse::{Fault, Link, Parsed};
use super::staged::Staged;
use redline_base::budget::{Gather, Grow};
use redline_base::limits;

/// Returns the entries of a shared index with the changes of the split one, sorted.
///
/// The first entries of the split index have no path: they replace those that the bitmap names, in
/// its order. The others are added.
pub fn join(shared: Parsed, changes: Vec<Staged>, link: &Link) -> Result<Vec<Staged>, Fault> {
    if shared.checksum != link.base {
        return Err(Fault::Damaged("names a shared index with another checksum"));
    }
    if shared.link.is_some() {
        return Err(Fault::Damaged("names a shared index that is split itself"));
    }
    let mut base: Vec<Option<Staged>> = shared.entries.into_iter().map(Some).gather();
    let beyond = || Fault::Damaged("changes an entry that its shared index lacks");
    let replaced = link.replaced.set(base.len()).ok_or_else(beyond)?;
    let deleted = link.deleted.set(base.len()).ok_or_else(beyond)?;
    let mut changes = changes.into_iter();
    for at in replaced {
        let change = changes.next().filter(|change| change.path.is_empty());
        let change = change.ok_or(Fault::Damaged("lacks an entry that it replaces"))?;
        if let Some(old) = &mut base[at] {
            *old = Staged { path: std::mem::take(&mut old.path), ..change };
        }
    }
    for at in deleted {
        base[at] = None;
    }
    let added: Vec<Staged> = changes.gather();
    if base.len() + added.len() > limits::INDEX_ENTRIES {
        return Err(Fault::TooLarge("with more entries than redline reads"));
    }
    if added.iter().any(|entry| entry.path.is_empty()) || !added.is_sorted_by(is_before) {
        return Err(Fault::Damaged("is out of order"));
    }
    Ok(merge(base.into_iter().flatten(), added))
}

fn is_before(a: &Staged, b: &Staged) -> bool {
    (&a.path, a.stage) < (&b.path, b.stage)
}

/// Merges added entries into others: an added one replaces the one of the same path and stage, and
/// one of stage 0 replaces all versions of its path.
fn merge(base: impl Iterator<Item = Staged>, added: Vec<Staged>) -> Vec<Staged> {
    let mut merged: Vec<Staged> = Vec::new();
    let mut added = added.into_iter().peekable();
    for entry in base {
        while let Some(first) = added.next_if(|first| is_before(first, &entry)) {
            merged.add(first);
        }
        let is_resolved = merged
            .last()
            .is_some_and(|last| last.path == entry.path && last.stage == 0 && entry.stage > 0);
        let is_same = added
            .peek()
            .is_some_and(|first| first.path == entry.path && first.stage == entry.stage);
        if !is_resolved && !is_same {
            merged.add(entry);
        }
    }
    merged.add_all(added);
    merged
}
