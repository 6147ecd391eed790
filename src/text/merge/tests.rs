use super::*;
use crate::cancel_token::CheckCount;
use redline_base::budget::{Budget, Stopped};

fn merged(texts: [&str; 3], options: MergeOptions<'_>) -> (String, usize) {
    let cancel = CancelToken::never();
    let texts = texts.map(str::as_bytes);
    let merge = Merge::new(&mut Engine::default(), texts, &options, &cancel).unwrap();
    let text = String::from_utf8(merge.text(&options, &cancel).unwrap()).unwrap();
    (text, merge.conflicts().count())
}

#[test]
fn changes_of_other_lines_are_both_taken() {
    let texts = ["a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD"];
    assert_eq!(merged(texts, MergeOptions::default()), ("A\nb\nc\nD".to_owned(), 0));
}

#[test]
fn a_side_without_changes_gives_the_other_as_it_is() {
    for text in ["", "a", "b\r\n", "b\n\nb"] {
        assert_eq!(merged(["a\n", "a\n", text], MergeOptions::default()), (text.to_owned(), 0));
        assert_eq!(merged(["a\n", text, "a\n"], MergeOptions::default()), (text.to_owned(), 0));
        assert_eq!(merged(["a\n", text, text], MergeOptions::default()), (text.to_owned(), 0));
    }
}

#[test]
fn a_conflict_shows_what_its_style_says() {
    let texts = ["1\n2\n3\n", "1\nsame\nours\n3\n", "1\nsame\ntheirs\n3\n"];
    for (style, text) in [
        (MergeStyle::Merge, "1\nsame\n<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n3\n"),
        (
            MergeStyle::Diff3,
            "1\n<<<<<<< ours\nsame\nours\n||||||| base\n2\n=======\nsame\ntheirs\n>>>>>>> theirs\n3\n",
        ),
        (
            MergeStyle::Zdiff3,
            "1\nsame\n<<<<<<< ours\nours\n||||||| base\n2\n=======\ntheirs\n>>>>>>> theirs\n3\n",
        ),
    ] {
        let options = MergeOptions { style, ..MergeOptions::default() };
        assert_eq!(merged(texts, options), (text.to_owned(), 1));
    }
    let small = MergeOptions { marker_size: 2, labels: [""; 3], ..MergeOptions::default() };
    assert_eq!(merged(texts, small).0, "1\nsame\n<<\nours\n==\ntheirs\n>>\n3\n");
}

#[test]
fn a_favor_leaves_no_conflict() {
    let texts = ["1\n2", "1\nours", "1\ntheirs"];
    for (favor, text) in
        [(Favor::Ours, "1\nours"), (Favor::Theirs, "1\ntheirs"), (Favor::Union, "1\nours\ntheirs")]
    {
        let options = MergeOptions { favor: Some(favor), ..MergeOptions::default() };
        assert_eq!(merged(texts, options), (text.to_owned(), 0));
    }
}

#[test]
fn a_level_decides_what_conflicts() {
    let equal = ["1\n2\n", "1\nx\n", "1\nx\n"];
    let between = ["1\n2\n3\n", "a\nx\n\n\n\n\nb\n", "c\nx\n\n\n\n\nd\n"];
    for (level, conflicts) in
        [(Level::Minimal, [1, 1]), (Level::Eager, [0, 1]), (Level::Zealous, [0, 2])]
    {
        let options = MergeOptions { level, ..MergeOptions::default() };
        assert_eq!([equal, between].map(|texts| merged(texts, options).1), conflicts, "{level:?}");
    }
}

#[test]
fn a_split_conflict_keeps_the_base_of_the_whole() {
    let texts = ["1\n2\n3\n", "a\nx\nx\nx\nx\nb\n", "c\nx\nx\nx\nx\nd\n"].map(str::as_bytes);
    let (options, cancel) = (MergeOptions::default(), CancelToken::never());
    let merge = Merge::new(&mut Engine::default(), texts, &options, &cancel).unwrap();
    let conflicts: Vec<_> = merge.conflicts().collect();
    let [first, second] = &conflicts[..] else { panic!("{conflicts:?}") };
    assert_eq!((first.lines.clone(), first.texts[1]), ([0..3, 0..1, 0..1], &b"a\n"[..]));
    assert_eq!((second.lines.clone(), second.texts[2]), ([0..3, 5..6, 5..6], &b"d\n"[..]));
    assert_eq!(first.texts[0], texts[0]);
}

#[test]
fn a_binary_side_is_refused_by_name() {
    let options = MergeOptions::default();
    for (texts, name) in
        [(["\0", "", ""], "base"), (["", "\0", ""], "ours"), (["", "", "\0"], "theirs")]
    {
        let texts = texts.map(str::as_bytes);
        let merge = Merge::new(&mut Engine::default(), texts, &options, &CancelToken::never());
        let error = merge.unwrap_err().to_string();
        assert!(error.starts_with(&format!("invalid_args: {name} is binary")), "{error}");
    }
}

#[test]
fn a_merge_stops_wherever_it_is_asked_to() {
    let lines =
        |tag: &str| -> String {
            (0..20_000)
                .map(|line| {
                    if line % 5 == 0 { format!("{tag}{line}\n") } else { format!("{}\n", line % 7) }
                })
                .collect()
        };
    let texts = ["base", "ours", "theirs"].map(lines);
    let texts = texts.each_ref().map(String::as_bytes);
    let options = MergeOptions::default();
    let run = |looks: &CheckCount| -> Result<Vec<u8>> {
        let cancel = CancelToken::counting(looks);
        let merge = Merge::new(&mut Engine::default(), texts, &options, &cancel)?;
        Ok(merge.text(&options, &cancel)?)
    };
    let all = CheckCount::all();
    let whole = run(&all).unwrap();
    let step = (all.made() / 20).max(1);
    for last in (1..=all.made()).step_by(step as usize) {
        assert!(run(&CheckCount::up_to(last)).is_err(), "{last} of {}", all.made());
    }
    assert_eq!(run(&CheckCount::all()).unwrap(), whole);
}

#[test]
fn added_markers_are_charged() {
    let texts = ["a\n".repeat(4000), "b\na\n".repeat(4000), "c\na\n".repeat(4000)];
    let texts = texts.each_ref().map(String::as_bytes);
    let label = "x".repeat(4096);
    let options = MergeOptions {
        labels: [&label; 3],
        level: Level::Minimal,
        style: MergeStyle::Diff3,
        ..MergeOptions::default()
    };
    let budget = Budget::of(None, 1 << 20);
    let cancel = CancelToken::of(&budget);
    let merge = Merge::new(&mut Engine::default(), texts, &options, &cancel).unwrap();
    assert!(merge.conflicts().count() > 1000);
    assert_eq!(merge.text(&options, &cancel).unwrap_err(), Stopped::Memory { limit: 1 << 20 });
}
