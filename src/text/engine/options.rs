//! The options of a comparison, and its changes.

use std::ops::Range;

use serde::Deserialize;

/// The algorithm that finds matching lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Short edits, with shortcuts if the texts have little in common; git's default.
    #[default]
    Myers,
    /// Like `Myers` without shortcuts: `--minimal`. The cost grows with the product of size and
    /// changes.
    Minimal,
    /// Lines that occur once on each side are matched first: `--patience`.
    Patience,
    /// Rare lines are matched first: `--histogram`.
    Histogram,
}

/// Which whitespace is ignored when lines are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whitespace {
    /// None is ignored.
    #[default]
    #[serde(rename = "none")]
    Exact,
    /// All whitespace: `-w`, `--ignore-all-space`.
    All,
    /// Changes in its amount, and all at the end of a line: `-b`, `--ignore-space-change`.
    Change,
    /// All whitespace at the end of a line: `--ignore-space-at-eol`.
    Eol,
    /// A CR before the LF: `--ignore-cr-at-eol`.
    CrAtEol,
}

/// How two texts are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The algorithm that finds matching lines.
    pub algorithm: Algorithm,
    /// Which whitespace is ignored.
    pub whitespace: Whitespace,
    /// Whether changes of only blank lines are marked ignorable: `--ignore-blank-lines`.
    pub ignore_blank_lines: bool,
    /// Whether a common tail is left out. git does so if the context is 0; its hunks differ in rare
    /// cases.
    pub trim_tail: bool,
    /// Whether runs that may slide stay at their lowest place instead of their most readable one:
    /// git without its indent heuristic.
    pub is_lowest: bool,
}

/// One maximal run of changed lines: half-open ranges of 0-based line numbers, at most one of them
/// empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The removed lines.
    pub old: Range<u32>,
    /// The added lines.
    pub new: Range<u32>,
    /// Whether only blank lines changed and [`Options::ignore_blank_lines`] is set.
    pub ignorable: bool,
}
