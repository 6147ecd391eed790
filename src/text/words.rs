//! The difference of two texts word by word.
//!
//! Words are those of Unicode (Standard Annex 29: default word boundaries), including the
//! whitespace and punctuation between them, so that the pieces of a text, joined, are the text.

use redline_base::budget::{Grow, GrowBy};
use std::time::Instant;

/// The kind of a run of words.
pub use similar::ChangeTag as WordChange;
use similar::{Algorithm, TextDiff};

/// Returns the name that SQL shows.
pub const fn change_name(change: WordChange) -> &'static str {
    match change {
        WordChange::Equal => "equal",
        WordChange::Delete => "delete",
        WordChange::Insert => "insert",
    }
}

/// Returns the runs from `old` to `new`: no run is empty, neighbours have different kinds, and in a
/// replacement the deleted run comes first.
///
/// The runs that are not `Insert`, joined, are `old`; those that are not `Delete`, `new`. After
/// `deadline` the rest counts as replaced.
pub fn word_runs(old: &str, new: &str, deadline: Option<Instant>) -> Vec<(WordChange, String)> {
    let mut comparison = TextDiff::configure();
    comparison.algorithm(Algorithm::Myers);
    if let Some(deadline) = deadline {
        comparison.deadline(deadline);
    }
    let diff = comparison.diff_unicode_words(old, new);
    let mut runs: Vec<(WordChange, String)> = Vec::new();
    for word in diff.iter_all_changes() {
        match runs.last_mut() {
            Some((last, text)) if *last == word.tag() => text.add_slice(word.value()),
            _ => runs.add((word.tag(), word.value().to_owned())),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> String {
        let runs = word_runs(old, new, None);
        let mark = |change| match change {
            WordChange::Equal => '=',
            WordChange::Delete => '-',
            WordChange::Insert => '+',
        };
        runs.iter().map(|(change, text)| format!("{}[{text}]", mark(*change))).collect()
    }

    #[test]
    fn words_change_whole_and_blanks_are_kept() {
        for (old, new, expected) in [
            ("", "", ""),
            ("a", "a", "=[a]"),
            ("", "a b", "+[a b]"),
            ("a b", "", "-[a b]"),
            ("one two three", "one 2 three", "=[one ]-[two]+[2]=[ three]"),
            ("can't", "can", "-[can't]+[can]"),
            ("a\r\nb", "a\nb", "=[a]-[\r\n]+[\n]=[b]"),
            ("a\0b", "a\0c", "=[a\0]-[b]+[c]"),
            ("cafe\u{301} x", "cafe x", "-[cafe\u{301}]+[cafe]=[ x]"),
        ] {
            assert_eq!(shown(old, new), expected, "{old:?} {new:?}");
        }
    }
}
