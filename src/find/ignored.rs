//! Which files of a directory tree are ignored, by git's rules.

use std::sync::Arc;

use redline_base::budget::Grow;
use redline_base::error::Result;
use redline_git::Ignores;

/// The name of the files with ignore rules.
pub const IGNORE_FILE: &str = ".gitignore";

/// The rules of the directories from a root down to the current one.
#[derive(Debug, Default)]
pub struct Ignored {
    /// Each with its directory, which ends in `/` unless it is the root.
    levels: Vec<(String, Arc<Ignores>)>,
}

impl Ignored {
    /// Enters a directory with the rules of its `.gitignore`. If it is the top of a repository,
    /// `excludes` has the repository's rules, and those of its parents do not apply. Rules of
    /// directories that do not contain it are dropped.
    ///
    /// # Errors
    /// `too_large` for more rules than [`redline_base::limits::PATTERN_BYTES`].
    pub fn enter(
        &mut self,
        directory: &str,
        excludes: Option<Ignores>,
        ignore_file: &[u8],
    ) -> Result<()> {
        let base = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        self.levels.retain(|(above, _)| base.starts_with(above.as_str()) && *above != base);
        let inherited = || self.levels.last().map(|(_, rules)| Arc::clone(rules));
        let above = excludes.map(Arc::new).or_else(inherited);
        let fold_case = above.as_ref().is_some_and(|above| above.folds_case());
        let rules = Ignores::new(ignore_file, directory.as_bytes(), above, fold_case)?;
        self.levels.add((base, Arc::new(rules)));
        Ok(())
    }

    /// Tells whether a file or directory is ignored. Does not check its parents: an ignored
    /// directory is not entered.
    ///
    /// # Errors
    /// `too_large` for patterns that take too many steps.
    pub fn is_ignored(&self, path: &str, is_directory: bool) -> Result<bool> {
        let nearest = self.levels.iter().rev().find(|(base, _)| path.starts_with(base.as_str()));
        nearest.map_or(Ok(false), |(_, rules)| rules.is_ignored(path.as_bytes(), is_directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_directory_hold_beneath_it_and_deeper_ones_go_before() {
        let mut ignored = Ignored::default();
        let mut enter = |directory: &str, rules: &[u8]| {
            ignored.enter(directory, None, rules).unwrap();
            let levels = ignored.levels.clone();
            Ignored { levels }
        };
        let root = enter("", b"*.log\n/build\nkeep/\n# not\n");
        let is_ignored =
            |at: &Ignored, path: &str, is_directory| at.is_ignored(path, is_directory).unwrap();
        for (path, is_directory, wanted) in [
            ("a.log", false, true),
            ("x/y.log", false, true),
            ("build", true, true),
            ("x/build", true, false),
            ("keep", true, true),
            ("keep", false, false),
        ] {
            assert_eq!(is_ignored(&root, path, is_directory), wanted, "{path}");
        }
        let inner = enter("x", b"!y.log\nz\r\n");
        assert!(!is_ignored(&inner, "x/y.log", false) && is_ignored(&inner, "x/z", false));
        assert!(is_ignored(&inner, "a.log", false));
        let beside = enter("y", b"");
        assert!(is_ignored(&beside, "y/y.log", false) && !is_ignored(&beside, "y/z", false));
    }

    #[test]
    fn a_repository_inside_has_its_own_rules_alone() {
        let mut ignored = Ignored::default();
        ignored.enter("", None, b"*.log\n").unwrap();
        let excludes = Ignores::new(b"*.TMP\n", b"inner", None, true).unwrap();
        ignored.enter("inner", Some(excludes), b"out\n").unwrap();
        for (path, wanted) in [
            ("inner/a.log", false),
            ("inner/a.tmp", true),
            ("inner/OUT", true),
            ("b.log", true),
            ("b.tmp", false),
        ] {
            assert_eq!(ignored.is_ignored(path, false).unwrap(), wanted, "{path}");
        }
    }
}
