//! The lines of a text around its patch: each line belongs to a part of the patch, or is prose. A
//! line that looks like a part and belongs to none is refused, as it would be dropped.

use std::ops::Range;

use super::wrong;
use redline_base::budget::{Gather, filled};
use redline_base::error::{Error, Result, quoted};
use redline_text::CancelToken;

/// The lines of a text, and which of them belong to parts of a patch.
pub(super) struct PatchLines<'a> {
    /// Each line with its line end.
    pub(super) all: Vec<&'a str>,
    is_owned: Vec<bool>,
}

impl<'a> PatchLines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let all: Vec<&str> = text.split_inclusive('\n').gather();
        Self { is_owned: filled(false, all.len()), all }
    }

    /// Notes that lines, counted from 0, belong to a part.
    pub(super) fn own(&mut self, lines: Range<usize>) {
        self.is_owned[lines].fill(true);
    }

    /// Returns a line without its line end and the blanks there; after the last line, an empty one.
    pub(super) fn text(&self, index: usize) -> &'a str {
        self.all.get(index).map_or("", |line| line.trim_end())
    }

    /// Refuses a line that looks like a part of a patch and belongs to none.
    pub(super) fn check_rest(&self, cancel: &CancelToken<'_>) -> Result<()> {
        let mut pace = cancel.pace();
        let mut around = Around::default();
        for (index, (line, is_owned)) in self.all.iter().zip(&self.is_owned).enumerate() {
            pace.pass(line.len())?;
            let text = line.trim_end();
            if *is_owned {
                around.after_part(text);
                continue;
            }
            let next = index + 1;
            let next = if self.text(next).is_empty() { next + 1 } else { next };
            if begins(text, self.text(next)) && around.has_part {
                return Err(wrong(
                    index + 1,
                    format_args!("a second patch begins here: {}", quoted(text)),
                )
                .with_hint("Send all changes in one form, or each form in a call of its own"));
            }
            if begins(text, self.text(next)) || is_mark(text) || around.is_change(text) {
                return Err(stray(index + 1, text));
            }
        }
        Ok(())
    }
}

fn stray(number: usize, text: &str) -> Error {
    let error = wrong(
        number,
        format_args!("{} looks like a part of a patch, and belongs to none", quoted(text)),
    );
    error.with_hint(if is_dashed(text.trim()) {
        "A block starts with <<<<<<< SEARCH and ends with >>>>>>> REPLACE"
    } else {
        "Send the whole patch in one form: each change within its file, and no text between"
    })
}

/// The marks of `*** Begin Patch`, which no prose starts with.
const MARKS: [&str; 7] = [
    "*** Begin Patch",
    "*** End Patch",
    "*** Add File:",
    "*** Update File:",
    "*** Delete File:",
    "*** Move to:",
    "*** End of File",
];

/// Tells whether a patch or a part of it begins at a line; `next` is the one below, or the one below
/// that if it is empty.
fn begins(line: &str, next: &str) -> bool {
    let (line, next) = (line.trim_start(), next.trim_start());
    let pairs = [("--- ", "+++ "), ("rename from ", "rename to "), ("copy from ", "copy to ")];
    starts_with(line, MARKS[0])
        || ["diff --git ", "diff --cc ", "diff --combined "]
            .iter()
            .any(|mark| line.starts_with(mark))
        || pairs.iter().any(|(one, other)| line.starts_with(one) && next.starts_with(other))
        || (line.starts_with("<<<<<")
            && line.trim_start_matches('<').trim_start().starts_with("SEARCH"))
}

/// Tells whether a line has another mark of a patch.
fn is_mark(line: &str) -> bool {
    let line = line.trim_start();
    let is_mode = || {
        let kinds = ["old mode ", "new mode ", "new file mode ", "deleted file mode "];
        let mode = kinds.iter().find_map(|kind| line.strip_prefix(kind));
        mode.is_some_and(|mode| mode.len() == 6 && mode.bytes().all(|byte| byte.is_ascii_digit()))
    };
    MARKS.iter().any(|mark| starts_with(line, mark))
        || line.strip_prefix("@@").is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        || ["+++ ", "<<<<<", ">>>>>", "GIT binary patch", "***************"]
            .iter()
            .any(|mark| line.starts_with(mark))
        || (line.starts_with("Binary files ") && line.ends_with(" differ"))
        || is_dashed(line)
        || line.contains("\"old_string\":")
        || is_mode()
}

fn starts_with(line: &str, mark: &str) -> bool {
    line.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

/// Tells whether a line is a mark of blocks as some tools write them.
fn is_dashed(line: &str) -> bool {
    let is = |sign: char, word: &str| {
        let rest = line.trim_start_matches(sign);
        line.len() - rest.len() >= 3 && rest.trim() == word
    };
    is('-', "SEARCH") || is('+', "REPLACE")
}

/// What surrounds a line that belongs to no part.
#[derive(Default)]
struct Around {
    has_part: bool,
    /// Whether the last part is a hunk or a header of a unified diff.
    after_hunk: bool,
    /// Whether an empty line has followed the last part.
    after_blank: bool,
    /// Whether the signature of a mail has followed it.
    after_signature: bool,
    /// Whether a fence is open, and whether it is one of a diff.
    fence: Option<bool>,
}

impl Around {
    fn after_part(&mut self, text: &str) {
        *self = Self { has_part: true, fence: self.fence, ..Self::default() };
        // An envelope and a block end with these marks; a unified diff may go on.
        self.after_hunk = !text.starts_with(['*', '>']);
    }

    /// Tells whether a line looks like one of a hunk, after noting what it says about the next.
    fn is_change(&mut self, line: &str) -> bool {
        if let Some(info) = fence(line) {
            self.fence = match self.fence {
                Some(_) if info.is_empty() => None,
                _ => Some(matches!(info, "diff" | "patch" | "udiff")),
            };
            return false;
        }
        if line.is_empty() {
            self.after_blank = true;
            return false;
        }
        if matches!(line, "--" | "---") {
            self.after_signature |= line == "--";
            return false;
        }
        let is_next = self.after_hunk && !self.after_blank;
        if !line.starts_with(['+', '-']) {
            return is_next && line.starts_with([' ', '\\']);
        }
        let in_diff = self.fence == Some(true);
        let is_later = self.after_hunk && !self.after_signature && !is_bullet(line);
        in_diff || is_next || (is_later && !line.starts_with("--"))
    }
}

/// Returns what follows the mark of a fence of Markdown.
pub(super) fn fence(line: &str) -> Option<&str> {
    let line = line.trim();
    let sign = ['`', '~'].into_iter().find(|&sign| line.starts_with(sign))?;
    let info = line.trim_start_matches(sign);
    // A line of code in a sentence has no fence: ```x``` closes what it opens.
    (line.len() - info.len() >= 3 && !info.contains('`')).then(|| info.trim())
}

fn is_bullet(line: &str) -> bool {
    let rest = line.get(1..).and_then(|rest| rest.strip_prefix(' '));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests;
