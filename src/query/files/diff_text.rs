//! The change of a file as a part of a git diff, and as an answer counts it.

use redline_base::budget::{Gather, Taken, text_of};
use redline_edit::payload::ShownText;
use redline_edit::{ChangedFile, ContentDiff, Side};
use redline_text::{is_binary, quoted_path};
use redline_tools::CommittedFile;

/// The bits of a mode that tell the kind of a file.
const KIND: u32 = 0o170_000;
/// A regular file.
const FILE: u32 = 0o100_000;
/// A symbolic link.
const LINK: u32 = 0o120_000;

/// Returns changes of files as a git diff: all of what is written, so that it can be read back from
/// the text.
pub(super) fn git_diff<'a>(
    files: impl Iterator<Item = (ChangedFile<'a>, &'a ContentDiff)>,
) -> ShownText {
    let mut all = ShownText::default();
    for (file, diff) in files {
        let (header, hunks) = header_of(file, diff);
        all.append(&header, &[], 0);
        if let Some(start) = hunks {
            all.append(&diff.unified_diff, &diff.not_utf8, start);
        }
    }
    all
}

/// Returns a name as git quotes it: none with a newline or a quote can pass for a line.
fn named(path: &str) -> String {
    text_of(&quoted_path(path.as_bytes(), false)).taken()
}

/// Returns the lines before the hunks, and where these start in `diff` if there are any.
fn header_of(file: ChangedFile<'_>, diff: &ContentDiff) -> (String, Option<usize>) {
    let ChangedFile { path, old_path, before, after } = file;
    let old = old_path.unwrap_or(path);
    let (old_name, new_name) = (named(&format!("a/{old}")), named(&format!("b/{path}")));
    let mut text = format!("diff --git {old_name} {new_name}\n");
    let mode = |side: Side<'_>| match side.mode & KIND {
        FILE if side.is_executable() => "100755",
        FILE => "100644",
        LINK => "120000",
        _ => "160000",
    };
    match (before, after) {
        (None, Some(after)) => text += &format!("new file mode {}\n", mode(after)),
        (Some(before), None) => text += &format!("deleted file mode {}\n", mode(before)),
        (Some(before), Some(after)) if mode(before) != mode(after) => {
            text += &format!("old mode {}\nnew mode {}\n", mode(before), mode(after));
        }
        _ => {}
    }
    if old_path.is_some() {
        text += &format!("rename from {}\nrename to {}\n", named(old), named(path));
    }
    let sides: Vec<Side<'_>> = before.into_iter().chain(after).gather();
    if sides.iter().any(|side| is_binary(side.content)) {
        text += &match &sides[..] {
            [one, other] if one.oid != other.oid => {
                format!("Binary files with the git blob ids {} and {}\n", one.oid, other.oid)
            }
            all => format!("Binary file with the git blob id {}\n", all[0].oid),
        };
        return (text, None);
    }
    let Some((at, _)) = diff.unified_diff.match_indices('\n').nth(1) else { return (text, None) };
    let none = || "/dev/null".to_owned();
    let old = if before.is_some() { old_name } else { none() };
    let new = if after.is_some() { new_name } else { none() };
    text += &format!("--- {old}\n+++ {new}\n");
    (text, Some(at + 1))
}

/// Returns what an answer says of a file, whatever became of it.
pub(super) fn committed(
    path: String,
    kind: &'static str,
    sides: &ChangedFile<'_>,
    diff: &ContentDiff,
) -> CommittedFile {
    let oid = |side: Option<Side<'_>>| side.map(|side| side.oid.to_owned());
    CommittedFile {
        path,
        kind,
        lines_added: diff.additions,
        lines_removed: diff.deletions,
        base_oid: oid(sides.before),
        oid: oid(sides.after),
    }
}
