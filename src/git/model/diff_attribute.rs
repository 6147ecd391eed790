//! The attributes of a path that affect its diff.

/// The value of the `diff` attribute of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DiffAttribute {
    /// Unspecified: the bytes decide.
    Unspecified,
    /// `diff`, or a driver that is not binary: text, whatever the bytes.
    Set,
    /// `-diff`, `binary`, or a binary driver: binary, whatever the bytes.
    Unset,
}

/// The attributes of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathAttributes {
    /// Whether it is text or binary.
    pub diff: DiffAttribute,
    /// The driver of `diff=<driver>`, which finds the section headings.
    pub driver: Option<Vec<u8>>,
    /// The value of `linguist-generated`, if it is set or unset.
    pub generated: Option<bool>,
}
