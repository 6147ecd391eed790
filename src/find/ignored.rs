//! Which files are ignored, by the files `.gitignore` and `.ignore` of their directories.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::error::{Error, Result, quoted};
use crate::limits;

/// The names of files that say what is ignored, the stronger one last.
pub const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// The rules of the directories from a root down to the one that is being visited.
#[derive(Debug, Default)]
pub struct Ignored {
    /// Each with its directory, which ends in `/` unless it is the root.
    levels: Vec<(String, Gitignore)>,
}

impl Ignored {
    /// Goes to a directory, whose files of rules have these contents, the strongest last. Rules of directories that
    /// it does not lie in are forgotten. A line that is no pattern is passed over, as git does.
    pub fn enter(&mut self, directory: &str, files: &[Vec<u8>]) {
        let directory = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        self.levels
            .retain(|(above, _)| directory.starts_with(above.as_str()) && *above != directory);
        let mut builder = GitignoreBuilder::new("");
        for line in files.iter().flat_map(|file| file.split(|&byte| byte == b'\n')) {
            if let Ok(line) = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) {
                let _ = builder.add_line(None, line);
            }
        }
        if let Ok(rules) = builder.build()
            && !rules.is_empty()
        {
            self.levels.push((directory, rules));
        }
    }

    /// Tells whether a file or directory is ignored. Of a file below an ignored directory it says nothing: such a
    /// directory is not entered.
    pub fn is_ignored(&self, path: &str, is_directory: bool) -> bool {
        for (directory, rules) in self.levels.iter().rev() {
            let Some(relative) = path.strip_prefix(directory.as_str()) else { continue };
            match rules.matched(relative, is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

/// A pattern of paths, as in a `.gitignore`: `*.rs` anywhere, `src/**/*.rs` from the top.
#[derive(Debug)]
pub struct Glob(Gitignore);

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// `invalid_args` for what is none.
    pub fn parse(given: &str) -> Result<Self> {
        let wrong = |why: &dyn std::fmt::Display| {
            let why = why.to_string();
            Error::invalid_args(format!(
                "the glob {} cannot be used: {}",
                quoted(given),
                quoted(&why)
            ))
            .with_hint("Give a pattern such as *.rs or src/**/*.py")
        };
        if given.is_empty() || given.len() > limits::GLOB_BYTES || given.starts_with(['!', '#']) {
            return Err(wrong(&"it is empty, too long, or starts with ! or #"));
        }
        let mut builder = GitignoreBuilder::new("");
        builder.add_line(None, given).map_err(|error| wrong(&error))?;
        builder.build().map(Self).map_err(|error| wrong(&error))
    }

    /// Tells whether a path is meant.
    pub fn matches(&self, path: &str) -> bool {
        self.0.matched(path, false).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_directory_hold_beneath_it_and_deeper_ones_go_before() {
        let mut ignored = Ignored::default();
        ignored.enter("", &[b"*.log\n/build\nkeep/\n# not\n".to_vec()]);
        assert!(ignored.is_ignored("a.log", false) && ignored.is_ignored("x/y.log", false));
        assert!(ignored.is_ignored("build", true) && !ignored.is_ignored("x/build", true));
        assert!(ignored.is_ignored("keep", true) && !ignored.is_ignored("keep", false));
        ignored.enter("x", &[b"!y.log\n".to_vec(), b"z\r\n".to_vec()]);
        assert!(!ignored.is_ignored("x/y.log", false) && ignored.is_ignored("x/z", false));
        ignored.enter("y", &[]);
        assert!(ignored.is_ignored("y/y.log", false) && !ignored.is_ignored("y/z", false));
    }

    #[test]
    fn a_glob_means_what_it_means_in_gitignore() {
        for (glob, path, is_meant) in [
            ("*.rs", "a/b.rs", true),
            ("*.rs", "b.rs", true),
            ("/*.rs", "a/b.rs", false),
            ("src/**/*.rs", "src/a/b.rs", true),
            ("src/**/*.rs", "other/src/a/b.rs", false),
            ("{a,b}.txt", "b.txt", true),
        ] {
            assert_eq!(Glob::parse(glob).unwrap().matches(path), is_meant, "{glob} {path}");
        }
        for wrong in ["", "!a", "[z-a]"] {
            assert!(Glob::parse(wrong).is_err(), "{wrong}");
        }
    }
}
