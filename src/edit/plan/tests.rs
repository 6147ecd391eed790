use super::*;
use crate::near::explain::tests::{matches, near};
use proptest::prelude::*;
use redline_base::error::ErrorKind;
use regex::bytes::{NoExpand, Regex};

const FILE: FileName<'static> = FileName { sandbox: "workspace", relative: "src/utils.py" };

fn plan(base: &[u8], edits: &[(&str, &str, bool)]) -> Result<Plan> {
    let edit =
        |&(old_string, new_string, replace_all)| Edit { old_string, new_string, replace_all };
    let edits: Vec<Edit<'_>> = edits.iter().map(edit).collect();
    Plan::new(&mut Engine::default(), FILE, base, &edits, 4 << 20, &CancelToken::never())
}

fn edited(base: &[u8], old: &str, new: &str) -> Vec<u8> {
    plan(base, &[(old, new, false)]).unwrap_or_else(|error| panic!("{error}")).content
}

fn refused(base: &[u8], edits: &[(&str, &str, bool)]) -> String {
    plan(base, edits).expect_err("an error").to_string()
}

#[test]
fn no_byte_outside_the_match_changes() {
    for (base, old, new, expected) in [
        (
            &b"\xef\xbb\xbfimport os\nx"[..],
            "import os",
            "import sys",
            &b"\xef\xbb\xbfimport sys\nx"[..],
        ),
        (b"caf\xe9 old th\xe9\n", "old", "new", b"caf\xe9 new th\xe9\n"),
        (b"a\nb", "b", "c", b"a\nc"),
        (b"a\nb\n", "b\n", "b", b"a\nb"),
        (b"a\r\nb\nc\r\n", "b", "x", b"a\r\nx\nc\r\n"),
        (b"a \nb\t\n\n", "a", "x", b"x \nb\t\n\n"),
        (b"one\rtwo", "one", "1", b"1\rtwo"),
        (b"keep cut keep", " cut", "", b"keep keep"),
        (b"", "", "new\r\nfile", b"new\r\nfile"),
    ] {
        assert_eq!(edited(base, old, new), expected, "{old:?} {new:?}");
    }
}

#[test]
fn a_line_keeps_its_line_end_and_a_new_one_takes_that_of_the_file() {
    for (base, old, new, expected) in [
        // A file of CRLF.
        ("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n"),
        ("a\r\nb\r\n", "a", "a\nx", "a\r\nx\r\nb\r\n"),
        ("a\r\nb", "b", "b\nc\nd", "a\r\nb\r\nc\r\nd"),
        ("a\r\nb\r\n", "\nb\n", "\n", "a\r\n"),
        // Both in one file: each line keeps its own.
        ("a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\r\nB\nc\r\nd\n"),
        ("a\nb\r\nc\n", "a\nb\nc", "c\na\nb", "c\na\nb\n"),
        ("a\r\nb\nc\r\n", "b\n", "b\nx\ny\n", "a\r\nb\nx\ny\nc\r\n"),
        ("a\nb\r\nc\n", "b\n", "x\nb\n", "a\nx\r\nb\r\nc\n"),
        ("a\nb\r\nc\nd", "b\nc", "b\nx\ny\nc", "a\nb\r\nx\r\ny\r\nc\nd"),
        ("a\r\nb\nc\r\nd", "a\nb\nc\nd", "a\nd", "a\r\nd"),
        // If the strings name their line ends themselves, these are used.
        ("a\r\nb\r\n", "a\r\nb", "a\nb", "a\nb\r\n"),
        ("a\r\nb\n", "\r", "", "a\nb\n"),
        ("a\nb\n", "a\nb", "a\r\nb", "a\r\nb\n"),
        ("a\r\nb\n", "a\nb\n", "a\nb\r\n", "a\r\nb\r\n"),
    ] {
        let content = edited(base.as_bytes(), old, new);
        assert_eq!(String::from_utf8(content).unwrap(), expected, "{base:?} {old:?} {new:?}");
    }
}

#[test]
fn several_matches_are_refused_with_their_lines() {
    let many = "x\n".repeat(23) + "x x\n";
    for (base, old, message) in [
        (
            "a\nb\na\n",
            "a",
            "Found 2 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 1, 3.",
        ),
        (
            "aaa",
            "aa",
            "Found 2 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 1.",
        ),
        (
            "a\nb a\r\nb",
            "a\nb",
            "Found 2 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 1, 2.",
        ),
        (
            &many,
            "x",
            "Found 25 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 and 4 more.",
        ),
    ] {
        assert_eq!(
            refused(base.as_bytes(), &[(old, "y", false)]),
            format!("not_unique: {message}")
        );
    }
}

#[test]
fn an_edit_that_cannot_be_meant_is_refused() {
    let (one, path) = ("one\ntwo\n".as_bytes(), "workspace/src/utils.py");
    for (base, edits, message) in [
        (one, &[][..], "invalid_args: there are no edits. Give at least one.".to_owned()),
        (
            one,
            &[("", "x", false)],
            format!("invalid_args: old_string is empty, and {path} is not. "),
        ),
        (
            one,
            &[("one", "one", true)],
            "invalid_args: old_string and new_string are equal. ".to_owned(),
        ),
        (b"", &[("", "", false)], "invalid_args: old_string and new_string are equal. ".to_owned()),
        (b"one\0", &[("one", "x", false)], format!("invalid_args: {path} is a binary file. ")),
        (
            one,
            &[("one", "\0", false)],
            format!("invalid_args: the edit would make {path} binary: "),
        ),
        (
            b"a\r\nb",
            &[("a\nb", "a\r\nb", false)],
            format!("invalid_args: the edit does not change {path}. "),
        ),
        (
            one,
            &[("two", "2", false), ("one\ntw", "x", false)],
            format!("invalid_args: edits 1 and 2 overlap at line 2 of {path}. "),
        ),
        (
            one,
            &[("one", "1", false), ("one", "2", false)],
            format!("invalid_args: edits 1 and 2 overlap at line 1 of {path}. "),
        ),
        (
            b"",
            &[("", "1", false), ("", "2", false)],
            format!("invalid_args: edits 1 and 2 overlap at line 1 of {path}. "),
        ),
        (
            one,
            &[("one", "1", false), ("tow", "2", false)],
            format!(
                "not_found: edit 2 of 2: old_string not found in {path}. File contains 2 lines. "
            ),
        ),
        (
            one,
            &[("o", "0", false), ("two", "2", false)],
            "not_unique: edit 1 of 2: Found 2 matches for old_string. ".to_owned(),
        ),
        (
            b"",
            &[("x", "y", false)],
            format!("not_found: old_string not found in {path}. File contains 0 lines. "),
        ),
    ] {
        let error = refused(base, edits);
        assert!(error.starts_with(&message), "{error}");
    }
}

#[test]
fn a_content_that_would_outgrow_its_limit_is_refused() {
    let base = vec![b'a'; 1 << 20];
    let error = refused(&base, &[("a", &"b".repeat(1 << 20), true)]);
    assert!(
        error.starts_with(
            "too_large: the edit would make workspace/src/utils.py larger than 4194304 bytes."
        ),
        "{error}"
    );
    assert!(plan(&base, &[("a", "bbbb", true)]).is_ok());
    assert!(plan(&base, &[("a", "bbbbb", true)]).is_err());
}

#[test]
fn several_edits_do_not_see_each_other() {
    let made =
        plan(b"a b c\n", &[("a", "b", false), ("b", "c", false), (" c", "a", false)]).unwrap();
    assert_eq!(made.content, b"b ca\n");
    assert_eq!(made.places, [0..1, 2..3, 3..5]);
}

#[test]
fn a_summary_tells_which_lines_change() {
    let base = b"import os\nimport sys\n\ndef f():\n    pass\n";
    for (edits, message, changed) in [
        (
            &[("import os\nimport sys", "import os\nimport sys\nimport json", false)][..],
            "Added 1 line at line 1",
            1,
        ),
        (&[("import os\nimport sys\n", "", false)], "Removed 2 lines at line 1", 2),
        (&[("    pass", "    return", false)], "Replaced 1 line at line 5", 1),
        (
            &[("import os\nimport sys", "import json", false)],
            "Replaced 2 lines with 1 at line 1",
            2,
        ),
        (&[("    pass", "    a\n    b\n    c", false)], "Replaced 1 line with 3 at line 5", 3),
        (&[("import", "from", true)], "Replaced 2 lines at line 1 and 1 other place", 2),
        (&[("s", "z", true)], "Replaced 3 lines at line 1 and 4 other places", 3),
        (&[("    pass\n", "    pass", false)], "Replaced 1 line at line 5", 1),
    ] {
        let plan = plan(base, edits).unwrap();
        assert_eq!(plan.message(FILE), format!("{message} in workspace/src/utils.py"));
        assert_eq!(plan.lines_changed(), changed, "{message}");
        let (first, rest) = message.split_once(' ').unwrap();
        let verb = ["add", "remove", "replace"]
            .into_iter()
            .find(|verb| first.to_lowercase().starts_with(verb));
        assert_eq!(
            plan.description(FILE),
            format!("Edit workspace/src/utils.py: {} {rest}", verb.unwrap())
        );
    }
}

#[test]
fn the_diff_is_that_of_the_whole_file_with_three_lines_of_context() {
    let plan = plan(
        b"import os\nimport sys\n\ndef helper():\n    pass\n",
        &[("import sys", "import sys\nimport json", false)],
    );
    assert_eq!(
        plan.unwrap().diff.unified_diff,
        "--- a/src/utils.py\n+++ b/src/utils.py\n@@ -1,5 +1,6 @@\n import os\n import sys\n+import json\n \n def helper():\n     pass\n"
    );
}

#[test]
fn another_base_is_stale_and_an_invalid_id_is_refused() {
    let id = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    let other = "0000000000000000000000000000000000000000";
    assert!(check_base(FILE, id, id).is_ok() && check_base(FILE, &id.to_uppercase(), id).is_ok());
    let error = check_base(FILE, other, id).expect_err("stale").to_string();
    assert!(
        error.starts_with(&format!(
            "stale: base_oid is {other}, but workspace/src/utils.py is now {id}. "
        )),
        "{error}"
    );
    for no_id in ["", "e69de29", &id[..39], &format!("{}g", &id[..39])] {
        let error = check_base(FILE, no_id, id).expect_err("no id").to_string();
        assert!(error.starts_with("invalid_args: base_oid '"), "{error}");
    }
}

/// Returns a list in an order that depends on `seed`.
fn shuffled<T>(mut list: Vec<T>, seed: usize) -> Vec<T> {
    for at in 1..list.len() {
        list.swap(at, seed % (at + 1));
    }
    list
}

/// Texts in which a short string is likely to occur.
fn text(pattern: &'static str) -> impl Strategy<Value = String> {
    proptest::string::string_regex(pattern).expect("a pattern")
}

/// Checks a property of every plan: the diff applied to the old file gives the new one.
fn check_diff(base: &str, plan: &Plan) {
    let patch = redline_text::patch::parse(plan.diff.unified_diff.as_bytes()).unwrap();
    assert_eq!(patch.len(), 1);
    assert_eq!(redline_text::patch::apply(base.as_bytes(), &patch[0]).unwrap(), plan.content);
}

proptest! {
    #[test]
    fn a_file_with_lf_is_edited_as_by_replace(
        base in text("[ab\n é]{0,40}"), old in text("[ab\n é]{1,4}"), new in text("[abc\n]{0,5}"), all: bool,
    ) {
        let count = (0..base.len()).filter(|&at| base.is_char_boundary(at) && base[at..].starts_with(&old)).count();
        let result = plan(base.as_bytes(), &[(&old, &new, all)]);
        if old == new || base.is_empty() {
            prop_assert!(result.is_err());
        } else if count == 1 || (all && count > 1) {
            let expected = base.replace(&old, &new);
            if let Ok(plan) = result {
                prop_assert_eq!(plan.replacements_made(), base.matches(&old).count() as u64);
                check_diff(&base, &plan);
                prop_assert_eq!(String::from_utf8(plan.content).unwrap(), expected);
            } else {
                prop_assert_eq!(expected, base);
            }
        } else {
            let code = if count == 0 { "not_found: " } else { "not_unique: " };
            prop_assert!(result.unwrap_err().to_string().starts_with(code));
        }
    }

    #[test]
    fn a_file_with_crlf_is_edited_as_by_a_pattern(
        base in text("([ab ]{0,3}(\r\n|\n)){0,8}[ab]{0,2}"), old in text("[ab\n]{1,4}"), new in text("[abc\n]{0,5}"), all: bool,
    ) {
        // LF matches both line ends, and no match starts inside a CRLF.
        let pattern = Regex::new(&old.replace('\n', "(?:\r?\n)")).unwrap();
        let found: Vec<_> = pattern.find_iter(base.as_bytes()).map(|found| found.range()).collect();
        let replaced = pattern.replace_all(base.as_bytes(), NoExpand(new.as_bytes()));
        let plain = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().replace("\r\n", "\n");
        match plan(base.as_bytes(), &[(&old, &new, all)]) {
            Ok(plan) => {
                check_diff(&base, &plan);
                prop_assert_eq!(&plan.places, &found);
                prop_assert_eq!(plain(&plan.content), plain(&replaced));
                let has_lf_only = |text: &str| text.replace("\r\n", "").contains('\n');
                if base.contains('\n') && !has_lf_only(&base) {
                    prop_assert!(!has_lf_only(std::str::from_utf8(&plan.content).unwrap()));
                }
            }
            Err(error) => {
                let overlapping = (0..base.len()).filter(|&at| plain(&base.as_bytes()[at..]).starts_with(&old));
                prop_assert!(match error.kind() {
                    ErrorKind::NotFound => found.is_empty(),
                    ErrorKind::NotUnique => !all && overlapping.count() > 1,
                    _ => old == new || base.is_empty() || plain(&replaced) == plain(base.as_bytes()),
                }, "{}", error);
            }
        }
    }

    #[test]
    fn several_edits_are_all_made_in_any_order(
        words in proptest::collection::vec(proptest::option::of(text("[xyz\n]{0,4}")), 1..20), seed: usize,
    ) {
        let base: String = (0..words.len()).map(|n| format!("<{n}>\r\n")).collect();
        let olds: Vec<String> = (0..words.len()).map(|n| format!("<{n}>")).collect();
        let edits = olds.iter().zip(&words).filter_map(|(old, word)| Some((old.as_str(), word.as_deref()?, false)));
        let edits = shuffled(edits.collect(), seed);
        let word = |(old, word): (&String, &Option<String>)| word.as_ref().unwrap_or(old).replace('\n', "\r\n") + "\r\n";
        let expected: String = olds.iter().zip(&words).map(word).collect();
        match plan(base.as_bytes(), &edits) {
            Ok(plan) => {
                check_diff(&base, &plan);
                prop_assert_eq!(plan.replacements_made(), edits.len() as u64);
                prop_assert_eq!(String::from_utf8(plan.content).unwrap(), expected);
            }
            Err(error) => prop_assert!(edits.is_empty(), "{}", error),
        }
    }

    #[test]
    fn edits_of_any_bytes_never_panic_and_offer_only_what_matches(
        base in proptest::collection::vec(proptest::sample::select(b"aA\"\\n \t\r\n\xc3\xa9\xff\xe2\x80\x99".to_vec()), 0..60),
        old in text("[aA\"\\\\n \t\r\né’]{1,12}"),
    ) {
        let lines = Lines::split(&base, &CancelToken::never()).unwrap();
        for near in near(&base, &old) {
            prop_assert!((0.0..=1.0).contains(&near.similarity) && !near.reasons.is_empty());
            if let Some(old_string) = &near.old_string {
                let places = matches(&base, old_string);
                prop_assert!(places.iter().any(|place| lines.line_at(place.start) as u64 + 1 == near.line), "{:?}", near);
            }
        }
        if let Ok(plan) = plan(&base, &[(&old, "x\ny", true)]) {
            let [first, last] = [&plan.places[0], &plan.places[plan.places.len() - 1]];
            prop_assert!(plan.content.starts_with(&base[..first.start]) && plan.content.ends_with(&base[last.end..]));
        }
    }
}
