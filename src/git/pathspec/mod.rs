//! Pathspecs: the paths to compare, in git's syntax and with git's results.
//!
//! The syntax is that of gitglossary, "pathspec". The results are those of `git diff <tree> <tree>
//! -- <pathspec>…`, including git's corner cases, without environment variables. gix's pathspecs
//! are not used: they accept magic after short magic, fold case where git does not, and lack git's
//! comparison of an entry's name with the part of the pattern after the directory.
//!
//! `glob` has wildcards, `path_patterns` the patterns of attribute and ignore files.

pub mod glob;
pub mod path_patterns;

use crate::model::changed_file::Mode;
use crate::pathspec::glob::{Glob, Rules, WILD};
use redline_base::error::{Error, Result, quoted};

/// A parsed pathspec: its magic and its path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pathspec {
    /// The given text, for messages.
    text: String,
    path: String,
    is_top: bool,
    is_excluding: bool,
    is_literal: bool,
    rules: Rules,
}

impl Pathspec {
    /// Parses some pathspecs.
    ///
    /// # Errors
    /// Those of [`Self::parse`].
    pub fn parse_all<'t>(texts: impl IntoIterator<Item = &'t String>) -> Result<Vec<Self>> {
        texts.into_iter().map(|text| Self::parse(text)).collect()
    }

    /// Parses a pathspec.
    ///
    /// # Errors
    /// `invalid_args` for an empty text, unknown or contradictory magic, and for attributes.
    pub fn parse(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::invalid_args("a pathspec is ''")
                .with_hint("Give '.' for everything in the directory"));
        }
        let mut spec = Self { text: text.to_owned(), ..Self::default() };
        let path = match text.strip_prefix(':') {
            None => text,
            Some(rest) => match rest.strip_prefix('(') {
                Some(rest) => spec.words(rest)?,
                None => spec.signs(rest)?,
            },
        };
        spec.path = path.to_owned();
        Ok(spec)
    }

    /// Returns the pathspec of one file, by its path from the root.
    ///
    /// # Errors
    /// `invalid_args` for an empty path.
    pub fn of_file(path: &str) -> Result<Self> {
        Self::parse(&format!(":(top,literal){path}"))
    }

    /// Returns the given text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Tells whether it takes files away from those that others name.
    pub fn is_excluding(&self) -> bool {
        self.is_excluding
    }

    /// Parses short magic, `:/` or `:!`, and returns the path after it.
    fn signs<'a>(&mut self, rest: &'a str) -> Result<&'a str> {
        for (at, sign) in rest.char_indices() {
            match sign {
                '/' => self.is_top = true,
                '!' | '^' => self.is_excluding = true,
                ':' => return Ok(&rest[at + 1..]),
                // Signs that git reserves.
                '"' | '#' | '%' | '&' | '\'' | ',' | '-' | ';' | '<' | '=' | '>' | '@' | '_'
                | '`' | '~' => {
                    return Err(self.unknown(&sign.to_string()));
                }
                _ => return Ok(&rest[at..]),
            }
        }
        Ok("")
    }

    /// Parses long magic, `:(top,icase)`, and returns the path after it.
    fn words<'a>(&mut self, rest: &'a str) -> Result<&'a str> {
        let Some((words, path)) = rest.split_once(')') else {
            return Err(self
                .wrong("has no ')'")
                .with_hint("Write magic as in ':(icase)readme.md'"));
        };
        for word in words.split(',') {
            match word {
                "" => {}
                "top" => self.is_top = true,
                "exclude" => self.is_excluding = true,
                "literal" => self.is_literal = true,
                "glob" => self.rules.by_directory = true,
                "icase" => self.rules.fold_case = true,
                _ if word == "attr" || word.starts_with("attr:") => {
                    return Err(self
                        .wrong("asks for attributes")
                        .with_hint("redline matches by path only"));
                }
                _ => return Err(self.unknown(word)),
            }
        }
        if self.is_literal && self.rules.by_directory {
            return Err(self
                .wrong("is both 'literal' and 'glob'")
                .with_hint("Leave one of them out"));
        }
        Ok(path)
    }

    fn unknown(&self, magic: &str) -> Error {
        self.wrong(&format!("has the unknown magic {}", quoted(magic))).with_hint(
            "Known are top (/), exclude (! or ^), icase, literal and glob; './' before a path makes it plain",
        )
    }

    fn wrong(&self, what: &str) -> Error {
        Error::invalid_args(format!("the pathspec {} {what}", quoted(&self.text)))
    }

    /// Returns the pattern from the root of the repository, and the number of its bytes from
    /// `directory`.
    fn pattern(&self, directory: &[u8]) -> Result<(Vec<u8>, usize)> {
        if self.is_top {
            // git does not normalise these: './x' matches nothing.
            return Ok((self.path.clone().into_bytes(), 0));
        }
        if self.path.starts_with('/') {
            return Err(self.wrong("is an absolute path").with_hint(
                "Paths are relative to the directory that repo names; ':/' before one means the root",
            ));
        }
        let (mut pattern, mut given) = (directory.to_vec(), directory.len());
        let mut parts = self.path.split('/').peekable();
        while let Some(part) = parts.next() {
            match part {
                "" | "." => {}
                ".." => {
                    if pattern.pop().is_none() {
                        return Err(self.wrong("leads out of the repository"));
                    }
                    pattern.truncate(
                        pattern.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1),
                    );
                    given = given.min(pattern.len());
                }
                part => {
                    pattern.extend_from_slice(part.as_bytes());
                    if parts.peek().is_some() {
                        pattern.push(b'/');
                    }
                }
            }
        }
        Ok((pattern, given))
    }
}

/// The paths that a list of pathspecs selects; an empty list selects all.
#[derive(Debug, Clone, Default)]
pub struct PathFilter {
    named: Vec<Item>,
    excluded: Vec<Item>,
}

impl PathFilter {
    /// Resolves pathspecs from `directory`: a path from the root of the repository, empty or with a
    /// trailing slash.
    ///
    /// # Errors
    /// `invalid_args` for a path that is absolute or leads out of the repository.
    pub fn new(specs: &[Pathspec], directory: &[u8]) -> Result<Self> {
        let mut filter = Self::default();
        for spec in specs {
            let item = Item::new(spec, directory)?;
            if spec.is_excluding { &mut filter.excluded } else { &mut filter.named }.push(item);
        }
        if filter.named.is_empty() && !filter.excluded.is_empty() {
            // From the root, wherever the directory is.
            filter.named.push(Item::new(&Pathspec::default(), b"")?);
        }
        Ok(filter)
    }

    /// Tells whether all paths are selected.
    pub fn is_everything(&self) -> bool {
        self.named.is_empty() && self.excluded.is_empty()
    }

    /// Tells whether a file, link or submodule of a tree is selected, by its path from the root and
    /// its mode.
    pub fn matches_in_tree(&self, path: &[u8], mode: Mode) -> bool {
        self.matches(path, mode, Compared::ByDirectory)
    }

    /// Tells whether a file, link or submodule of the index or the work tree is selected.
    pub fn matches_in_list(&self, path: &[u8], mode: Mode) -> bool {
        self.matches(path, mode, Compared::Whole)
    }

    fn matches(&self, path: &[u8], mode: Mode, how: Compared) -> bool {
        let any = |items: &[Item]| items.iter().any(|item| item.matches(path, mode, how));
        (self.named.is_empty() || any(&self.named)) && !any(&self.excluded)
    }

    /// Tells whether a directory may contain selected paths; its path from the root ends in a
    /// slash.
    pub fn may_enter(&self, directory: &[u8]) -> bool {
        (self.named.is_empty() || self.named.iter().any(|item| item.may_enter(directory)))
            && !self.excluded.iter().any(|item| item.covers(directory))
    }
}

/// How git compares wildcards with paths; it matters if a directory has the same name as the
/// wildcards (`[slug]`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// In trees: below a directory that the pattern names literally, the rest of the pattern is
    /// compared with the entry's name.
    ByDirectory,
    /// In the index and the work tree: the pattern is compared with the path.
    Whole,
}

/// A pathspec resolved from the root.
#[derive(Debug, Clone)]
struct Item {
    pattern: Vec<u8>,
    /// The number of bytes from the directory: they never fold case and are not wildcards.
    given: usize,
    /// The number of bytes before the first wildcard.
    plain: usize,
    /// The wildcards from `plain` on.
    glob: Option<Glob>,
    rules: Rules,
}

impl Item {
    fn new(spec: &Pathspec, directory: &[u8]) -> Result<Self> {
        let (pattern, given) = spec.pattern(directory)?;
        let first =
            pattern.iter().position(|byte| WILD.contains(byte)).filter(|_| !spec.is_literal);
        let plain = first.map_or(pattern.len(), |first| first.max(given));
        let glob = (plain < pattern.len()).then(|| Glob::new(&pattern[plain..], spec.rules));
        Ok(Self { pattern, given, plain, glob, rules: spec.rules })
    }

    fn matches(&self, path: &[u8], mode: Mode, how: Compared) -> bool {
        self.covers(path)
            || self.is_wild_for(path, how)
            // A submodule also matches the name of a directory.
            || mode.is_submodule() && self.pattern.strip_suffix(b"/").is_some_and(|name| name.len() == path.len())
                && self.starts_with(path)
    }

    /// Tells whether the pattern, taken literally, is the path or a directory above it.
    fn covers(&self, path: &[u8]) -> bool {
        let end = self.pattern.len();
        end <= path.len()
            && self.starts_with(&path[..end])
            && (end == path.len() || end == 0 || self.pattern[end - 1] == b'/' || path[end] == b'/')
    }

    /// Tells whether the wildcards of the pattern match a path.
    fn is_wild_for(&self, path: &[u8], how: Compared) -> bool {
        let Some(glob) = &self.glob else { return false };
        let name = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let is_below =
            self.plain < name && name < self.pattern.len() && self.starts_with(&path[..name]);
        match how {
            Compared::ByDirectory if is_below => self.rest_matches(name, &path[name..]),
            _ => {
                self.plain <= path.len()
                    && self.starts_with(&path[..self.plain])
                    && glob.matches(&path[self.plain..])
            }
        }
    }

    /// Matches a name with the pattern from `at` on, which is after its first wildcard.
    fn rest_matches(&self, at: usize, name: &[u8]) -> bool {
        let is_one_star = !self.rules.by_directory
            && self.pattern[self.plain] == b'*'
            && !self.pattern[self.plain + 1..].iter().any(|byte| WILD.contains(byte));
        // git compares only the end of such a pattern, after the byte that it takes for the star.
        let rest = if is_one_star {
            [b"*", &self.pattern[at + 1..]].concat()
        } else {
            self.pattern[at..].to_vec()
        };
        Glob::new(&rest, self.rules).matches(name)
    }

    /// Tells whether a directory may contain a match.
    fn may_enter(&self, directory: &[u8]) -> bool {
        let common = self.plain.min(directory.len());
        self.starts_with(&directory[..common])
            && (common == directory.len() || self.glob.is_some() || self.covers(directory))
    }

    /// Tells whether the pattern, taken literally, starts with `start`.
    fn starts_with(&self, start: &[u8]) -> bool {
        let given = if self.rules.fold_case { self.given.min(start.len()) } else { start.len() };
        start.len() <= self.pattern.len()
            && start[..given] == self.pattern[..given]
            && start[given..].eq_ignore_ascii_case(&self.pattern[given..start.len()])
    }
}

#[cfg(test)]
mod tests;
