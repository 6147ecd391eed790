//! Names of hunks that stay the same when the lines around them move, so that reviewed hunks are
//! recognised.
//!
//! A digest of the removed and added lines alone is the same for a line in two places. So there are
//! two digests: the second also has the surrounding lines and the heading. Neither has line
//! numbers.

use std::collections::HashMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::cancel_token::{CancelToken, Stopped};

/// Bytes of a digest that are kept: too many to find two hunks with the same ones.
const KEPT_BYTES: usize = 20;

/// The names of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkId {
    /// A digest of the path and the removed and added lines.
    pub lines: String,
    /// A digest of these, the lines around them and the heading.
    pub context: String,
}

/// A hunk as its patch shows it.
#[derive(Debug, Clone, Copy)]
pub struct NamedHunk<'a> {
    /// The heading.
    pub section: &'a [u8],
    /// The hunk, its header line included.
    pub text: &'a [u8],
}

/// Returns the names of the hunks of a file, in order; equal ones are numbered.
///
/// # Errors
/// [`Stopped`] when `cancel` asks for it.
pub fn hunk_ids<'a>(
    path: &[u8],
    hunks: impl IntoIterator<Item = NamedHunk<'a>>,
    cancel: &CancelToken<'_>,
) -> Result<Vec<HunkId>, Stopped> {
    let (mut lines_seen, mut contexts_seen) = (Seen::default(), Seen::default());
    let mut pace = cancel.pace();
    let mut ids = Vec::new();
    for hunk in hunks {
        let mut lines = Name::new("lines", path);
        let mut context = Name::new("context", path);
        context.add(hunk.section);
        let mut is_changed = false;
        for line in hunk.text.split_inclusive(|&byte| byte == b'\n').skip(1) {
            pace.pass(line.len())?;
            context.add(line);
            // A remark on a missing newline is about the line before it.
            is_changed = match line.first() {
                Some(b'\\') => is_changed,
                mark => mark != Some(&b' '),
            };
            if is_changed {
                lines.add(line);
            }
        }
        ids.push(HunkId {
            lines: lines_seen.numbered(lines.finish()),
            context: contexts_seen.numbered(context.finish()),
        });
    }
    Ok(ids)
}

/// Returns the names of a file without hunks, from its paths and the other facts of its change.
pub fn file_id(path: &[u8], facts: &[&[u8]]) -> HunkId {
    let mut name = Name::new("file", path);
    facts.iter().for_each(|fact| name.add(fact));
    let id = name.finish();
    HunkId { lines: id.clone(), context: id }
}

/// A digest of several texts, with their boundaries.
struct Name(Sha256);

impl Name {
    fn new(kind: &str, path: &[u8]) -> Self {
        let mut name = Self(Sha256::new());
        name.add(kind.as_bytes());
        name.add(path);
        name
    }

    fn add(&mut self, text: &[u8]) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text);
    }

    fn finish(self) -> String {
        let mut id = String::with_capacity(2 * KEPT_BYTES);
        for byte in self.0.finalize().iter().take(KEPT_BYTES) {
            write!(id, "{byte:02x}").expect("writing to memory does not fail");
        }
        id
    }
}

/// The number of times that each digest occurred.
#[derive(Default)]
struct Seen(HashMap<String, usize>);

impl Seen {
    fn numbered(&mut self, id: String) -> String {
        let count = self.0.entry(id.clone()).or_default();
        *count += 1;
        if *count == 1 { id } else { format!("{id}-{count}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(path: &str, hunks: &[(&str, &str)]) -> Vec<HunkId> {
        let hunks = hunks.iter().map(|(section, text)| NamedHunk {
            section: section.as_bytes(),
            text: text.as_bytes(),
        });
        hunk_ids(path.as_bytes(), hunks, &CancelToken::never()).unwrap()
    }

    const HUNK: &str = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n";

    fn one(path: &str, section: &str, text: &str) -> HunkId {
        ids(path, &[(section, text)]).remove(0)
    }

    #[test]
    fn numbers_of_lines_are_in_no_name() {
        assert_eq!(one("f", "", HUNK), one("f", "", &HUNK.replace("-1,2 +1,2", "-7,2 +9,2")));
    }

    #[test]
    fn surrounding_lines_are_in_the_second_name_alone() {
        let id = one("f", "", HUNK);
        for other in [one("f", "main", HUNK), one("f", "", &HUNK.replace(" a", " x"))] {
            assert_eq!(id.lines, other.lines);
            assert_ne!(id.context, other.context);
        }
    }

    #[test]
    fn path_lines_signs_and_the_last_newline_count() {
        let id = one("f", "", HUNK);
        for other in [
            one("g", "", HUNK),
            one("f", "", &HUNK.replace("+c", "+d")),
            one("f", "", &HUNK.replace("-b", "+b")),
            one("f", "", &format!("{HUNK}\\ No newline at end of file\n")),
        ] {
            assert_ne!(id.lines, other.lines);
        }
        let context = format!("{HUNK} z\n\\ No newline at end of file\n");
        assert_eq!(id.lines, one("f", "", &context).lines);
    }

    #[test]
    fn equal_hunks_of_a_file_are_numbered() {
        let ids = ids("f", &[("", HUNK), ("x", HUNK), ("x", HUNK)]);
        assert_eq!(ids[1].lines, format!("{}-2", ids[0].lines));
        assert_eq!(ids[2].lines, format!("{}-3", ids[0].lines));
        assert_eq!(ids[2].context, format!("{}-2", ids[1].context));
    }

    #[test]
    fn different_facts_have_different_names() {
        assert_ne!(file_id(b"f", &[b"ab", b"c"]), file_id(b"f", &[b"a", b"bc"]));
    }
}
