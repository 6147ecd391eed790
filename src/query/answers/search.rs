//! The answer of `search`.

use super::list_files::within;
use crate::Context;
use crate::found_files::{FilesWanted, FoundFiles, cursor};
use redline_base::budget::check_current;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_find::{Query, QueryOptions};
use redline_tools::{MatchedLine, Matches, Reply, Rest, Room, SearchArguments};

/// Searches the files that the arguments name.
pub fn answer(context: &Context, reply: &Reply, arguments: &SearchArguments) -> Result<Matches> {
    within(context, arguments.rev.is_some(), || search(context, reply, arguments))
}

fn search(context: &Context, reply: &Reply, arguments: &SearchArguments) -> Result<Matches> {
    let query = options(arguments)?;
    let options = format!(
        "search {query:?} {:?}",
        (
            &arguments.path,
            &arguments.repo,
            &arguments.rev,
            &arguments.glob,
            &arguments.include_ignored,
        )
    );
    let mut query = Query::new(query)?;
    let mut files = found(context, arguments)?;
    let binding = files.binding(&options);
    let from = arguments.cursor.as_deref().map(|cursor| binding.position(cursor)).transpose()?;
    let from = from.unwrap_or_default();
    let mut matches = Matches {
        place: format!("{} in {}", quoted(&arguments.pattern), files.place),
        rest: Rest::at(Some(cursor(&binding, 0, 0)?)),
        ..Matches::default()
    };
    let mut room = Room::beside(reply, &matches);
    matches.rest = Rest::default();
    for index in from.listed..files.len() {
        check_current()?;
        let first = if index == from.listed { from.offset as u64 } else { 0 };
        let Some(content) = files.open(index)? else { continue };
        let found = query.search(content, first, room.left(), &mut || Ok(check_current()?))?;
        // The search also ends at the end of the page.
        let end = found.is_over.then(|| found.lines.last().map_or(first, |line| line.number + 1));
        let lines = found.lines.into_iter().map(|line| MatchedLine {
            line: line.number,
            text: line.text,
            is_match: line.is_match,
            is_after_gap: line.is_after_gap,
        });
        let over = matches.add(files.path(index), lines, &mut room)?;
        if let Some(next) = over.or(end) {
            if matches.files.is_empty() {
                return Err(room.too_small());
            }
            matches.rest = Rest::at(Some(cursor(&binding, index, next)?));
            break;
        }
    }
    if matches.files.is_empty() && arguments.cursor.is_none() {
        matches.reason = reason(&mut files, arguments)?;
    }
    Ok(matches)
}

fn options(arguments: &SearchArguments) -> Result<QueryOptions<'_>> {
    let context = arguments.context_lines.unwrap_or(0);
    let context = usize::try_from(context).ok().filter(|lines| *lines <= limits::SEARCH_CONTEXT);
    let context = context.ok_or_else(|| {
        Error::invalid_args("context_lines is out of range")
            .with_hint(format!("Give 0 to {} lines", limits::SEARCH_CONTEXT))
    })?;
    Ok(QueryOptions {
        pattern: &arguments.pattern,
        is_regex: arguments.regex.unwrap_or(false),
        ignores_case: arguments.ignore_case.unwrap_or(false),
        context,
    })
}

/// Returns the files to search: those of a directory, or the one at the path.
fn found(context: &Context, arguments: &SearchArguments) -> Result<FoundFiles> {
    let wanted = FilesWanted {
        path: arguments.path.as_deref(),
        repo: arguments.repo.as_deref(),
        rev: arguments.rev.as_deref(),
        glob: arguments.glob.as_deref(),
        depth: u64::MAX,
        include_ignored: arguments.include_ignored.unwrap_or(false),
    };
    if let (Some(path), None, Some(sandboxes)) =
        (wanted.path, wanted.rev, context.access.sandboxes())
        && let Some(file) = FoundFiles::one(sandboxes, path)?
    {
        return Ok(file);
    }
    wanted.find(context)
}

/// The lines to count if a regular expression was searched for as text.
const COUNTED_LINES: usize = 1_000;

/// Returns the reason for which a search found nothing: no file was selected, or the pattern is a
/// regular expression that was searched for as text.
fn reason(files: &mut FoundFiles, arguments: &SearchArguments) -> Result<Option<String>> {
    if files.is_empty() {
        return Ok(Some(files.none(arguments.glob.as_deref())));
    }
    let is_expression =
        arguments.pattern.contains(['|', '*', '+', '?', '[', '(', '^', '$', '\\', '.']);
    if !is_expression || arguments.regex.unwrap_or(false) {
        return Ok(None);
    }
    let query = QueryOptions { is_regex: true, context: 0, ..options(arguments)? };
    // An invalid expression was meant as text.
    let Ok(mut query) = Query::new(query) else { return Ok(None) };
    let mut lines = 0;
    for index in 0..files.len() {
        check_current()?;
        let Some(content) = files.open(index)? else { continue };
        let most = COUNTED_LINES * limits::SEARCH_LINE_BYTES;
        lines += query.search(content, 0, most, &mut || Ok(check_current()?))?.lines.len();
        if lines >= COUNTED_LINES {
            break;
        }
    }
    let counted = match lines {
        0 => return Ok(None),
        1 => "1 line".to_owned(),
        COUNTED_LINES.. => format!("{COUNTED_LINES} lines and more"),
        _ => format!("{lines} lines"),
    };
    Ok(Some(format!("As an expression it matches {counted}: regex = true")))
}
