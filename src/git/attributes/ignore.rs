//! Which files are ignored: parses and matches `.gitignore` and `info/exclude` (`gitignore`).

use std::sync::Arc;

use super::list::lines;
use crate::model::space::up_to_nul;
use crate::pathspec::glob::Work;
use crate::pathspec::path_patterns::{PathPattern, PatternTable};
use crate::repository::Repository;
use redline_base::error::{Error, Result};
use redline_base::limits;

/// The patterns of a directory and of its parents.
#[derive(Debug)]
pub struct Ignores {
    above: Option<Arc<Ignores>>,
    /// The length of the directory's path, with a trailing slash.
    base: usize,
    table: PatternTable,
    /// The rule of each pattern, by its number.
    rules: Vec<Rule>,
    /// The bytes of this list and of those of the parents.
    bytes: usize,
}

#[derive(Debug, Clone, Copy)]
struct Rule {
    is_negative: bool,
    is_for_directories: bool,
}

impl Ignores {
    /// Returns the repository's own rules, `info/exclude`, for paths that begin with `directory`,
    /// its work tree.
    ///
    /// # Errors
    /// Those of reading the file, and `too_large`.
    pub fn of(repository: &Repository, directory: &[u8]) -> Result<Self> {
        let lines = repository.location.common_dir.read(b"info/exclude", limits::IGNORE_BYTES)?;
        Self::new(&lines.unwrap_or_default(), directory, None, repository.checkout.ignores_case)
    }

    /// Parses the list of the directory `directory`, which has precedence over those `above`.
    ///
    /// # Errors
    /// `too_large` if all lists together exceed [`limits::PATTERN_BYTES`], and those of the
    /// thread's budget.
    pub fn new(
        bytes: &[u8],
        directory: &[u8],
        above: Option<Arc<Self>>,
        fold_case: bool,
    ) -> Result<Self> {
        let total = bytes.len() + above.as_ref().map_or(0, |above| above.bytes);
        if total > limits::PATTERN_BYTES {
            return Err(Error::too_large(format!(
                "the .gitignore files of one directory and those above have {total} bytes"
            ))
            .with_hint("This is a fixed limit; docs/limitations.md lists all limits"));
        }
        let base = if directory.is_empty() { 0 } else { directory.len() + 1 };
        let mut list = Self {
            above,
            base,
            table: PatternTable::new(fold_case),
            rules: Vec::new(),
            bytes: total,
        };
        for line in lines(bytes) {
            let line = line?;
            if !line.is_empty() && !line.starts_with(b"#") {
                list.add(line);
            }
        }
        Ok(list)
    }

    fn add(&mut self, line: &[u8]) {
        let pattern = PathPattern::new(without_spaces(line));
        let PathPattern { is_negative, is_for_directories, .. } = pattern;
        let Ok(number) = u32::try_from(self.rules.len()) else { return };
        let rules = &self.rules;
        // The last of equal patterns counts.
        let supersedes =
            |known: u32| rules[known as usize].is_for_directories == is_for_directories;
        self.table.add_over(&pattern, number, supersedes);
        self.rules.push(Rule { is_negative, is_for_directories });
    }

    /// Tells whether ASCII letters match in either case.
    pub fn folds_case(&self) -> bool {
        self.table.folds_case()
    }

    /// Tells whether the nearest list with a matching pattern excludes a path.
    ///
    /// # Errors
    /// `too_large` if that takes more than [`limits::PATTERN_STEPS`].
    pub fn is_ignored(&self, path: &[u8], is_directory: bool) -> Result<bool> {
        Ok(self.decision(path, is_directory)?.unwrap_or(false))
    }

    /// Returns what the last matching pattern of the nearest list that has one says of a path:
    /// `false` for one that begins with `!`.
    ///
    /// # Errors
    /// Those of [`Self::is_ignored`].
    pub fn decision(&self, path: &[u8], is_directory: bool) -> Result<Option<bool>> {
        let mut work = Work::new(limits::PATTERN_STEPS);
        let mut level = Some(self);
        while let Some(list) = level {
            let mut matching = list.table.matching(&path[list.base..], &mut work);
            while let Some(number) = matching.next(&mut work) {
                let rule = list.rules[number as usize];
                if is_directory || !rule.is_for_directories {
                    return Ok(Some(!rule.is_negative));
                }
            }
            level = list.above.as_deref();
        }
        if work.is_used_up() {
            return Err(Error::too_large(
                "the patterns of .gitignore or of a sparse checkout take too many steps for one path",
            )
            .with_hint("Make them fewer, or their wildcards simpler"));
        }
        Ok(None)
    }
}

/// Returns a line without trailing spaces, unless they are escaped by a backslash.
fn without_spaces(line: &[u8]) -> &[u8] {
    let line = up_to_nul(line);
    let mut end = 0;
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        at += 1;
        if byte == b'\\' {
            at += 1;
            if at > line.len() {
                return line;
            }
            end = at;
        } else if byte != b' ' {
            end = at;
        }
    }
    &line[..end]
}
