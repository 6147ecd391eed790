//! The lines of a diff and their marks.

use crate::LineKind;

/// How moved lines are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MovedMode {
    /// Every line whose text is anywhere on the other side.
    Plain,
    /// Blocks of lines.
    Blocks,
    /// Blocks, with neighbouring ones in alternating colours.
    #[default]
    Zebra,
    /// The same; lines that are not at the border of two blocks are dimmed.
    DimmedZebra,
}

/// The properties of a line of a diff that matter for moves.
#[derive(Debug, Clone, Copy)]
pub struct DiffItem {
    /// Its kind; a header or a remark counts as context.
    pub kind: LineKind,
    /// The number of its text, the same for equal texts.
    pub text: u32,
    /// The columns of its indentation if the mode ignores indentation; `None` for a blank line.
    pub indent: Option<i64>,
    /// The number of its letters and digits, up to the minimum of a block.
    pub letters: u8,
}

impl DiffItem {
    /// An item between lines.
    pub const OTHER: Self = Self { kind: LineKind::Context, text: 0, indent: None, letters: 0 };
}

/// The result for a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mark {
    /// Whether it was moved.
    pub is_moved: bool,
    /// Whether it has the second colour.
    pub is_alternate: bool,
    /// Whether it is dimmed.
    pub is_dimmed: bool,
    /// The number of its block, from 1 in the order of the diff; 0 if the mode has no blocks.
    pub block: u32,
    /// The item with the same line on the other side, the first of several.
    pub partner: u32,
    /// The number of places on the other side with the whole block.
    pub candidates: u32,
}
