//! What models paste into the old lines of a patch, and the file does not have.

use std::collections::HashSet;

use super::HunkLine;
use redline_base::budget::{CopiedText, GrowSet};
use redline_text::CancelToken;
use redline_text::cancel_token::Stopped;
use redline_text::lines::Lines;

/// What a line has that the file lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pasted {
    LineNumber,
    DiffMark,
    Entities,
    Fence,
    StartLine,
}

impl Pasted {
    const ALL: [Self; 5] =
        [Self::LineNumber, Self::DiffMark, Self::Entities, Self::Fence, Self::StartLine];

    /// Returns what it is called, and what to do about it.
    pub(super) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::LineNumber => ("a line number", "Leave out the numbers before lines"),
            Self::DiffMark => ("the mark of a diff", "Leave out + and - in blocks"),
            Self::Entities => ("HTML entities", "Write <, > and & as they are in the file"),
            Self::Fence => ("a fence", "Put fences around blocks and hunks, not within"),
            Self::StartLine => (":start_line:", "Leave :start_line: out, or put ------- below it"),
        }
    }

    /// Returns the line without it; `None` if it has none.
    fn removed(self, line: &str) -> Option<String> {
        let line = line.trim();
        match self {
            Self::LineNumber => {
                let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
                let rest = Some(rest).filter(|rest| rest.len() < line.len())?.trim_start();
                Some(rest.trim_start_matches([':', '|', '→', '.', ')']).trim().copied_text())
            }
            Self::DiffMark => line.strip_prefix(['+', '-']).map(|rest| rest.trim().copied_text()),
            Self::Entities => {
                let entities = [
                    ("&lt;", "<"),
                    ("&gt;", ">"),
                    ("&quot;", "\""),
                    ("&#39;", "'"),
                    ("&apos;", "'"),
                    ("&amp;", "&"),
                ];
                let plain = entities
                    .iter()
                    .fold(line.copied_text(), |text, (entity, plain)| text.replaced(entity, plain));
                (plain != line).then_some(plain)
            }
            Self::Fence => line.starts_with("```").then(String::new),
            Self::StartLine => line.starts_with(":start_line:").then(String::new),
        }
    }
}

/// Returns the first of the old lines of a hunk that the file has only without something, and what.
///
/// # Errors
/// Those of the token.
pub(super) fn pasted<'h>(
    file: &Lines<'_>,
    old: &[&'h HunkLine],
    cancel: &CancelToken<'_>,
) -> Result<Option<(&'h str, Pasted)>, Stopped> {
    let mut pace = cancel.pace();
    let mut there: HashSet<&[u8]> = HashSet::new();
    for index in 0..file.len() {
        pace.pass(file.get(index).len())?;
        there.put(file.get(index).trim_ascii());
    }
    let is_there = |line: &str| there.contains(line.trim().as_bytes());
    for line in old.iter().map(|line| line.text.as_str()) {
        pace.pass(line.len())?;
        let is_pasted = |pasted: &Pasted| {
            pasted.removed(line).is_some_and(|rest| {
                matches!(pasted, Pasted::Fence | Pasted::StartLine)
                    || (!rest.is_empty() && is_there(&rest))
            })
        };
        if !is_there(line)
            && let Some(pasted) = Pasted::ALL.into_iter().find(is_pasted)
        {
            return Ok(Some((line.trim_end(), pasted)));
        }
    }
    Ok(None)
}
