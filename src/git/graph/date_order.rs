//! Commits by date, none before one that was made from it: `--date-order`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::budget::Pace;
use crate::error::Result;
use crate::git::graph::commit_links::Commits;
use crate::git::model::id_tables::IdMap;
use crate::git::repository::Repository;
use crate::git::{Oid, Visited};

/// Sorts the commits of a range, which come in the order of the walk, the newest first.
///
/// # Errors
/// Those of reading the commits.
pub fn by_date(repository: &Repository, commits: &[Visited]) -> Result<Vec<Visited>> {
    let mut pace = Pace::new();
    let links = Commits::new(repository)?;
    let mut children: IdMap<usize> = commits.iter().map(|commit| (commit.id, 0)).collect();
    for parent in commits.iter().flat_map(|commit| &commit.parents) {
        if let Some(count) = children.get_mut(parent) {
            *count += 1;
        }
    }
    let places: IdMap<usize> =
        commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
    let mut queue = BinaryHeap::new();
    let mut met = 0u64;
    let mut push = |queue: &mut BinaryHeap<(u64, Reverse<u64>, Oid)>, id: &Oid| -> Result<()> {
        queue.push((links.links(id)?.date, Reverse(met), *id));
        met += 1;
        Ok(())
    };
    for commit in commits.iter().filter(|commit| children.get(&commit.id) == Some(&0)) {
        push(&mut queue, &commit.id)?;
    }
    let mut sorted = Vec::new();
    while let Some((.., id)) = queue.pop() {
        pace.entry(repository.budget())?;
        let Some(commit) = places.get(&id).map(|&at| &commits[at]) else { continue };
        for parent in &commit.parents {
            if let Some(count) = children.get_mut(parent) {
                *count -= 1;
                if *count == 0 {
                    push(&mut queue, parent)?;
                }
            }
        }
        sorted.push(commit.clone());
    }
    Ok(sorted)
}
