//! Parses the relevant lines of one attribute file.
//!
//! Source: git's `gitattributes`. Keeps only assignments to names that redline reads and to macros.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::model::space::{is_space, trim_start, up_to_nul};
use crate::pathspec::path_patterns::{PathPattern, PatternTable};
use redline_base::budget::{Stopped, check_every};
use redline_text::patch::unquote;

/// The numbers of the names that are kept.
pub type Names = HashMap<Vec<u8>, usize>;

/// The state of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// `name`
    Set,
    /// `-name`
    Unset,
    /// `!name`, or not mentioned.
    Unspecified,
    /// `name=value`
    Value(Vec<u8>),
}

/// The lines of one file.
#[derive(Debug, Default)]
pub struct AttributeList {
    pub(super) table: PatternTable,
    /// The assignments of each line, by its pattern's number.
    pub(super) rules: Vec<Range<usize>>,
    /// The assignments of each macro, by its name; the last definition counts.
    pub(super) macros: HashMap<usize, Range<usize>>,
    pub(super) assignments: Vec<Assignment>,
    /// The bytes of the file.
    pub(super) bytes: usize,
}

/// The state that a line assigns to one attribute.
#[derive(Debug)]
pub struct Assignment {
    pub(super) name: usize,
    pub(super) state: State,
}

/// Bytes from which git ignores a line.
const LINE_BYTES: usize = 2048;
const MACRO: &[u8] = b"[attr]";

/// Lines between two checks of the budget: some 100 microseconds of parsing.
const LINES_PER_CHECK: usize = 512;

impl AttributeList {
    /// Parses a file; macros count only if `allows_macros`.
    ///
    /// # Errors
    /// Those of the thread's budget.
    pub fn new(
        bytes: &[u8],
        names: &Names,
        allows_macros: bool,
        fold_case: bool,
    ) -> Result<Self, Stopped> {
        let mut list =
            Self { table: PatternTable::new(fold_case), bytes: bytes.len(), ..Self::default() };
        for line in lines(bytes) {
            let Some(line) = RuleLine::new(line?) else { continue };
            let start = list.assignments.len();
            for (name, state) in line.assignments() {
                if let Some(&name) = names.get(name) {
                    list.assignments.push(Assignment { name, state });
                }
            }
            let assigned = start..list.assignments.len();
            if line.is_macro {
                if allows_macros && let Some(&name) = names.get(&*line.subject) {
                    list.macros.insert(name, assigned);
                    continue;
                }
            } else {
                let pattern = PathPattern::new(&line.subject);
                // Only files are looked up.
                let is_used = !pattern.is_negative && !pattern.is_for_directories;
                if is_used
                    && !assigned.is_empty()
                    && let Ok(number) = u32::try_from(list.rules.len())
                {
                    list.table.add(&pattern, number);
                    list.rules.push(assigned);
                    continue;
                }
            }
            list.assignments.truncate(start);
        }
        Ok(list)
    }

    /// Returns the names of the macros that a file defines.
    ///
    /// # Errors
    /// Those of the thread's budget.
    pub fn macro_names(bytes: &[u8]) -> Result<Vec<Vec<u8>>, Stopped> {
        let mut names = Vec::new();
        for line in lines(bytes) {
            let Some(line) = RuleLine::new(line?) else { continue };
            if line.is_macro {
                names.push(line.subject.into_owned());
            }
        }
        Ok(names)
    }
}

/// A well-formed line with content.
struct RuleLine<'a> {
    /// The pattern, unquoted, or the name of a macro.
    subject: Cow<'a, [u8]>,
    is_macro: bool,
    rest: &'a [u8],
}

/// Returns the lines of a file without their ends and a leading byte order mark; checks the
/// thread's budget once per [`LINES_PER_CHECK`] of them.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Result<&[u8], Stopped>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|&byte| byte == b'\n').enumerate().map(|(number, line)| {
        check_every(LINES_PER_CHECK, number)?;
        Ok(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

impl<'a> RuleLine<'a> {
    fn new(line: &'a [u8]) -> Option<Self> {
        let line = up_to_nul(line);
        let text = trim_start(line);
        if text.is_empty() || text[0] == b'#' || line.len() >= LINE_BYTES {
            return None;
        }
        let quoted = (text[0] == b'"').then(|| unquote(text)).flatten();
        let (first, rest): (Cow<'_, [u8]>, _) = match quoted {
            Some((pattern, length)) => (pattern.into(), &text[length..]),
            None => {
                let (first, rest) = word(text);
                (first.into(), rest)
            }
        };
        let name = first.strip_prefix(MACRO).filter(|name| !name.is_empty());
        let is_macro = name.is_some();
        let subject = match name {
            Some(name) => word(trim_start(name)).0.to_vec().into(),
            None => first,
        };
        let line = Self { subject, is_macro, rest: trim_start(rest) };
        // One invalid name makes the whole line invalid.
        let is_sound = (!is_macro || is_name(&line.subject))
            && line.assignments().all(|(name, _)| is_name(name));
        is_sound.then_some(line)
    }

    fn assignments(&self) -> impl Iterator<Item = (&'a [u8], State)> + use<'a> {
        let mut rest = self.rest;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (text, after) = word(rest);
            rest = trim_start(after);
            let (name, value) = match text.iter().position(|&byte| byte == b'=') {
                Some(at) => (&text[..at], Some(&text[at + 1..])),
                None => (text, None),
            };
            Some(match (name, value) {
                ([b'-', name @ ..], _) => (name, State::Unset),
                ([b'!', name @ ..], _) => (name, State::Unspecified),
                (name, Some(value)) => (name, State::Value(value.to_vec())),
                (name, None) => (name, State::Set),
            })
        })
    }
}

/// Splits the first word off a text.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|&byte| is_space(byte)).unwrap_or(text.len()))
}

/// Tells whether a name is valid for an attribute; git's own names are reserved.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name[0] != b'-'
        && !name.starts_with(b"builtin_")
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(byte))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use redline_base::budget::{Budget, Current};

    #[test]
    fn a_file_of_comments_is_parsed_under_the_budget() {
        let budget = Arc::new(Budget::default());
        budget.cancel();
        let _current = Current::enter(&budget);
        let file = b"# comment\n";
        assert_eq!(AttributeList::macro_names(file), Err(Stopped::Cancelled));
        let list = AttributeList::new(file, &Names::new(), true, false);
        assert_eq!(list.err(), Some(Stopped::Cancelled));
    }
}
