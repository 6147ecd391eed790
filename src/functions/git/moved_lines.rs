//! `moved_lines(from, to, repo)`: the moved lines, with their origin.

use crate::functions::params::{
    Args, Choice, FROM, Flag, OneOf, PATHS, Param, REPO, TO, choice, fields, flag,
};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;
use redline_git::RenameOptions;
use redline_query::Revisions;
use redline_query::moved_lines::MovedLinesQuery;
use redline_rows::Field;
use redline_text::moved::{MovedMode, MovedWhitespace};

const MODE: Param<OneOf<MovedMode>> = choice(
    "mode",
    "Marked lines: zebra (alternating blocks), plain (any line), blocks or dimmed-zebra",
);
const WHITESPACE: Param<OneOf<MovedWhitespace>> = choice(
    "whitespace",
    "Whitespace that does not count: none, all, change, eol or indentation (of a whole block)",
);
const RENAMES: Param<Flag> = flag("renames", false, "Detect renames, as git's -M");

impl Choice for MovedMode {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("zebra", Self::Zebra),
        ("plain", Self::Plain),
        ("blocks", Self::Blocks),
        ("dimmed-zebra", Self::DimmedZebra),
    ];
}

impl Choice for MovedWhitespace {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("none", Self::Exact),
        ("all", Self::All),
        ("change", Self::Change),
        ("eol", Self::Eol),
        ("indentation", Self::Indentation),
    ];
}

/// The table function.
pub struct MovedLinesTable;

impl RepositoryTable for MovedLinesTable {
    const DECLARATION: Declaration = Declaration {
        name: "moved_lines",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Lists the lines that were moved between two sides, as git diff --color-moved marks them",
        example: "SELECT file_path, line, moved_file, moved_line FROM moved_lines('HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![FROM, TO, REPO];
    const NAMED: &'static [Field] = fields![MODE, WHITESPACE, RENAMES, PATHS];
    type Query = MovedLinesQuery;

    fn query(args: Args<'_>) -> Result<MovedLinesQuery> {
        Ok(MovedLinesQuery {
            revisions: Revisions {
                paths: args.get(PATHS)?.unwrap_or_default(),
                renames: args.get(RENAMES)?.then(RenameOptions::default),
                ..Revisions::between(
                    args.owned(FROM)?,
                    args.get(TO)?.map(str::to_owned),
                    args.owned(REPO)?,
                )
            },
            mode: args.get(MODE)?,
            whitespace: args.get(WHITESPACE)?,
        })
    }
}
