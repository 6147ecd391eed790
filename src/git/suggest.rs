//! "Did you mean": the nearest names to one that was not found.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::repository::Repository;
use super::{Oid, Revision, TreeChanges};
use crate::error::{Result, quoted};
use crate::limits;

/// How many names are offered.
const MOST: usize = 3;
/// How alike a name must be: 1 is equal, 0 shares no character.
const CUTOFF: f32 = 0.6;

/// Returns the nearest of `names` to `wanted`, best first, quoted for a message.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    similar::get_close_matches(wanted, &names, MOST, CUTOFF).into_iter().map(quoted).collect()
}

impl Repository {
    /// Returns the paths of both revisions that are nearest to `wanted`, best first, quoted:
    /// those of the same file name before those of a similar path.
    pub fn nearest_paths(&self, wanted: &str, revisions: [Revision; 2]) -> Result<Vec<String>> {
        let mut paths: Vec<String> = Vec::new();
        let trees: Vec<Oid> = revisions.into_iter().filter_map(Revision::tree).collect();
        for tree in trees {
            // Against nothing, every file of the tree is a change.
            let files = TreeChanges::new(self.objects(), None, Some(tree), Arc::new(AtomicBool::new(false)))?;
            for file in files.take(limits::SUGGESTION_PATHS) {
                paths.push(String::from_utf8_lossy(&file?.path).into_owned());
            }
        }
        paths.sort();
        paths.dedup();
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let wanted_name = name(wanted);
        let same_name: Vec<&str> = paths.iter().map(String::as_str).filter(|path| name(path) == wanted_name).collect();
        let mut near: Vec<String> = same_name.iter().take(MOST).map(|path| quoted(path)).collect();
        for path in nearest(wanted, paths.iter().map(String::as_str)) {
            if near.len() < MOST && !near.contains(&path) {
                near.push(path);
            }
        }
        Ok(near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_mistake_finds_the_name_and_nonsense_finds_none() {
        let names = ["main", "feature/diff", "v1.0"];
        assert_eq!(nearest("mian", names.into_iter()), ["'main'"]);
        assert!(nearest("zzzzzzzz", names.into_iter()).is_empty());
    }
}
