//! Which files are ignored: the lines of `.gitignore` and `info/exclude` (`gitignore`).

use std::sync::Arc;

use super::list::check_at;
use crate::error::{Error, Result};
use crate::git::pathspec::glob::Work;
use crate::git::pathspec::path_patterns::{PathPattern, PatternTable};
use crate::git::repository::Repository;
use crate::limits;

/// The patterns of a directory and of those above it.
#[derive(Debug)]
pub struct Ignores {
    above: Option<Arc<Ignores>>,
    /// The bytes of the path of the directory, with the slash behind it.
    base: usize,
    table: PatternTable,
    /// By number, what the patterns say.
    rules: Vec<Rule>,
    /// Bytes of this list and of those above.
    bytes: usize,
}

#[derive(Debug, Clone, Copy)]
struct Rule {
    is_negative: bool,
    is_for_directories: bool,
}

impl Ignores {
    /// Returns the rules of a repository itself, `info/exclude`, for paths that name its work tree `directory`.
    ///
    /// # Errors
    /// Those of reading the file, and `too_large`.
    pub fn of(repository: &Repository, directory: &[u8]) -> Result<Self> {
        let lines = repository.common_dir.read(b"info/exclude", limits::IGNORE_BYTES)?;
        Self::new(&lines.unwrap_or_default(), directory, None, repository.checkout.ignores_case)
    }

    /// Reads a list of the directory `directory`, which goes before those `above`.
    ///
    /// # Errors
    /// `too_large` where all lists together have more than [`limits::PATTERN_BYTES`], and those of the thread's budget.
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
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            check_at(number)?;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
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
        // Of equal patterns the last counts.
        let supersedes = |known: u32| {
            rules
                .get(known as usize)
                .is_some_and(|known: &Rule| known.is_for_directories == is_for_directories)
        };
        self.table.add_over(&pattern, number, supersedes);
        self.rules.push(Rule { is_negative, is_for_directories });
    }

    /// Tells whether ASCII letters match in either case.
    pub fn folds_case(&self) -> bool {
        self.table.folds_case()
    }

    /// Tells whether the nearest list with a pattern for a path excludes it.
    ///
    /// # Errors
    /// `too_large` where that takes more than [`limits::PATTERN_STEPS`].
    pub fn is_ignored(&self, path: &[u8], is_directory: bool) -> Result<bool> {
        let mut work = Work::new(limits::PATTERN_STEPS);
        let mut level = Some(self);
        while let Some(list) = level {
            let mut matching = list.table.matching(&path[list.base..], &mut work);
            while let Some(number) = matching.next(&mut work) {
                let rule = list.rules[number as usize];
                if is_directory || !rule.is_for_directories {
                    return Ok(!rule.is_negative);
                }
            }
            level = list.above.as_deref();
        }
        if work.is_used_up() {
            return Err(Error::too_large(
                "the patterns of .gitignore take too many steps for one path",
            )
            .with_hint("Make them fewer, or their wildcards simpler"));
        }
        Ok(false)
    }
}

/// Returns a line without the spaces at its end that no backslash keeps.
fn without_spaces(line: &[u8]) -> &[u8] {
    let line = line.split(|&byte| byte == 0).next().unwrap_or_default();
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
