//! The lines of a diff and their marks.

/// How moved lines are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MovedMode {
    /// Every line whose text is anywhere on the other side.
    Plain,
    /// Blocks of lines.
    Blocks,
    /// Blocks, of which neighbours are told apart.
    #[default]
    Zebra,
    /// The same; lines that are not at the border of two blocks are dimmed.
    DimmedZebra,
}

/// What git prints for a line of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Printed {
    /// A line that was added.
    Added,
    /// A line that was removed.
    Removed,
    /// Anything else: an unchanged line, a header, a remark.
    Other,
}

/// A line of a diff, as far as it decides on moves.
#[derive(Debug, Clone, Copy)]
pub struct DiffItem {
    /// What it is.
    pub printed: Printed,
    /// The number of its text: equal texts have one.
    pub text: u32,
    /// Columns of its indentation, where that may change; `None` for a blank line.
    pub indent: Option<i64>,
    /// Its letters and digits, counted up to as many as a block needs.
    pub letters: u8,
}

impl DiffItem {
    /// A thing between lines.
    pub const OTHER: Self = Self { printed: Printed::Other, text: 0, indent: None, letters: 0 };
}

/// What is known of a line after all moves were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mark {
    /// Whether it was moved.
    pub is_moved: bool,
    /// Whether it has the second colour.
    pub is_alternate: bool,
    /// Whether it is dimmed.
    pub is_dimmed: bool,
    /// The number of its block, from 1 in the order of the diff; 0 where there are no blocks.
    pub block: u32,
    /// The item with the same line on the other side, the first of several.
    pub partner: u32,
    /// How many places on the other side have the whole block.
    pub candidates: u32,
}
