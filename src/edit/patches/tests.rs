use super::*;
use crate::FileName;
use redline_base::error::ErrorKind;

const FILE: FileName<'static> = FileName { sandbox: "ws", relative: "f" };

fn changes(patch: &str) -> Vec<FileChange> {
    read(patch, &CancelToken::never()).unwrap_or_else(|error| panic!("{patch}: {error}"))
}

fn refused(patch: &str) -> String {
    read(patch, &CancelToken::never()).unwrap_err().to_string()
}

fn fitted(patch: &str, now: Option<&str>, fuzz: bool) -> Result<Fitted> {
    let changes = changes(patch);
    let [change] = &changes[..] else { panic!("{changes:?}") };
    let options = FitOptions { fuzz, unidiff_zero: false, max_bytes: 1 << 20 };
    fit(FILE, change, now.map(str::as_bytes), None, &options, &CancelToken::never())
}

fn made(patch: &str, now: &str) -> String {
    let fitted = fitted(patch, Some(now), false).unwrap_or_else(|error| panic!("{patch}: {error}"));
    assert_eq!(decide(std::slice::from_ref(&fitted)).unwrap(), Decision::Apply, "{patch}");
    String::from_utf8(fitted.content.unwrap_or_default()).unwrap()
}

fn missed(patch: &str, now: &str) -> String {
    fitted(patch, Some(now), false).unwrap_err().to_string()
}

const UNIFIED: &str = "--- a/f\n+++ b/f\n";
const ENVELOPE: &str = "*** Begin Patch\n*** Update File: f\n";
const END: &str = "*** End Patch\n";

#[test]
fn every_format_makes_the_same_change() {
    for patch in [
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        "--- f\n+++ f\n@@ -9 +7,99 @@\n a\n-b\n+B\n",
        "Here is the patch:\n```diff\n--- a/f\n+++ b/f\n@@\n-b\n+B\n c\n```\n",
        "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+B\n*** End Patch\n",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f\n a\n-b\n+B\n*** End Patch\nEOF\n",
        "f\n<<<<<<< SEARCH\na\nb\n=======\na\nB\n>>>>>>> REPLACE\n",
        "### `f`:\n```python\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n```\n",
        r#"[{"path": "f", "old_string": "b", "new_string": "B"}]"#,
    ] {
        assert_eq!(made(patch, "a\nb\nc\n"), "a\nB\nc\n", "{patch}");
        assert_eq!(made(patch, "a\r\nb\r\nc\r\n"), "a\r\nB\r\nc\r\n", "{patch}");
    }
}

#[test]
fn files_are_made_deleted_moved_and_made_executable() {
    let git = "diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+1\n+2\n\
               diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
               diff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\n\
               diff --git a/run b/run\nold mode 100644\nnew mode 100755\n";
    let found = changes(git);
    let [new, old, moved, run] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&new.kind, new.executable), (&ChangeKind::Create("1\n2\n".to_owned()), Some(true)));
    assert!(
        matches!(&old.kind, ChangeKind::Delete(hunks) if hunks.len() == 1)
            && old.new_path().is_none()
    );
    assert_eq!(
        (moved.path.as_str(), moved.new_path(), moved.executable),
        ("from", Some("to"), None)
    );
    assert_eq!((run.path.as_str(), run.executable), ("run", Some(true)));

    let envelope = "*** Begin Patch\n*** Add File: new\n+1\n+2\n*** Delete File: old\n*** Update File: from\n*** Move to: to\n*** End Patch\n";
    let same = changes(envelope);
    assert_eq!(same[0].kind, new.kind);
    assert_eq!((same[1].path.as_str(), same[2].new_path()), ("old", Some("to")));
}

#[test]
fn what_is_not_done_is_refused_in_words() {
    for (patch, words) in [
        ("hello", "the patch is in no format"),
        ("", "the patch is in no format"),
        (
            "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n",
            "'x' is a binary file",
        ),
        (
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n",
            "'x' is a symbolic link",
        ),
        (
            "diff --git a/x b/x\nnew file mode 160000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+Subproject commit 1\n",
            "'x' is a submodule",
        ),
        ("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "'x' is copied"),
        ("*** Begin Patch\n*** Delete File: a\n", "there is no '*** End Patch'"),
        ("*** Begin Patch\n*** End Patch\n", "the patch changes no file"),
        (
            "*** Begin Patch\n*** Delete File: a\n*** Delete File: a\n*** End Patch",
            "line 3 of the patch: 'a' is named at line 2, too",
        ),
        (
            "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: a\n*** End Patch",
            "'a' is named at line 2, too",
        ),
        (
            "*** Begin Patch\n*** Update File: a\nno mark\n*** End Patch",
            "'no mark' is not a line of a hunk",
        ),
        ("f\n<<<<<<< SEARCH\na\n=======\nb\n", "the block has no '>>>>>>> REPLACE'"),
        (
            "f\n<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n",
            "more than one line =======",
        ),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "the block has no file"),
        (
            r#"[{"path": "f", "old": "a", "new_string": "b"}]"#,
            "edit 1 of the list has the field 'old'",
        ),
        (r#"[{"path": "f", "path": "g"}]"#, "not a JSON list"),
    ] {
        let error = refused(patch);
        assert!(error.starts_with("invalid_args: ") && error.contains(words), "{patch}: {error}");
    }
}

#[test]
fn a_hunk_goes_where_it_says_else_to_the_only_place_and_never_to_the_first_of_two() {
    let twice = "x\na\nx\nb\n";
    assert_eq!(made(&format!("{UNIFIED}@@ -3 +3 @@\n-x\n+y\n"), twice), "x\na\ny\nb\n");
    assert_eq!(made(&format!("{UNIFIED}@@ -99 +3 @@\n-a\n+y\n"), twice), "x\ny\nx\nb\n");
    for patch in [
        format!("{UNIFIED}@@ -2 +2 @@\n-x\n+y\n"),
        format!("{ENVELOPE}-x\n+y\n{END}"),
        "f\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n".to_owned(),
    ] {
        let error = missed(&patch, twice);
        assert!(
            error.starts_with("not_unique: ") && error.contains("fits at lines 1, 3 of ws/f"),
            "{error}"
        );
    }
}

#[test]
fn added_lines_without_context_go_where_their_number_says_if_that_is_asked_for() {
    let zero = |hunks: &str, now: &str| {
        let changes = changes(&format!("{UNIFIED}{hunks}"));
        let options = FitOptions { fuzz: false, unidiff_zero: true, max_bytes: 1 << 20 };
        let fitted =
            fit(FILE, &changes[0], Some(now.as_bytes()), None, &options, &CancelToken::never());
        fitted.map(|fitted| (fitted.state, String::from_utf8(fitted.content.unwrap()).unwrap()))
    };
    for (hunks, now, then) in [
        ("@@ -1,0 +2 @@\n+x\n", "a\na\n", "a\nx\na\n"),
        ("@@ -0,0 +1 @@\n+x\n", "a\n", "x\na\n"),
        ("@@ -2,0 +3 @@\n+x\n", "a\nb\n", "a\nb\nx\n"),
        ("@@ -2 +2 @@\n-b\n+B\n@@ -3,0 +4,2 @@\n+x\n+y\n", "a\nb\nc\nd\n", "a\nB\nc\nx\ny\nd\n"),
    ] {
        assert_eq!(zero(hunks, now).unwrap(), (State::Before, then.to_owned()), "{hunks}");
        let error = missed(&format!("{UNIFIED}{hunks}"), now);
        assert!(error.contains("with the option unidiff_zero"), "{error}");
    }
    let beyond = zero("@@ -9,0 +10 @@\n+x\n", "a\n").unwrap_err().to_string();
    assert!(beyond.contains("below line 9 of ws/f, which has 1"), "{beyond}");
    assert!(zero("@@\n+x\n", "a\n").is_err());
    assert_eq!(zero("@@ -1,0 +2 @@\n+x\n", "a\nx\n").unwrap().0, State::Either);
}

#[test]
fn anchors_narrow_and_additions_go_below_them() {
    let file = "class A\n  def f\n    1\nclass B\n  def f\n    1\n";
    let anchored = |anchors: &str, lines: &str| format!("{ENVELOPE}{anchors}{lines}{END}");
    let changed = "class A\n  def f\n    1\nclass B\n  def f\n    2\n";
    assert_eq!(made(&anchored("@@ class B\n", "-    1\n+    2\n"), file), changed);
    assert_eq!(made(&anchored("@@ class B\n@@   def f\n", "-    1\n+    2\n"), file), changed);
    assert!(
        missed(&anchored("@@ class A\n", "-    1\n+    2\n"), file).starts_with("not_unique: ")
    );
    let added = "class A\n  def f\n    1\nclass B\n  x\n  def f\n    1\n";
    assert_eq!(made(&anchored("@@ class B\n", "+  x\n"), file), added);
    assert!(missed(&anchored("@@ def f\n", "+  x\n"), file).starts_with("not_unique: "));
    assert!(
        missed(&anchored("@@ class C\n", "+  x\n"), file).contains("no line of ws/f is 'class C'")
    );
    assert!(missed(&anchored("@@\n", "+  x\n"), file).contains("has none that are there"));
    let at_end = anchored("@@\n", "+end\n*** End of File\n");
    assert_eq!(made(&at_end, "a\n"), "a\nend\n");
    let last = anchored("@@\n", "-1\n+2\n*** End of File\n");
    assert_eq!(made(&last, "1\n1\n"), "1\n2\n");
}

#[test]
fn a_miss_names_the_first_line_that_differs() {
    let file = "fn a() {\n\tone();\n\ttwo();\n}\n";
    for (line, words) in [
        ("    two();", "line 3 of ws/f is '\\ttwo();', and the patch has '    two();' (tabs)"),
        ("\ttwo() ;", "and the patch has '\\ttwo() ;' (spacing)"),
        ("\tthree();", "(text)"),
    ] {
        let patch =
            format!("{UNIFIED}@@ -9,3 +9,3 @@\n fn a() {{\n \tone();\n-{line}\n+\tx();\n }}\n");
        let error = missed(&patch, file);
        assert!(
            error.starts_with("not_found: the hunk at line 3 of the patch does not fit: line 3"),
            "{error}"
        );
        assert!(error.contains(words), "{error}");
    }
    let beyond = missed(&format!("{UNIFIED}@@ -3,3 +3,3 @@\n \ttwo();\n }}\n-x\n+y\n"), file);
    assert!(beyond.contains("ws/f ends after line 4, and the patch has 'x'"), "{beyond}");
    let other = missed(&format!("{UNIFIED}@@\n-nothing\n+y\n"), file);
    assert!(other.contains("ws/f has none of its lines"), "{other}");
}

#[test]
fn a_miss_says_what_was_pasted_and_whether_fuzz_takes_it() {
    let file = "\tif a < b && c:\n\t\treturn \"it's\"\n\n# end\n";
    let block = |old: &str| format!("f\n<<<<<<< SEARCH\n{old}\n=======\nx\n>>>>>>> REPLACE\n");
    for (old, words) in [
        ("1: \tif a < b && c:\n2: \t\treturn \"it's\"", "has a line number, which ws/f has not"),
        ("  4→# end", "has a line number"),
        ("-\tif a < b && c:", "has the mark of a diff"),
        ("\tif a &lt; b &amp;&amp; c:", "has HTML entities"),
        ("```python\n# end\n```", "'```python' has a fence"),
        (":start_line:4\n# end", "':start_line:4' has :start_line:"),
        (
            "if a < b && c:",
            "(tabs). Take the lines as they are in the file, or set fuzz: with it, the hunk fits at line 1 as trimmed",
        ),
        ("# end  ", "(trailing space). Take"),
        (
            "\t\treturn “it’s”",
            "(Unicode confusable). Take the lines as they are in the file, or set fuzz: with it, the hunk fits at line 2 as ascii",
        ),
        ("nothing", "has none of its lines"),
    ] {
        let error = missed(&block(old), file);
        assert!(error.starts_with("not_found: ") && error.contains(words), "{error}");
    }
    let patch = format!("{UNIFIED}@@ -1,2 +1,2 @@\n a\n-b\n+c\n").replace('\n', "\r\n");
    let error = missed(&patch, "a\nb\n");
    assert!(error.contains("(line ends). Take") && error.contains("as trimmed_end"), "{error}");
    // A hunk that fits in none of the passes, and not at all.
    let patch = format!("{UNIFIED}@@\n-if a < b && c:\n-other\n+x\n");
    assert!(missed(&patch, file).contains("(tabs). Read the file again"));
}

#[test]
fn line_ends_of_a_whole_block_are_the_patch_s_and_a_start_line_is_a_hint() {
    let patch = "f\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
    for (now, then) in [("a\nx\n", "a\ny\n"), ("a\r\nx\r\n", "a\r\ny\r\n")] {
        assert_eq!(made(&patch.replace('\n', "\r\n"), now), then);
    }
    for (hint, then) in [
        (":start_line:3\n-------\n", "x\na\ny\n"),
        (":start_line: 1\n:end_line: 1\n-------\n", "y\na\nx\n"),
    ] {
        let patch = patch.replace("x\n", &format!("{hint}x\n"));
        assert_eq!(made(&patch, "x\na\nx\n"), then);
        let is_elsewhere = hint.contains('3');
        assert_eq!(fitted(&patch, Some("x\nx\nz\n"), false).is_err(), is_elsewhere);
    }
}

#[test]
fn fuzz_overlooks_white_space_and_typography_where_one_place_is_left_and_names_the_pass() {
    let patch = format!("{UNIFIED}@@\n   a - \"b\"\n-c\n+d\n");
    for (file, pass) in [
        ("  a - \"b\"\nc\n", Pass::Exact),
        ("  a - \"b\"  \nc\t\n", Pass::TrimmedEnd),
        ("\ta - \"b\"\n  c\n", Pass::Trimmed),
        ("a \u{2013} \u{201c}b\u{201d}\nc\n", Pass::Ascii),
    ] {
        let found = fitted(&patch, Some(file), true).unwrap();
        let context = file.split_inclusive('\n').next().unwrap();
        assert_eq!(found.content.unwrap(), format!("{context}d\n").into_bytes(), "context stays");
        assert_eq!(found.hunks, [HunkFit { line: 1, pass }]);
        assert_eq!(fitted(&patch, Some(file), false).is_ok(), pass == Pass::Exact);
    }
    // Where line ends are ignored, new lines end as their neighbours.
    for (patch, file, then) in
        [("\r\n", "\n", "a\nd\n"), ("\n", "\r\n", "a\r\nd\r\n")].map(|(of_patch, of_file, then)| {
            (["@@", " a", "-c", "+d", ""].join(of_patch), ["a", "c", ""].join(of_file), then)
        })
    {
        let found = fitted(&format!("{UNIFIED}{patch}"), Some(&file), true).unwrap();
        assert_eq!(String::from_utf8(found.content.unwrap()).unwrap(), then, "{patch:?}");
    }
    let error = fitted(&patch, Some("a - \"b\"\nc\n a - \"b\"\nc\n"), true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotUnique);
    assert_eq!(
        fitted(&patch, Some("a\nc\n"), true).unwrap_err().kind(),
        ErrorKind::NotFound,
        "no context is dropped"
    );
}

#[test]
fn an_applied_change_is_not_made_again() {
    for patch in [
        format!("{UNIFIED}@@ -1,2 +1,3 @@\n a\n+new\n b\n"),
        format!("{UNIFIED}@@ -1 +1,2 @@\n a\n+new\n"),
        format!("{UNIFIED}@@ -9 +1,2 @@\n+new\n b\n"),
        format!("{UNIFIED}@@ -1 +1,2 @@\n-a\n+a\n+new\n"),
        format!("{UNIFIED}@@ -1,3 +1,2 @@\n a\n-gone\n new\n"),
        format!("{ENVELOPE}@@ a\n+new\n{END}"),
        "f\n<<<<<<< SEARCH\nx\n=======\nnew\n>>>>>>> REPLACE\n".to_owned(),
        r#"[{"path": "f", "old_string": "x", "new_string": "new"}]"#.to_owned(),
    ] {
        let found = fitted(&patch, Some("a\nnew\nb\n"), false)
            .unwrap_or_else(|error| panic!("{patch}: {error}"));
        assert_eq!(decide(&[found]).unwrap(), Decision::AlreadyApplied, "{patch}");
    }
    let create = "*** Begin Patch\n*** Add File: f\n+1\n*** End Patch";
    assert_eq!(fitted(create, Some("1\n"), false).unwrap().state, State::After);
    let error = fitted(create, Some("2\n"), false).unwrap_err().to_string();
    assert!(error.contains("'f' is there already, and no file is overwritten"), "{error}");
    let delete = "*** Begin Patch\n*** Delete File: f\n*** End Patch";
    assert_eq!(fitted(delete, None, false).unwrap().state, State::After);
}

#[test]
fn a_change_applied_at_its_line_is_not_made_again_elsewhere() {
    let patch = format!("{UNIFIED}@@ -1,2 +1,3 @@\n a\n+x\n b\n");
    let once = made(&patch, "a\nb\nc\na\nb\n");
    assert_eq!(once, "a\nx\nb\nc\na\nb\n");
    let again = fitted(&patch, Some(&once), false).unwrap();
    assert_eq!(again.state, State::After);
    // Without a number the hunk goes to its only place.
    let patch = format!("{UNIFIED}@@\n a\n+x\n b\n");
    assert_eq!(made(&patch, &once), "a\nx\nb\nc\na\nx\nb\n");
}

#[test]
fn a_patch_that_is_made_in_part_is_refused() {
    let patch = format!("{UNIFIED}@@\n-a\n+A\n@@\n-b\n+B\n");
    let error = fitted(&patch, Some("A\nb\n"), false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stale, "{error}");
    let of = |state| Fitted { path: "f".to_owned(), state, content: None, hunks: Vec::new() };
    use State::{After, Before, Either};
    assert_eq!(decide(&[of(Either), of(Before)]).unwrap(), Decision::Apply);
    assert_eq!(decide(&[of(After), of(Either)]).unwrap(), Decision::AlreadyApplied);
    assert_eq!(decide(&[of(After), of(Before)]).unwrap_err().kind(), ErrorKind::Stale);
}

#[test]
fn new_lines_end_as_their_neighbours_and_the_last_newline_stays() {
    let blocks = |old: &str, new: &str| {
        format!("f\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
    };
    for (now, patch, then) in [
        ("a\r\nb\n", blocks("a", "a\nx"), "a\r\nx\r\nb\n"),
        ("a\nb\r\n", blocks("b", "x\ny"), "a\nx\r\ny\r\n"),
        ("a\nb", blocks("b", "x\ny"), "a\nx\ny"),
        ("a\r\nb", blocks("b", "b\nc"), "a\r\nb\r\nc"),
        ("x\nb", blocks("b", "a\nb"), "x\na\nb"),
        ("a", blocks("a", "b"), "b"),
        ("a\nb", format!("{UNIFIED}@@\n a\n-b\n"), "a"),
        ("a\nb", format!("{UNIFIED}@@\n-b\n\\ No newline at end of file\n+b\n"), "a\nb\n"),
        ("a\nb\n", format!("{UNIFIED}@@\n-b\n+b\n\\ No newline at end of file\n"), "a\nb"),
        ("a\r\n", format!("{UNIFIED}@@\n-a\r\n+a\n"), "a\n"),
        ("a\n", format!("{UNIFIED}@@\n-a\n+a\r\n"), "a\r\n"),
        ("", format!("{ENVELOPE}+a\n{END}"), "a\n"),
    ] {
        assert_eq!(made(&patch, now), then, "{now:?} {patch}");
    }
    let unmarked = format!("{UNIFIED}@@\n-b\n\\ No newline at end of file\n+c\n");
    assert!(missed(&unmarked, "b\n").contains("but not where the file ends"));
}

#[test]
fn hunks_are_found_in_the_file_as_it_was_and_may_not_overlap() {
    let patch = format!("{UNIFIED}@@\n-a\n+b\n@@\n-b\n+a\n");
    assert_eq!(made(&patch, "a\nb\n"), "b\na\n");
    let patch = format!("{UNIFIED}@@\n a\n-b\n+x\n@@\n b\n-c\n+y\n");
    assert!(missed(&patch, "a\nb\nc\n").contains("overlap at line 2"));
    let patch = format!("{UNIFIED}--- a/f\n");
    assert!(read(&patch, &CancelToken::never()).is_err());
}

#[test]
fn a_deletion_with_lines_needs_all_of_them() {
    let patch = "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
    assert_eq!(fitted(patch, Some("a\nb\n"), false).unwrap().content, None);
    let error = fitted(patch, Some("a\nb\nc\n"), false).unwrap_err().to_string();
    assert!(error.contains("holds more than the patch removes"), "{error}");
}

#[test]
fn binary_and_large_results_are_refused() {
    let patch = format!("{UNIFIED}@@\n-a\n+b\n");
    assert!(missed(&patch, "a\n\0").contains("is a binary file"));
    assert!(missed(&format!("{UNIFIED}@@\n-a\n+\0\n"), "a\n").contains("would make ws/f binary"));
    let changes = changes(&patch);
    let options = FitOptions { fuzz: false, unidiff_zero: false, max_bytes: 1 };
    let error =
        fit(FILE, &changes[0], Some(b"a\n"), None, &options, &CancelToken::never()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
}

#[test]
fn a_move_overwrites_nothing_and_is_known_when_it_is_made() {
    let patch = format!("*** Begin Patch\n*** Update File: f\n*** Move to: g\n-a\n+b\n{END}");
    let changes = changes(&patch);
    let options = FitOptions { fuzz: false, unidiff_zero: false, max_bytes: 1 << 20 };
    let try_fit = |now: Option<&str>, target: Option<&str>| {
        let [now, target] = [now, target].map(|text| text.map(str::as_bytes));
        fit(FILE, &changes[0], now, target, &options, &CancelToken::never())
    };
    let found = try_fit(Some("a\n"), None).unwrap();
    assert_eq!((found.state, found.content.as_deref()), (State::Before, Some(&b"b\n"[..])));
    assert_eq!(try_fit(None, Some("b\n")).unwrap().state, State::After);
    assert_eq!(try_fit(None, None).unwrap_err().kind(), ErrorKind::NotFound);
    assert!(
        try_fit(Some("a\n"), Some("x")).unwrap_err().to_string().contains("'g' is there already")
    );
}

#[test]
fn empty_lines_of_an_added_file_stay_also_without_their_plus() {
    for (lines, content) in [
        ("+import sys\n\n+x\n", "import sys\n\nx\n"),
        ("+a\n  \n\n+b\n", "a\n\n\nb\n"),
        ("+a\n+\n\n", "a\n\n"),
        ("\n+a\n", "\na\n"),
        ("", ""),
        ("\n", ""),
    ] {
        let found = changes(&format!("*** Begin Patch\n*** Add File: f\n{lines}{END}"));
        assert_eq!(found[0].kind, ChangeKind::Create(content.to_owned()), "{lines:?}");
    }
}

#[test]
fn empty_context_counts_and_bare_lines_at_the_end_of_a_hunk_where_the_file_has_them() {
    const EOF: &str = "*** End of File\n";
    for (now, lines, end, then) in [
        ("a\nb\n\n", "-b\n+B\n \n", EOF, "a\nB\n\n"),
        ("a\nb\n\n", "-b\n+B\n\n", EOF, "a\nB\n\n"),
        ("k\nx\nk\n\nz\n", "-k\n+K\n \n", "", "k\nx\nK\n\nz\n"),
        ("k\nx\nk\n\nz\n", "-k\n+K\n\n\n", "", "k\nx\nK\n\nz\n"),
        ("a\nb\n", "-b\n+B\n\n", "", "a\nB\n"),
        ("a\nb\n", "-b\n+B\n\n", EOF, "a\nB\n"),
        ("a\nb\nc\n", "-a\n+A\n\n@@\n-c\n+C\n\n", "", "A\nb\nC\n"),
        ("a\n\n\n", " \n \n+d\n", EOF, "a\n\n\nd\n"),
        ("a\n\nb\n", " a\n+d\n\n", "", "a\nd\n\nb\n"),
        ("a\nb\n\n", "+d\n\n", EOF, "a\nb\n\nd\n"),
    ] {
        let patch = format!("{ENVELOPE}@@\n{lines}{end}{END}");
        assert_eq!(made(&patch, now), then, "{patch}");
        let again = fitted(&patch, Some(then), false).map(|found| found.state);
        assert!(again.is_ok() || lines.starts_with('+'), "{patch}: {again:?}");
    }
    for (now, lines) in [("k\nz\n", "-k\n+K\n \n"), ("a\nb\n\n\n", "-b\n+B\n \n*** End of File\n")]
    {
        assert!(missed(&format!("{ENVELOPE}@@\n{lines}{END}"), now).starts_with("not_found"));
    }
    // In the passes of fuzz, too.
    let patch = format!("{ENVELOPE}@@\n-b\n+B\n\n\n{END}");
    let found = fitted(&patch, Some("b\nx\n  b\n \nz\n"), true).unwrap();
    assert_eq!((found.hunks[0].line, found.hunks[0].pass), (1, Pass::Exact));
    let found = fitted(&patch, Some("x\n  b\n \nz\n  b\n"), true).unwrap();
    assert_eq!((found.hunks[0].line, found.hunks[0].pass), (2, Pass::Trimmed));
}

#[test]
fn uncertain_empty_lines_are_found_in_linear_time() {
    redline_base::growth::assert_linear(
        "empty lines",
        1 << 9,
        |size| (format!("{ENVELOPE}@@\n \n-\n{}{END}", "\n".repeat(size)), "\n".repeat(2 * size)),
        |(patch, now)| drop(fitted(patch, Some(now), false)),
    );
    redline_base::growth::assert_linear(
        "lines that are not there",
        1 << 9,
        |size| {
            let old = (0..size).map(|line| format!("{line}: &lt;\n")).collect::<String>();
            (format!("f\n<<<<<<< SEARCH\n{old}=======\n>>>>>>> REPLACE\n"), "a\n".repeat(size))
        },
        |(patch, now)| drop(fitted(patch, Some(now), false)),
    );
}

/// Damaged patches are read or refused, and those that are read are fitted or refused, for every
/// state of the file.
#[test]
fn a_damaged_patch_is_an_error_and_never_a_panic() {
    let seeds = [
        "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\\ No newline at end of file\n",
        "*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@ a\n-b\n+B\n*** End of File\n*** Add File: h\n+x\n*** End Patch\n",
        "f\n<<<<<<< SEARCH\na\nb\n=======\na\nB\n>>>>>>> REPLACE\n",
        "[{\"path\": \"f\", \"old_string\": \"b\", \"new_string\": \"B\"}]",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound.max(1) as u64) as usize
    };
    for round in 0..20_000 {
        let mut patch: Vec<char> = seeds[round % seeds.len()].chars().collect();
        for _ in 0..=next(4) {
            let (at, end) = (next(patch.len()), next(patch.len()));
            match next(4) {
                0 => drop(patch.drain(at.min(end)..at.max(end).min(at.min(end) + 4))),
                1 => patch.insert(
                    at,
                    ['\n', '\r', ' ', '-', '+', '@', '*', '=', '\u{a0}', '9'][next(10)],
                ),
                2 => patch.truncate(at + 1),
                _ => patch.swap(at, end),
            }
            if patch.is_empty() {
                patch.push('@');
            }
        }
        let patch: String = patch.into_iter().collect();
        let Ok(changes) = read(&patch, &CancelToken::never()) else { continue };
        for now in [
            None,
            Some(&b"a\nb\nc\n"[..]),
            Some(b"a\r\nb"),
            Some(b""),
            Some(b"a\nB\nc"),
            Some(b"\xff\n"),
        ] {
            for (change, fuzz) in
                changes.iter().flat_map(|change| [(change, false), (change, true)])
            {
                let options = FitOptions { fuzz, unidiff_zero: false, max_bytes: 1 << 10 };
                for target in [None, now] {
                    drop(fit(FILE, change, now, target, &options, &CancelToken::never()));
                }
            }
        }
    }
}
