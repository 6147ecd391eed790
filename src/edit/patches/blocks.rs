//! Reads SEARCH/REPLACE blocks, each after the path of its file.

use std::collections::HashMap;
use std::ops::Range;

use super::block_path::{Named, contradicts, named};
use super::rest::{PatchLines, fence};
use super::{ChangeKind, FileChange, Hunk, HunkLine, wrong};
use redline_base::budget::{CopiedText, Gather, Grow, GrowMap, Joined, Taken, text_of};
use redline_base::error::{Result, quoted};
use redline_text::{CancelToken, Diff, DiffOptions, Engine};

/// Tells whether a line starts a SEARCH block.
pub(super) fn is_search(line: &str) -> bool {
    search_signs(line).is_some()
}

/// Returns the number of signs in the mark that starts a block; the other marks of the block have
/// as many.
fn search_signs(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches('<');
    let signs = line.len() - rest.len();
    let is_mark = (5..=9).contains(&signs) && rest.trim_end_matches('>').trim() == "SEARCH";
    is_mark.then_some(signs)
}

/// Tells whether a line is a mark of this many signs, followed by a word.
fn is_mark(line: &str, sign: char, signs: usize, word: &str) -> bool {
    let rest = line.trim_start_matches(sign);
    line.len() - rest.len() == signs && rest.trim() == word
}

/// A block: its lines in the patch, from 0, with the marks.
struct Block {
    start: usize,
    divider: usize,
    end: usize,
}

pub(super) fn read(mut lines: PatchLines<'_>, cancel: &CancelToken<'_>) -> Result<Vec<FileChange>> {
    let mut pace = cancel.pace();
    let mut blocks = Vec::new();
    let mut index = 0;
    while let Some(line) = lines.all.get(index) {
        pace.pass(line.len())?;
        if let Some(signs) = search_signs(lines.text(index)) {
            let block = block(&lines, index, signs)?;
            index = block.end;
            blocks.add(block);
        }
        index += 1;
    }
    let mut paths: Vec<Path> = Vec::new();
    let mut below = 0;
    for block in &blocks {
        let path = path(&lines, below..block.start, paths.last())?;
        let path = path.ok_or_else(|| {
            wrong(block.start + 1, "the block has no file")
                .with_hint("Put the file's path above it")
        })?;
        lines.own(path.line..path.line + 1);
        lines.own(block.start..block.end + 1);
        below = block.end + 1;
        paths.add(path);
    }
    lines.check_rest(cancel)?;
    let mut changes = Changes::default();
    for (block, path) in blocks.iter().zip(paths) {
        changes.add(&lines, block, path, cancel)?;
    }
    Ok(changes.all)
}

/// Finds the marks of the block that starts at a line.
fn block(lines: &PatchLines<'_>, start: usize, signs: usize) -> Result<Block> {
    let is_divider = |line: &str| is_mark(line, '=', signs, "");
    let is_end = |line: &str| is_mark(line, '>', signs, "REPLACE");
    let divider = mark_below(lines, start, start, "=======", is_divider)?;
    let end = mark_below(lines, start, divider, ">>>>>>> REPLACE", is_end)?;
    if (divider + 1..end).any(|index| is_divider(lines.text(index))) {
        return Err(wrong(start + 1, "the block has more than one line =======")
            .with_hint("Send this change as a unified diff: which line divides is not certain"));
    }
    Ok(Block { start, divider, end })
}

/// Returns the line of the next mark of a block.
fn mark_below(
    lines: &PatchLines<'_>,
    start: usize,
    above: usize,
    mark: &str,
    is_mark: impl Fn(&str) -> bool,
) -> Result<usize> {
    for index in above + 1..lines.all.len() {
        let line = lines.text(index);
        if is_mark(line) {
            return Ok(index);
        }
        if is_search(line) {
            let what =
                format_args!("a block starts before '{mark}' of the one at line {}", start + 1);
            return Err(wrong(index + 1, what));
        }
    }
    Err(wrong(start + 1, format_args!("the block has no '{mark}'"))
        .with_hint("The patch may have been cut: send all of it"))
}

/// The path of a block.
#[derive(Clone)]
struct Path {
    text: String,
    /// Whether it is certainly a path: words may be none.
    is_certain: bool,
    /// The line that names it.
    line: usize,
}

/// Returns the path of a block: the nearest of the lines above that is neither empty nor a fence
/// names it. Without such a line, it is that of the block before.
fn path(
    lines: &PatchLines<'_>,
    above: Range<usize>,
    before: Option<&Path>,
) -> Result<Option<Path>> {
    let mut fences = Vec::new();
    let mut path = before.cloned();
    for index in above.rev() {
        let line = lines.text(index);
        if fence(line).is_some() {
            fences.add(index);
        } else if !line.trim().is_empty() {
            let (text, is_certain) = match named(line) {
                Named::Path(path) => (path.to_owned(), true),
                Named::Line(path) => (path.to_owned(), false),
                Named::Nothing => {
                    return Err(wrong(
                        index + 1,
                        format_args!("{} names no file, and a block follows", quoted(line)),
                    )
                    .with_hint("Put the file's path on a line of its own above the block"));
                }
            };
            path = Some(Path { text, is_certain, line: index });
            break;
        }
    }
    let text = path.as_ref().map(|path| path.text.as_str());
    if let Some(index) = fences.into_iter().find(|&index| contradicts(lines.text(index), text)) {
        let what = format_args!("{} may name another file", quoted(lines.text(index)));
        return Err(wrong(index + 1, what)
            .with_hint("Put the file's path on a line of its own above the fence"));
    }
    Ok(path)
}

/// Returns the number that some tools put on a line of its own above the old lines, with dashes
/// below, and the line from which on these are.
fn start_line(lines: &PatchLines<'_>, block: &Block) -> (Option<usize>, usize) {
    let number = |index: usize, mark: &str| {
        lines.text(index).strip_prefix(mark)?.trim().parse::<usize>().ok()
    };
    let first = block.start + 1;
    let Some(start) = number(first, ":start_line:") else { return (None, first) };
    let dashes = first + 1 + usize::from(number(first + 1, ":end_line:").is_some());
    let is_end = dashes < block.divider
        && lines.text(dashes).len() >= 3
        && lines.text(dashes).bytes().all(|byte| byte == b'-');
    if is_end { (Some(start).filter(|start| *start > 0), dashes + 1) } else { (None, first) }
}

/// The changes by file.
#[derive(Default)]
struct Changes {
    all: Vec<FileChange>,
    places: HashMap<String, usize>,
    engine: Engine,
}

impl Changes {
    /// Adds a block to the change of its file.
    fn add(
        &mut self,
        lines: &PatchLines<'_>,
        block: &Block,
        Path { text: path, is_certain, .. }: Path,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        cancel.check()?;
        let line = block.start + 1;
        let (start, first) = start_line(lines, block);
        let mut old = lines.all[first..block.divider].joined("");
        let mut new = lines.all[block.divider + 1..block.end].joined("");
        // If the marks have it too, the line end is the patch's, as in the other forms.
        if lines.all[block.start].ends_with("\r\n") && !old.is_empty() {
            (old, new) = (old.replaced("\r\n", "\n"), new.replaced("\r\n", "\n"));
        }
        if old == new {
            return Err(
                wrong(line, "both parts of the block are equal").with_hint("Give the replacement")
            );
        }
        if old.is_empty() {
            if !is_certain {
                return Err(wrong(
                    line,
                    format_args!("the block creates a file, and {} may be no path", quoted(&path)),
                )
                .with_hint("Put backticks around a path with blanks"));
            }
            self.all.add(FileChange::new(path, ChangeKind::Create(new), line));
            return Ok(());
        }
        let lines = between(&old, &new, &mut self.engine, cancel)?;
        let hunk = Hunk { lines, start, line, ..Hunk::default() };
        let place = *self.places.slot(path.clone()).or_insert(self.all.len());
        match self.all.get_mut(place).map(|change| &mut change.kind) {
            Some(ChangeKind::Update { hunks, .. }) => hunks.add(hunk),
            _ => {
                let kind = ChangeKind::Update { hunks: vec![hunk], moves_to: None };
                self.all.add(FileChange::new(path, kind, line));
            }
        }
        Ok(())
    }
}

/// Returns the lines common to both parts as context, and the others as changes.
fn between(
    old: &str,
    new: &str,
    engine: &mut Engine,
    cancel: &CancelToken<'_>,
) -> Result<Vec<HunkLine>> {
    let whole = DiffOptions { context: None, ..DiffOptions::default() };
    let diff = Diff::new(engine, old.as_bytes(), new.as_bytes(), &whole, cancel)?;
    let text = |content: &[u8]| text_of(content.strip_suffix(b"\n").unwrap_or(content)).taken();
    let lines = diff.hunks().iter().flat_map(|hunk| diff.lines(hunk));
    Ok(lines.map(|line| HunkLine::new(line.kind, text(line.content))).gather())
}
