//! The outline of a file: its headings, as hunks show them.

use super::rows::{Query, RowGroup, Rows};
use super::run::{Context, Run};
use redline_base::budget::{Charge, Weigh};
use redline_base::error::Result;
use redline_git::SideFiles;
use redline_rows::{Col, Needs, Row, bigint, varchar};
use redline_text::section::OutlinedSection;

/// A query for the outline of a file.
pub struct FileOutlineQuery {
    /// The path of the file.
    pub file: String,
    /// The side of the repository.
    pub revision: String,
    /// The repository.
    pub repo: String,
}

/// The headings of a file.
pub struct Outline {
    sections: Vec<OutlinedSection>,
    _charge: Charge,
}

impl Weigh for Outline {
    fn bytes(&self) -> usize {
        self.sections.iter().map(|section| size_of_val(section) + section.heading.len()).sum()
    }
}

impl RowGroup for Outline {
    type Of<'a> = &'a OutlinedSection;

    fn rows(&self) -> usize {
        self.sections.len()
    }

    fn row(&self, index: usize) -> &OutlinedSection {
        &self.sections[index]
    }
}

impl Query for FileOutlineQuery {
    type Group = Outline;
    type Row = OutlineColumns;

    fn start(&self, context: &Context, _: Needs) -> Result<Rows<Outline>> {
        context.read(|| {
            let run = Run::open(context, &self.repo, 1)?;
            let mut side = SideFiles::open_alone(&run.repository, &self.revision)?;
            let mut charge = Charge::free();
            let sections = side.outline(&self.file, &self.revision, &mut charge)?;
            Ok(Rows::Once(Some(Outline { sections, _charge: charge })))
        })
    }
}

/// The columns of an outline.
pub struct OutlineColumns;

impl Row for OutlineColumns {
    type Of<'a> = &'a OutlinedSection;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The line that heads it, as git shows it after a hunk's @@", |row, out| {
            out.text(row.heading.as_slice())
        }),
        bigint("first_line", "The number of that line, from 1", |row| row.first_line.into()),
        bigint(
            "last_line",
            "The number of the last line before the next heading that is not blank",
            |row| row.last_line.into(),
        ),
    ];
}
