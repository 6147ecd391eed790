//! Commits by date, parents after all their children: `--date-order`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::graph::walk::{Comparable, History};
use crate::model::id_tables::IdMap;
use redline_base::budget::Pace;
use redline_base::error::Result;

/// Sorts the commits that a walk returned, the newest first.
///
/// # Errors
/// Why the query ended.
pub fn by_date(history: &History, commits: &[Comparable]) -> Result<Vec<Comparable>> {
    let mut pace = Pace::new();
    let places: IdMap<usize> =
        commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
    let parents = |at: usize| {
        commits[at].parents.iter().filter_map(|(parent, _)| places.get(parent).copied())
    };
    let mut children = vec![0; commits.len()];
    for parent in (0..commits.len()).flat_map(parents) {
        children[parent] += 1;
    }
    let mut queue = BinaryHeap::new();
    let mut met = 0u64;
    let mut push = |queue: &mut BinaryHeap<_>, at: usize| {
        queue.push((history.date_of(&commits[at].id), Reverse(met), at));
        met += 1;
    };
    for at in (0..commits.len()).filter(|&at| children[at] == 0) {
        push(&mut queue, at);
    }
    let mut sorted = Vec::new();
    while let Some((.., at)) = queue.pop() {
        pace.entry(history.budget())?;
        for parent in parents(at) {
            children[parent] -= 1;
            if children[parent] == 0 {
                push(&mut queue, parent);
            }
        }
        sorted.push(commits[at].clone());
    }
    Ok(sorted)
}
