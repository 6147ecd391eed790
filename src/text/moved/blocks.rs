//! The blocks of lines that were moved.

use super::item::{DiffItem, Mark, MovedMode};
use super::text_ids::LEAST_LETTERS;
use crate::LineKind;
use crate::cancel_token::{CancelToken, PacedToken, Stopped};

/// No item.
const NONE: u32 = u32::MAX;

/// Marks the lines that were moved.
pub(super) fn mark(
    items: &[DiffItem],
    texts: usize,
    mode: MovedMode,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Mark>, Stopped> {
    let mut scan = Scan {
        items,
        places: Places::new(items, texts),
        mode,
        marks: vec![Mark::default(); items.len()],
        candidates: Vec::new(),
        last_candidates: Vec::new(),
        sign: None,
        length: 0,
        is_flipped: false,
        block: 0,
        pace: cancel.pace(),
    };
    scan.run()?;
    Ok(scan.marks)
}

/// The items with each text on either side, the last first.
struct Places {
    /// The last item with each text: removed, added.
    last: [Vec<u32>; 2],
    /// The previous item with the same text and sign.
    before: Vec<u32>,
}

impl Places {
    fn new(items: &[DiffItem], texts: usize) -> Self {
        let mut places =
            Self { last: [vec![NONE; texts], vec![NONE; texts]], before: vec![NONE; items.len()] };
        for (at, item) in items.iter().enumerate() {
            let Some(side) = side_of(item.kind) else { continue };
            let last = &mut places.last[side][item.text as usize];
            places.before[at] = std::mem::replace(last, at as u32);
        }
        places
    }

    /// Returns the last item with the same text on the other side.
    fn opposite(&self, item: &DiffItem) -> Option<u32> {
        let side = side_of(item.kind)?;
        Some(self.last[1 - side][item.text as usize]).filter(|&at| at != NONE)
    }

    /// Returns the items with the same text from one on, the last first.
    fn from(&self, at: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(at), |&at| {
            Some(self.before[at as usize]).filter(|&before| before != NONE)
        })
    }
}

fn side_of(kind: LineKind) -> Option<usize> {
    match kind {
        LineKind::Removed => Some(0),
        LineKind::Added => Some(1),
        LineKind::Context => None,
    }
}

/// A run on the other side with the lines of the block so far.
#[derive(Clone, Copy)]
struct Candidate {
    /// Its last line.
    at: u32,
    /// The difference of its indentation; `None` while all its lines are blank.
    indent: Option<i64>,
}

struct Scan<'a> {
    items: &'a [DiffItem],
    places: Places,
    mode: MovedMode,
    marks: Vec<Mark>,
    candidates: Vec<Candidate>,
    /// The candidates of the block that ends.
    last_candidates: Vec<Candidate>,
    /// The sign of the block's lines.
    sign: Option<LineKind>,
    /// The number of lines of the block.
    length: usize,
    is_flipped: bool,
    /// The number of the last block.
    block: u32,
    pace: PacedToken<'a>,
}

impl Scan<'_> {
    fn run(&mut self) -> Result<(), Stopped> {
        let mut at = 0;
        while at < self.items.len() {
            self.pace.spend(1 + self.candidates.len())?;
            at = self.step(at)?;
        }
        self.last_candidates.clone_from(&self.candidates);
        self.end_block(at);
        Ok(())
    }

    /// Processes an item; returns the index of the next one, which may be earlier if a block was
    /// rejected.
    fn step(&mut self, at: usize) -> Result<usize, Stopped> {
        let item = self.items[at];
        if item.kind == LineKind::Context {
            self.is_flipped = false;
        }
        let mut found = self.places.opposite(&item);
        let mut next = at + 1;
        if !self.candidates.is_empty() && (found.is_none() || self.sign != Some(item.kind)) {
            std::mem::swap(&mut self.last_candidates, &mut self.candidates);
            if !self.end_block(at) && self.length > 1 {
                found = None;
                next = at - self.length + 1;
            }
            self.candidates.clear();
            self.length = 0;
            self.is_flipped = false;
        }
        let Some(found) = found else {
            self.sign = None;
            return Ok(next);
        };
        if self.mode == MovedMode::Plain {
            self.mark_alone(at, found)?;
            return Ok(next);
        }
        self.advance(&item);
        if self.candidates.is_empty() {
            next = self.begin_block(at, found, &item)?;
        }
        if !self.candidates.is_empty() {
            self.length += 1;
            let mark = &mut self.marks[at];
            mark.is_moved = true;
            mark.is_alternate = self.is_flipped && self.mode != MovedMode::Blocks;
        }
        Ok(next)
    }

    /// Ends the block before an item and begins another one there, unless the lines of the block
    /// must be processed again.
    fn begin_block(&mut self, at: usize, found: u32, item: &DiffItem) -> Result<usize, Stopped> {
        let is_kept = self.end_block(at);
        let mut next = at + 1;
        if !is_kept && self.length > 1 {
            next = at - self.length + 1;
        } else {
            for place in self.places.from(found) {
                self.pace.spend(1)?;
                let indent = delta(item, &self.items[place as usize]);
                self.candidates.push(Candidate { at: place, indent });
            }
        }
        let has_begun = !self.candidates.is_empty();
        self.is_flipped = is_kept && has_begun && self.sign == Some(item.kind) && !self.is_flipped;
        self.sign = has_begun.then_some(item.kind);
        self.length = 0;
        Ok(next)
    }

    /// Keeps the candidates that continue with the next line.
    fn advance(&mut self, item: &DiffItem) {
        self.last_candidates.clone_from(&self.candidates);
        let items = self.items;
        self.candidates.retain_mut(|candidate| {
            let (Some(before), Some(next)) =
                (items.get(candidate.at as usize), items.get(candidate.at as usize + 1))
            else {
                return false;
            };
            if next.kind != before.kind || next.text != item.text {
                return false;
            }
            candidate.at += 1;
            if next.indent.is_none() {
                return true;
            }
            let indent = delta(item, next);
            candidate.indent = candidate.indent.or(indent);
            candidate.indent == indent
        });
    }

    /// Decides on the block before an item: one with few letters and digits was not moved.
    fn end_block(&mut self, at: usize) -> bool {
        let lines = at - self.length..at;
        let letters = self.items[lines.clone()].iter().map(|item| u32::from(item.letters));
        if letters.sum::<u32>() < LEAST_LETTERS {
            self.marks[lines].fill(Mark::default());
            return false;
        }
        self.block += 1;
        let first = self.last_candidates.iter().map(|candidate| candidate.at).min().unwrap_or(0);
        for (mark, back) in self.marks[lines].iter_mut().rev().zip(0..) {
            mark.block = self.block;
            mark.partner = first - back;
            mark.candidates = self.last_candidates.len() as u32;
        }
        true
    }

    /// Marks a line because of its text alone.
    fn mark_alone(&mut self, at: usize, found: u32) -> Result<(), Stopped> {
        let (mut first, mut count) = (found, 0);
        for place in self.places.from(found) {
            self.pace.spend(1)?;
            (first, count) = (place, count + 1);
        }
        self.marks[at] =
            Mark { is_moved: true, partner: first, candidates: count, ..Mark::default() };
        Ok(())
    }
}

/// Returns the difference of the indentations of two lines; `None` if both are blank.
fn delta(item: &DiffItem, other: &DiffItem) -> Option<i64> {
    Some(item.indent? - other.indent?)
}
