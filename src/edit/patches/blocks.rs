//! Reads SEARCH/REPLACE blocks, each after the path of its file.

use super::{ChangeKind, FileChange, Hunk, HunkLine, wrong};
use redline_base::error::Result;
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

pub(super) fn read(patch: &str, cancel: &CancelToken<'_>) -> Result<Vec<FileChange>> {
    let mut engine = Engine::default();
    let mut changes: Vec<FileChange> = Vec::new();
    let mut named: Option<String> = None;
    let mut lines = patch.split_inclusive('\n').zip(1..);
    while let Some((line, number)) = lines.next() {
        cancel.check()?;
        let Some(signs) = search_signs(line.trim_end()) else {
            named = path(line).or(named);
            continue;
        };
        let is_divider = |line: &str| is_mark(line, '=', signs, "");
        let is_end = |line: &str| is_mark(line, '>', signs, "REPLACE");
        let name = named.take().or_else(|| changes.last().map(|change| change.path.clone()));
        let Some(name) = name else {
            return Err(
                wrong(number, "the block has no file").with_hint("Put the file's path above it")
            );
        };
        let old = part(&mut lines, number, "=======", is_divider)?;
        let new = part(&mut lines, number, ">>>>>>> REPLACE", is_end)?;
        if new.split_inclusive('\n').any(|line| is_divider(line.trim_end())) {
            return Err(wrong(number, "the block has more than one line =======").with_hint(
                "Send this change as a unified diff: which line divides is not certain",
            ));
        }
        if old == new {
            return Err(wrong(number, "both parts of the block are equal")
                .with_hint("Give the replacement"));
        }
        add(&mut changes, name, &old, new, number, &mut engine, cancel)?;
    }
    Ok(changes)
}

/// Adds a block to the change of its file.
fn add(
    changes: &mut Vec<FileChange>,
    path: String,
    old: &str,
    new: String,
    line: usize,
    engine: &mut Engine,
    cancel: &CancelToken<'_>,
) -> Result<()> {
    if old.is_empty() {
        changes.push(FileChange::new(path, ChangeKind::Create(new), line));
        return Ok(());
    }
    let hunk = Hunk { lines: between(old, &new, engine, cancel)?, line, ..Hunk::default() };
    let open = changes.iter_mut().find(|change| change.path == path);
    match open.map(|change| &mut change.kind) {
        Some(ChangeKind::Update { hunks, .. }) => hunks.push(hunk),
        _ => {
            let kind = ChangeKind::Update { hunks: vec![hunk], moves_to: None };
            changes.push(FileChange::new(path, kind, line));
        }
    }
    Ok(())
}

/// Returns the lines up to a mark.
fn part<'a>(
    lines: &mut impl Iterator<Item = (&'a str, usize)>,
    start: usize,
    mark: &str,
    is_mark: impl Fn(&str) -> bool,
) -> Result<String> {
    let mut text = String::new();
    for (line, number) in lines {
        if is_mark(line.trim_end()) {
            return Ok(text);
        }
        if is_search(line.trim_end()) {
            return Err(wrong(
                number,
                format_args!("a block starts before '{mark}' of the one at line {start}"),
            ));
        }
        text.push_str(line);
    }
    Err(wrong(start, format_args!("the block has no '{mark}'"))
        .with_hint("The patch may have been cut: send all of it"))
}

/// Returns the path that a line names; `None` for a fence or an empty line.
fn path(line: &str) -> Option<String> {
    let line = line.trim();
    let is_fence = line.starts_with("```");
    let line = line.trim_start_matches('#').trim_end_matches(':').trim().trim_matches(['`', '*']);
    (!is_fence && !line.is_empty() && !line.contains(' ')).then(|| line.to_owned())
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
    let text = |content: &[u8]| {
        String::from_utf8_lossy(content.strip_suffix(b"\n").unwrap_or(content)).into_owned()
    };
    let lines = diff.hunks().iter().flat_map(|hunk| diff.lines(hunk));
    Ok(lines.map(|line| HunkLine::new(line.kind, text(line.content))).collect())
}
