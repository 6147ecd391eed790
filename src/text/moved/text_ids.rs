//! Numbers for the texts of lines: equal lines have the same number.

use redline_base::budget::{Copied, Gather, GrowMap};
use std::collections::HashMap;

use super::item::DiffItem;
use crate::LineKind;
use crate::engine::{is_space, without_trailing_space};

/// The fewest letters and digits of a block that counts as moved.
pub(super) const LEAST_LETTERS: u32 = 20;

/// Columns from one TAB stop to the next.
const TAB_COLUMNS: i64 = 8;

/// The whitespace that is ignored when lines are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MovedWhitespace {
    /// None.
    #[default]
    Exact,
    /// All: `ignore-all-space`.
    All,
    /// Its amount, and all at the end of a line: `ignore-space-change`.
    Change,
    /// All at the end of a line: `ignore-space-at-eol`.
    Eol,
    /// The indentation, if it differs by the same amount in a whole block:
    /// `allow-indentation-change`.
    Indentation,
}

/// The texts met so far.
#[derive(Debug, Default)]
pub struct TextIds {
    whitespace: MovedWhitespace,
    numbers: HashMap<Vec<u8>, u32>,
}

impl TextIds {
    /// Returns an empty table.
    pub fn new(whitespace: MovedWhitespace) -> Self {
        Self { whitespace, numbers: HashMap::new() }
    }

    /// Returns the number of different texts.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the item for a line, which is given without its newline.
    pub fn item(&mut self, kind: LineKind, line: &[u8]) -> DiffItem {
        let is_blank = line.iter().all(|&byte| is_space(byte));
        let (indent, start) = match self.whitespace {
            MovedWhitespace::Indentation => indentation(line),
            _ => (0, 0),
        };
        let key = self.key(&line[start..], is_blank);
        let next = self.numbers.len() as u32;
        let text = match self.numbers.get(&key) {
            Some(&text) => text,
            None => *self.numbers.slot(key).or_insert(next),
        };
        let letters = line.iter().take_while(|&&byte| byte != 0);
        let letters = letters.filter(|byte| byte.is_ascii_alphanumeric());
        DiffItem {
            kind,
            text,
            indent: (!is_blank).then_some(indent),
            letters: letters.take(LEAST_LETTERS as usize).count() as u8,
        }
    }

    /// Returns a key that equal lines share.
    fn key(&self, line: &[u8], is_blank: bool) -> Vec<u8> {
        let kept = without_trailing_space(line);
        match self.whitespace {
            MovedWhitespace::Indentation if is_blank => Vec::new(),
            MovedWhitespace::Exact | MovedWhitespace::Indentation => line.copied_vec(),
            MovedWhitespace::Eol => kept.copied_vec(),
            MovedWhitespace::All => line.iter().copied().filter(|&byte| !is_space(byte)).gather(),
            MovedWhitespace::Change => {
                let runs = kept.chunk_by(|a, b| is_space(*a) == is_space(*b));
                runs.flat_map(|run| if is_space(run[0]) { b" " } else { run }).copied().gather()
            }
        }
    }
}

/// Returns the columns of a line's indentation and its end.
fn indentation(line: &[u8]) -> (i64, usize) {
    let skipped = line.iter().take_while(|byte| matches!(byte, b'\x0b' | b'\x0c' | b'\r')).count();
    let mut columns = 0;
    for (at, byte) in line.iter().enumerate().skip(skipped) {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += TAB_COLUMNS - columns % TAB_COLUMNS,
            _ => return (columns, at),
        }
    }
    (columns, line.len())
}
