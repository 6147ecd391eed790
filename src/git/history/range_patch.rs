//! A commit as a text that is compared with other versions of it.
//!
//! Source: `git range-diff`, which makes its texts from the output of `git log -p`. Dates, ids and
//! line numbers are left out, so that only changes by people differ.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Oid;
use crate::attributes::ContentSource;
use crate::change::contents::Reader;
use crate::change::differences::collect;
use crate::change::patch::{Patcher, WrittenPatch};
use crate::change::renames::RenameOptions;
use crate::graph::walk::Comparable;
use crate::history::notes::Notes;
use crate::model::changed_file::Change;
use crate::model::commit::{CommitInfo, has_message_line};
use crate::model::mailmap::Mailmap;
use crate::model::space::{trim_end, up_to_nul};
use crate::model::width::expand_tabs;
use crate::repository::Repository;
use crate::tree::walk::TreeChanges;
use redline_base::budget::{Charge, Copied, Grow, GrowBy, GrowMap, Joined};
use redline_base::error::Result;
use redline_text::range_diff::PatchText;
use redline_text::{CancelToken, DiffOptions, binary_line};

/// The prefix of each line of a message in `git log`.
const INDENT: &[u8] = b"    ";

/// The start of the line for a binary file.
const BINARY: &[u8] = b"Binary files ";

/// A commit and its text.
#[derive(Debug)]
pub struct RangePatch {
    /// The commit.
    pub id: Oid,
    /// The first paragraph of its message in one line.
    pub subject: Vec<u8>,
    /// Its message and its patch.
    pub patch: PatchText,
    files: Vec<WrittenFile>,
    charge: Charge,
}

/// A changed file in the text of a commit.
#[derive(Debug)]
struct WrittenFile {
    change: Change,
    text: Range<usize>,
    /// The number of its lines.
    lines: usize,
}

/// The changed files in the texts that are written, for all threads: another version of a commit
/// often changes a file in the same way, and takes over its text.
#[derive(Debug, Default)]
pub struct WrittenFiles(Mutex<Written>);

/// By the ids of both sides of a file: a commit that has changed it, and which of its files it is.
type Written = HashMap<[Option<Oid>; 2], (Arc<RangePatch>, usize)>;

impl WrittenFiles {
    /// Returns the commit that has changed a file in the same way, and which of its files it is.
    fn find(&self, change: &Change) -> Option<(Arc<RangePatch>, usize)> {
        let (commit, at) = self.lock().get(&change.ids()).cloned()?;
        (commit.files[at].change == *change).then_some((commit, at))
    }

    fn add(&self, commit: &Arc<RangePatch>) {
        let mut known = self.lock();
        for (at, file) in commit.files.iter().enumerate() {
            known.slot(file.change.ids()).or_insert_with(|| (Arc::clone(commit), at));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Written> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the texts of commits, for one thread.
pub struct RangePatcher {
    trees: TreeChanges,
    reader: Reader,
    patcher: Patcher,
    mailmap: Arc<Mailmap>,
    notes: Arc<Notes>,
    written: Arc<WrittenFiles>,
}

impl RangePatcher {
    /// Creates a writer for the commits of a repository.
    pub fn new(
        repository: &Repository,
        mailmap: Arc<Mailmap>,
        notes: Arc<Notes>,
        written: Arc<WrittenFiles>,
    ) -> Result<Self> {
        let source = ContentSource::of_objects(repository);
        Ok(Self {
            trees: TreeChanges::idle(repository.objects(), Arc::default()),
            reader: Reader::new(&source),
            // The line of ids is not in the text: whole ones need not be looked up.
            patcher: Patcher::new(&source, DiffOptions::default())?.with_whole_ids(),
            mailmap,
            notes,
            written,
        })
    }

    /// Returns the text of a commit with at most one parent.
    pub fn patch(
        &mut self,
        commit: &Comparable,
        cancel: &CancelToken<'_>,
    ) -> Result<Arc<RangePatch>> {
        let bytes = self.trees.objects().commit(&commit.id)?;
        let info = CommitInfo::read(&bytes, Some(&self.mailmap), cancel)?;
        let mut written = RangePatch {
            id: commit.id,
            subject: info.subject.clone(),
            patch: PatchText::default(),
            files: Vec::new(),
            charge: Charge::free(),
        };
        if let Some(author) = &info.author {
            let person = [&author.name[..], b" <", &author.email, b">"].chained();
            written.patch.text.add_all(
                [b" ## Metadata ##\nAuthor: ", up_to_nul(&person), b"\n\n ## Commit message ##\n"]
                    .chained(),
            );
        }
        write_message(&bytes, &mut written, cancel)?;
        self.write_notes(&mut written, cancel)?;
        for change in self.changes(commit, cancel)? {
            for part in change.parts() {
                self.write_part(part, &mut written, cancel)?;
            }
        }
        let written = Arc::new(written);
        self.written.add(&written);
        Ok(written)
    }

    /// Appends a changed file.
    fn write_part(
        &mut self,
        change: Change,
        written: &mut RangePatch,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        let RangePatch { patch, charge, files, .. } = written;
        cancel.room(charge, &mut patch.text, 1)?;
        patch.text.push(b'\n');
        if patch.files_start == 0 {
            patch.files_start = patch.text.len();
        }
        let (start, lines) = (patch.text.len(), patch.file_lines);
        if let Some((other, at)) = self.written.find(&change) {
            let file = &other.files[at];
            let text = &other.patch.text[file.text.clone()];
            cancel.room(charge, &mut patch.text, text.len())?;
            patch.text.extend_from_slice(text);
            patch.file_lines += file.lines;
        } else {
            let file = self.patcher.patch(&change, cancel)?;
            write_file(&change, &file, self.reader.quotes_high(), patch, charge, cancel)?;
        }
        charge.join(cancel.charge_all(size_of::<WrittenFile>() + change.path.len())?);
        let (text, lines) = (start..patch.text.len(), patch.file_lines - lines);
        files.add(WrittenFile { change, text, lines });
        Ok(())
    }

    fn write_notes(&self, written: &mut RangePatch, cancel: &CancelToken<'_>) -> Result<()> {
        let RangePatch { id, patch, charge, .. } = written;
        let Some(note) = self.notes.of(id, self.trees.objects(), cancel, charge)? else {
            return Ok(());
        };
        if note.is_empty() {
            return Ok(());
        }
        cancel.room(charge, &mut patch.text, 2 * note.len())?;
        patch.text.extend_from_slice(b"\n\n ## Notes ##\n");
        let lines = note.strip_suffix(b"\n").unwrap_or(&note).split(|&byte| byte == b'\n');
        lines.for_each(|line| write_indented(up_to_nul(line), &mut patch.text));
        Ok(())
    }

    /// Returns the files that a commit changed, with renames, as `git log` shows them.
    fn changes(&mut self, commit: &Comparable, cancel: &CancelToken<'_>) -> Result<Vec<Change>> {
        let old = commit.parents.first().map(|&(_, tree)| tree);
        let trees = self.trees.restart(old, Some(commit.tree))?;
        let all = collect(trees, &mut Charge::free(), cancel)?;
        self.reader.pair(all, &RenameOptions::default(), cancel)
    }
}

/// Appends the message of a commit.
fn write_message(commit: &[u8], written: &mut RangePatch, cancel: &CancelToken<'_>) -> Result<()> {
    let text = &mut written.patch.text;
    let (mut has_begun, mut has_ended) = (false, false);
    // The end of the message, without blank lines at its end.
    let mut end = text.len();
    has_message_line(commit, |line| {
        let shown = trim_end(up_to_nul(line));
        has_ended = memchr::memchr(0, line).is_some();
        has_begun |= !shown.is_empty();
        if has_begun {
            cancel.room(&mut written.charge, text, INDENT.len() + 8 * shown.len() + 1)?;
            write_indented(&expand_tabs(shown), text);
            if !shown.is_empty() {
                end = text.len();
            }
        }
        Ok(has_ended)
    })?;
    text.truncate(end);
    Ok(())
}

/// Appends a changed file: its name, and its hunks without numbers.
fn write_file(
    change: &Change,
    file: &WrittenPatch,
    quotes_high: bool,
    patch: &mut PatchText,
    charge: &mut Charge,
    cancel: &CancelToken<'_>,
) -> Result<()> {
    cancel.room(charge, &mut patch.text, 2 * (file.bytes.len() + change.path.len()) + 64)?;
    write_name(change, &mut patch.text);
    patch.file_lines += 1;
    let last = file.bytes.strip_suffix(b"\n").unwrap_or(&file.bytes);
    let last = &last[memchr::memrchr(b'\n', last).map_or(0, |end| end + 1)..];
    if file.hunks.is_empty() && last.starts_with(BINARY) {
        let name = |is_there: bool, path: &[u8]| {
            if is_there { path.copied_vec() } else { b"/dev/null".copied_vec() }
        };
        let old = name(change.old.is_some(), change.old_path());
        let new = name(change.new.is_some(), &change.path);
        write_line(b" ", &binary_line(&old, &new, quotes_high), patch);
    }
    let mut pace = cancel.pace();
    for hunk in &file.hunks {
        let mut lines = file.bytes[hunk.span.clone()].split_inclusive(|&byte| byte == b'\n');
        let header = lines.next().unwrap_or_default();
        write_hunk_header(change, header.strip_suffix(b"\n").unwrap_or(header), patch);
        for line in lines {
            pace.pass(line.len())?;
            let line = up_to_nul(line.strip_suffix(b"\n").unwrap_or(line));
            match line.split_first() {
                Some((b'\\', _)) => write_line(b" ", line, patch),
                _ => write_line(b"", line, patch),
            }
        }
    }
    Ok(())
}

/// Appends the line with the name and the status of a file.
fn write_name(change: &Change, text: &mut Vec<u8>) {
    text.add_slice(b" ## ");
    match (&change.old, &change.new, &change.origin) {
        (None, ..) => text.add_all([&change.path[..], b" (new)"].chained()),
        (_, None, _) => text.add_all([change.old_path(), b" (deleted)"].chained()),
        (.., Some(origin)) if !origin.is_copy => {
            text.add_all([&origin.path[..], b" => ", &change.path].chained());
        }
        _ => text.add_slice(&change.path),
    }
    if let (Some(old), Some(new)) = (change.old, change.new)
        && old.mode != new.mode
    {
        text.add_all(format!(" (mode change {} => {})", old.mode, new.mode).into_bytes());
    }
    text.add_slice(b" ##\n");
}

/// Appends a hunk's header with the file's name and the heading.
fn write_hunk_header(change: &Change, header: &[u8], patch: &mut PatchText) {
    let header = up_to_nul(header);
    let heading = memchr::memmem::find(header, b" @@").map_or(&[][..], |at| &header[at + 3..]);
    if heading.is_empty() {
        write_line(b"@@", b"", patch);
    } else {
        let path = if change.new.is_some() { &change.path } else { change.old_path() };
        write_line(b"@@ ", &[path, b":", heading].chained(), patch);
    }
}

fn write_line(mark: &[u8], line: &[u8], patch: &mut PatchText) {
    patch.text.add_slice(mark);
    patch.text.add_slice(line);
    patch.text.add(b'\n');
    patch.file_lines += 1;
}

/// Appends a line of a message.
fn write_indented(line: &[u8], text: &mut Vec<u8>) {
    let line = trim_end(line);
    if !line.is_empty() {
        text.add_slice(INDENT);
        text.add_slice(line);
    }
    text.add(b'\n');
}
