//! The outline of a file: its headings, as hunks show them.

use crate::Question;
use crate::machinery::rows::{Query, RowGroup, Rows};
use crate::machinery::run::{Context, Run};
use crate::params::{FILE, REPO, REVISION};
use redline_base::budget::{Charge, Weigh};
use redline_base::error::Result;
use redline_git::SideFiles;
use redline_rows::params::Args;
use redline_rows::{Col, Declaration, Family, Field, Grant, Needs, Row, bigint, fields, varchar};
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

impl Question for FileOutlineQuery {
    const DECLARATION: Declaration = Declaration {
        name: "file_outline",
        family: Family::Git,
        grant: Grant::Tools(&["GitFile"]),
        description: "Lists the functions and other headings of a file with their lines, by git's rules for the headings of hunks",
        example: "SELECT name, first_line, last_line FROM file_outline('README.md', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, REVISION, REPO];
    const LIST_EXAMPLE: &'static str = "SELECT len(file_outline_list('README.md', 'HEAD', '.'))";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self {
            file: args.owned(FILE)?,
            revision: args.owned(REVISION)?,
            repo: args.owned(REPO)?,
        })
    }
}
