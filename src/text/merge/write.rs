//! Writes a merged text: our lines, with lines taken from theirs, and markers around conflicts.

use std::ops::Range;

use super::{Kind, Merge, MergeOptions, MergeStyle, Region, slice};
use crate::cancel_token::{CancelToken, PacedToken, append};
use crate::lines::Lines;
use redline_base::budget::{Charge, Stopped};

impl Merge<'_> {
    /// Returns the merged text.
    ///
    /// # Errors
    /// The reason why the query ended.
    pub fn text(
        &self,
        options: &MergeOptions<'_>,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<u8>, Stopped> {
        let (out, charge) = (Vec::new(), Charge::free());
        let (line_end, pace) = (&b"\n"[..], cancel.pace());
        let mut writer = Writer { merge: self, options, out, charge, pace, line_end };
        let mut written = 0;
        for region in &self.regions {
            if region.kind == Kind::Same {
                continue;
            }
            writer.lines(&self.ours, written..region.ours.start)?;
            writer.region(region)?;
            written = region.ours.end;
        }
        writer.lines(&self.ours, written..self.ours.len() as i64)?;
        Ok(writer.out)
    }

    /// Tells whether lines added at a conflict end in CR LF. The line before the conflict, or the
    /// first one, decides: in ours, then in theirs and in the base, until one has LF alone. Without
    /// any line ending it is LF.
    fn is_crlf(&self, region: &Region) -> bool {
        let before = |start: i64| (start as usize).saturating_sub(1);
        let asked = [
            (&self.ours, before(region.ours.start)),
            (&self.theirs, before(region.theirs.start)),
            (&self.base, 0),
        ];
        let mut answer = None;
        for (lines, index) in asked {
            answer = ends_in_crlf(lines, index);
            if answer == Some(false) {
                return false;
            }
        }
        answer == Some(true)
    }
}

/// Tells whether a line ends in CR LF; a last line without an ending is judged by the line before
/// it. `None` if there is none.
fn ends_in_crlf(lines: &Lines<'_>, index: usize) -> Option<bool> {
    let is_last = index + 1 == lines.len();
    let line = lines.get(index);
    let line =
        if is_last && !line.ends_with(b"\n") { lines.get(index.checked_sub(1)?) } else { line };
    (!line.is_empty()).then(|| line.ends_with(b"\r\n"))
}

struct Writer<'m, 'a> {
    merge: &'m Merge<'a>,
    options: &'m MergeOptions<'m>,
    out: Vec<u8>,
    charge: Charge,
    pace: PacedToken<'m>,
    /// The ending of the lines that are added to the current region.
    line_end: &'static [u8],
}

impl Writer<'_, '_> {
    fn region(&mut self, region: &Region) -> Result<(), Stopped> {
        let Merge { base, ours, theirs, .. } = self.merge;
        self.line_end = if self.merge.is_crlf(region) { b"\r\n" } else { b"\n" };
        match region.kind {
            Kind::Same => Ok(()),
            Kind::Ours => self.lines(ours, region.ours.clone()),
            Kind::Theirs => self.lines(theirs, region.theirs.clone()),
            Kind::Union => {
                self.part(ours, &region.ours)?;
                self.lines(theirs, region.theirs.clone())
            }
            Kind::Conflict => {
                let [base_label, our_label, their_label] = self.options.labels;
                self.marker(b'<', our_label)?;
                self.part(ours, &region.ours)?;
                if self.options.style != MergeStyle::Merge {
                    self.marker(b'|', base_label)?;
                    self.part(base, &region.base)?;
                }
                self.marker(b'=', "")?;
                self.part(theirs, &region.theirs)?;
                self.marker(b'>', their_label)
            }
        }
    }

    /// Writes lines as they are.
    fn lines(&mut self, lines: &Lines<'_>, range: Range<i64>) -> Result<(), Stopped> {
        self.bytes(slice(lines, &range))
    }

    /// Writes lines, and a line ending if the last one has none.
    fn part(&mut self, lines: &Lines<'_>, range: &Range<i64>) -> Result<(), Stopped> {
        let text = slice(lines, range);
        self.bytes(text)?;
        if text.is_empty() || text.ends_with(b"\n") { Ok(()) } else { self.bytes(self.line_end) }
    }

    fn marker(&mut self, sign: u8, label: &str) -> Result<(), Stopped> {
        let size = self.options.marker_size;
        self.pace.cancel().room(&mut self.charge, &mut self.out, size)?;
        self.out.resize(self.out.len() + size, sign);
        if !label.is_empty() {
            self.bytes(b" ")?;
            self.bytes(label.as_bytes())?;
        }
        self.bytes(self.line_end)
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        self.pace.cancel().room(&mut self.charge, &mut self.out, bytes.len())?;
        append(&mut self.out, bytes, &mut self.pace)
    }
}
