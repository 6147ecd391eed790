//! Properties that tie the parts of `text` together: what the diff writes, the patch reader takes.

use proptest::prelude::*;
use redline_text::patch::{apply, hunk_text, parse, reverse};
use redline_text::unified::unified_diff;
use redline_text::words::{WordChange, word_runs};
use redline_text::{CancelToken, Diff, DiffOptions, Engine, LineKind};

fn compare<'a>(old: &'a str, new: &'a str, options: &DiffOptions) -> Diff<'a> {
    Diff::new(
        &mut Engine::default(),
        old.as_bytes(),
        new.as_bytes(),
        options,
        &CancelToken::never(),
    )
    .expect("small texts")
}

/// Texts of few different lines, some of which look like parts of a patch.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[ab]{0,2}",
        1 => Just("--- a".to_owned()),
        1 => Just("+++ b".to_owned()),
        1 => Just("@@ -1 +1 @@".to_owned()),
        1 => Just("\\ No newline at end of file".to_owned()),
        1 => Just("diff --git a/x b/x".to_owned()),
        1 => Just("é\0\u{2028}".to_owned()),
        1 => Just("-- ".to_owned()),
    ];
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
    (prop::collection::vec((line, end), 0..24), any::<bool>()).prop_map(|(lines, is_ended)| {
        let mut text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        if !is_ended {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

/// Texts whose words, blanks and marks repeat.
fn prose() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "[ab]{1,2}",
        4 => Just(" ".to_owned()),
        2 => "[.,'\n\0]",
        1 => Just("\r\n".to_owned()),
        1 => Just("e\u{301}".to_owned()),
        1 => Just("👩\u{200d}👩".to_owned()),
        1 => Just("日本".to_owned()),
    ];
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn a_diff_is_a_patch_that_makes_the_new_text_and_can_be_undone(old in text(), new in text(), context in 0u32..6) {
        for context in [Some(context), Some(3), None] {
            let diff = compare(&old, &new, &DiffOptions { context, ..DiffOptions::default() });
            let patch = unified_diff(&diff, b"a/file", b"b/file", &CancelToken::never()).expect("no limit");
            let files = parse(&patch).expect("a patch");
            prop_assert_eq!(files.len(), usize::from(old != new));
            let undo = reverse(&patch).expect("it can be undone");
            prop_assert_eq!(&reverse(&undo).expect("twice"), &patch);
            let Some(file) = files.first() else { continue };
            prop_assert_eq!(apply(old.as_bytes(), file), Ok(new.clone().into_bytes()));
            prop_assert_eq!(apply(new.as_bytes(), &parse(&undo).expect("a patch")[0]), Ok(old.clone().into_bytes()));
            // The counts of the two sides agree, and the hunks printed again are the patch.
            let count = |kind| file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count() as u64;
            prop_assert_eq!((count(LineKind::Added), count(LineKind::Removed)), (diff.additions(), diff.deletions()));
            let hunks: Vec<u8> = file.hunks.iter().flat_map(hunk_text).collect();
            prop_assert!(patch.ends_with(&hunks));
            prop_assert_eq!(patch.len() - hunks.len(), "--- a/file\n+++ b/file\n".len());
        }
    }

    #[test]
    fn only_equal_texts_have_the_similarity_one(old in text(), new in text()) {
        let similarity = compare(&old, &new, &DiffOptions::default()).similarity();
        prop_assert!((0.0..=1.0).contains(&similarity));
        prop_assert_eq!(similarity == 1.0, old == new);
    }

    #[test]
    fn the_runs_of_words_joined_are_both_texts(old in prose(), new in prose()) {
        let runs = word_runs(&old, &new, None);
        let without = |change| runs.iter().filter(|run| run.0 != change).map(|run| run.1.as_str()).collect::<String>();
        prop_assert_eq!(without(WordChange::Insert), old.clone());
        prop_assert_eq!(without(WordChange::Delete), new.clone());
        prop_assert!(runs.iter().all(|run| !run.1.is_empty()));
        for pair in runs.windows(2) {
            prop_assert_ne!(pair[0].0, pair[1].0);
            prop_assert!((pair[0].0, pair[1].0) != (WordChange::Insert, WordChange::Delete));
        }
        if old == new {
            prop_assert!(runs.iter().all(|run| run.0 == WordChange::Equal));
        }
    }
}
