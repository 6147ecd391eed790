//! The payload of an operation, and the text that its chunks are cut from.

use crate::approvals::secret::Digest;
use crate::payload::{
    Base, CHUNK_BYTES, Chunk, CommitFacts, CommitLargePayload, CommitPayload, EditLargePayload,
    EditPayload, Head, NotUtf8, PREVIEW_LINES, PatchLargePayload, PatchPayload, PatchedFile,
    Payload, ReadPayload, ShownText, WHOLE_BYTES, WriteLargePayload, WritePayload,
};
use crate::plan::change::{ChangedFile, Side};
use crate::plan::request::{Edit, FileName};
use crate::plan::{ContentDiff, Plan};
use redline_base::budget::{CopiedText, Gather, Taken, text_of};
use redline_base::error::{Error, Result, visible};
use redline_base::form::counted;
use redline_text::CancelToken;
use redline_text::lines::{Lines, line_count, without_terminator};

/// The number of lines that a payload shows on each side of the first match.
const CONTEXT_LINES: usize = 3;

/// The start of a payload's `fetch_url`; the approval id follows.
const FETCH_URL: &str = "redline:approval/";

impl Base {
    fn of(side: Side<'_>) -> Self {
        Self {
            base_oid: Some(side.oid.to_owned()),
            mode: Some(format!("{:o}", side.mode)),
            run_by_tools: false,
        }
    }
}

impl Head {
    fn of(file: FileName<'_>, description: String) -> Self {
        Self { description, path: file.to_string(), sandbox: file.sandbox.to_owned() }
    }
}

impl Chunk {
    /// Returns the start of a text that is fetched by an id.
    fn of(text: &str, id: Digest) -> Self {
        Self {
            content_truncated: true,
            content_preview: chunks(text).next().unwrap_or_default().to_owned(),
            fetch_url: format!("{FETCH_URL}{id}"),
            chunk_size: CHUNK_BYTES as u64,
            total_chunks: chunks(text).count() as u64,
        }
    }
}

/// The proposal of an operation for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The payload for the host.
    pub payload: Payload,
    /// The whole text of a large payload, which itself holds only the first chunk.
    large: Option<String>,
}

impl PatchedFile {
    /// Returns what a payload lists of a file.
    pub fn of(file: &ChangedFile<'_>, kind: &str, diff: &ContentDiff, run_by_tools: bool) -> Self {
        let ChangedFile { path, old_path, before, after } = *file;
        Self {
            path: path.to_owned(),
            old_path: old_path.map(str::to_owned),
            kind: kind.to_owned(),
            lines_added: diff.additions,
            lines_removed: diff.deletions,
            base_oid: before.map(|side| side.oid.to_owned()),
            mode: before.map(|side| format!("{:o}", side.mode)),
            executable: after.is_some_and(Side::is_executable),
            run_by_tools,
        }
    }
}

impl Proposal {
    /// Proposes to write `content` to the file, new or existing; `change` is the difference to the
    /// existing content, if it may be shown.
    pub fn write(
        file: FileName<'_>,
        content: &str,
        existing: Option<Side<'_>>,
        change: Option<ContentDiff>,
        id: Digest,
    ) -> Self {
        let content_lines = line_count(content.as_bytes());
        let content_bytes = content.len() as u64;
        let existing_lines = existing.map(|existing| line_count(existing.content));
        let existing_bytes = existing.map(|existing| existing.content.len() as u64);
        let mut description = format!("Write {} to {file}", counted(content_lines, "line"));
        if let Some(lines) = existing_lines {
            description += &format!(" (overwrites {})", counted(lines, "line"));
        }
        let head = Head::of(file, description);
        let file_exists = existing.is_some();
        let base = existing.map(Base::of).unwrap_or_default();
        let approval_id = id.to_string();
        if content.len() > WHOLE_BYTES {
            let payload = Payload::WriteLarge(WriteLargePayload {
                head,
                chunk: Chunk::of(content, id),
                content_lines,
                content_bytes,
                file_exists,
                existing_lines,
                existing_bytes,
                base,
                approval_id,
            });
            return Self { payload, large: Some(content.copied_text()) };
        }
        let preview: String = content.split_inclusive('\n').take(PREVIEW_LINES).gather();
        let change = change
            .map(|change| ShownText { text: change.unified_diff, not_utf8: change.not_utf8 })
            .filter(|diff| diff.shown_bytes() + content.len() <= WHOLE_BYTES);
        let (unified_diff, not_utf8) =
            change.map_or_else(Default::default, |diff| (Some(diff.text), diff.not_utf8));
        let payload = Payload::Write(WritePayload {
            head,
            preview_truncated: preview.len() < content.len(),
            content: content.copied_text(),
            content_lines,
            content_bytes,
            preview,
            file_exists,
            existing_lines,
            existing_bytes,
            diff_lines: unified_diff.as_ref().map(|diff| line_count(diff.as_bytes())),
            unified_diff,
            not_utf8,
            base,
            approval_id,
        });
        Self { payload, large: None }
    }

    /// Proposes a plan made of `edits` for the file.
    ///
    /// # Errors
    /// `too_large` if the plan would have been, too.
    pub fn edit(
        file: FileName<'_>,
        [existing, result]: [Side<'_>; 2],
        edits: &[Edit<'_>],
        plan: &Plan,
        id: Digest,
    ) -> Result<Self> {
        let head = Head::of(file, plan.description(file));
        let base = existing.content;
        let (old_string, new_string, replace_all) = match edits {
            [edit] => {
                (edit.old_string.copied_text(), edit.new_string.copied_text(), edit.replace_all)
            }
            _ => {
                let [old, new] =
                    span([base, result.content], plan).map(|bytes| text_of(bytes).taken());
                (old, new, false)
            }
        };
        let lines = Lines::split(base, &CancelToken::never())?;
        let [context_before, context_after] = context(&lines, plan);
        let unified_diff = plan.diff.unified_diff.copied_text();
        let diff_lines = line_count(unified_diff.as_bytes());
        let (match_line, match_count) = (plan.match_line, plan.replacements_made());
        let (file_lines, file_bytes) = (lines.len() as u64, base.len() as u64);
        let (base, approval_id) = (Base::of(existing), id.to_string());
        let texts = [&old_string, &new_string, &unified_diff, &context_before, &context_after];
        let not_utf8 = plan.diff.not_utf8.clone();
        let bytes = texts.iter().map(|text| text.len()).sum::<usize>();
        if bytes + not_utf8.len() * NotUtf8::SHOWN_BYTES > WHOLE_BYTES {
            let payload = Payload::EditLarge(EditLargePayload {
                head,
                chunk: Chunk::of(&unified_diff, id),
                replace_all,
                diff_lines,
                match_line,
                match_count,
                file_lines,
                file_bytes,
                base,
                approval_id,
            });
            return Ok(Self { payload, large: Some(unified_diff) });
        }
        let payload = Payload::Edit(EditPayload {
            head,
            old_string,
            new_string,
            replace_all,
            unified_diff,
            not_utf8,
            diff_lines,
            match_line,
            match_count,
            context_before,
            context_after,
            file_lines,
            file_bytes,
            base,
            approval_id,
        });
        Ok(Self { payload, large: None })
    }

    /// Proposes changes of several files of a sandbox; `diff`, a git diff, shows all of them.
    pub fn patch(sandbox: &str, files: Vec<PatchedFile>, diff: ShownText, id: Digest) -> Self {
        let sum = |of: fn(&PatchedFile) -> u64| files.iter().map(of).sum::<u64>();
        let description = format!(
            "Patch {} of {sandbox}: +{} −{}",
            counted(files.len() as u64, "file"),
            sum(|file| file.lines_added),
            sum(|file| file.lines_removed)
        );
        Self::of_files(sandbox, description, files, (diff, None), id)
    }

    /// Proposes to undo the operations `undone` on files of a sandbox.
    pub fn undo(
        sandbox: &str,
        files: Vec<PatchedFile>,
        diff: ShownText,
        undone: Vec<String>,
        id: Digest,
    ) -> Self {
        let description = format!("Undo: {sandbox} ({})", counted(files.len() as u64, "file"));
        Self::of_files(sandbox, description, files, (diff, Some(undone)), id)
    }

    /// Proposes a commit, or what is staged for one, in the repository `repo` of a sandbox; `diff`
    /// shows all of its files.
    pub fn commit(
        [repo, sandbox]: [&str; 2],
        facts: CommitFacts,
        files: Vec<PatchedFile>,
        diff: &ShownText,
        id: Digest,
    ) -> Self {
        let count = counted(files.len() as u64, "file");
        let subject = facts.message.iter().flat_map(|message| message.lines()).next();
        let description = match (facts.action.as_str(), &facts.branch, subject) {
            ("commit", Some(branch), Some(subject)) => {
                format!("Commit {count} to {branch} of {repo}: {}", visible(subject))
            }
            ("commit", _, subject) => {
                format!(
                    "Commit {count} on no branch of {repo}: {}",
                    visible(subject.unwrap_or_default())
                )
            }
            ("stage", ..) => format!("Stage {count} of {repo}"),
            ("undo", Some(branch), _) => format!("Move {branch} of {repo} back: {count}"),
            ("undo", None, _) if facts.leaves.is_some() => {
                format!("Move HEAD of {repo} back: {count}")
            }
            ("undo", ..) => format!("Put back what was staged of {repo}: {count}"),
            _ => format!("Unstage {count} of {repo}"),
        };
        let head = Head { description, path: repo.to_owned(), sandbox: sandbox.to_owned() };
        let mut text = ShownText { text: facts.text(), not_utf8: Vec::new() };
        text.append(&diff.text, &diff.not_utf8, 0);
        let is_large = text.shown_bytes() > WHOLE_BYTES;
        let ShownText { text: unified_diff, not_utf8 } = text;
        let diff_lines = line_count(unified_diff.as_bytes());
        let approval_id = id.to_string();
        if is_large {
            let chunk = Chunk::of(&unified_diff, id);
            let payload = Payload::CommitLarge(CommitLargePayload {
                head,
                facts,
                files,
                chunk,
                diff_lines,
                approval_id,
            });
            return Self { payload, large: Some(unified_diff) };
        }
        let payload = Payload::Commit(CommitPayload {
            head,
            facts,
            files,
            unified_diff,
            not_utf8,
            diff_lines,
            approval_id,
        });
        Self { payload, large: None }
    }

    fn of_files(
        sandbox: &str,
        description: String,
        files: Vec<PatchedFile>,
        (diff, undoes): (ShownText, Option<Vec<String>>),
        id: Digest,
    ) -> Self {
        let (path, sandbox) = (sandbox.to_owned(), sandbox.to_owned());
        let head = Head { description, path, sandbox };
        let is_large = diff.shown_bytes() > WHOLE_BYTES;
        let ShownText { text: unified_diff, not_utf8 } = diff;
        let diff_lines = line_count(unified_diff.as_bytes());
        let approval_id = id.to_string();
        if is_large {
            let payload = Payload::PatchLarge(PatchLargePayload {
                head,
                files,
                chunk: Chunk::of(&unified_diff, id),
                diff_lines,
                undoes,
                approval_id,
            });
            return Self { payload, large: Some(unified_diff) };
        }
        let payload = Payload::Patch(PatchPayload {
            head,
            files,
            unified_diff,
            not_utf8,
            diff_lines,
            undoes,
            approval_id,
        });
        Self { payload, large: None }
    }

    /// Proposes to read the file.
    pub fn read(file: FileName<'_>, existing: Option<Side<'_>>, id: Digest) -> Self {
        let payload = Payload::Read(ReadPayload {
            head: Head::of(file, format!("Read {file}")),
            file_lines: existing.map_or(0, |existing| line_count(existing.content)),
            file_bytes: existing.map_or(0, |existing| existing.content.len() as u64),
            file_exists: existing.is_some(),
            base: existing.map(Base::of).unwrap_or_default(),
            approval_id: id.to_string(),
        });
        Self { payload, large: None }
    }

    /// Returns chunk `number`, from 1, of the content or the unified diff; joined they are the
    /// whole. A payload that is not large has one chunk.
    ///
    /// # Errors
    /// `invalid_args` when there is no such chunk.
    pub fn chunk(&self, number: u64) -> Result<&str> {
        let text = match (&self.large, &self.payload) {
            (Some(text), _) | (None, Payload::Write(WritePayload { content: text, .. })) => text,
            (
                None,
                Payload::Edit(EditPayload { unified_diff: text, .. })
                | Payload::Patch(PatchPayload { unified_diff: text, .. })
                | Payload::Commit(CommitPayload { unified_diff: text, .. }),
            ) => text,
            _ => "",
        };
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let chunk = index.and_then(|index| chunks(text).nth(index));
        chunk.ok_or_else(|| {
            Error::invalid_args(format!("there is no chunk {number}")).with_hint(format!(
                "Chunks are numbered from 1, and there are {}",
                chunks(text).count()
            ))
        })
    }

    /// Returns approximately how many bytes it takes.
    pub(crate) fn held_bytes(&self) -> usize {
        self.payload.to_json().len() + self.large.as_ref().map_or(0, String::len)
    }
}

/// Returns the approval id in a reference to a payload: its `fetch_url`, or the id itself.
pub(crate) fn approval_id(reference: &str) -> &str {
    reference.strip_prefix(FETCH_URL).unwrap_or(reference)
}

/// Cuts a text into chunks of at most [`CHUNK_BYTES`] that split no character.
fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(CHUNK_BYTES));
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// Returns the part from the first match to the last, before and after the edit.
fn span<'a>(contents: [&'a [u8]; 2], plan: &Plan) -> [&'a [u8]; 2] {
    let start = plan.places.first().map_or(0, |first| first.start);
    let behind = contents[0].len() - plan.places.last().map_or(0, |last| last.end);
    contents.map(|bytes| &bytes[start..bytes.len() - behind])
}

/// Returns the lines before and after the first match, each without the last line end.
fn context(lines: &Lines<'_>, plan: &Plan) -> [String; 2] {
    let Some(place) = plan.places.first() else { return Default::default() };
    let first = lines.line_at(place.start);
    let after = match place.is_empty() {
        // Inserted text comes before this line.
        true => first,
        false => lines.line_at(place.end - 1) + 1,
    };
    [first.saturating_sub(CONTEXT_LINES)..first, after..after + CONTEXT_LINES].map(|range| {
        let text = &lines.bytes()[lines.start(range.start)..lines.start(range.end)];
        text_of(without_terminator(text)).taken()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_text::Engine;

    const FILE: FileName<'static> = FileName { sandbox: "workspace", relative: "src/utils.py" };

    const OLD: Side<'static> = Side { content: b"", oid: "0123", mode: 0o100_644 };

    fn id() -> Digest {
        Digest::sha256(b"src/utils.py")
    }

    fn edit(base: &[u8], edits: &[Edit<'_>]) -> (Proposal, Plan) {
        let plan =
            Plan::new(&mut Engine::default(), FILE, base, edits, 64 << 20, &CancelToken::never())
                .unwrap();
        let sides = [base, &plan.content].map(|content| Side { content, ..OLD });
        (Proposal::edit(FILE, sides, edits, &plan, id()).unwrap(), plan)
    }

    fn one<'a>(old_string: &'a str, new_string: &'a str) -> Edit<'a> {
        Edit { old_string, new_string, replace_all: false }
    }

    /// Returns the payload's JSON, one field a line, without our approval id.
    fn shown(proposal: &Proposal) -> String {
        let value: serde_json::Value = serde_json::from_str(&proposal.payload.to_json()).unwrap();
        assert_eq!(value["approval_id"], id().to_string());
        // The order of the fields in the text is checked, which a parsed value does not keep.
        proposal
            .payload
            .to_json()
            .replace(&id().to_string(), "ID")
            .replace("\",\"", "\",\n\"")
            .replace(",\"", ",\n\"")
            .replace("\n\n", "\n")
    }

    #[test]
    fn the_example_of_the_specification_has_its_payload() {
        let base = "import os\nimport sys\n\ndef helper():\n    pass\n\nhelper()\n";
        let (proposal, plan) = edit(
            base.as_bytes(),
            &[one("import os\nimport sys", "import os\nimport sys\nimport json")],
        );
        assert_eq!(
            shown(&proposal),
            r#"{"type":"edit",
"description":"Edit workspace/src/utils.py: add 1 line at line 1",
"path":"workspace/src/utils.py",
"sandbox":"workspace",
"old_string":"import os\nimport sys",
"new_string":"import os\nimport sys\nimport json",
"replace_all":false,
"unified_diff":"--- a/src/utils.py\n+++ b/src/utils.py\n@@ -1,5 +1,6 @@\n import os\n import sys\n+import json\n \n def helper():\n     pass\n",
"diff_lines":9,
"match_line":1,
"match_count":1,
"context_before":"",
"context_after":"\ndef helper():\n    pass",
"file_lines":7,
"file_bytes":55,
"base_oid":"0123",
"mode":"100644",
"approval_id":"ID"}"#
        );
        assert_eq!(plan.message(FILE), "Added 1 line at line 1 in workspace/src/utils.py");
        assert_eq!((plan.replacements_made(), plan.lines_changed()), (1, 1));
    }

    #[test]
    fn a_write_shows_the_fields_that_the_specification_has() {
        let proposal = Proposal::write(FILE, "a\nb", None, None, id());
        assert_eq!(
            shown(&proposal),
            r#"{"type":"write",
"description":"Write 2 lines to workspace/src/utils.py",
"path":"workspace/src/utils.py",
"sandbox":"workspace",
"content":"a\nb",
"content_lines":2,
"content_bytes":3,
"preview":"a\nb",
"preview_truncated":false,
"file_exists":false,
"existing_lines":null,
"existing_bytes":null,
"unified_diff":null,
"diff_lines":null,
"base_oid":null,
"mode":null,
"approval_id":"ID"}"#
        );
        let content = "x\n".repeat(51);
        let existing = Side { content: b"\xff\0", ..OLD };
        let Payload::Write(write) =
            Proposal::write(FILE, &content, Some(existing), None, id()).payload
        else {
            panic!("small")
        };
        assert_eq!(
            write.head.description,
            "Write 51 lines to workspace/src/utils.py (overwrites 1 line)"
        );
        assert_eq!((write.preview.as_str(), write.preview_truncated), (&content[..100], true));
        let of_old = (
            write.file_exists,
            write.existing_lines,
            write.existing_bytes,
            write.base.base_oid.as_deref(),
        );
        assert_eq!(of_old, (true, Some(1), Some(2), Some("0123")));
        let Payload::Write(write) = Proposal::write(FILE, &content[2..], None, None, id()).payload
        else {
            panic!("small")
        };
        assert_eq!((write.preview.as_str(), write.preview_truncated), (&content[2..], false));
    }

    #[test]
    fn a_read_shows_its_fields_and_no_content() {
        let existing = Side { content: b"secret\n", ..OLD };
        assert_eq!(
            shown(&Proposal::read(FILE, Some(existing), id())),
            r#"{"type":"read",
"description":"Read workspace/src/utils.py",
"path":"workspace/src/utils.py",
"sandbox":"workspace",
"file_lines":1,
"file_bytes":7,
"file_exists":true,
"base_oid":"0123",
"mode":"100644",
"approval_id":"ID"}"#
        );
        let Payload::Read(read) = Proposal::read(FILE, None, id()).payload else {
            panic!("a read")
        };
        assert_eq!(
            (read.file_exists, read.file_lines, read.file_bytes, read.base.base_oid),
            (false, 0, 0, None)
        );
    }

    #[test]
    fn the_context_is_three_whole_lines_around_the_first_match() {
        let base = "1\n2\n3\n4\nx\r\ny\r\n5\r\n6\r\n7\r\n8\r\nx";
        for (old, before, after) in [
            ("4\nx", "1\n2\n3", "y\r\n5\r\n6"),
            ("y\n", "3\n4\nx", "5\r\n6\r\n7"),
            ("1\n2", "", "3\n4\nx"),
            ("7", "y\r\n5\r\n6", "8\r\nx"),
            ("8\nx", "5\r\n6\r\n7", ""),
        ] {
            let (proposal, _) = edit(base.as_bytes(), &[one(old, "new")]);
            let Payload::Edit(edit) = proposal.payload else { panic!("small") };
            assert_eq!(
                (edit.context_before.as_str(), edit.context_after.as_str()),
                (before, after),
                "{old:?}"
            );
        }
        let all = Edit { old_string: "x", new_string: "z", replace_all: true };
        let Payload::Edit(edit) = edit(base.as_bytes(), &[all]).0.payload else { panic!("small") };
        assert_eq!(
            (edit.match_line, edit.match_count, edit.context_after.as_str()),
            (5, 2, "y\r\n5\r\n6")
        );
    }

    #[test]
    fn several_edits_are_shown_as_one() {
        let base = b"a = 1\nb = 2\nc = 3\n";
        let (proposal, _) = edit(base, &[one("3", "30"), one("a = 1", "a = 10")]);
        let Payload::Edit(edit) = proposal.payload else { panic!("small") };
        assert_eq!(
            (edit.old_string.as_str(), edit.new_string.as_str()),
            ("a = 1\nb = 2\nc = 3", "a = 10\nb = 2\nc = 30")
        );
        assert_eq!((edit.match_line, edit.match_count, edit.replace_all), (1, 2, false));
        assert_eq!(
            edit.head.description,
            "Edit workspace/src/utils.py: replace 2 lines at line 1 and 1 other place"
        );
    }

    /// Joins the chunks that a payload announces.
    fn joined(proposal: &Proposal, total: u64) -> String {
        assert!(proposal.chunk(total + 1).is_err());
        (1..=total)
            .map(|number| proposal.chunk(number).unwrap())
            .inspect(|chunk| assert!(chunk.len() <= CHUNK_BYTES))
            .collect()
    }

    #[test]
    fn the_chunks_of_a_large_content_joined_are_the_content() {
        let content = "é€😀\n".repeat(WHOLE_BYTES / 10 + 1);
        let whole = &content[..content.floor_char_boundary(WHOLE_BYTES)];
        assert!(matches!(
            Proposal::write(FILE, whole, None, None, id()).payload,
            Payload::Write(_)
        ));
        let proposal = Proposal::write(FILE, &content, None, None, id());
        let Payload::WriteLarge(write) = &proposal.payload else { panic!("large") };
        assert!(write.chunk.content_truncated && write.chunk.chunk_size == CHUNK_BYTES as u64);
        assert_eq!(write.chunk.fetch_url, format!("redline:approval/{}", id()));
        assert_eq!(write.chunk.content_preview, proposal.chunk(1).unwrap());
        assert_eq!(joined(&proposal, write.chunk.total_chunks), content);
        assert_eq!(
            (write.content_lines, write.content_bytes),
            (WHOLE_BYTES as u64 / 10 + 1, content.len() as u64)
        );

        let base = "a line\n".repeat(WHOLE_BYTES / 10);
        let all = Edit { old_string: "line", new_string: "line é", replace_all: true };
        let (proposal, plan) = edit(base.as_bytes(), &[all]);
        let Payload::EditLarge(edit) = &proposal.payload else { panic!("large") };
        assert_eq!(joined(&proposal, edit.chunk.total_chunks), plan.diff.unified_diff);
        assert_eq!(edit.diff_lines, plan.diff.unified_diff.lines().count() as u64);
        assert_eq!(
            (edit.match_count, edit.file_lines),
            (WHOLE_BYTES as u64 / 10, WHOLE_BYTES as u64 / 10)
        );
        assert!(edit.replace_all && edit.chunk.content_truncated);
    }

    #[test]
    fn the_fields_of_a_large_payload_are_in_order() {
        let proposal = Proposal::write(FILE, &"x".repeat(WHOLE_BYTES + 1), None, None, id());
        let json = proposal.payload.to_json();
        let names = [
            "type",
            "description",
            "path",
            "sandbox",
            "content_truncated",
            "content_preview",
            "fetch_url",
            "chunk_size",
            "total_chunks",
            "content_lines",
        ];
        let places: Vec<usize> =
            names.iter().map(|name| json.find(&format!("\"{name}\":")).unwrap()).collect();
        assert!(places.is_sorted() && json.starts_with("{\"type\":\"write_large\","), "{places:?}");
        assert_eq!(proposal.chunk(17).map(str::len).unwrap(), 1);
    }

    #[test]
    fn a_small_edit_has_one_chunk_and_a_read_none() {
        let (proposal, plan) = edit(b"a\n", &[one("a", "b")]);
        assert_eq!(proposal.chunk(1).unwrap(), plan.diff.unified_diff);
        assert!(Proposal::read(FILE, None, id()).chunk(1).is_err());
        assert!(proposal.chunk(u64::MAX).is_err());
    }
}
