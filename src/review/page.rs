//! A page: its parts in reading order.

use redline_base::budget::{Gather, Joined};

/// The kind of a part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The totals.
    Summary,
    /// A line of the list of files.
    File,
    /// A hunk, with the head of its file before the first one on a page; a part of a hunk that is
    /// larger than a page; or the text of a patch without hunks.
    Hunk,
    /// The counts of omitted files and hunks, and the cursor of the next page.
    Omitted,
}

impl Kind {
    /// Returns the name that SQL shows.
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
    /// Its kind.
    pub kind: Kind,
    /// The index of its file, in the order that the caller gave.
    pub file: Option<usize>,
    /// The index of its piece in the patch of the file.
    pub piece: Option<usize>,
    /// Whether nothing of it follows on a later page.
    pub is_end: bool,
    /// Its text, ending in a newline.
    pub text: String,
}

/// One page of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its parts.
    pub sections: Vec<Section>,
    /// The cursor of the next page, unless this is the last one.
    pub next_cursor: Option<String>,
}

impl Page {
    /// Returns the page as one text, with an empty line between parts of different kinds.
    pub fn text(&self) -> String {
        // The totals and the list are one block.
        let block = |kind| if kind == Kind::Summary { Kind::File } else { kind };
        let blocks = self.sections.chunk_by(|one, next| block(one.kind) == block(next.kind));
        let text = |sections: &[Section]| sections.iter().map(|section| &section.text[..]).gather();
        blocks.map(text).gather::<Vec<String>>().joined("\n")
    }

    /// Returns the patches of the page: its hunks with their heads.
    pub fn patch(&self) -> String {
        self.sections
            .iter()
            .filter(|section| section.kind == Kind::Hunk)
            .map(|section| &section.text[..])
            .gather()
    }
}
