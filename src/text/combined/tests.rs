use super::*;

/// Returns the hunks of texts whose lines are given as words.
fn combined(parents: &[&str], result: &str, combined: Combined, context: u32) -> String {
    let text = |words: &str| words.split_whitespace().map(|word| format!("{word}\n")).collect();
    let texts: Vec<String> = parents.iter().map(|words| text(words)).collect();
    let result: String = text(result);
    let parents: Vec<Parent<'_>> = texts.iter().map(|text| Parent::Text(text.as_bytes())).collect();
    written(&parents, result.as_bytes(), combined, context)
}

fn compared<'a>(parents: &[Parent<'a>], result: &'a [u8]) -> Result<CombinedDiff<'a>> {
    let (options, cancel) = (DiffOptions::default(), CancelToken::never());
    CombinedDiff::new(&mut Engine::default(), parents, result, &options, &cancel)
}

fn written(parents: &[Parent<'_>], result: &[u8], combined: Combined, context: u32) -> String {
    let (diff, cancel) = (compared(parents, result).unwrap(), CancelToken::never());
    let mut out = Vec::new();
    for hunk in diff.hunks(combined, Some(context), &cancel).unwrap() {
        write_hunk(&mut out, &diff, &hunk, &mut cancel.pace()).unwrap();
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn lines_that_a_merge_takes_from_one_side_are_shown_on_request_alone() {
    let (parents, result) = (["1 2 3 4", "1 b 3 4"], "1 b 3 4");
    assert_eq!(combined(&parents, result, Combined::Dense, 3), "");
    assert_eq!(
        combined(&parents, result, Combined::All, 1),
        "@@@ -1,3 -1,3 +1,3 @@@\n  1\n- 2\n+ b\n  3\n"
    );
}

#[test]
fn a_line_that_no_side_has_is_shown_with_what_each_side_had() {
    assert_eq!(
        combined(&["1 a 3", "1 b 3"], "1 c 3", Combined::Dense, 3),
        "@@@ -1,3 -1,3 +1,3 @@@\n  1\n- a\n -b\n++c\n  3\n"
    );
    assert_eq!(
        combined(&["1 a 3", "1 a 3"], "1 3", Combined::Dense, 3),
        "@@@ -1,3 -1,3 +1,2 @@@\n  1\n--a\n  3\n"
    );
}

#[test]
fn more_parents_than_git_has_bits_for_are_too_many() {
    let parents = vec![Parent::Text(b"a\n".as_slice()); limits::COMBINED_PARENTS + 1];
    let new = |parents: &[Parent<'static>]| compared(parents, b"b\n").map(|diff| diff.parents());
    assert_eq!(new(&parents[1..]).unwrap(), limits::COMBINED_PARENTS);
    assert!(new(&parents).unwrap_err().to_string().starts_with("too_large:"));
}

#[test]
fn a_parent_that_is_the_same_as_another_has_its_marks() {
    let of = |last: Parent<'static>| {
        let parents = [Parent::Text(b"a\nb\nc\n".as_slice()), Parent::Text(b"a\nx\n"), last];
        written(&parents, b"a\nc\n", Combined::All, 3)
    };
    assert_eq!(of(Parent::As(0)), of(Parent::Text(b"a\nb\nc\n")));
}
