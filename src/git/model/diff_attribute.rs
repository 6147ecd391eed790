//! What attributes say of the diff of a path.

/// What the `diff` attribute says of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DiffAttribute {
    /// Nothing: the bytes decide.
    Unspecified,
    /// `diff`, or a driver that is not binary: text, whatever the bytes.
    Set,
    /// `-diff`, `binary`, or a driver that is binary: binary, whatever the bytes.
    Unset,
}

/// What the attributes say of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathAttributes {
    /// Whether it is text or binary.
    pub diff: DiffAttribute,
    /// The driver that `diff=<driver>` names: it finds the section headings.
    pub driver: Option<Vec<u8>>,
    /// Whether `linguist-generated` says that a program wrote it, where it says something.
    pub generated: Option<bool>,
}
