//! Reads `*** Begin Patch` … `*** End Patch`, as OpenAI's models write it.

use super::rest::PatchLines;
use super::{ChangeKind, FileChange, Hunk, HunkLine, wrong};
use redline_base::budget::{Gather, Grow, GrowBy};
use redline_base::error::{Result, quoted};
use redline_text::{CancelToken, LineKind};

pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// The lines between the marks, each with its number in the patch.
struct Reader<'a> {
    lines: std::iter::Peekable<std::vec::IntoIter<(usize, &'a str)>>,
}

/// Reads one envelope or several, as models write one for each file.
pub(super) fn read(mut lines: PatchLines<'_>, cancel: &CancelToken<'_>) -> Result<Vec<FileChange>> {
    let mut pace = cancel.pace();
    let mut envelopes = Vec::new();
    let mut start: Option<usize> = None;
    for index in 0..lines.all.len() {
        pace.pass(lines.all[index].len())?;
        let line = lines.text(index);
        match start {
            None if line.trim_start() == BEGIN => start = Some(index),
            Some(first) if line == BEGIN => {
                let what =
                    format_args!("a patch begins before '{END}' of the one at line {}", first + 1);
                return Err(wrong(index + 1, what).with_hint("Send each of them whole"));
            }
            Some(first) if line == END => {
                lines.own(first..index + 1);
                envelopes.add(first + 1..index);
                start = None;
            }
            _ => {}
        }
    }
    if start.is_some() {
        return Err(wrong(lines.all.len(), format_args!("there is no '{END}'"))
            .with_hint("The patch may have been cut: send all of it"));
    }
    lines.check_rest(cancel)?;
    let mut changes = Vec::new();
    for envelope in envelopes {
        let numbers = envelope.start + 1..;
        let within = lines.all[envelope].iter().map(|line| without_end(line));
        files(numbers.zip(within).gather(), &mut changes)?;
    }
    Ok(changes)
}

/// Returns a line without its line end, as [`lines`](str::lines) does.
fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Reads the files of an envelope.
fn files(lines: Vec<(usize, &str)>, changes: &mut Vec<FileChange>) -> Result<()> {
    let mut reader = Reader { lines: lines.into_iter().peekable() };
    while let Some((number, line)) = reader.lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        let header = line.trim_end();
        changes.add(if let Some(path) = header.strip_prefix(ADD) {
            FileChange::new(path.trim(), ChangeKind::Create(reader.content()?), number)
        } else if let Some(path) = header.strip_prefix(DELETE) {
            FileChange::new(path.trim(), ChangeKind::Delete(Vec::new()), number)
        } else if let Some(path) = header.strip_prefix(UPDATE) {
            let moves_to = reader.moves_to();
            let hunks = reader.hunks()?;
            if hunks.is_empty() && moves_to.is_none() {
                return Err(wrong(number, format_args!("{} has no change", quoted(path))));
            }
            FileChange::new(path.trim(), ChangeKind::Update { hunks, moves_to }, number)
        } else {
            return Err(wrong(number, format_args!("{} starts no file", quoted(line)))
                .with_hint(format!("Give '{ADD}path', '{UPDATE}path' or '{DELETE}path'")));
        });
        if changes.last().is_some_and(|change| change.path.is_empty()) {
            return Err(wrong(number, "the path is empty"));
        }
    }
    Ok(())
}

impl<'a> Reader<'a> {
    /// Returns the next line if it belongs to the current file.
    fn next_line(&mut self) -> Option<(usize, &'a str)> {
        let starts_file =
            |line: &str| [ADD, DELETE, UPDATE].iter().any(|mark| line.starts_with(mark));
        self.lines.next_if(|(_, line)| !starts_file(line))
    }

    fn moves_to(&mut self) -> Option<String> {
        let (_, line) = self.lines.next_if(|(_, line)| line.starts_with(MOVE))?;
        Some(line[MOVE.len()..].trim().to_owned())
    }

    fn content(&mut self) -> Result<String> {
        let mut content = String::new();
        // Editors and models strip a lone +. Empty lines at the end are between files.
        let mut empty = 0;
        while let Some((number, line)) = self.next_line() {
            let Some(text) = line.strip_prefix('+') else {
                if line.trim().is_empty() {
                    empty += 1;
                    continue;
                }
                return Err(wrong(number, format_args!("{} is not an added line", quoted(line)))
                    .with_hint("Start each line of a new file with +"));
            };
            content.add_all(std::iter::repeat_n('\n', std::mem::take(&mut empty)));
            content.add_slice(text);
            content.add('\n');
        }
        Ok(content)
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>> {
        let mut hunks: Vec<Hunk> = Vec::new();
        // Consecutive anchors belong to one hunk.
        let mut is_open = false;
        while let Some((number, line)) = self.next_line() {
            let anchor =
                line.strip_prefix("@@").filter(|rest| rest.is_empty() || rest.starts_with(' '));
            if let Some(anchor) = anchor {
                if !is_open || !last(&mut hunks, number).lines.is_empty() {
                    hunks.add(Hunk { line: number, ..Hunk::default() });
                    is_open = true;
                }
                let anchor = anchor.strip_prefix(' ').unwrap_or(anchor);
                if !anchor.trim().is_empty() {
                    last(&mut hunks, number).anchors.add(anchor.to_owned());
                }
                continue;
            }
            if line.trim_end() == END_OF_FILE {
                last(&mut hunks, number).ends_file = true;
                is_open = false;
                continue;
            }
            if !is_open && !line.is_empty() {
                hunks.add(Hunk { line: number, ..Hunk::default() });
            }
            is_open |= !line.is_empty();
            if is_open {
                let hunk = last(&mut hunks, number);
                hunk.empty_end = if line.is_empty() { hunk.empty_end + 1 } else { 0 };
                hunk.lines.add(hunk_line(line, number)?);
            }
        }
        if let Some(empty) = hunks.iter().find(|hunk| hunk.lines.len() == hunk.empty_end) {
            return Err(wrong(empty.line, "the hunk has no lines"));
        }
        Ok(hunks)
    }
}

/// Returns the last hunk, after adding one if there is none.
fn last(hunks: &mut Vec<Hunk>, line: usize) -> &mut Hunk {
    if hunks.is_empty() {
        hunks.add(Hunk { line, ..Hunk::default() });
    }
    let last = hunks.len() - 1;
    &mut hunks[last]
}

fn hunk_line(line: &str, number: usize) -> Result<HunkLine> {
    let Some(&sign) = line.as_bytes().first() else {
        return Ok(HunkLine::new(LineKind::Context, ""));
    };
    let kind = LineKind::of(sign).ok_or_else(|| {
        wrong(number, format_args!("{} is not a line of a hunk", quoted(line)))
            .with_hint("Start each line with a space, - or +")
    })?;
    Ok(HunkLine::new(kind, &line[1..]))
}
