//! `commits(range, repo)` and `commits_list(range, repo)`: every commit of a range.

use super::commit_columns::{
    CommitThen, FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, UNTIL, commit_range,
};
use crate::ffi::{Field, Type};
use crate::functions::params::{
    Args, Asked, Given, Kind, Name, PATHS, Param, REPO, Text, fields, required, text,
};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, HasList, HasOne, ListOf, Out, RepositoryTable, Row, StructOf,
    Tabular, Written, optional_structure, structures, varchar, varchars,
};
use redline_base::budget::owned;
use redline_base::error::Result;
use redline_git::{Signature, Trailer};
use redline_query::Need;
use redline_query::commits::{Attached, Commits, CommitsQuery};

/// The range of a history.
pub const RANGE: Param<Name> = required(
    "range",
    "A revision with all that it reaches, a..b, a...b, or ALL for every reference",
);

const NOTES_REF: Param<NotesRef> = text(
    "notes_ref",
    "refs/notes/commits",
    "The reference with the notes of the column notes, as git's --notes; refs/notes/ may be left out",
);

/// A reference that must exist; `None` for the default, which need not exist.
struct NotesRef;

impl Kind for NotesRef {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = Option<&'a str>;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<Option<&'a str>> {
        match given {
            Given::Default(_) => Ok(None),
            given => Text::read(given, asked).map(Some),
        }
    }
}

/// The columns of data attached to a commit.
pub struct AttachedColumns;

impl Row for AttachedColumns {
    type Of<'a> = Attached<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchars::<Self>(
            "refs",
            "The full names of HEAD, branches, remote-tracking branches, tags and the stash that lead to it, in the order of git's %D",
            |row, out| out.texts(row.refs.iter().cloned()),
        )
        .needing(&[Need::Refs]),
        varchar::<Self>(
            "notes",
            "The note on it, as git's %N; NULL where there is none",
            |row, out| out.text(row.note),
        )
        .needing(&[Need::Notes]),
        varchar::<Self>(
            "patch_id",
            "The id of its patch, as git patch-id --stable of git diff-tree -p --no-renames --full-index; NULL for a merge and without changes",
            |row, out| out.text(row.patch_id),
        )
        .needing(&[Need::PatchId]),
        structures::<Self, TrailerRow>(
            "trailers",
            "The trailers of its message, as git interpret-trailers --parse prints them",
        )
        .needing(&[Need::Trailers]),
        optional_structure::<Self, SignatureRow>(
            "signature",
            "Its signature, which is not verified; NULL where there is none",
        )
        .needing(&[Need::Signature]),
    ];
}

/// A line such as `Signed-off-by: …` of a message.
pub struct TrailerRow;

impl Row for TrailerRow {
    type Of<'a> = &'a Trailer;

    const OWN: &'static [Col<Self>] = &[
        varchar("key", "The text before the colon, such as Signed-off-by", |row, out| {
            out.text(row.key.as_slice())
        }),
        varchar("value", "The text after it, on one line", |row, out| {
            out.text(row.value.as_slice())
        }),
    ];
}

impl HasList<TrailerRow> for AttachedColumns {
    fn list(row: Attached<'_>, out: Out<'_, ListOf<TrailerRow>>) -> Written {
        out.all(row.info.map_or(&[][..], |info| &info.trailers))
    }
}

/// The signature of a commit.
pub struct SignatureRow;

impl Row for SignatureRow {
    type Of<'a> = &'a Signature;

    const OWN: &'static [Col<Self>] = &[
        varchar("kind", "openpgp, ssh or x509; NULL for another text", |row, out| {
            out.text(row.kind)
        }),
        varchar(
            "key",
            "The key that the signature names: of openpgp the fingerprint or id, in hexadecimal; of ssh the fingerprint, as ssh-keygen -l shows it; NULL for others",
            |row, out| out.text(row.key.as_deref()),
        ),
        varchar("text", "The signature as it is, with its armor", |row, out| {
            out.text(row.text.as_slice())
        }),
        varchar(
            "payload_sha256",
            "The SHA-256 of the signed bytes, in hexadecimal: the commit without its signatures",
            |row, out| out.text(row.payload_sha256.as_str()),
        ),
    ];
}

impl HasOne<SignatureRow> for AttachedColumns {
    fn one(row: Attached<'_>, out: Out<'_, StructOf<SignatureRow>>) -> Written {
        match row.info.and_then(|info| info.signature.as_ref()) {
            Some(signature) => out.row(signature),
            None => out.null(),
        }
    }
}

impl Tabular for Commits {
    type Row = CommitThen<AttachedColumns>;
}

/// The table function.
pub struct CommitsTable;

impl RepositoryTable for CommitsTable {
    const DECLARATION: Declaration = Declaration {
        name: "commits",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "Lists the commits of a range, merges included, in the order of git log",
        example: "SELECT commit_id, author_name, subject FROM commits('HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![RANGE, REPO];
    const NAMED: &'static [Field] =
        fields![SINCE, UNTIL, PATHS, FIRST_PARENT, MAILMAP, MAILMAP_FILE, NOTES_REF];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(commits_list('HEAD~2..HEAD', '.', {'paths': 'README.md'}))";
    type Query = CommitsQuery;

    fn query(args: Args<'_>) -> Result<CommitsQuery> {
        Ok(CommitsQuery {
            range: commit_range(args, RANGE)?,
            notes_ref: args.get(NOTES_REF)?.map(owned).transpose()?,
            paths: args.get(PATHS)?.unwrap_or_default(),
        })
    }
}
