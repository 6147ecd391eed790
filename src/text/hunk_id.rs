//! Names of hunks that stay the same when the lines around them move, so that reviewed hunks are
//! recognised.
//!
//! A digest of the removed and added lines alone is the same for a line in two places. So there are
//! two digests: the second also has the surrounding lines and the heading. Neither has line
//! numbers.

use std::collections::HashMap;

use memchr::memmem;
use sha2::{Digest, Sha256};

use super::cancel_token::{CancelToken, PacedToken, Stopped};
use redline_base::budget::{Gather, Grow, GrowMap, Joined};
use redline_base::form::hex;

/// Bytes of a digest that are kept: too many to find two hunks with the same ones.
const KEPT_BYTES: usize = 20;

/// These bytes.
type KeptBytes = [u8; KEPT_BYTES];

/// The sign between the names of hunks that are shown as one.
const JOINT: char = '+';
/// The most hunks that have a name together.
const MOST_JOINED: usize = 16;
/// Bytes that are hashed between two steps of the pace.
const PIECE_BYTES: usize = 1 << 16;

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

/// Returns the names of the hunks of a file, in order; equal ones are numbered. `facts` is what is
/// around all of them beside lines, such as a mode that changes.
///
/// # Errors
/// [`Stopped`] when `cancel` asks for it.
pub fn hunk_ids<'a>(
    path: &[u8],
    facts: &[u8],
    hunks: impl IntoIterator<Item = NamedHunk<'a>>,
    cancel: &CancelToken<'_>,
) -> Result<Vec<HunkId>, Stopped> {
    let (mut lines_seen, mut contexts_seen) = (Occurrences::default(), Occurrences::default());
    let (all_lines, mut all_contexts) = (Name::new("lines", path), Name::new("context", path));
    all_contexts.add(facts);
    let (parts, mut pace) = (Parts::new(), cancel.pace());
    let mut ids = Vec::new();
    for hunk in hunks {
        let (mut lines, mut context) = (all_lines.clone(), all_contexts.clone());
        let body = memchr::memchr(b'\n', hunk.text).map_or(&[][..], |end| &hunk.text[end + 1..]);
        context.add(hunk.section);
        // Changed lines are in the second name by their digest and by where each run of them is, so
        // that no byte is hashed twice. Each line begins with its sign and ends with a newline, so
        // that no two hunks make the same text.
        parts.each(body, |part| match part {
            Part::Around(text) => context.hash(text, &mut pace),
            Part::Changed(run) => {
                context.add_length(run);
                lines.hash(run, &mut pace)
            }
        })?;
        let lines = lines.0.finalize();
        context.0.update(lines);
        ids.add(HunkId {
            lines: lines_seen.numbered(kept(&lines)),
            context: contexts_seen.numbered(context.finish()),
        });
    }
    Ok(ids)
}

/// A part of a hunk below its header.
enum Part<'a> {
    /// Lines that are the same on both sides.
    Around(&'a [u8]),
    /// Removed and added lines.
    Changed(&'a [u8]),
}

/// Finds the parts of hunks.
struct Parts(memmem::Finder<'static>);

impl Parts {
    fn new() -> Self {
        Self(memmem::Finder::new(b"\n "))
    }

    /// Calls `take` with the parts in order. A remark on a missing newline belongs to the line
    /// before it.
    fn each(
        &self,
        mut body: &[u8],
        mut take: impl FnMut(Part<'_>) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        while let Some(&sign) = body.first() {
            let is_around = sign == b' ';
            let end = match is_around {
                true => memchr::memchr_iter(b'\n', body)
                    .find(|at| !matches!(body.get(at + 1), Some(b' ' | b'\\'))),
                false => self.0.find(body),
            };
            let (part, rest) = body.split_at(end.map_or(body.len(), |newline| newline + 1));
            take(if is_around { Part::Around(part) } else { Part::Changed(part) })?;
            body = rest;
        }
        Ok(())
    }
}

/// Returns the names of a file without hunks: of its paths and what else tells its change from
/// others.
pub fn file_id(path: &[u8], facts: &[&[u8]]) -> HunkId {
    let mut name = Name::new("file", path);
    facts.iter().for_each(|fact| name.add(fact));
    let id = hex(&name.finish());
    HunkId { lines: id.clone(), context: id }
}

/// Returns the names of several hunks that are shown as one; `None` for too many.
pub fn joined(ids: &[&HunkId]) -> Option<HunkId> {
    let join = |name: fn(&HunkId) -> &str| {
        ids.iter().map(|id| name(id)).gather::<Vec<_>>().joined(&JOINT.to_string())
    };
    let can_be = !ids.is_empty() && ids.len() <= MOST_JOINED;
    can_be.then(|| HunkId { lines: join(|id| &id.lines), context: join(|id| &id.context) })
}

/// Tells whether a text has the form of a name of a hunk, or of several that are joined.
pub fn is_name(text: &str) -> bool {
    parts(text).all(|part| {
        let (digits, rest) = part.split_at_checked(2 * KEPT_BYTES).unwrap_or((part, ""));
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_digits =
            |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let is_numbered = rest.is_empty() || rest.strip_prefix('-').is_some_and(is_digits);
        digits.len() == 2 * KEPT_BYTES && digits.bytes().all(is_hex) && is_numbered
    })
}

/// Returns the names of single hunks in a name that may be joined.
pub fn parts(id: &str) -> impl Iterator<Item = &str> {
    id.split(JOINT)
}

/// A digest of several texts, none of which can be taken for a part of another.
#[derive(Clone)]
struct Name(Sha256);

impl Name {
    fn new(kind: &str, path: &[u8]) -> Self {
        let mut name = Self(Sha256::new());
        name.add(kind.as_bytes());
        name.add(path);
        name
    }

    fn add(&mut self, text: &[u8]) {
        self.add_length(text);
        self.0.update(text);
    }

    fn add_length(&mut self, text: &[u8]) {
        self.0.update((text.len() as u64).to_le_bytes());
    }

    /// Adds lines.
    fn hash(&mut self, lines: &[u8], pace: &mut PacedToken<'_>) -> Result<(), Stopped> {
        lines.chunks(PIECE_BYTES).try_for_each(|piece| {
            self.0.update(piece);
            pace.pass(piece.len())
        })
    }

    fn finish(self) -> KeptBytes {
        kept(&self.0.finalize())
    }
}

fn kept(digest: &[u8]) -> KeptBytes {
    digest.first_chunk().copied().expect("a digest has more bytes than are kept")
}

/// The number of times that each digest occurred.
#[derive(Default)]
struct Occurrences(HashMap<KeptBytes, usize>);

impl Occurrences {
    fn numbered(&mut self, id: KeptBytes) -> String {
        let count = self.0.slot(id).or_default();
        *count += 1;
        if *count == 1 { hex(&id) } else { format!("{}-{count}", hex(&id)) }
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
        hunk_ids(path.as_bytes(), b"", hunks, &CancelToken::never()).unwrap()
    }

    #[test]
    fn a_path_is_no_name_of_hunks() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        assert!(is_name(id) && is_name(&format!("{id}-2")) && is_name(&format!("{id}+{id}-2")));
        let paths = ["", "a", &id[1..], &id.replace('a', "A"), &format!("{id}.txt")];
        for path in [&paths[..], &[&format!("{id}-"), &format!("{id}+")]].concat() {
            assert!(!is_name(path), "{path}");
        }
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
    fn a_fact_is_in_the_second_name_alone() {
        let named = |facts: &[u8]| {
            let hunk = NamedHunk { section: b"", text: HUNK.as_bytes() };
            hunk_ids(b"f", facts, [hunk], &CancelToken::never()).unwrap().remove(0)
        };
        let (plain, executable) = (named(b""), named(b"100644 100755"));
        assert_eq!(plain.lines, executable.lines);
        assert_ne!(plain.context, executable.context);
    }

    #[test]
    fn context_between_changes_is_not_in_the_first_name() {
        let apart = one("f", "", "@@ -1,3 +1,3 @@\n-a\n+b\n x\n-c\n+d\n");
        assert_eq!(apart.lines, one("f", "", "@@ -1,3 +1,3 @@\n-a\n+b\n y\n-c\n+d\n").lines);
        assert_eq!(apart.lines, one("f", "", "@@ -1,2 +1,2 @@\n-a\n+b\n-c\n+d\n").lines);
    }

    #[test]
    fn names_are_joined_up_to_a_number() {
        let ids = ids("f", &[("", HUNK); MOST_JOINED + 1]);
        let all: Vec<&HunkId> = ids.iter().collect();
        assert_eq!(joined(&all), None);
        assert_eq!(joined(&[]), None);
        assert_eq!(joined(&all[..1]).as_ref(), Some(all[0]));
        let two = joined(&all[..2]).unwrap();
        assert_eq!(parts(&two.context).collect::<Vec<_>>(), [&all[0].context, &all[1].context]);
    }

    #[test]
    fn facts_are_told_apart() {
        assert_ne!(file_id(b"f", &[b"ab", b"c"]), file_id(b"f", &[b"a", b"bc"]));
    }
}
