//! Commits by date, none before one that was made from it: `--date-order`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::budget::Pace;
use crate::error::Result;
use crate::git::Oid;
use crate::git::graph::walk::{Comparable, History};
use crate::git::model::id_tables::IdMap;

/// Sorts the commits that a walk returned, the newest first.
///
/// # Errors
/// Why the query ended.
pub fn by_date(history: &History, commits: &[Comparable]) -> Result<Vec<Comparable>> {
    let mut pace = Pace::new();
    let mut children: IdMap<usize> = commits.iter().map(|commit| (commit.id, 0)).collect();
    for (parent, _) in commits.iter().flat_map(|commit| &commit.parents) {
        if let Some(count) = children.get_mut(parent) {
            *count += 1;
        }
    }
    let places: IdMap<usize> =
        commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
    let mut queue = BinaryHeap::new();
    let mut met = 0u64;
    let mut push = |queue: &mut BinaryHeap<_>, id: &Oid| {
        queue.push((history.date_of(id), Reverse(met), *id));
        met += 1;
    };
    for commit in commits.iter().filter(|commit| children.get(&commit.id) == Some(&0)) {
        push(&mut queue, &commit.id);
    }
    let mut sorted = Vec::new();
    while let Some((.., id)) = queue.pop() {
        pace.entry(history.budget())?;
        let Some(commit) = places.get(&id).map(|&at| &commits[at]) else { continue };
        for (parent, _) in &commit.parents {
            if let Some(count) = children.get_mut(parent) {
                *count -= 1;
                if *count == 0 {
                    push(&mut queue, parent);
                }
            }
        }
        sorted.push(commit.clone());
    }
    Ok(sorted)
}
