//! The lines to follow: by their numbers, or a function by its name.

use super::ranges::LineRanges;
use crate::change::contents::Reader;
use crate::history::check_first_line;
use crate::model::changed_file::{Change, Entry};
use redline_base::budget::{Copied, Gather};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::pattern::{Pattern, Syntax, posix};
use redline_text::CancelToken;
use redline_text::lines::Lines;

/// The requested lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinesAsked {
    /// From the first to the last, from 1; the last may be beyond the end.
    Between(u32, u32),
    /// Those of the first function whose line matches a POSIX basic regular expression.
    Function(String),
}

/// Returns the requested lines in a version of a file.
pub fn lines(
    asked: &LinesAsked,
    file: &str,
    entry: Entry,
    content: &[u8],
    reader: &mut Reader,
    cancel: &CancelToken<'_>,
) -> Result<LineRanges> {
    let text = Lines::split(content, cancel)?;
    let count = text.len() as u32;
    let (first, last) = match asked {
        LinesAsked::Between(first, last) => (*first, (*last).min(count)),
        LinesAsked::Function(name) => {
            let change = Change::new(file.as_bytes().copied_vec(), None, Some(entry));
            let sections = reader.sections(&change)?;
            let pattern = pattern(name)?;
            let mut pace = cancel.pace();
            let mut is_heading = |line: usize| {
                let line = text.get(line);
                pace.spend(1 + line.len() / 32)?;
                Ok::<bool, Error>(sections.is_heading(line))
            };
            let mut start = None;
            let mut no_heading = None;
            for line in 0..text.len() {
                let bytes = text.get(line);
                // git's search ends at a NUL.
                let end = bytes.iter().position(|&byte| byte == 0);
                let shown = &bytes[..end.unwrap_or(bytes.len())];
                let shown = shown.strip_suffix(b"\n").unwrap_or(shown);
                if pattern.is_match(shown)? {
                    if is_heading(line)? {
                        start = Some(line);
                        break;
                    }
                    no_heading = no_heading.or(Some(line + 1));
                }
                if end.is_some() {
                    break;
                }
            }
            let Some(start) = start else {
                return Err(no_function(file, name, no_heading));
            };
            let mut end = start + 1;
            while end < text.len() && !is_heading(end)? {
                end += 1;
            }
            (start as u32 + 1, end as u32)
        }
    };
    check_first_line(first, count)?;
    Ok(std::iter::once(first - 1..last).gather())
}

/// Returns the error for a name that no line which begins a function matches; `other` is the number
/// of a line that does.
fn no_function(file: &str, name: &str, other: Option<usize>) -> Error {
    let error =
        Error::not_found(format!("no function of {} matches {}", quoted(file), quoted(name)));
    match other {
        None => error
            .with_hint("Give a part of the line that begins it, or the numbers of its lines"),
        Some(line) => error.with_hint(format!(
            "Line {line} does, but is not taken for the beginning of a function: that is decided by the \
             attribute diff of the file, such as '*.rs diff=rust' in .gitattributes or in \
             .git/info/attributes. Set it, or give the numbers of the lines"
        )),
    }
}

fn pattern(name: &str) -> Result<Pattern> {
    let refused = || {
        Error::invalid_args(format!("{} is not a basic regular expression", quoted(name)))
            .with_hint(
                "Give a part of the line that begins the function, such as ':main:src/main.rs'",
            )
    };
    let translated = posix::basic_translated(name.as_bytes()).ok_or_else(refused)?;
    let syntax = Syntax { most_bytes: limits::SEARCH_HEAP_BYTES, ..Syntax::default() };
    Pattern::new(&translated, syntax).ok_or_else(refused)
}
