//! The nearest paths of a repository to a missing one.

use std::sync::Arc;

use crate::tree::walk::TreeChanges;
use crate::{Comparison, Revision};
use redline_base::error::{Result, quoted};
use redline_base::limits;
use redline_base::suggest::{MAX_SUGGESTIONS, nearest};

/// Returns the paths of both sides nearest to `wanted`, best first, quoted: those with the same
/// file name before those with a similar path.
pub fn nearest_paths(comparison: &Comparison, wanted: &str) -> Result<Vec<String>> {
    let staged = comparison
        .index()
        .into_iter()
        .flat_map(|index| index.paths().take(limits::SUGGESTION_PATHS));
    let mut paths: Vec<String> =
        staged.map(|path| String::from_utf8_lossy(path).into_owned()).collect();
    for tree in comparison.sides().into_iter().filter_map(Revision::as_tree) {
        // Compared with the empty tree, every file of the tree is a change.
        let objects = comparison.repository().objects();
        let files = TreeChanges::new(objects, None, tree, Arc::default())?;
        for file in files.take(limits::SUGGESTION_PATHS) {
            paths.push(String::from_utf8_lossy(&file?.path).into_owned());
        }
    }
    paths.sort();
    paths.dedup();
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let wanted_name = name(wanted);
    let same_name = paths.iter().filter(|path| name(path) == wanted_name);
    let mut near: Vec<String> = same_name.take(MAX_SUGGESTIONS).map(|path| quoted(path)).collect();
    for path in nearest(wanted, paths.iter().map(String::as_str)) {
        if near.len() < MAX_SUGGESTIONS && !near.contains(&path) {
            near.push(path);
        }
    }
    Ok(near)
}
