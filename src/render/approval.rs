//! Approval payloads as boxes, and how they are paged.

use super::card::{Card, Extent, Layout, Shown, View, words};
use super::diff;
use super::line::{Line, Tone};
use super::visible::hidden;
use redline_base::budget::{Gather, Grow, Joined};
use redline_base::form::counted;
use redline_edit::payload::{NotUtf8, PREVIEW_LINES, Payload, ReadPayload, Received};

/// Lines from which a text is no longer shown completely inline.
const PREVIEW_FROM: u64 = 30;

/// Lines above which a text goes to the pager.
const PAGER_ABOVE: u64 = 100;

/// Returns the box of a payload with its question, and whether it is complete; of an unknown type
/// only the description and the question.
///
/// No line is wider than `layout.width`, and the text has no control characters except line feeds
/// and the requested colour sequences. An incomplete box offers no `y`: nobody is asked to approve
/// what was not shown.
pub fn shown(payload: &Received, layout: &Layout) -> Shown {
    match payload {
        Received::Known(payload) => card(payload, layout.extent).draw(layout),
        Received::Other { description } => {
            let rows = words(Tone::Plain, &format!("{} [y/n]", unknown(description)), layout);
            Shown { text: rows.joined("\n"), is_complete: false }
        }
    }
}

/// Returns the question about an operation of an unknown type.
pub(super) fn unknown(description: &str) -> String {
    format!("\"{description}\" - Approve?")
}

/// Returns the rows of a payload's question, which offers only yes and no.
pub(super) fn question(payload: &Payload, layout: &Layout) -> Vec<String> {
    let card = card(payload, layout.extent);
    words(Tone::Plain, &format!("{} [y/n]", card.question), layout)
}

/// Returns the box of a payload before it is laid out.
pub(super) fn card(payload: &Payload, extent: Extent) -> Card<'_> {
    let mut card = card_of(payload, extent);
    if payload.is_executable() {
        card.facts += ", executable";
        if !matches!(payload, Payload::Read(_)) {
            card.warnings.add(
                match payload {
                    Payload::Patch(_) | Payload::PatchLarge(_) => {
                        "⚠ Some files are executable: what is written may be run as a program"
                    }
                    _ => "⚠ The file is executable: what is written may be run as a program",
                }
                .to_owned(),
            );
        }
    }
    if payload.is_run_by_tools() && !matches!(payload, Payload::Read(_)) {
        card.warnings.add(
            match payload {
                Payload::Patch(_) | Payload::PatchLarge(_) => "⚠ tools run some of these files",
                _ => "⚠ tools run this file",
            }
            .to_owned(),
        );
    }
    card
}

fn card_of(payload: &Payload, extent: Extent) -> Card<'_> {
    let path = payload.path();
    match payload {
        Payload::Edit(p) => {
            edit(path, [p.match_line, p.match_count], (&p.unified_diff, &p.not_utf8), None)
        }
        Payload::EditLarge(p) => {
            let of = Chunks { all: p.chunk.total_chunks, lines: p.diff_lines };
            let diff = whole_lines(&p.chunk.content_preview);
            edit(path, [p.match_line, p.match_count], (diff, &[]), Some(of))
        }
        Payload::Write(p) => {
            let old = p.file_exists.then_some((p.existing_lines, p.existing_bytes));
            match p.unified_diff.as_deref().filter(|_| p.file_exists) {
                Some(diff) => overwrite(path, (diff, &p.not_utf8), &p.content, old),
                None => write(path, &p.content, None, old, extent),
            }
        }
        Payload::WriteLarge(p) => {
            let old = p.file_exists.then_some((p.existing_lines, p.existing_bytes));
            let of = Chunks { all: p.chunk.total_chunks, lines: p.content_lines };
            write(path, whole_lines(&p.chunk.content_preview), Some(of), old, extent)
        }
        Payload::Read(p) => read(p),
        Payload::Patch(p) => {
            let action = patch_action(p.undoes.as_deref());
            patch((action, path), p.files.len(), (&p.unified_diff, &p.not_utf8), None)
        }
        Payload::PatchLarge(p) => {
            let of = Chunks { all: p.chunk.total_chunks, lines: p.diff_lines };
            let diff = whole_lines(&p.chunk.content_preview);
            let action = patch_action(p.undoes.as_deref());
            patch((action, path), p.files.len(), (diff, &[]), Some(of))
        }
        Payload::Commit(p) => {
            let text = (p.unified_diff.as_str(), &p.not_utf8[..]);
            commit(&p.facts.action, path, p.files.len(), text, None)
        }
        Payload::CommitLarge(p) => {
            let of = Chunks { all: p.chunk.total_chunks, lines: p.diff_lines };
            let text = whole_lines(&p.chunk.content_preview);
            commit(&p.facts.action, path, p.files.len(), (text, &[]), Some(of))
        }
    }
}

/// Returns the action of a patch, which may take back operations.
const fn patch_action(undoes: Option<&[String]>) -> &'static str {
    if undoes.is_some() { "Undo" } else { "Patch" }
}

/// Returns the box of a commit, or of what is staged for one.
fn commit<'a>(
    action: &str,
    repo: &'a str,
    files: usize,
    text: DiffText<'a>,
    of: Option<Chunks>,
) -> Card<'a> {
    let (action, question) = match action {
        "commit" => ("Commit", "Make this commit?"),
        "stage" => ("Stage", "Stage this?"),
        "undo" => ("Undo", "Undo this?"),
        _ => ("Unstage", "Unstage this?"),
    };
    Card { question, ..patch((action, repo), files, text, of) }
}

/// Returns the box of changes of several files; `of` is given when `diff` is a first chunk.
fn patch<'a>(
    (action, sandbox): (&'static str, &'a str),
    files: usize,
    (diff, not_utf8): DiffText<'a>,
    of: Option<Chunks>,
) -> Card<'a> {
    let body = diff::lines_of_files(diff, not_utf8);
    let unshown = diff.split_terminator('\n').count() - body.len();
    let unseen = body.iter().map(Line::hidden).sum::<usize>();
    Card {
        action,
        path: sandbox,
        facts: format!("{}, {}", counted(files as u64, "file"), changes(&body)),
        lines: of.map_or(body.len(), |of| size(of.lines).saturating_sub(unshown)),
        body,
        warnings: chunk_warning(of).into_iter().chain(hidden_warning(unseen)).gather(),
        question: "Apply this patch?",
        view: Some(View { answer: "v(iew all)", is_in_the_box: true }),
    }
}

/// The lines and the bytes of an overwritten file, as far as they are known.
type Size = (Option<u64>, Option<u64>);

/// A diff, and its bytes that are not UTF-8.
type DiffText<'a> = (&'a str, &'a [NotUtf8]);

/// Returns a line of a new content.
fn new_line(text: &str, number: u64) -> Line<'_> {
    Line { numbers: [None, Some(number)], ..Line::new(Tone::Plain, text) }
}

/// The whole text; a chunk is its first part.
#[derive(Clone, Copy)]
struct Chunks {
    all: u64,
    lines: u64,
}

/// Returns the box of an edit; `of` is given when `diff` is a first chunk.
fn edit<'a>(
    path: &'a str,
    [line, matches]: [u64; 2],
    (diff, not_utf8): DiffText<'a>,
    of: Option<Chunks>,
) -> Card<'a> {
    let body = diff::lines(diff, not_utf8);
    let unshown = diff.split_terminator('\n').count() - body.len();
    let unseen = hidden(path) + body.iter().map(Line::hidden).sum::<usize>();
    Card {
        action: "Edit",
        path,
        facts: if matches > 1 {
            format!("line {line}, {matches} matches")
        } else {
            format!("line {line}")
        },
        lines: of.map_or(body.len(), |of| size(of.lines).saturating_sub(unshown)),
        body,
        warnings: chunk_warning(of).into_iter().chain(hidden_warning(unseen)).gather(),
        question: "Apply this edit?",
        view: Some(View { answer: "v(iew full file)", is_in_the_box: false }),
    }
}

/// Returns the box of a write; `of` is given when `content` is a first chunk, `old` has the lines
/// and bytes of an overwritten file.
fn write<'a>(
    path: &'a str,
    content: &'a str,
    of: Option<Chunks>,
    old: Option<Size>,
    extent: Extent,
) -> Card<'a> {
    let mut body: Vec<Line<'_>> =
        content.split_terminator('\n').zip(1..).map(|(text, at)| new_line(text, at)).gather();
    let unseen = hidden(path) + body.iter().map(Line::hidden).sum::<usize>();
    let lines = of.map_or(body.len(), |of| size(of.lines));
    if extent != Extent::Whole && lines > PREVIEW_LINES {
        body.truncate(PREVIEW_LINES);
    } else if content.is_empty() {
        body.add(Line::new(Tone::Note, "(an empty file)"));
    } else if of.is_none() && !content.ends_with('\n') {
        body.add(Line::new(Tone::Note, "\\ No newline at end of file"));
    }
    let new = counted(lines as u64, "line");
    Card {
        action: "Write",
        path,
        facts: format!("{new}, {}", if old.is_some() { "existing file" } else { "new file" }),
        body,
        lines,
        warnings: overwrite_warning(old, &new)
            .into_iter()
            .chain(old.map(|_| "⚠ The lines that it replaces are not shown".to_owned()))
            .chain(chunk_warning(of))
            .chain(hidden_warning(unseen))
            .gather(),
        question: "Write this file?",
        view: Some(View { answer: "v(iew all)", is_in_the_box: true }),
    }
}

/// Returns the box of a write over a text file: the diff.
fn overwrite<'a>(
    path: &'a str,
    (diff, not_utf8): DiffText<'a>,
    content: &str,
    old: Option<Size>,
) -> Card<'a> {
    let mut body = diff::lines(diff, not_utf8);
    let unseen = hidden(path) + body.iter().map(Line::hidden).sum::<usize>();
    let new = counted(content.split_terminator('\n').count() as u64, "line");
    let facts = format!("{new}, existing file, {}", changes(&body));
    if body.is_empty() {
        body.add(Line::new(Tone::Note, "(the file holds this content already)"));
    }
    Card {
        action: "Write",
        path,
        facts,
        lines: body.len(),
        body,
        warnings: overwrite_warning(old, &new).into_iter().chain(hidden_warning(unseen)).gather(),
        question: "Write this file?",
        view: Some(View { answer: "v(iew full file)", is_in_the_box: false }),
    }
}

fn read(payload: &ReadPayload) -> Card<'_> {
    let facts = if payload.file_exists {
        format!("{}, {}", counted(payload.file_lines, "line"), counted(payload.file_bytes, "byte"))
    } else {
        "no such file".to_owned()
    };
    Card {
        action: "Read",
        path: &payload.head.path,
        facts,
        body: Vec::new(),
        lines: 0,
        warnings: hidden_warning(hidden(&payload.head.path)).into_iter().gather(),
        question: "Allow this read?",
        view: None,
    }
}

/// Returns the numbers of added and removed lines.
fn changes(body: &[Line<'_>]) -> String {
    let counted = |tone| body.iter().filter(|line| line.tone == tone).count();
    format!("+{} −{}", counted(Tone::Added), counted(Tone::Removed))
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the whole lines of a chunk; of a single line all there is.
fn whole_lines(chunk: &str) -> &str {
    chunk.rfind('\n').map_or(chunk, |end| &chunk[..=end])
}

/// Returns the warning about an overwritten file.
fn overwrite_warning(old: Option<Size>, new: &str) -> Option<String> {
    let change = match old? {
        (Some(lines), _) => format!("was {}, now {new}", counted(lines, "line")),
        (None, Some(bytes)) => format!("was {}, now {new}", counted(bytes, "byte")),
        (None, None) => format!("now {new}"),
    };
    Some(format!("⚠ This will overwrite existing file ({change})"))
}

/// Returns the warning about a text with further chunks.
fn chunk_warning(of: Option<Chunks>) -> Option<String> {
    of.filter(|of| of.all > 1).map(|of| format!("⚠ Only the first of {} chunks is shown", of.all))
}

/// Returns the warning about hidden characters.
fn hidden_warning(number: usize) -> Option<String> {
    let verb = if number == 1 { "is" } else { "are" };
    (number > 0)
        .then(|| format!("⚠ {} {verb} shown by number", counted(number as u64, "hidden character")))
}

/// How a host pages a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paging {
    /// Short: shown completely.
    Inline,
    /// A preview is shown, and the rest on demand.
    Preview,
    /// Goes to a pager at once.
    Pager,
}

impl Paging {
    /// Returns the name that SQL shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Preview => "preview",
            Self::Pager => "pager",
        }
    }
}

/// Returns how a payload is paged, by the specification's thresholds for its lines; a diff that is
/// taller than the terminal also goes to the pager.
pub fn paging(payload: &Received, terminal_height: Option<u64>) -> Paging {
    let Received::Known(payload) = payload else { return Paging::Inline };
    let (lines, is_diff) = match &**payload {
        Payload::Read(_) => return Paging::Inline,
        Payload::WriteLarge(_)
        | Payload::EditLarge(_)
        | Payload::PatchLarge(_)
        | Payload::CommitLarge(_) => return Paging::Pager,
        Payload::Edit(edit) => (edit.diff_lines, true),
        Payload::Patch(patch) => (patch.diff_lines, true),
        Payload::Commit(commit) => (commit.diff_lines, true),
        Payload::Write(write) => match write.diff_lines {
            Some(lines) => (lines, true),
            None => (write.content_lines, false),
        },
    };
    if is_diff && terminal_height.is_some_and(|height| lines > height) {
        return Paging::Pager;
    }
    match lines {
        ..PREVIEW_FROM => Paging::Inline,
        PREVIEW_FROM..=PAGER_ABOVE => Paging::Preview,
        _ => Paging::Pager,
    }
}
