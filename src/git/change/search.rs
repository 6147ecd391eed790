//! Finds changes that add or remove a text: `-S` and `-G` of git's log.
//!
//! Source: gitdiffcore(7), "diffcore-pickaxe". `-S` compares the numbers of non-overlapping
//! occurrences of a text on both sides; `-G` matches a pattern with the added and removed lines of
//! a diff, which binary files do not have.

use std::collections::HashMap;
use std::sync::Arc;

use memchr::memmem;

use crate::Oid;
use crate::change::contents::Reader;
use crate::model::changed_file::{Change, Entry, Source};
use redline_base::budget::{GrowMap, append};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::pattern::Pattern;
use redline_base::pattern::posix::Newline;
use redline_text::{CancelToken, Diff, DiffOptions, Engine, LineKind};

/// Contents whose counts are cached: the new side of a change is the old side of another.
const KNOWN_CONTENTS: usize = 1 << 14;

/// The search criterion.
#[derive(Debug, Clone)]
pub enum Search {
    /// Texts, any of which occurs more or less often: `-S`.
    Texts(Arc<[String]>),
    /// A pattern of an added or removed line: `-G`.
    Lines(Arc<Pattern>),
}

impl Search {
    /// Creates a search for texts.
    ///
    /// # Errors
    /// `invalid_args` for no text, an empty one, or too many.
    pub fn texts(texts: Vec<String>) -> Result<Self> {
        if texts.is_empty() || texts.iter().any(String::is_empty) {
            return Err(Error::invalid_args("contains has no text, or an empty one")
                .with_hint("Give a text, or a list of texts"));
        }
        if texts.len() > limits::SEARCHED_TEXTS {
            return Err(Error::invalid_args(format!("contains has {} texts", texts.len()))
                .with_hint(format!("Give at most {}", limits::SEARCHED_TEXTS)));
        }
        Ok(Self::Texts(texts.into()))
    }

    /// Creates a search for a POSIX extended regular expression, as in git.
    ///
    /// # Errors
    /// `invalid_args` for an invalid one.
    pub fn lines(pattern: &str) -> Result<Self> {
        let compiled = Pattern::extended(pattern.as_bytes(), Newline::EndsLine);
        let compiled = compiled.ok_or_else(|| not_a_pattern("changed_lines", pattern))?;
        Ok(Self::Lines(Arc::new(compiled)))
    }
}

/// Returns the error of an argument that is not an extended regular expression.
pub(crate) fn not_a_pattern(name: &str, given: &str) -> Error {
    Error::invalid_args(format!("{name} is {}", quoted(given)))
        .with_hint("Give an extended regular expression, without back references")
}

/// Searches changes, for one thread.
pub struct Searcher {
    search: Search,
    finders: Vec<memmem::Finder<'static>>,
    counts: HashMap<Oid, Arc<[u64]>>,
    engine: Engine,
    reader: Reader,
}

impl Searcher {
    /// Creates a searcher with a reader.
    pub fn new(search: Search, reader: Reader) -> Self {
        let finders = match &search {
            Search::Texts(texts) => {
                texts.iter().map(|text| memmem::Finder::new(text.as_bytes()).into_owned()).collect()
            }
            Search::Lines(_) => Vec::new(),
        };
        Self { search, finders, counts: HashMap::new(), engine: Engine::default(), reader }
    }

    /// Returns the indices of the texts that a change adds or removes; for lines an empty list.
    /// `None` if the change does not match.
    pub fn look(&mut self, change: &Change, cancel: &CancelToken<'_>) -> Result<Option<Vec<u32>>> {
        if change.unmerged || change.has_same_content() {
            return Ok(None);
        }
        if let Search::Lines(pattern) = &self.search {
            let pattern = Arc::clone(pattern);
            return Ok(self.has_line(change, &pattern, cancel)?.then(Vec::new));
        }
        let old = self.counts(change.old, change.old_path(), cancel)?;
        let new = self.counts(change.new, &change.path, cancel)?;
        let found: Vec<u32> = (0u32..)
            .zip(old.iter().zip(new.iter()))
            .filter(|(_, (old, new))| old != new)
            .map(|(position, _)| position)
            .collect();
        Ok((!found.is_empty()).then_some(found))
    }

    /// Counts the occurrences of each text on a side.
    fn counts(
        &mut self,
        entry: Option<Entry>,
        path: &[u8],
        cancel: &CancelToken<'_>,
    ) -> Result<Arc<[u64]>> {
        let object = entry.filter(|entry| entry.source == Source::Object).map(|entry| entry.oid);
        if let Some(known) = object.and_then(|oid| self.counts.get(&oid)) {
            return Ok(Arc::clone(known));
        }
        let bytes = self.reader.whole(entry, path)?;
        let mut counts = Vec::new();
        for finder in &self.finders {
            cancel.check()?;
            counts.push(finder.find_iter(&bytes).count() as u64);
        }
        let counts: Arc<[u64]> = counts.into();
        if let Some(oid) = object {
            if self.counts.len() >= KNOWN_CONTENTS {
                self.counts.clear();
            }
            self.counts.put(oid, Arc::clone(&counts));
        }
        Ok(counts)
    }

    /// Tells whether an added or removed line matches.
    fn has_line(
        &mut self,
        change: &Change,
        pattern: &Pattern,
        cancel: &CancelToken<'_>,
    ) -> Result<bool> {
        let (old, new) = self.reader.contents(change)?;
        let (Some(old), Some(new)) = (old.text(), new.text()) else { return Ok(false) };
        let options = DiffOptions { context: Some(0), ..DiffOptions::default() };
        let diff = Diff::new(&mut self.engine, old, new, &options, cancel)?;
        let mut pace = cancel.pace();
        for hunk in diff.hunks() {
            for line in diff.lines(hunk).filter(|line| line.kind != LineKind::Context) {
                pace.pass(line.content.len())?;
                // As in a patch each line has a newline, and the marker of a missing one is in the
                // next line.
                let is_match = if line.content.ends_with(b"\n") {
                    pattern.is_match(line.content)?
                } else {
                    let mut ended = Vec::new();
                    append(&mut ended, line.content)?;
                    append(&mut ended, b"\n")?;
                    pattern.is_match(&ended)?
                };
                if is_match {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
