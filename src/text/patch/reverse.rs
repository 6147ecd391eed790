//! Prints the patch that undoes another.

use super::super::cancel_token::{CancelToken, Stopped};
use super::binary::binary_blocks;
use super::error::PatchError;
use super::header::{GIT, GitHeader, GitNames, Header};
use super::parse::{Parsed, Parser, plain_prefixes};
use super::path::{self, DEV_NULL, Name};
use super::print::Writer;
use super::{FilePatch, LineKind, PatchHunk, PatchLine, PatchStatus};
use redline_base::budget::{Copied, Joined, Ordered, TryGather};

/// Returns the patch that undoes `patch`, in the form `git diff new old` prints.
///
/// Headers and hunks change sides, and removed lines come before added ones. The prefixes `a/` and
/// `b/` stay with their side, which `git diff -R` would exchange; those of `diff.mnemonicPrefix`,
/// and the directories and times of `diff -u`, move with the name. Text around the files is
/// omitted. For a patch of `git diff`, the reverse of the reverse is the patch itself. The text
/// after the second `@@` is kept, though git would take it from the other side.
///
/// The files of one diff are ordered by path, as in git. In any other order, as in a series of
/// patches, the last file comes first, since it must be undone first.
///
/// # Errors
/// Returns the error in the patch, or why a file in it cannot be reversed: a copy, or a binary
/// patch with only one direction.
pub fn reverse(patch: &[u8]) -> Result<Vec<u8>, PatchError> {
    reverse_within(patch, CancelToken::never())
}

/// Returns the patch as [`reverse`] does, within a budget.
///
/// # Errors
/// Those of [`reverse`], and [`PatchError::Stopped`].
pub fn reverse_within(patch: &[u8], cancel: CancelToken<'_>) -> Result<Vec<u8>, PatchError> {
    let mut parser = Parser::new(patch, cancel)?;
    let mut files: Vec<Parsed<'_>> = parser.by_ref().try_gather()?;
    order(&mut files);
    // Hunks without a file header must not follow a file, since they would become its hunks.
    files.order_by_key(|parsed| !matches!(parsed.header, Header::Bare));
    let mut writer = Writer { out: Vec::new(), end: b"", work: parser.work };
    let mut header_only = false;
    for parsed in &files {
        let file = &parsed.file;
        let is_git = matches!(parsed.header, Header::Git(..));
        // Otherwise it would be read as a part of that header.
        if header_only && !is_git {
            writer.append(b"\n")?;
        }
        header_only = is_git && !file.is_binary && file.hunks.is_empty();
        reverse_file(parsed, &mut writer)?;
    }
    Ok(writer.out)
}

/// Sorts the files, which are in the order of the patch, for the reverse.
///
/// One diff has ascending paths, and a path twice only for a change of type, which is a deletion
/// and then an addition; that must hold for both directions.
fn order(files: &mut Vec<Parsed<'_>>) {
    fn forth<'a>(parsed: &'a Parsed<'_>) -> (&'a [u8], bool) {
        let file = &parsed.file;
        let path = file.new_path.as_deref().or(file.old_path.as_deref());
        (path.unwrap_or_default(), file.status != PatchStatus::Deleted)
    }
    fn back<'a>(parsed: &'a Parsed<'_>) -> (&'a [u8], bool) {
        let file = &parsed.file;
        let path = file.old_path.as_deref().or(file.new_path.as_deref());
        (path.unwrap_or_default(), file.status != PatchStatus::Added)
    }
    if files.is_sorted_by(|a, b| forth(a) < forth(b)) {
        files.order_by(|a, b| back(a).cmp(&back(b)));
        if files.is_sorted_by(|a, b| back(a) < back(b)) {
            return;
        }
        files.order_by_key(|parsed| parsed.file.line);
    }
    files.reverse();
}

fn reverse_file(parsed: &Parsed<'_>, writer: &mut Writer<'_>) -> Result<(), PatchError> {
    let file = &parsed.file;
    writer.end = if parsed.crlf { b"\r\n" } else { b"\n" };
    match &parsed.header {
        Header::Git(names, header) => reverse_git(file, names, header, writer)?,
        Header::Plain(minus, plus) => {
            let [old, new] = reverse_plain(&minus.name, &plus.name);
            writer.line(&[b"--- ", &old, plus.rest])?;
            writer.line(&[b"+++ ", &new, minus.rest])?;
        }
        Header::PlainBinary(old, new) => {
            let [old, new] = reverse_plain(old, new);
            writer.line(&[b"Binary files ", &old, b" and ", &new, b" differ"])?;
        }
        Header::Bare => {}
    }
    for hunk in &file.hunks {
        reverse_hunk(hunk, writer)?;
    }
    Ok(())
}

/// Returns the names for the old and the new side of the reversed file, outside a git diff.
fn reverse_plain(old: &Name<'_>, new: &Name<'_>) -> [Vec<u8>; 2] {
    let (old_prefix, new_prefix) = plain_prefixes(old, new);
    let is = |name: &Name<'_>, prefix: &[u8]| name.is_dev_null() || name.path.starts_with(prefix);
    // Other prefixes name the origin of a side, and move with it; so do `b/` and `a/`.
    if old_prefix + new_prefix == 0 || !is(old, b"a/") || !is(new, b"b/") {
        return [new.raw.copied_vec(), old.raw.copied_vec()];
    }
    let named = |name: &Name<'_>, prefix: &[u8]| {
        if name.is_dev_null() { DEV_NULL.copied_vec() } else { name.with_prefix(2, prefix) }
    };
    [named(new, b"a/"), named(old, b"b/")]
}

fn reverse_git(
    file: &FilePatch<'_>,
    names: &GitNames<'_>,
    header: &GitHeader<'_>,
    writer: &mut Writer<'_>,
) -> Result<(), PatchError> {
    if header.transfer == Some("copy") {
        return Err(PatchError::CopyNotReversible { line: file.line });
    }
    let (old_length, new_length) = names.prefixes;
    let old_prefix = names.old.path.get(..old_length).unwrap_or_default();
    let new_prefix = names.new.path.get(..new_length).unwrap_or_default();
    // The prefixes of `diff.mnemonicPrefix` name the origin of a side, and move with it.
    let mnemonic = path::known_prefixes(&names.old.path, &names.new.path)
        && !matches!(old_prefix, b"a/" | b"b/");
    let (to_old, to_new) =
        if mnemonic { (new_prefix, old_prefix) } else { (old_prefix, new_prefix) };
    let old = names.new.with_prefix(new_length, to_old);
    let new = names.old.with_prefix(old_length, to_new);
    writer.line(&[GIT, &old, b" ", &new])?;

    for (text, mode) in [
        ("old mode ", header.new_mode),
        ("new mode ", header.old_mode),
        ("deleted file mode ", header.added_mode),
        ("new file mode ", header.deleted_mode),
    ] {
        if let Some(mode) = mode {
            writer.line(&[text.as_bytes(), format!("{mode:06o}").as_bytes()])?;
        }
    }
    if let Some((kind, value)) = header.likeness {
        writer.line(&[kind.as_bytes(), format!(" index {value}%").as_bytes()])?;
    }
    if let (Some(from), Some(to)) = (&header.from, &header.to) {
        writer.line(&[b"rename from ", to.raw])?;
        writer.line(&[b"rename to ", from.raw])?;
    }
    if let Some((old, new, mode)) = header.index {
        let mode = mode.map_or(String::new(), |mode| format!(" {mode:06o}"));
        let ids = [new.as_bytes(), b"..", old.as_bytes()].chained();
        writer.line(&[b"index ", &ids, mode.as_bytes()])?;
    }

    let old_side = if file.new_path.is_some() { &old } else { DEV_NULL };
    let new_side = if file.old_path.is_some() { &new } else { DEV_NULL };
    if let Some(block) = file.binary_patch {
        let blocks = binary_blocks(block, &mut writer.work)?;
        let [forward, back] = blocks.as_slice() else {
            return Err(PatchError::BinaryNotReversible { line: file.line });
        };
        writer.line(&[b"GIT binary patch"])?;
        for lines in [back, forward] {
            for line in lines {
                writer.line(&[line])?;
            }
            writer.line(&[])?;
        }
    } else if file.is_binary {
        writer.line(&[b"Binary files ", old_side, b" and ", new_side, b" differ"])?;
    }
    if let (Some(minus), Some(plus)) = (&header.minus, &header.plus) {
        writer.line(&[b"--- ", old_side, plus.rest])?;
        writer.line(&[b"+++ ", new_side, minus.rest])?;
    }
    Ok(())
}

fn reverse_hunk(hunk: &PatchHunk<'_>, writer: &mut Writer<'_>) -> Result<(), Stopped> {
    let (old, new) = ((hunk.new_start, hunk.new_lines), (hunk.old_start, hunk.old_lines));
    writer.hunk_header(old, new, hunk.section)?;
    // Within one run of changes the removed lines, which were the added ones, come first.
    for run in
        hunk.lines.chunk_by(|a, b| (a.kind == LineKind::Context) == (b.kind == LineKind::Context))
    {
        for (kind, shown_as) in [
            (LineKind::Context, LineKind::Context),
            (LineKind::Added, LineKind::Removed),
            (LineKind::Removed, LineKind::Added),
        ] {
            for line in run.iter().filter(|line| line.kind == kind) {
                writer.hunk_line(&PatchLine { kind: shown_as, ..*line })?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reversed(patch: &str) -> String {
        let out = reverse(patch.as_bytes()).expect("a reversible patch");
        String::from_utf8(out).expect("UTF-8")
    }

    /// Each pair is the output of `git diff` and `git diff -R`.
    #[test]
    fn headers_change_sides_as_git_prints_them() {
        let pairs = [
            (
                "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
                "diff --git a/x b/x\nold mode 100755\nnew mode 100644\n",
            ),
            (
                "diff --git a/x y b/x y\nnew file mode 100644\nindex 0000000..257cc56\n--- /dev/null\n+++ b/x y\t\n@@ -0,0 +1 @@\n+foo\n",
                "diff --git a/x y b/x y\ndeleted file mode 100644\nindex 257cc56..0000000\n--- a/x y\t\n+++ /dev/null\n@@ -1 +0,0 @@\n-foo\n",
            ),
            (
                "diff --git a/old x b/new y\nold mode 100644\nnew mode 100755\nsimilarity index 95%\nrename from old x\nrename to new y\nindex 1111111..2222222\n--- a/old x\t\n+++ b/new y\t\n@@ -1 +1 @@ f\n-a\n+b\n",
                "diff --git a/new y b/old x\nold mode 100755\nnew mode 100644\nsimilarity index 95%\nrename from new y\nrename to old x\nindex 2222222..1111111\n--- a/new y\t\n+++ b/old x\t\n@@ -1 +1 @@ f\n-b\n+a\n",
            ),
            (
                "diff --git \"a/\\351\" b/e\nsimilarity index 100%\nrename from \"\\351\"\nrename to e\n",
                "diff --git a/e \"b/\\351\"\nsimilarity index 100%\nrename from e\nrename to \"\\351\"\n",
            ),
            (
                "diff --git x x\nindex 1111111..2222222 100644\n--- x\n+++ x\n@@ -1,2 +1 @@\n-a\n b\n",
                "diff --git x x\nindex 2222222..1111111 100644\n--- x\n+++ x\n@@ -1 +1,2 @@\n+a\n b\n",
            ),
            (
                "diff --git i/x w/x\nindex 1111111..2222222 100644\n--- i/x\n+++ w/x\n@@ -1 +1 @@\n-a\n+b\n",
                "diff --git w/x i/x\nindex 2222222..1111111 100644\n--- w/x\n+++ i/x\n@@ -1 +1 @@\n-b\n+a\n",
            ),
            (
                "diff --git a/p.png b/p.png\nnew file mode 100644\nindex 0000000..f76dd23\nBinary files /dev/null and b/p.png differ\n",
                "diff --git a/p.png b/p.png\ndeleted file mode 100644\nindex f76dd23..0000000\nBinary files a/p.png and /dev/null differ\n",
            ),
            (
                "diff --git a/p b/p\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 1\nBcmeh0\n\nliteral 2\nCcmeh0\n\n",
                "diff --git a/p b/p\nindex 2222222..1111111 100644\nGIT binary patch\nliteral 2\nCcmeh0\n\nliteral 1\nBcmeh0\n\n",
            ),
            (
                "--- old/x\t2026-01-01 00:00:00 +0000\n+++ new/x\t2026-02-02 00:00:00 +0000\n@@ -1 +1 @@\n-a\n+b\n",
                "--- new/x\t2026-02-02 00:00:00 +0000\n+++ old/x\t2026-01-01 00:00:00 +0000\n@@ -1 +1 @@\n-b\n+a\n",
            ),
            (
                "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
                "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
            ),
            ("@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-b\n+a\n"),
            ("Binary files old/p and new/p differ\n", "Binary files new/p and old/p differ\n"),
        ];
        for (patch, undo) in pairs {
            assert_eq!(reversed(patch), undo, "{patch}");
            assert_eq!(reversed(undo), patch, "{undo}");
        }
    }

    #[test]
    fn removed_lines_come_before_added_ones_in_every_run() {
        let patch = "@@ -1,4 +1,4 @@\n-a\n+b\n c\n-d\n-e\n+f\n+g\n\\ No newline at end of file\n";
        let undo = "@@ -1,4 +1,4 @@\n-b\n+a\n c\n-f\n-g\n\\ No newline at end of file\n+d\n+e\n";
        assert_eq!(reversed(patch), undo);
        assert_eq!(reversed(undo), patch);
        let mixed = "@@ -1,2 +1,2 @@\n+b\n-a\n+d\n-c\n";
        assert_eq!(reversed(mixed), "@@ -1,2 +1,2 @@\n-b\n-d\n+a\n+c\n");
    }

    #[test]
    fn crlf_headers_stay_crlf() {
        let patch =
            "--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n\\ No newline at end of file\r\n";
        let undo =
            "--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-b\r\n\\ No newline at end of file\r\n+a\r\n";
        assert_eq!(reversed(patch), undo);
        assert_eq!(reversed(undo), patch);
    }

    #[test]
    fn a_change_of_type_and_a_series_are_undone_in_the_right_order() {
        let file = |name: &str, status: &str| {
            format!("diff --git a/{name} b/{name}\n{status} file mode 100644\n")
        };
        let retyped = [file("k", "deleted"), file("k", "new"), file("z", "new")].concat();
        let undo = [file("k", "deleted"), file("k", "new"), file("z", "deleted")].concat();
        assert_eq!(reversed(&retyped), undo);
        assert_eq!(reversed(&undo), retyped);
        let series = [file("k", "new"), file("k", "deleted"), file("b", "new")].concat();
        let undo = [file("b", "deleted"), file("k", "new"), file("k", "deleted")].concat();
        assert_eq!(reversed(&series), undo);
    }

    #[test]
    fn a_reversed_file_never_becomes_part_of_the_one_before_it() {
        let plain = "--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n";
        let (mode, undo) = (
            "diff --git a/y b/y\nold mode 100644\nnew mode 100755\n",
            "diff --git a/y b/y\nold mode 100755\nnew mode 100644\n",
        );
        let undone = plain.replace("-a\n+b", "-b\n+a");
        let patch = format!("{mode}\n{plain}");
        assert_eq!(reversed(&format!("{patch}{mode}")), format!("{undo}\n{undone}{undo}"));
        let bare = "@@ -1 +1 @@\n-a\n+b\n";
        let undone = "@@ -1 +1 @@\n-b\n+a\n";
        assert_eq!(reversed(&format!("{bare}{mode}{mode}")), format!("{undone}{undo}{undo}"));
    }

    #[test]
    fn a_patch_that_cannot_be_undone_is_refused() {
        let copy = b"diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n";
        assert_eq!(reverse(copy), Err(PatchError::CopyNotReversible { line: 1 }));
        let one_way =
            b"\ndiff --git a/p b/p\nindex 1..2 100644\nGIT binary patch\nliteral 1\nBcmeh0\n\n";
        assert_eq!(reverse(one_way), Err(PatchError::BinaryNotReversible { line: 2 }));
        assert_eq!(reverse(b""), Ok(Vec::new()));
    }
}
