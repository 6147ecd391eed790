//! `diff_review(from, to, repo)`: a comparison within a budget of bytes, section by section.

use crate::ffi::{Field, Type};
use crate::functions::params::{
    Args, Asked, Given, Kind, Maybe, Param, Text, Texts, comparison, number, optional,
};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, bigint, boolean, varchar,
};
use redline_base::budget::owned;
use redline_base::error::Result;
use redline_base::limits;
use redline_query::review::{Request, Reviewed};
use redline_review::Section;
use redline_text::hunk_id::HunkId;
use redline_tools as tools;

/// The table function.
pub struct DiffReview;

/// Returns the names of the hunk of a section, or of its file where that has no hunks; none of a
/// hunk whose end is on a later page.
fn names<'a>((reviewed, section): (&'a Reviewed, &Section)) -> Option<&'a HunkId> {
    let file = section.file.filter(|_| section.is_end)?;
    reviewed.ids.get(file)?.of(section.piece)
}

impl Row for Reviewed {
    type Of<'a> = (&'a Self, &'a Section);

    const OWN: &'static [Col<Self>] = &[
        varchar("kind", "summary, file, hunk or omitted", |(_, section), out| {
            out.text(section.kind.name())
        }),
        varchar(
            "file_path",
            "The file that it is about; NULL for none",
            |(reviewed, section), out| {
                out.text(section.file.map(|file| reviewed.rows[file].change.path.as_slice()))
            },
        ),
        varchar("text", "What it says", |(_, section), out| out.text(section.text.as_str())),
        varchar(
            "hunk_id",
            "Digest of the path and of the removed and added lines; for a file without hunks, of its change",
            |row, out| out.text(names(row).map(|id| id.lines.as_str())),
        ),
        varchar("context_id", "The same with the lines around and the heading", |row, out| {
            out.text(names(row).map(|id| id.context.as_str()))
        }),
        boolean(
            "known_lines",
            "Whether the lines are among except_ids, and something else is around them",
            |(reviewed, section)| reviewed.ids.get(section.file?)?.is_known(section.piece),
        ),
        bigint("bytes", "Bytes of text", |(_, section)| section.text.len().into()),
        varchar(
            "next_cursor",
            "The cursor of the next page; NULL on the last",
            |(reviewed, _), out| out.text(reviewed.page.next_cursor.as_deref()),
        ),
    ];
}

const MAX_BYTES: Param<AnswerBytes> =
    number("max_bytes", limits::REVIEW_BYTES as i64, "Bytes of the whole answer");
const CURSOR: Param<Maybe<Text>> = optional("cursor", "The next_cursor of the page before");
const EXCEPT_IDS: Param<Maybe<Texts>> = optional(
    "except_ids",
    "What was seen: hunk ids (hunks whose context_id is listed are omitted) and ranges a..b; NULL for nothing",
);
const NAMED: [Field; 15] =
    comparison::joined(&comparison::NAMED, &[MAX_BYTES.field, CURSOR.field, EXCEPT_IDS.field]);

/// The maximum length of an answer.
struct AnswerBytes;

impl Kind for AnswerBytes {
    const TYPE: Type = Type::BigInt;
    type Of<'a> = usize;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<usize> {
        Ok(tools::max_bytes("max_bytes", given.integer())?.unwrap_or(limits::REVIEW_BYTES))
    }
}

impl RepositoryTable for DiffReview {
    const DECLARATION: Declaration = Declaration {
        name: "diff_review",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Returns a comparison page by page within a budget of bytes: totals, files and hunks",
        example: "SELECT string_agg(text, '') FROM diff_review('HEAD~1', 'HEAD', '.', max_bytes := 10000)",
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] = &NAMED;
    type Query = Request;

    fn query(args: Args<'_>) -> Result<Request> {
        Ok(Request {
            revisions: comparison::revisions(args)?,
            file: None,
            has_hunks: true,
            max_bytes: args.get(MAX_BYTES)?,
            cursor: args.get(CURSOR)?.map(owned).transpose()?,
            except: args.get(EXCEPT_IDS)?.unwrap_or_default(),
        })
    }
}
