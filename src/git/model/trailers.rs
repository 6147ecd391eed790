//! Trailers: lines such as `Signed-off-by: A <a@b>` at the end of a commit's message.
//!
//! Source: git-interpret-trailers(1), whose `--parse --no-divider` prints the same with git's default
//! configuration, as does `%(trailers:only,unfold)` of git log: the separator is `:`, comments begin
//! with `#`, and no key has another name. A line `---` is none that ends the message of a commit.

use gix::bstr::ByteSlice;

use crate::model::space::{is_space, trim_end, trim_start, up_to_nul};
use redline_base::budget::{Charge, Stopped, append, check_every, copied};
use redline_text::CancelToken;

/// Lines between two checks of the budget.
const LINES_PER_CHECK: usize = 1 << 14;

/// Beginnings of lines that git itself appends; such a block may hold other lines, too.
const OF_GIT: [&[u8]; 2] = [b"Signed-off-by: ", b"(cherry picked from commit "];

/// The line below which git's commit template has no message.
const SCISSORS: &[u8] = b"# ------------------------ >8 ------------------------";

/// A trailer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailer {
    /// The text before the separator, without spaces around it.
    pub key: Vec<u8>,
    /// The text after it, on one line.
    pub value: Vec<u8>,
}

impl Trailer {
    /// Returns its approximate size in memory.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.key.len() + self.value.len()
    }
}

/// Returns the trailers of a message, in their order; their memory is added to `charge`.
///
/// # Errors
/// The reason why the query ended.
pub fn trailers(
    message: &[u8],
    charge: &mut Charge,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Trailer>, Stopped> {
    let message = up_to_nul(message);
    let message = &message[..end_of_message(message)?];
    let mut found = Vec::new();
    // Whether an indented line continues the last trailer.
    let mut is_open = false;
    for (number, line) in message[start_of_block(message)?..].lines_with_terminator().enumerate() {
        check_every(LINES_PER_CHECK, number + 1)?;
        if is_open && line.first().is_some_and(|&byte| is_space(byte)) {
            let Some(Trailer { value, .. }) = found.last_mut() else { continue };
            append(value, line)?;
            continue;
        }
        let separator = separator(line);
        is_open = separator.is_some();
        if let Some(at) = separator {
            cancel.room(charge, &mut found, 1)?;
            let key = copied(trim_end(&line[..at]))?;
            found.push(Trailer { key, value: copied(&line[at + 1..])? });
        }
    }
    for trailer in &mut found {
        trailer.value = unfolded(&trailer.value)?;
    }
    Ok(found)
}

/// Returns a message with a trailer at the end of its own, or in a paragraph of its own; as it is if
/// its last one is the same.
///
/// # Errors
/// The reason why the query ended.
pub fn with_trailer(message: &str, key: &str, value: &str) -> Result<String, Stopped> {
    let (body, rest) = message.split_at(end_of_message(message.as_bytes())?);
    let start = start_of_block(body.as_bytes())?;
    let last = body[start..].lines().last().and_then(|line| line.split_once(':'));
    let is_same = last.is_some_and(|(last_key, last_value)| {
        last_key.trim_end().eq_ignore_ascii_case(key) && last_value.trim() == value
    });
    if is_same {
        return Ok(message.to_owned());
    }
    let line_end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    let gap = if start == body.len() { "\n" } else { "" };
    Ok(format!("{body}{line_end}{gap}{key}: {value}\n{rest}"))
}

/// Returns the length of a message without what is below the scissors, and without comments, empty
/// lines and a list of conflicts at its end.
fn end_of_message(message: &[u8]) -> Result<usize, Stopped> {
    let (mut end, mut has_end) = (0, false);
    // Where the ignored lines at the end begin; like git, 0 is none.
    let (mut ignored, mut is_conflicts) = (0, false);
    let mut at = 0;
    for (number, whole) in message.lines_with_terminator().enumerate() {
        check_every(LINES_PER_CHECK, number + 1)?;
        let line = whole.strip_suffix(b"\n").unwrap_or(whole);
        has_end |= line == SCISSORS;
        if !has_end {
            if is_comment(line) || line.is_empty() || line == b"Conflicts:" {
                is_conflicts |= line == b"Conflicts:";
                ignored = if ignored == 0 { at } else { ignored };
            } else if !(is_conflicts && line.starts_with(b"\t")) {
                (ignored, is_conflicts) = (0, false);
            }
            end = at + whole.len();
        }
        at += whole.len();
    }
    Ok(if ignored == 0 { end } else { ignored })
}

/// Returns where the trailers begin: after the last empty line below the title, if all lines after
/// it are trailers, or at least a quarter of them and one of git's own among them.
fn start_of_block(message: &[u8]) -> Result<usize, Stopped> {
    let title = end_of_title(message)?;
    let (mut trailers, mut others, mut continued) = (0usize, 0usize, 0usize);
    let (mut has_one_of_git, mut is_only_blank) = (false, true);
    let mut end = message.len();
    for number in 1.. {
        check_every(LINES_PER_CHECK, number)?;
        let Some(start) = start_of_last_line(&message[..end]).filter(|&start| start >= title)
        else {
            break;
        };
        let line = &message[start..end];
        if is_comment(line) {
            others += std::mem::take(&mut continued);
        } else if is_blank(line) {
            if !is_only_blank {
                others += continued;
                let is_block =
                    (has_one_of_git && trailers * 3 >= others) || (trailers > 0 && others == 0);
                return Ok(if is_block { end } else { message.len() });
            }
        } else {
            is_only_blank = false;
            let is_of_git = OF_GIT.iter().any(|begin| line.starts_with(begin));
            let is_indented = line.first().is_some_and(|&byte| is_space(byte));
            if is_of_git || (!is_indented && separator(line).is_some()) {
                has_one_of_git |= is_of_git;
                trailers += 1;
                continued = 0;
            } else if is_indented {
                continued += 1;
            } else {
                others += 1 + std::mem::take(&mut continued);
            }
        }
        end = start;
    }
    Ok(message.len())
}

/// Returns the length of the first paragraph, with comments.
fn end_of_title(message: &[u8]) -> Result<usize, Stopped> {
    let mut end = 0;
    for (number, line) in message.lines_with_terminator().enumerate() {
        check_every(LINES_PER_CHECK, number + 1)?;
        if is_blank(line) {
            break;
        }
        end += line.len();
    }
    Ok(end)
}

fn start_of_last_line(text: &[u8]) -> Option<usize> {
    let (_, before) = text.split_last()?;
    Some(before.rfind_byte(b'\n').map_or(0, |at| at + 1))
}

/// Returns the position of the separator after a key: letters, digits and `-`, then blanks.
fn separator(line: &[u8]) -> Option<usize> {
    let key = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let blanks = line[key..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    (key > 0 && line.get(key + blanks) == Some(&b':')).then_some(key + blanks)
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#")
}

fn is_blank(line: &[u8]) -> bool {
    trim_start(line).is_empty()
}

/// Joins the lines of a value with single spaces.
fn unfolded(value: &[u8]) -> Result<Vec<u8>, Stopped> {
    let mut joined = Vec::new();
    for (index, line) in trim_end(trim_start(value)).split(|&byte| byte == b'\n').enumerate() {
        let line = if index == 0 { line } else { trim_start(line) };
        if index > 0 && !line.is_empty() {
            append(&mut joined, b" ")?;
        }
        append(&mut joined, line)?;
    }
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> Vec<(String, String)> {
        let found = trailers(message.as_bytes(), &mut Charge::free(), &CancelToken::never());
        let text = |bytes: &[u8]| bytes.to_str_lossy().into_owned();
        found.unwrap().iter().map(|one| (text(&one.key), text(&one.value))).collect()
    }

    #[test]
    fn the_last_paragraph_holds_trailers_if_enough_of_its_lines_are_some() {
        let (a, b) = (("A".into(), "1".into()), ("Signed-off-by".into(), "x".into()));
        for (message, wanted) in [
            ("s\n\nA: 1\n", vec![a.clone()]),
            ("s\n\nb\n\nA: 1\nSigned-off-by: x\n", vec![a.clone(), b.clone()]),
            ("A: 1\n", vec![]),
            ("s\n\nA: 1\nwords\n", vec![]),
            ("s\n\nwords\nwords\nwords\nSigned-off-by: x\n", vec![b.clone()]),
            ("s\n\nw\nw\nw\nw\nSigned-off-by: x\n", vec![]),
            ("s\n\nA: 1\n\n# comment\n\n", vec![a.clone()]),
            ("s\n\nA: 1\n---\nB: 2\n", vec![]),
            ("s\n\n---\nx: y\n...\n\nA: 1\n", vec![a.clone()]),
            ("s\n\nA: 1\n\nConflicts:\n\tx\n", vec![a.clone()]),
            ("s\n\nA\t: 1", vec![a.clone()]),
            ("s\n\nA b: 1\n", vec![]),
            ("s\n\nA: 1\n\0B: 2\n", vec![a]),
            ("", vec![]),
        ] {
            assert_eq!(read(message), wanted, "{message:?}");
        }
    }

    #[test]
    fn a_trailer_is_added_once_at_the_end_of_the_others() {
        for (message, wanted) in [
            ("s\n", "s\n\nA: 1\n"),
            ("s\n\nbody\n", "s\n\nbody\n\nA: 1\n"),
            ("s\n\nB: 2\n", "s\n\nB: 2\nA: 1\n"),
            ("s\n\na: 1\n", "s\n\na: 1\n"),
            ("s\n\nA: 1\nB: 2\n", "s\n\nA: 1\nB: 2\nA: 1\n"),
            ("s\n\nB: 2\n---\nnote\n", "s\n\nB: 2\n---\nnote\n\nA: 1\n"),
            ("s\n\n# comment\n", "s\n\nA: 1\n\n# comment\n"),
        ] {
            assert_eq!(with_trailer(message, "A", "1").unwrap(), wanted, "{message:?}");
        }
    }

    #[test]
    fn a_value_goes_on_in_indented_lines_and_is_shown_on_one() {
        let value = |message: &str| read(message).pop().unwrap().1;
        assert_eq!(value("s\n\nA: one\n  two\n\t three  \n"), "one two three");
        assert_eq!(value("s\n\nA:\n b\n"), "b");
        assert_eq!(value("s\n\nA:\n"), "");
    }
}
