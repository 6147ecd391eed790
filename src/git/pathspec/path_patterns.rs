//! The patterns of `.gitignore` and `.gitattributes`, and which of a list match a path.
//!
//! Source: git's `gitignore` and `gitattributes`, and the order of its own comparisons. The most
//! frequent patterns, a name, a suffix or a path without wildcards, are looked up by hash; the
//! others are tried one by one, from the last on, with [`crate::pathspec::glob`].

use std::collections::HashMap;

use crate::model::space::up_to_nul;
use crate::pathspec::glob::{Glob, Rules, WILD, Work};

/// A parsed pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathPattern<'a> {
    /// The pattern without a leading `!` and a trailing slash.
    text: &'a [u8],
    /// Whether it starts with `!`.
    pub is_negative: bool,
    /// Whether it ends in a slash, so that it matches only directories.
    pub is_for_directories: bool,
    /// The number of bytes before the first wildcard.
    plain: usize,
    /// Whether its first byte is `*` and its only wildcard.
    is_ending: bool,
}

impl<'a> PathPattern<'a> {
    /// Parses a pattern, which ends at a NUL, as in git.
    pub fn new(text: &'a [u8]) -> Self {
        let text = up_to_nul(text);
        let (is_negative, text) =
            text.strip_prefix(b"!").map_or((false, text), |text| (true, text));
        let (is_for_directories, text) =
            text.strip_suffix(b"/").map_or((false, text), |text| (true, text));
        let first_wild = |text: &[u8]| text.iter().position(|byte| WILD.contains(byte));
        let plain = first_wild(text).unwrap_or(text.len());
        let is_ending = text.first() == Some(&b'*') && first_wild(&text[1..]).is_none();
        Self { text, is_negative, is_for_directories, plain, is_ending }
    }
}

/// A list of patterns, each with a number; later ones have higher numbers.
#[derive(Debug, Default)]
pub struct PatternTable {
    /// Whether ASCII letters match in either case.
    fold_case: bool,
    /// Patterns that are a whole name.
    names: Numbers,
    /// Patterns that are a suffix of the name, after `*`, and the lengths of the suffixes.
    endings: Numbers,
    ending_lengths: Vec<usize>,
    /// Patterns that are a whole path.
    paths: Numbers,
    wild: Vec<Wild>,
}

/// The numbers of equal patterns, ascending, at least one.
type Numbers = HashMap<Box<[u8]>, Vec<u32>>;

#[derive(Debug)]
struct Wild {
    number: u32,
    /// Whether the pattern is compared with the name instead of the path.
    is_name: bool,
    plain: Box<[u8]>,
    glob: Glob,
}

impl PatternTable {
    /// Returns an empty list.
    pub fn new(fold_case: bool) -> Self {
        Self { fold_case, ..Self::default() }
    }

    /// Tells whether ASCII letters match in either case.
    pub fn folds_case(&self) -> bool {
        self.fold_case
    }

    /// Adds a pattern with a number above all others, and removes those with the same text that
    /// `supersedes` accepts.
    pub fn add_over(
        &mut self,
        pattern: &PathPattern<'_>,
        number: u32,
        supersedes: impl Fn(u32) -> bool,
    ) {
        if let Some(numbers) = self.place(pattern, number) {
            numbers.retain(|&known| !supersedes(known));
            numbers.push(number);
        }
    }

    /// Adds a pattern with a number above all others.
    pub fn add(&mut self, pattern: &PathPattern<'_>, number: u32) {
        if let Some(numbers) = self.place(pattern, number) {
            numbers.push(number);
        }
    }

    /// Returns the list of numbers for a pattern with a hash; a pattern with wildcards is added
    /// here.
    fn place(&mut self, pattern: &PathPattern<'_>, number: u32) -> Option<&mut Vec<u32>> {
        let PathPattern { text, plain, is_ending, .. } = *pattern;
        let is_name = !text.contains(&b'/');
        // A leading slash only makes it a path.
        let rooted = usize::from(text.first() == Some(&b'/'));
        let (text, plain) = (&text[rooted..], plain - rooted);
        let (known, key) = if plain == text.len() {
            (if is_name { &mut self.names } else { &mut self.paths }, text)
        } else if is_name && is_ending {
            let length = text.len() - 1;
            if let Err(at) = self.ending_lengths.binary_search(&length) {
                self.ending_lengths.insert(at, length);
            }
            (&mut self.endings, &text[1..])
        } else {
            let rules = Rules { by_directory: !is_name, fold_case: self.fold_case };
            let glob = Glob::new(&text[plain..], rules);
            self.wild.push(Wild { number, is_name, plain: text[..plain].into(), glob });
            return None;
        };
        let key = if self.fold_case { key.to_ascii_lowercase() } else { key.to_vec() };
        Some(known.entry(key.into()).or_default())
    }

    /// Returns the numbers of the patterns that match `path`, which is relative to the location of
    /// the list, the last first. It ends early if the work is used up.
    pub fn matching<'t>(&'t self, path: &'t [u8], work: &mut Work) -> Matching<'t> {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let folded = self.fold_case.then(|| path.to_ascii_lowercase());
        let key = folded.as_deref().unwrap_or(path);
        let key_name = &key[key.len() - name.len()..];
        let endings = self.ending_lengths.iter().take_while(|&&length| length <= name.len());
        let known: Vec<&[u32]> = endings
            .filter_map(|length| self.endings.get(&key_name[name.len() - length..]))
            .chain(self.names.get(key_name))
            .chain(self.paths.get(key))
            .map(Vec::as_slice)
            .collect();
        work.take(1 + known.len() as u64);
        Matching { table: self, path, name, known, wild: self.wild.len() }
    }
}

/// The patterns of a list that match a path.
pub struct Matching<'t> {
    table: &'t PatternTable,
    path: &'t [u8],
    name: &'t [u8],
    /// The matches found by hash that were not returned yet.
    known: Vec<&'t [u32]>,
    /// The number of other patterns not tried yet.
    wild: usize,
}

impl Matching<'_> {
    /// Returns the next number.
    pub fn next(&mut self, work: &mut Work) -> Option<u32> {
        let at = (0..self.known.len()).max_by_key(|&at| self.known[at].last());
        let known = at.and_then(|at| self.known[at].last().copied());
        while let Some(wild) = self.wild.checked_sub(1).map(|at| &self.table.wild[at]) {
            if known.is_some_and(|known| known > wild.number) {
                break;
            }
            self.wild -= 1;
            work.take(1);
            if work.is_used_up() {
                return None;
            }
            if self.matches(wild, work) {
                return Some(wild.number);
            }
        }
        work.take(1);
        let (at, known) = (at?, known?);
        let (_, rest) = self.known[at].split_last()?;
        self.known[at] = rest;
        (!work.is_used_up()).then_some(known)
    }

    fn matches(&self, wild: &Wild, work: &mut Work) -> bool {
        let text = if wild.is_name { self.name } else { self.path };
        let Some((start, rest)) = text.split_at_checked(wild.plain.len()) else { return false };
        let is_start = if self.table.fold_case {
            start.eq_ignore_ascii_case(&wild.plain)
        } else {
            *start == *wild.plain
        };
        is_start && wild.glob.matches_within(rest, work)
    }
}
