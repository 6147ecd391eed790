//! Reads unified and git diffs.

use super::recount::{is_header, recounted};
use super::rest::PatchLines;
use super::{ChangeKind, FileChange, Hunk, HunkLine, wrong};
use redline_base::budget::{Copied, GrowBy, TryGather};
use redline_base::error::{Error, Result, quoted};
use redline_text::patch::{self, FilePatch, PatchHunk, PatchStatus};
use redline_text::{CancelToken, LineKind};

/// The bits of a mode that hold the kind of the file, and their value for a regular file.
const KIND_BITS: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

/// The starts of the lines below `diff --git`.
const GIT_LINES: [&str; 15] = [
    "old mode ",
    "new mode ",
    "deleted file mode ",
    "new file mode ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "similarity index ",
    "dissimilarity index ",
    "index ",
    "--- ",
    "+++ ",
    "Binary files ",
    "GIT binary patch",
];

pub(super) fn read(mut lines: PatchLines<'_>, cancel: &CancelToken<'_>) -> Result<Vec<FileChange>> {
    let patch = recounted(&mut lines, cancel);
    own_headers(&mut lines, cancel)?;
    lines.check_rest(cancel)?;
    let patch = patch?;
    let read = patch::parse_within(patch.as_bytes(), *cancel)?;
    read.files.iter().map(change).try_gather()
}

/// Notes which lines belong to the headers of files.
fn own_headers(lines: &mut PatchLines<'_>, cancel: &CancelToken<'_>) -> Result<()> {
    let mut pace = cancel.pace();
    let mut index = 0;
    while let Some(line) = lines.all.get(index) {
        pace.pass(line.len())?;
        let start = index;
        index += 1;
        if line.starts_with("diff --git ") {
            let is_git = |line: &&str| GIT_LINES.iter().any(|start| line.starts_with(start));
            while lines.all.get(index).is_some_and(is_git)
                && !lines.all[index - 1].starts_with("+++ ")
            {
                index += 1;
            }
        } else if line.starts_with("---") {
            // An empty line may follow each name.
            let after_blank = |index: usize| {
                index
                    + usize::from(
                        lines.all.get(index).is_some_and(|line| line.trim_end().is_empty()),
                    )
            };
            let plus = after_blank(index);
            let hunk = after_blank(plus + 1);
            let is_file = lines.all.get(plus).is_some_and(|line| line.starts_with("+++"))
                && lines.all.get(hunk).is_some_and(|line| is_header(line));
            if !is_file {
                continue;
            }
            index = hunk;
        } else if !line.starts_with("Binary files ") {
            continue;
        }
        lines.own(start..index);
    }
    Ok(())
}

fn change(file: &FilePatch<'_>) -> Result<FileChange> {
    let line = file.line as usize;
    let [old, new] = [&file.old_path, &file.new_path]
        .map(|path| path.as_deref().map(|path| text(path, line)).transpose());
    let (old, new) = (old?, new?);
    // Without a rename, an old name such as file.orig only names the other side of the diff.
    let is_named_by_new = !matches!(file.status, PatchStatus::Renamed | PatchStatus::Copied);
    let path = if is_named_by_new { new.clone().or(old) } else { old };
    let path = path.filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| {
        wrong(line, "the change names no file").with_hint("Put --- a/file and +++ b/file before it")
    })?;
    refuse(file, &path)?;
    let hunks = || file.hunks.iter().map(hunk).try_gather::<Vec<_>>();
    let kind = match file.status {
        PatchStatus::Added => ChangeKind::Create(content(&hunks()?, line)?),
        PatchStatus::Deleted => ChangeKind::Delete(hunks()?),
        _ => ChangeKind::Update {
            hunks: hunks()?,
            moves_to: new.filter(|new| *new != path && !new.is_empty()),
        },
    };
    let mode = file.new_mode.filter(|_| file.old_mode != file.new_mode);
    Ok(FileChange {
        executable: mode.map(|mode| mode & 0o111 != 0),
        ..FileChange::new(path, kind, line)
    })
}

/// Refuses changes that a text cannot hold.
fn refuse(file: &FilePatch<'_>, path: &str) -> Result<()> {
    let line = file.line as usize;
    let refused = |what: &str, instead: &str| {
        Err(wrong(line, format_args!("{} is {what}", quoted(path))).with_hint(instead))
    };
    if file.is_binary {
        return refused("a binary file, and patches of these are not applied", "Leave it out");
    }
    let modes = [file.old_mode, file.new_mode];
    let is_kind = |kind: u32| modes.iter().flatten().any(|mode| mode & KIND_BITS == kind);
    if is_kind(0o120_000) {
        return refused("a symbolic link, and links are not made or changed", "Leave it out");
    }
    if is_kind(0o160_000) {
        return refused("a submodule, and its commit is not changed", "Leave it out");
    }
    if modes.iter().flatten().any(|mode| mode & KIND_BITS != REGULAR) {
        return refused("of a kind that is not a file", "Give mode 100644 or 100755");
    }
    if file.status == PatchStatus::Copied {
        return refused("copied, and copies are not made", "Create the file with its lines");
    }
    Ok(())
}

fn text(bytes: &[u8], line: usize) -> Result<String> {
    String::from_utf8(bytes.copied_vec())
        .map_err(|error| wrong(line, "a path or a line is not UTF-8").with_source(error))
}

fn hunk(hunk: &PatchHunk<'_>) -> Result<Hunk> {
    let line = hunk.line as usize;
    let of_line = |patch_line: &patch::PatchLine<'_>| {
        Ok::<_, Error>(HunkLine {
            kind: patch_line.kind,
            text: text(patch_line.content, line)?,
            lacks_newline: !patch_line.newline,
        })
    };
    // Line 0 is before the first line, which is a place only without old lines.
    let number = |start: u32| Some(start as usize).filter(|start| *start > 0);
    Ok(Hunk {
        lines: hunk.lines.iter().map(of_line).try_gather()?,
        start: number(hunk.old_start),
        new_start: number(hunk.new_start),
        line,
        ..Hunk::default()
    })
}

/// Returns the content of a created file.
fn content(hunks: &[Hunk], line: usize) -> Result<String> {
    let mut content = String::new();
    for HunkLine { kind, text, lacks_newline } in hunks.iter().flat_map(|hunk| &hunk.lines) {
        if *kind != LineKind::Added {
            return Err(wrong(line, "a file that is created has lines that are not added")
                .with_hint("Start each of its lines with +"));
        }
        content.add_slice(text);
        content.add_slice(if *lacks_newline { "" } else { "\n" });
    }
    Ok(content)
}
