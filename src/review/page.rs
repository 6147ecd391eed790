//! A page: its parts in the order in which they are read.

/// What a part of a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The totals.
    Summary,
    /// A file's line in the list.
    File,
    /// A hunk, the head of its file before the first one on a page; a part of a hunk that is larger
    /// than a page; or what a patch without hunks says.
    Hunk,
    /// What is left out, and what asks for it.
    Omitted,
}

impl Kind {
    /// Returns the word that SQL shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::File => "file",
            Self::Hunk => "hunk",
            Self::Omitted => "omitted",
        }
    }
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// What it is.
    pub kind: Kind,
    /// The file that it is about, by its place among those that were given.
    pub file: Option<usize>,
    /// Its text, which ends in a newline.
    pub text: String,
}

/// What is shown at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its parts.
    pub sections: Vec<Section>,
    /// What asks for the next page, unless this is the last one.
    pub next_cursor: Option<String>,
}

impl Page {
    /// Returns the page as one text, an empty line between parts of different kinds.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut before = None;
        for section in &self.sections {
            // The totals and the list are one block.
            let block = |kind| if kind == Kind::Summary { Kind::File } else { kind };
            let is_other = |kind| block(kind) != block(section.kind);
            if before.is_some_and(is_other) {
                text.push('\n');
            }
            text.push_str(&section.text);
            before = Some(section.kind);
        }
        text
    }

    /// Returns the patches of the page: its hunks with their heads.
    pub fn patch(&self) -> String {
        self.sections
            .iter()
            .filter(|section| section.kind == Kind::Hunk)
            .map(|section| &section.text[..])
            .collect()
    }
}
