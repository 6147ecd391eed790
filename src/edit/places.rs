//! Finds the strings of edits in a file, and reports those that do not occur exactly once.

use std::collections::HashMap;
use std::ops::Range;

use super::explain::not_found;
use super::matching::{Haystack, without_overlaps};
use super::request::{Edit, FileName};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_text::CancelToken;
use redline_text::lines::Lines;

/// The most lines that an error lists; of more it gives the number.
const LINES_NAMED: usize = 20;

/// A place, and the edit that takes it.
pub struct Match {
    /// Its bytes in the file.
    pub place: Range<usize>,
    /// The number of the edit, from 0.
    pub edit: usize,
}

/// Returns the name of one of several edits for a message.
pub fn which(index: usize, edits: usize) -> String {
    if edits == 1 { String::new() } else { format!("edit {} of {edits}: ", index + 1) }
}

/// Returns the places of all edits, ascending.
pub fn find(
    file: FileName<'_>,
    haystack: &Haystack<'_>,
    lines: &Lines<'_>,
    edits: &[Edit<'_>],
    cancel: &CancelToken<'_>,
) -> Result<Vec<Match>> {
    if edits.len() > limits::EDITS {
        return Err(Error::too_large(format!(
            "there are {} edits, and one call takes at most {}",
            edits.len(),
            limits::EDITS
        ))
        .with_hint("Make them in several calls, or write the whole file"));
    }
    let mut matches = Vec::new();
    let mut wanted = HashMap::new();
    for (index, edit) in edits.iter().enumerate() {
        cancel.check()?;
        // The same string is found at the same places: they overlap without a search.
        if let Some(first) = wanted.insert(edit.old_string, index) {
            let place: Option<&Match> = matches.iter().find(|found: &&Match| found.edit == first);
            return Err(overlap(
                file,
                lines,
                [first, index],
                place.map_or(0, |found| found.place.start),
            ));
        }
        let mut places = haystack.places(edit.old_string);
        if places.is_empty() {
            return Err(not_found(&which(index, edits.len()), file, lines, edit.old_string));
        }
        if edit.replace_all {
            without_overlaps(&mut places);
        } else if places.len() > 1 {
            return Err(not_unique(&which(index, edits.len()), lines, &places));
        }
        matches.extend(places.into_iter().map(|place| Match { place, edit: index }));
        // Places that do not overlap cannot be more than the bytes; more of them are refused below.
        if matches.len() > lines.bytes().len() + 1 {
            break;
        }
    }
    matches.sort_by_key(|Match { place, .. }| place.start);
    for pair in matches.windows(2) {
        if pair[1].place.start < pair[0].place.end || pair[1].place.start == pair[0].place.start {
            let both = [pair[0].edit.min(pair[1].edit), pair[0].edit.max(pair[1].edit)];
            return Err(overlap(file, lines, both, pair[1].place.start));
        }
    }
    Ok(matches)
}

fn overlap(file: FileName<'_>, lines: &Lines<'_>, [first, second]: [usize; 2], at: usize) -> Error {
    let line = lines.line_at(at) + 1;
    Error::invalid_args(format!(
        "edits {} and {} overlap at line {line} of {file}",
        first + 1,
        second + 1
    ))
    .with_hint("Join them to one edit")
}

fn not_unique(which: &str, lines: &Lines<'_>, places: &[Range<usize>]) -> Error {
    let mut numbers: Vec<usize> =
        places.iter().map(|place| lines.line_at(place.start) + 1).collect();
    numbers.dedup();
    Error::not_unique(format!("{which}Found {} matches for old_string", places.len())).with_hint(
        format!(
            "Use replace_all=True or provide more context. Matches at lines: {}",
            listed(&numbers)
        ),
    )
}

/// Returns the numbers of lines for a message: the first ones, and how many more there are.
pub(super) fn listed(lines: &[usize]) -> String {
    let named: Vec<String> = lines.iter().take(LINES_NAMED).map(usize::to_string).collect();
    let more = match lines.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.join(", ") + &more
}
