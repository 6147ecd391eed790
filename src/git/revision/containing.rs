//! The references whose history holds a commit, as `git for-each-ref --contains` lists them.

use gix::objs::Kind;

use super::range::commit_of;
use super::references::{Named, reference_names};
use super::resolver::Resolver;
use crate::Oid;
use crate::repository::Repository;
use redline_base::error::Result;

/// Returns the references whose history holds a commit, sorted by name; without `HEAD`, which is no
/// reference of its own.
pub fn references_containing(repository: &Repository, name: &str) -> Result<Vec<Named>> {
    let wanted = commit_of(repository, name)?;
    let resolver = Resolver::new(repository, name);
    let mut held: Vec<(Named, Oid)> = Vec::new();
    for named in reference_names(repository)? {
        let Some(object) = named.object.filter(|_| named.name != b"HEAD") else { continue };
        if let Some(commit) = resolver.peel_to(object, Kind::Commit)? {
            held.push((named, commit));
        }
    }
    let tips: Vec<Oid> = held.iter().map(|(_, commit)| *commit).collect();
    let holding = resolver.merge_bases()?.descendants(wanted, &tips)?;
    held.retain(|(_, commit)| holding.contains(commit));
    Ok(held.into_iter().map(|(named, _)| named).collect())
}
