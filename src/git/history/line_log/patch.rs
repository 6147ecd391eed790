//! The patches of `git log -L`: only the followed lines, without an index line, and with the ranges
//! as hunks.

use std::ops::Range;

use super::ranges::LineRanges;
use crate::model::bytes::Bytes;
use crate::model::changed_file::Change;
use redline_base::budget::{Grow, GrowBy};
use redline_base::error::Result;
use redline_text::lines::Lines;
use redline_text::{CancelToken, LineChange};

/// A change of a file whose lines are followed.
pub struct Touched {
    /// The file's change.
    pub change: Change,
    /// The content before.
    pub old: Bytes,
    /// The content after.
    pub new: Bytes,
    /// The changes that touch the lines.
    pub changes: Vec<LineChange>,
}

impl Touched {
    /// Writes the patch of lines of the new version.
    pub fn patch(&self, lines: &LineRanges, cancel: &CancelToken<'_>) -> Result<Vec<u8>> {
        let old = Lines::split(&self.old, cancel)?;
        let new = Lines::split(&self.new, cancel)?;
        let mut out = Vec::new();
        let (before, after) = (self.change.old_path(), &self.change.path);
        line(&mut out, &[b"diff --git a/", before, b" b/", after]);
        match self.change.old {
            Some(_) => line(&mut out, &[b"--- a/", before]),
            None => line(&mut out, &[b"--- /dev/null"]),
        }
        line(&mut out, &[b"+++ b/", after]);
        let mut at = 0;
        for range in lines {
            // A change may touch several ranges, and each of them shows it.
            if at > 0 && self.changes[at - 1].new.end > range.start {
                at -= 1;
            }
            while at < self.changes.len() && self.changes[at].new.end < range.start {
                at += 1;
            }
            if self.changes.get(at).is_none_or(|change| change.new.start > range.end) {
                continue;
            }
            at = self.hunk(&mut out, range, at, &old, &new);
            cancel.check()?;
        }
        Ok(out)
    }

    /// Writes a range; returns the index of the first change after it.
    fn hunk(
        &self,
        out: &mut Vec<u8>,
        range: &Range<u32>,
        first: usize,
        old: &Lines<'_>,
        new: &Lines<'_>,
    ) -> usize {
        let mut last = first;
        while self.changes.get(last + 1).is_some_and(|change| change.new.start < range.end) {
            last += 1;
        }
        let (head, tail) = (&self.changes[first], &self.changes[last]);
        let start =
            i64::from(head.old.start) - i64::from(head.new.start.saturating_sub(range.start));
        let end = i64::from(tail.old.end) + i64::from(range.end.saturating_sub(tail.new.end));
        let (start, end) = if start == 0 && end == 0 { (-1, -1) } else { (start, end) };
        let sizes = format!(
            "@@ -{},{} +{},{} @@\n",
            start + 1,
            end - start,
            range.start + 1,
            range.end - range.start
        );
        out.add_slice(sizes.as_bytes());
        let (mut at, mut current) = (first, range.start);
        while let Some(change) = self.changes.get(at).filter(|change| change.new.start < range.end)
        {
            marked(out, b' ', new, current..change.new.start);
            marked(out, b'-', old, change.old.clone());
            let added = current.max(change.new.start)..change.new.end.min(range.end);
            current = added.start.max(added.end);
            marked(out, b'+', new, added);
            at += 1;
        }
        marked(out, b' ', new, current..range.end);
        at
    }
}

fn line(out: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| out.add_slice(part));
    out.add(b'\n');
}

fn marked(out: &mut Vec<u8>, mark: u8, text: &Lines<'_>, lines: Range<u32>) {
    for line in lines.map(|number| text.get(number as usize)) {
        out.add(mark);
        out.add_slice(line);
        if !line.ends_with(b"\n") {
            out.add_slice(b"\n\\ No newline at end of file\n");
        }
    }
}
