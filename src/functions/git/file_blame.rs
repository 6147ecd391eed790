//! `file_blame(file, rev, repo)` and `file_blame_list(file, rev, repo)`: the commit of each line of
//! a file.

use super::commit_range::{FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, mailmaps};

use super::file_content::FILE;
use crate::ffi::Value;
use crate::functions::params::{
    Args, Asked, Flag, Given, IGNORE_WHITESPACE, Kind, Maybe, Name, Param, REPO, bounded, fields,
    flag, number, optional, required,
};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::{Error, Result};
use redline_git::BlameOptions;
use redline_query::blame::FileBlameQuery;
use redline_rows::{Field, Type};

const REVISION: Param<Name> = required(
    "rev",
    "The newest version: a revision, INDEX or WORKTREE; a range a..b follows no line beyond a",
);

/// Commits to ignore.
pub const IGNORE_REVS: Param<Maybe<Revisions>> = optional(
    "ignore_revs",
    "Commits whose changes are passed on to the lines they were made from, as git's --ignore-rev",
);
/// Whether moved lines are followed.
pub const MOVES: Param<Flag> =
    flag("moves", false, "Follow lines that were moved within the file, as git's -M");
/// How far copied lines are followed.
pub const COPIES: Param<CopySearch> = number(
    "copies",
    0,
    "Follow lines that were copied from other files: how often git's -C is given, 0 to 3",
);

const LINES: Param<Maybe<LineRange>> =
    optional("lines", "The first and the last line, from 1; NULL for all");

/// The table function.
pub struct FileBlame;

impl RepositoryTable for FileBlame {
    const DECLARATION: Declaration = Declaration {
        name: "file_blame",
        family: Family::Git,
        grant: Grant::Tools(&["GitBlame"]),
        description: "Lists the lines of a file, each with the commit it is from, like git blame",
        example: "SELECT line, author_name, subject, content FROM file_blame('README.md', 'HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, REVISION, REPO];
    const NAMED: &'static [Field] = fields![
        LINES,
        IGNORE_WHITESPACE,
        FIRST_PARENT,
        SINCE,
        MAILMAP,
        MAILMAP_FILE,
        IGNORE_REVS,
        MOVES,
        COPIES,
    ];
    const LIST_EXAMPLE: &'static str =
        "SELECT len(file_blame_list('README.md', 'HEAD', '.', {'lines': [1, 2]}))";
    type Query = FileBlameQuery;

    fn query(args: Args<'_>) -> Result<FileBlameQuery> {
        Ok(FileBlameQuery {
            file: args.owned(FILE)?,
            rev: args.owned(REVISION)?,
            repo: args.owned(REPO)?,
            mailmap: mailmaps(args)?,
            options: BlameOptions { lines: args.get(LINES)?, ..blame_options(args)? },
        })
    }
}

/// Returns the options of following lines.
pub fn blame_options(args: Args<'_>) -> Result<BlameOptions> {
    Ok(BlameOptions {
        lines: None,
        whitespace: args.get(IGNORE_WHITESPACE)?,
        first_parent: args.get(FIRST_PARENT)?,
        since: args.get(SINCE)?,
        ignore: args.get(IGNORE_REVS)?.unwrap_or_default(),
        moves: args.get(MOVES)?,
        copies: args.get(COPIES)?,
    })
}

/// The first and the last line of a range.
struct LineRange;

impl Kind for LineRange {
    const TYPE: Type = Type::List(&Type::BigInt);
    type Of<'a> = (u32, u32);

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<(u32, u32)> {
        let Some(Value::List(lines)) = given.value() else {
            return Err(asked.is_null(Self::WANTED));
        };
        let line = |value: &Value| {
            let line = value.as_integer().filter(|&line| line > 0)?;
            Some(u32::try_from(line).unwrap_or(u32::MAX))
        };
        let range = match lines.as_slice() {
            [first, last] => line(first).zip(line(last)).filter(|(first, last)| first <= last),
            _ => None,
        };
        range.ok_or_else(|| {
            let shown =
                |line: &Value| line.as_integer().map_or("NULL".to_owned(), |line| line.to_string());
            let shown: Vec<String> = lines.iter().map(shown).collect();
            Error::invalid_args(format!("{} is [{}]", asked.name, shown.join(", ")))
                .with_hint("Give the first and the last line, such as [10, 20], counted from 1")
        })
    }
}

/// Revisions.
pub struct Revisions;

impl Kind for Revisions {
    const TYPE: Type = Type::List(&Type::Varchar);
    type Of<'a> = Vec<String>;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Vec<String>> {
        let Some(Value::List(revisions)) = given.value() else { return Ok(Vec::new()) };
        let text = |value: &Value| match value.as_text() {
            Some(text) => Ok(text.to_owned()),
            None => Err(Error::invalid_args(format!("{} contains a NULL", asked.name))
                .with_hint("Give a list of revisions, each a text")),
        };
        revisions.iter().map(text).collect()
    }
}

bounded! {
    /// The number of git's `-C` options.
    pub CopySearch: Integer as u8, 0..=3,
        "Give 0 to 3. 0: no other file; 1: files of the same commit; 2: for new files all files; 3: all files";
}
