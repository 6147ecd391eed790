//! Patches as programs print them, and the known defects of patch parsers.

use super::Parser;
use crate::cancel_token::{CancelToken, CheckCount, QUANTUM, STRIDE};
use crate::patch::{FilePatch, LineKind, PatchError, PatchStatus, apply, parse};

fn one(patch: &[u8]) -> FilePatch<'_> {
    let mut files = parse(patch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn text(path: Option<&[u8]>) -> Option<String> {
    path.map(|p| String::from_utf8_lossy(p).into_owned())
}

fn paths(patch: &str) -> (Option<String>, Option<String>) {
    let file = one(patch.as_bytes());
    (text(file.old_path.as_deref()), text(file.new_path.as_deref()))
}

fn both(path: &str) -> (Option<String>, Option<String>) {
    (Some(path.to_owned()), Some(path.to_owned()))
}

const HUNK: &str = "@@ -1 +1 @@\n-a\n+b\n";

#[test]
fn prefixes_of_git_and_of_users_are_stripped() {
    for (header, path) in [
        ("diff --git a/d/x b/d/x\n--- a/d/x\n+++ b/d/x\n", "d/x"),
        ("diff --git d/x d/x\n--- d/x\n+++ d/x\n", "d/x"),
        ("diff --git i/d/x w/d/x\n--- i/d/x\n+++ w/d/x\n", "d/x"),
        ("diff --git c/d/x i/d/x\n--- c/d/x\n+++ i/d/x\n", "d/x"),
        ("diff --git c/d/x w/d/x\n--- c/d/x\n+++ w/d/x\n", "d/x"),
        ("diff --git o/d/x w/d/x\n--- o/d/x\n+++ w/d/x\n", "d/x"),
        ("diff --git v1/old/d/x v2/d/x\n--- v1/old/d/x\n+++ v2/d/x\n", "d/x"),
        ("diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n", "x y"),
        (
            "diff --git \"a/\\303\\251\\t\\\"\" \"b/\\303\\251\\t\\\"\"\n--- \"a/\\303\\251\\t\\\"\"\n+++ \"b/\\303\\251\\t\\\"\"\n",
            "é\t\"",
        ),
        ("--- a/x\n+++ b/x\n", "x"),
        ("--- x\n+++ x\n", "x"),
        ("--- \n+++ \n", ""),
        ("---\n+++\n", ""),
        (
            "--- a/x\t2026-01-01 00:00:00.000000000 +0000\n+++ b/x\t2026-01-01 00:00:00.000000000 +0000\n",
            "x",
        ),
    ] {
        assert_eq!(paths(&format!("{header}{HUNK}")), both(path), "{header}");
    }
    let directories = paths(&format!("diff -ru old/x new/x\n--- old/x\t1\n+++ new/x\t2\n{HUNK}"));
    assert_eq!(directories, (Some("old/x".into()), Some("new/x".into())));
    assert_eq!(paths(HUNK), both(""));
}

#[test]
fn header_only_files_keep_their_names_and_modes() {
    let file = one(b"diff --git a/a b c b/a b c\nold mode 100644\nnew mode 100755\n");
    assert_eq!((text(file.old_path.as_deref()), text(file.new_path.as_deref())), both("a b c"));
    assert_eq!((file.old_mode, file.new_mode), (Some(0o100_644), Some(0o100_755)));
    assert_eq!((file.status, file.hunks.len()), (PatchStatus::Modified, 0));

    let file = one(b"diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n");
    assert_eq!(
        (text(file.old_path.as_deref()), text(file.new_path.as_deref())),
        (None, Some("e".into()))
    );
    assert_eq!((file.status, file.old_mode), (PatchStatus::Added, None));
    assert_eq!((file.old_oid, file.new_oid), (None, Some("e69de29")));

    let file = one(b"diff --git a/e b/e\ndeleted file mode 120000\nindex e69de29..0000000\n");
    assert_eq!(
        (text(file.old_path.as_deref()), text(file.new_path.as_deref())),
        (Some("e".into()), None)
    );
    assert_eq!((file.status, file.new_mode), (PatchStatus::Deleted, None));
    assert_eq!(file.old_mode, Some(0o120_000));

    let file = one(b"diff --git a/k b/k\nold mode 100644\nnew mode 120000\n");
    assert_eq!(file.status, PatchStatus::TypeChanged);
}

#[test]
fn renames_and_copies_take_their_names_from_the_extended_lines() {
    let file = one(
        b"diff --git a/x y z b/q r\nsimilarity index 87%\nrename from x y z\nrename to q r\nindex 1a..2b 100644\n--- a/x y z\t\n+++ b/q r\t\n@@ -1 +1 @@\n-a\n+b\n",
    );
    assert_eq!(text(file.old_path.as_deref()).as_deref(), Some("x y z"));
    assert_eq!(text(file.new_path.as_deref()).as_deref(), Some("q r"));
    assert_eq!((file.status, file.similarity), (PatchStatus::Renamed, Some(87)));
    assert_eq!((file.old_oid, file.new_oid), (Some("1a"), Some("2b")));
    assert_eq!((file.old_mode, file.new_mode), (Some(0o100_644), Some(0o100_644)));

    let file = one(b"diff --git x y z q r\nsimilarity index 100%\ncopy from x y z\ncopy to q r\n");
    assert_eq!(text(file.old_path.as_deref()).as_deref(), Some("x y z"));
    assert_eq!(text(file.new_path.as_deref()).as_deref(), Some("q r"));
    assert_eq!(file.status, PatchStatus::Copied);

    let rewrite = format!(
        "diff --git a/x b/x\ndissimilarity index 90%\nindex 1..2 100644\n--- a/x\n+++ b/x\n{HUNK}"
    );
    assert_eq!(one(rewrite.as_bytes()).similarity, Some(10));
}

#[test]
fn bytes_that_are_not_utf8_pass_through() {
    let file = one(
        b"diff --git a/\xff b/\xff\n--- a/\xff\n+++ b/\xff\n@@ -1 +1 @@ \xfe\n-\x80\n+\x81\x00\n",
    );
    assert_eq!(file.new_path.as_deref(), Some(&b"\xff"[..]));
    assert_eq!(file.hunks[0].section, b"\xfe");
    assert_eq!(apply(b"\x80\n", &file), Ok(b"\x81\x00\n".to_vec()));
}

#[test]
fn mails_signatures_and_text_between_files_are_not_content() {
    let mail = "From 1234 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH] x\n\n- a list\n--- not a header\n---\n x | 2 +-\n 1 file changed\n\ndiff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n b\n-- \n2.47.3\n\nFrom 5678 Mon Sep 17 00:00:00 2001\n\n---\n\ndiff --git a/y b/y\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+y\n-- \n2.47.3\n\n";
    let files = parse(mail.as_bytes()).expect("two patches");
    assert_eq!(files.len(), 2);
    assert_eq!((files[0].line, files[1].line), (11, 25));
    assert_eq!((files[0].hunks[0].line, files[0].hunks[0].lines.len()), (15, 2));
    let recursive = "Only in old: gone\ndiff -ru old/x new/x\n--- old/x\t1\n+++ new/x\t2\n@@ -1 +1 @@\n-a\n+b\nBinary files old/p and new/p differ\nOnly in new: come\n";
    let files = parse(recursive.as_bytes()).expect("two files");
    assert_eq!((files.len(), files[1].is_binary), (2, true));
    assert_eq!(text(files[1].new_path.as_deref()).as_deref(), Some("new/p"));
}

#[test]
fn binary_files_are_marked_and_their_data_is_kept() {
    let file = one(b"diff --git a/p b/p\nindex 1..2 100644\nBinary files a/p and b/p differ\n");
    assert!(file.is_binary && file.binary_patch.is_none());
    let block = "literal 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n";
    let patch = format!(
        "diff --git a/p b/p\nindex 1..2 100644\nGIT binary patch\n{block}diff --git a/q b/q\nold mode 100644\nnew mode 100755\n"
    );
    let files = parse(patch.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(files.len(), 2);
    assert_eq!(files[0].binary_patch, Some(block.as_bytes()));
    let cut = b"diff --git a/p b/p\nindex 1..2 100644\nGIT binary patch\nliteral 1\n";
    assert!(matches!(parse(cut), Err(PatchError::BinaryPatch { line: 4, .. })));
}

#[test]
fn crlf_patches_keep_the_cr_of_contents_and_lose_it_in_headers() {
    let patch = "diff --git a/x b/x\r\nold mode 100644\r\nnew mode 100755\r\nindex 1..2\r\n--- a/x\r\n+++ b/x\r\n@@ -1,3 +1,3 @@ f()\r\n\r\n-a\r\n+b\r\n c\r\n\\ No newline at end of file\r\n";
    let file = one(patch.as_bytes());
    assert_eq!((text(file.old_path.as_deref()), text(file.new_path.as_deref())), both("x"));
    assert_eq!(file.hunks[0].section, b"f()");
    assert_eq!(file.hunks[0].lines[1].content, b"a\r");
    assert_eq!(apply(b"\r\na\r\nc\r", &file), Ok(b"\r\nb\r\nc\r".to_vec()));
    let git = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\n";
    assert_eq!(apply(b"a\r\n", &one(git.as_bytes())), Ok(b"b\n".to_vec()));
}

#[test]
fn markers_in_any_language_end_their_side() {
    let patch = "--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n\\ \n";
    let file = one(patch.as_bytes());
    assert!(file.hunks[0].lines.iter().all(|line| !line.newline));
    for (patch, line) in [
        ("@@ -1 +1 @@\n\\ No\n-a\n+b\n", 2),
        ("@@ -1 +1 @@\n-a\n+\n\\ No\n", 4),
        ("@@ -1 +1 @@\n-a\n\\ No\n\\ No\n+b\n", 4),
        ("@@ -1,2 +1 @@\n-a\n\\ No\n-b\n+c\n", 4),
        ("@@ -1,2 +1,2 @@\n a\n\\ No\n-b\n+c\n", 4),
    ] {
        assert_eq!(parse(patch.as_bytes()), Err(PatchError::NoNewline { line }), "{patch}");
    }
}

#[test]
fn difflib_joined_by_newlines_is_read() {
    // lineterm='' and '\n'.join: the last line has no LF, which does not describe the file.
    let file = one(b"--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+z");
    assert_eq!(apply(b"x\ny\n", &file), Ok(b"x\nz\n".to_vec()));
    // The default lineterm and '\n'.join: every header line is followed by an empty one.
    let patch = "--- a\n\n+++ b\n\n@@ -1,2 +1,2 @@\n\n x\n-y\n+z\n@@ -9,2 +9 @@\n\n x\n-y";
    let file = one(patch.as_bytes());
    assert_eq!(file.hunks.len(), 2);
    assert_eq!(file.hunks[0].lines[0].content, b"x");
}

#[test]
fn sections_and_omitted_counts_are_read() {
    let file = one(b"--- a\n+++ b\n@@ -1 +1,2 @@ fn f() @@ x\n a\n+b\n@@ -7,0 +9 @@\n+c\n");
    let first = &file.hunks[0];
    assert_eq!(first.section, b"fn f() @@ x");
    assert_eq!((first.old_start, first.old_lines, first.new_start, first.new_lines), (1, 1, 1, 2));
    let kinds: Vec<LineKind> = first.lines.iter().map(|line| line.kind).collect();
    assert_eq!(kinds, [LineKind::Context, LineKind::Added]);
    assert_eq!((file.hunks[1].old_lines, file.hunks[1].new_lines), (0, 1));
}

#[test]
fn counts_that_disagree_with_the_body_are_refused() {
    for (patch, line) in [
        // Too large: the next header, the end, a line of the wrong side.
        ("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+b\n@@ -9 +9 @@\n-a\n+b\n", 6),
        ("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+b\n", 6),
        ("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n-b\n-c\n+b\n", 6),
        ("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+b\n\\No newline\n", 6),
        // Too small: git would silently drop the rest.
        ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n+c\n", 6),
        ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n c\n", 6),
        ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n-c\n", 6),
        ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n--- c\n", 6),
        ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n\n-c\n+d\n", 7),
    ] {
        match parse(patch.as_bytes()) {
            Err(PatchError::HunkCounts { line: found, hunk_line: 3, .. }) => {
                assert_eq!(found, line, "{patch}")
            }
            other => panic!("{patch}: {other:?}"),
        }
    }
    let ends_in_rule = "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n\n--------------2.47.3--\n";
    assert_eq!(one(ends_in_rule.as_bytes()).hunks.len(), 1);
}

#[test]
fn huge_counts_are_refused_before_anything_is_reserved() {
    let patch = b"--- a\n+++ b\n@@ -1,4294967295 +1 @@\n-a\n+b\n";
    let error = PatchError::HunkTooLong { line: 3, announced: u32::MAX, remaining: 2 };
    assert_eq!(parse(patch), Err(error));
    for header in [
        "@@ -1,4294967296 +1 @@",
        "@@ -99999999999999999999 +1 @@",
        "@@ -1, +1 @@",
        "@@ -1 1 @@",
        "@@ - +1 @@",
        "@@ -1 +1 @",
        "@@ -+1 +1 @@",
    ] {
        let patch = format!("--- a\n+++ b\n{header}\n-a\n+b\n");
        let found = parse(patch.as_bytes());
        assert!(matches!(found, Err(PatchError::HunkHeader { line: 3, .. })), "{header} {found:?}");
    }
}

#[test]
fn a_bad_file_is_an_error_wherever_it_is() {
    let patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,3 @@\n-a\n+b\n@@ -5 +5 @@\n-a\n+b\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n--- z\n+++ z\n@@ -1 +1 @@\n-a\n+b\n";
    assert!(matches!(parse(patch.as_bytes()), Err(PatchError::HunkCounts { line: 7, .. })));
    let (bad, others) = patch.split_at(patch.find("diff --git a/y").unwrap());
    let found: Vec<u32> = parse(others.as_bytes()).unwrap().iter().map(|file| file.line).collect();
    assert_eq!(found, [1, 7]);
    let last = parse([others, bad].concat().as_bytes()).map(|files| files.len());
    assert!(matches!(last, Err(PatchError::HunkCounts { line: 18, .. })), "{last:?}");
}

#[test]
fn a_text_without_a_patch_is_refused_as_such() {
    for blank in ["", "\n", "\r\n\n"] {
        assert_eq!(parse(blank.as_bytes()), Ok(vec![]));
    }
    assert!(matches!(parse(b"\nhello\n"), Err(PatchError::NoPatch { .. })));
    assert!(matches!(parse(b"--- a\n+++ b\n"), Err(PatchError::NoPatch { .. })));
    let hunk = format!("hello\n{HUNK}");
    assert_eq!(parse(hunk.as_bytes()), Err(PatchError::HunkWithoutFile { line: 2 }));
    let merge =
        b"diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n";
    assert!(matches!(parse(merge), Err(PatchError::CombinedDiff { line: 1, .. })));
    let context_only = b"@@ -1 +1 @@\n a\n";
    assert_eq!(parse(context_only), Err(PatchError::HunkEmpty { line: 1 }));
}

#[test]
fn headers_that_contradict_themselves_are_refused() {
    for header in [
        "diff --git a/x b/x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/x\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/x b/x\nrename from x\n",
        "diff --git a/x b/x\nrename from z\nrename to x\n",
        "diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
        "diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n",
        "diff --git a/x b/y\nnew file mode 100644\nrename from x\nrename to y\n",
    ] {
        let found = parse(header.as_bytes());
        assert!(matches!(found, Err(PatchError::Names { line: 1, .. })), "{header} {found:?}");
    }
    for line in [
        "old mode 9",
        "old mode 100644",
        "new mode 100644",
        "index g..h",
        "similarity index 101%",
        "similarity index 5",
        "rename to \"x",
        "--- \"x",
        "--- a/x",
    ] {
        let patch = format!("diff --git a/x b/x\n{line}\n");
        let found = parse(patch.as_bytes());
        assert!(matches!(found, Err(PatchError::Header { .. })), "{line} {found:?}");
    }
    let old_lines =
        "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let error = PatchError::Contradiction { line: 5, status: "added", side: "old", lines: 1 };
    assert_eq!(parse(old_lines.as_bytes()), Err(error));
    for cut in ["diff --git a/x b/x\n", "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"]
    {
        let found = parse(cut.as_bytes());
        assert!(matches!(found, Err(PatchError::NoChange { line: 1, .. })), "{cut} {found:?}");
    }
}

#[test]
fn a_file_that_diff_dates_to_the_start_of_1970_is_missing() {
    let epoch = "1970-01-01 00:00:00.000000000 +0000";
    let now = "2026-01-01 00:00:00.000000000 +0000";
    let patch = format!("--- old/x\t{epoch}\n+++ new/x\t{now}\n@@ -0,0 +1 @@\n+a\n");
    assert_eq!(paths(&patch), (None, Some("new/x".into())));
    let patch = format!("--- old/x\t{now}\n+++ new/x\t{epoch}\n@@ -1 +0,0 @@\n-a\n");
    assert_eq!(paths(&patch), (Some("old/x".into()), None));
    // An existing file may have that date.
    let patch = format!("--- old/x\t{epoch}\n+++ new/x\t{now}\n{HUNK}");
    assert_eq!(one(patch.as_bytes()).status, PatchStatus::Modified);
}

#[test]
fn many_headers_hunks_and_blank_lines_are_read_in_linear_time() {
    let inputs = [
        "--- a\n".repeat(200_000),
        format!("@@ -1 +1 @@\n-a\n+b\n{}", "\n".repeat(500_000)),
        "@@ -1 +1 @@\n-a\n+b\n\n\n".repeat(100_000),
        format!("--- a\n+++ b\n{}", "@@ -1,900000 +1,900000 @@\n-a\n+b\n".repeat(100_000)),
        "diff --git a/x b/x\n".repeat(200_000),
        format!("diff --git {}\n", " a/x".repeat(250_000)),
        format!("Binary files {} differ\n", "x and ".repeat(200_000)),
    ];
    for input in &inputs {
        let looks = CheckCount::all();
        let cancel = CancelToken::counting(&looks);
        Parser::new(input.as_bytes(), cancel).unwrap().for_each(drop);
        // Each line and each part of a long one is read a constant number of times.
        let most = 10 * (1 + input.lines().count() / QUANTUM + input.len() / STRIDE);
        assert!(looks.made() <= most as u64, "{} looks, {most} at most", looks.made());
    }
}
