//! Ids, times, paths and names of references in the text of an answer.

use redline_base::budget::{Gather, Grow, GrowBy, Joined};

/// The digits of an id for display.
const SHOWN_DIGITS: usize = 12;

/// Returns names of references as a list in brackets: no name can end the list, or look like two.
pub fn shown_refs<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let shown = names.map(|name| {
        let mut shown = String::new();
        for c in name.chars() {
            match c {
                ',' | '(' | ')' | '[' | ']' => shown.add_slice(&c.escape_unicode().to_string()),
                c => shown.add(c),
            }
        }
        shown
    });
    shown.gather::<Vec<_>>().joined(", ")
}

/// Returns a path that can be shown in parentheses without ending them.
pub fn shown_inside(path: &str) -> String {
    path.replace(") ", "\\u{29} ")
}

/// Returns the start of an id.
pub fn shown_id(id: &str) -> &str {
    &id[..id.len().min(SHOWN_DIGITS)]
}

/// Returns the day of a time.
pub fn shown_day(time: Option<&str>) -> &str {
    time.map_or("(no date)", |time| time.split('T').next().unwrap_or(time))
}
