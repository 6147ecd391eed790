//! Counts added and removed lines, without a diff if the bytes suffice.
//!
//! Most versions of a file differ in one place. The common prefix and suffix are removed as bytes,
//! which is faster than splitting lines. Then every diff has the same counts in two cases: one rest
//! is empty, or the rests have no line in common. If the rests have only few lines that are not in
//! both, only the rests are compared; otherwise the whole texts are.

use super::cancel_token::CancelToken;
use super::common_ends::CommonEnds;
use super::diff::{Diff, DiffOptions};
use super::engine::{Algorithm, Engine, Whitespace};
use super::lines::{MAX_BYTES, line_count_until};
use redline_base::budget::Gather;
use redline_base::error::Result;

/// Pairs of lines that are compared directly; with more, the engine is used.
const MAX_PAIRS: u64 = 4096;
/// Lines of both sides among which the search takes no shortcut, so that its script is minimal.
const MAX_SEARCHED: u64 = 512;
/// Too few unmatched lines for prune.rs to discard a frequent one: that takes more than three on
/// the same side for the line itself, and as many for the line that is counted with it.
const FEW_MISSING: usize = 6;

/// Returns the lines added and removed, as [`Diff`] counts them.
pub fn line_counts(
    engine: &mut Engine,
    old: &[u8],
    new: &[u8],
    options: &DiffOptions,
    cancel: &CancelToken<'_>,
) -> Result<(u64, u64)> {
    // Patience and histogram match lines before they remove common ends.
    let is_plain = matches!(options.algorithm, Algorithm::Myers | Algorithm::Minimal)
        && options.whitespace == Whitespace::Exact
        && !options.ignore_blank_lines
        && old.len().max(new.len()) <= MAX_BYTES;
    let counts = |diff: Diff<'_>| (diff.additions(), diff.deletions());
    if !is_plain {
        return Diff::new(engine, old, new, options, cancel).map(counts);
    }
    let ends = CommonEnds::of(old, new, cancel)?;
    let (between_old, between_new) = (ends.between(old), ends.between(new));
    match common_lines(between_old, between_new, cancel)? {
        Common::None(counts) => Ok(counts),
        // The rest of the text would only tell how frequent a line is, which does not matter here.
        Common::Most => {
            let options = DiffOptions { context: None, ..options.clone() };
            Diff::new(engine, between_old, between_new, &options, cancel).map(counts)
        }
        Common::Some => Diff::with_ends(engine, old, new, ends, options, cancel).map(counts),
    }
}

/// How much of the two rests is in both.
#[derive(Debug, PartialEq, Eq)]
enum Common {
    /// No line: all are added and removed.
    None((u64, u64)),
    /// All lines but a few, of a small number.
    Most,
    /// Anything else.
    Some,
}

/// Compares the texts between the common ends.
fn common_lines(old: &[u8], new: &[u8], cancel: &CancelToken<'_>) -> Result<Common> {
    let counts = (line_count_until(new, cancel)?, line_count_until(old, cancel)?);
    if old.is_empty() || new.is_empty() {
        return Ok(Common::None(counts));
    }
    if counts.0.saturating_mul(counts.1) > MAX_PAIRS {
        return Ok(Common::Some);
    }
    let (old, new) = (lines(old), lines(new));
    let missing = old.iter().filter(|line| !new.contains(line)).count();
    if missing == old.len() {
        return Ok(Common::None(counts));
    }
    let is_most = missing <= FEW_MISSING
        && counts.0 + counts.1 <= MAX_SEARCHED
        && new.iter().filter(|line| !old.contains(line)).count() <= FEW_MISSING;
    Ok(if is_most { Common::Most } else { Common::Some })
}

/// Returns the lines of a text with their newlines, each after a key of its last bytes for a fast
/// comparison.
fn lines(text: &[u8]) -> Vec<(u64, &[u8])> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines.map(|line| (line.last_chunk().map_or(0, |&last| u64::from_le_bytes(last)), line)).gather()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_diff(old: &[u8], new: &[u8], options: &DiffOptions) -> (u64, u64) {
        let diff =
            Diff::new(&mut Engine::default(), old, new, options, &CancelToken::never()).unwrap();
        (diff.additions(), diff.deletions())
    }

    fn counts(old: &[u8], new: &[u8]) -> Option<(u64, u64)> {
        let ends = CommonEnds::of(old, new, &CancelToken::never()).unwrap();
        match common_lines(ends.between(old), ends.between(new), &CancelToken::never()).unwrap() {
            Common::None(counts) => Some(counts),
            Common::Most | Common::Some => None,
        }
    }

    #[test]
    fn lines_with_equal_starts_or_ends_are_not_equal() {
        for (old, new, wanted) in [
            ("", "", Some((0, 0))),
            ("a\n", "a", Some((1, 1))),
            ("a", "a\nb", Some((2, 1))),
            ("a\nb\n", "a\nb\nc\n", Some((1, 0))),
            ("b\n", "ab\n", Some((1, 1))),
            ("x\nab\n", "x\nb\n", Some((1, 1))),
            ("a\na\n", "a\na\na\n", Some((1, 0))),
            ("a\n\nb\n", "a\nb\n", Some((0, 1))),
            ("1\nx\n2\ny\n3\n", "1\ny\n2\nx\n3\n", None),
        ] {
            assert_eq!(counts(old.as_bytes(), new.as_bytes()), wanted, "{old:?} {new:?}");
        }
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        let line = prop_oneof![
            Just("a\n"),
            Just("b\n"),
            Just("\n"),
            Just("ab\n"),
            Just("cab\n"),
            Just("a")
        ];
        proptest::collection::vec(line, 0..12).prop_map(|lines| lines.concat().into_bytes())
    }

    /// Returns lines of which one is frequent among others that the other side lacks.
    fn noisy(side: &'static str) -> impl Strategy<Value = Vec<u8>> {
        let line = prop_oneof![3 => Just("}\n".to_owned()), 4 => (0..40u8).prop_map(move |n| format!("{side} {n}\n")), 1 => (0..8u8).prop_map(|n| format!("both {n}\n"))];
        proptest::collection::vec(line, 0..30).prop_map(|lines| lines.concat().into_bytes())
    }

    proptest! {
        #[test]
        fn lines_frequent_around_are_counted_as_in_the_diff(
            old in noisy("old"), new in noisy("new"), repeat in 0usize..60,
        ) {
            let around = "}\nx\n".repeat(repeat).into_bytes();
            let (old, new) = ([&around, &old[..], &around].concat(), [&around, &new[..], &around].concat());
            for context in [Some(0), Some(3)] {
                let options = DiffOptions { context, ..DiffOptions::default() };
                let got = line_counts(&mut Engine::default(), &old, &new, &options, &CancelToken::never()).unwrap();
                prop_assert_eq!(got, by_diff(&old, &new, &options));
            }
        }

        #[test]
        fn bytes_count_the_lines_of_the_diff(
            old in text(), new in text(), context in prop_oneof![Just(Some(0)), Just(Some(3))], repeat in 0usize..200,
        ) {
            let around = "common line\n".repeat(repeat).into_bytes();
            let (old, new) = ([&around, &old[..], &around].concat(), [&around, &new[..], &around].concat());
            for algorithm in [Algorithm::Myers, Algorithm::Minimal] {
                let options = DiffOptions { algorithm, context, ..DiffOptions::default() };
                let got = line_counts(&mut Engine::default(), &old, &new, &options, &CancelToken::never()).unwrap();
                prop_assert_eq!(got, by_diff(&old, &new, &options));
            }
        }
    }
}
