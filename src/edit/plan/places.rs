//! Finds the strings of edits in a file, and reports those that do not occur exactly once.

use std::collections::HashMap;
use std::ops::Range;

use crate::near::explain::not_found;
use crate::plan::matching::{Haystack, without_overlaps};
use crate::plan::request::{Edit, FileName};
use redline_base::budget::{Gather, Grow, GrowMap, Joined, Ordered};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_text::CancelToken;
use redline_text::cancel_token::Stopped;
use redline_text::lines::Lines;

/// The most lines that an error lists; of more it gives the number.
pub(crate) const LINES_NAMED: usize = 20;

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
        if let Some(first) = wanted.put(edit.old_string, index) {
            let place: Option<&Match> = matches.iter().find(|found: &&Match| found.edit == first);
            return Err(overlap(
                file,
                lines,
                [first, index],
                place.map_or(0, |found| found.place.start),
            ));
        }
        let places = haystack.places(edit.old_string, cancel)?;
        let before = matches.len();
        let mut add = |place| matches.add(Match { place, edit: index });
        if edit.replace_all {
            for place in without_overlaps(places) {
                add(place?);
            }
        } else {
            let mut places = places.peekable();
            if let Some(place) = places.next().transpose()? {
                if places.peek().is_some() {
                    return Err(not_unique(&which(index, edits.len()), lines, place, places)?);
                }
                add(place);
            }
        }
        if matches.len() == before {
            let which = which(index, edits.len());
            return Err(not_found(&which, file, lines, edit.old_string, cancel)?);
        }
        // Places that do not overlap cannot be more than the bytes; more of them are refused below.
        if matches.len() > lines.bytes().len() + 1 {
            break;
        }
    }
    matches.order_by_key(|Match { place, .. }| place.start);
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

/// Returns the error for a string with several places: the first, and the others.
fn not_unique(
    which: &str,
    lines: &Lines<'_>,
    first: Range<usize>,
    others: impl Iterator<Item = std::result::Result<Range<usize>, Stopped>>,
) -> Result<Error> {
    let (mut numbers, mut last, mut in_lines, mut count) = (Vec::new(), 0, 0, 0);
    for place in std::iter::once(Ok(first)).chain(others) {
        count += 1;
        let line = lines.line_at(place?.start) + 1;
        if line != last {
            (last, in_lines) = (line, in_lines + 1);
            if numbers.len() < LINES_NAMED {
                numbers.add(line);
            }
        }
    }
    Ok(Error::not_unique(format!("{which}Found {count} matches for old_string")).with_hint(
        format!(
            "Use replace_all=True or provide more context. Matches at lines: {}",
            listed(&numbers, in_lines)
        ),
    ))
}

/// Returns numbers of lines for a message: the first ones of `count`, and how many more there are.
pub(crate) fn listed(first: &[usize], count: usize) -> String {
    let named: Vec<String> = first.iter().take(LINES_NAMED).map(usize::to_string).gather();
    let more = match count - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.joined(", ") + &more
}
