//! `diff_review(from, to, repo)`: a comparison within a budget of bytes, section by section.

use crate::functions::params::{
    Args, Asked, Given, Kind, Maybe, Param, Text, Texts, comparison, number, optional,
};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::budget::owned;
use redline_base::error::Result;
use redline_base::limits;
use redline_query::review::Request;

use redline_rows::{Field, Type};
use redline_tools as tools;

/// The table function.
pub struct DiffReview;

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
