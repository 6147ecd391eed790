//! The commits that changed some lines of a file.

use crate::Question;
use crate::machinery::rows::{Query, Rows};
use crate::machinery::run::{Context, Run, mailmap_of};
use crate::params::REPO;
use crate::params::range::CommitRange;
use crate::params::range::{FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, UNTIL, commit_range};
use crate::questions::commit::Commit;
use crate::questions::commit_columns::CommitThen;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::pipeline::{Source, Window};
use redline_git::{LineLog, LineVersion, LinesAsked};
use redline_rows::params::{Args, BigInt, Maybe, Name, Param, required};
use redline_rows::{Col, Declaration, Family, Field, Grant, Needs, Row, bigint, fields, varchar};
use redline_text::CancelToken;

/// Lines of a file and a range of commits.
pub struct LineHistoryQuery {
    /// The path of the file.
    pub file: String,
    /// The lines in the newest version.
    pub lines: LinesAsked,
    /// The newest version, or a range.
    pub range: CommitRange,
}

impl Query for LineHistoryQuery {
    type Group = (Commit, LineVersion);
    type Row = CommitThen<LinesThere>;

    /// Starts the walk; a worker reads the fields of commits.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Self::Group>> {
        context.read(|| {
            let CommitRange { range, repo, history, mailmap } = &self.range;
            let run = Run::open(context, repo, 1)?;
            let mailmap = mailmap_of(needs, &run.repository, mailmap)?;
            let file = run.repository.file_from_root(&self.file)?;
            let log = LineLog::new(&run.repository, &file, &self.lines, range, *history)?;
            run.start(Source::new(log), Window::of(limits::WINDOW_JOBS), |run| {
                let (mailmap, objects) = (mailmap.clone(), run.repository.objects());
                Ok(move |lines: LineVersion, cancel: &CancelToken<'_>| {
                    let (visited, mailmap) = (lines.commit.clone(), mailmap.as_deref());
                    Ok((Commit::read(visited, needs, &objects, mailmap, cancel)?, lines))
                })
            })
            .map(Rows::Workers)
        })
    }
}

/// Lines of a file at a commit.
pub struct LinesThere;

impl Row for LinesThere {
    type Of<'a> = &'a LineVersion;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "The path of the file there", |row, out| {
            out.text(row.path.as_slice())
        }),
        bigint("first_line", "The first of the lines there, from 1", |row| row.first_line.into()),
        bigint("last_line", "The last of the lines there", |row| row.last_line.into()),
        varchar(
            "patch",
            "The commit's change of the lines, as git log -L prints it",
            |row, out| out.text(row.patch.as_slice()),
        ),
    ];
}

const FILE: Param<Name> = required(
    "file",
    "The file, by its path from the repository's root; with first and last NULL also ':name:file', the lines of a function",
);
const FIRST: Param<Maybe<BigInt>> =
    required("first", "The first line, from 1; NULL for the first of the file");
const LAST: Param<Maybe<BigInt>> = required("last", "The last line; NULL for the last of the file");
const REVISION: Param<Name> =
    required("rev", "The newest version: a revision; a range a..b lists no commit beyond a");

/// Returns the file and its lines in the arguments.
fn asked(file: String, first: Option<i64>, last: Option<i64>) -> Result<(String, LinesAsked)> {
    if let (None, None, Some(rest)) = (first, last, file.strip_prefix(':')) {
        let wrong = || {
            Error::invalid_args(format!("the file is {}", quoted(&file)))
                .with_hint("Give ':name:file' for a function, or its lines as first and last")
        };
        let (name, path) = split_name(rest).ok_or_else(wrong)?;
        return Ok((path.to_owned(), LinesAsked::Function(name.to_owned())));
    }
    let line =
        |name: &str, given: Option<i64>, default: u32| match given {
            None => Ok(default),
            Some(line) if line > 0 => Ok(u32::try_from(line).unwrap_or(u32::MAX)),
            Some(line) => Err(Error::invalid_args(format!("{name} is {line}"))
                .with_hint("Lines are counted from 1")),
        };
    let (from, to) = (line("first", first, 1)?, line("last", last, u32::MAX)?);
    if to < from {
        return Err(Error::invalid_args(format!("first is {from} and last is {to}"))
            .with_hint("The last line must not be before the first"));
    }
    Ok((file, LinesAsked::Between(from, to)))
}

/// Splits `name:file`; a backslash makes the next character part of the name.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let colon = text.char_indices().find(|(_, c)| {
        let ends = *c == ':' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    let (at, _) = colon?;
    let (name, file) = (&text[..at], &text[at + 1..]);
    (!name.is_empty() && !file.is_empty()).then_some((name, file))
}

impl Question for LineHistoryQuery {
    const DECLARATION: Declaration = Declaration {
        name: "line_history",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "Lists the commits that changed some lines of a file, or a function, like git log -L",
        example: "SELECT subject, patch FROM line_history('README.md', 1, 3, 'HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, FIRST, LAST, REVISION, REPO];
    const NAMED: &'static [Field] = fields![SINCE, UNTIL, FIRST_PARENT, MAILMAP, MAILMAP_FILE];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(line_history_list('README.md', 1, 3, 'HEAD', '.', {'first_parent': true}))";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        let (file, lines) = asked(args.owned(FILE)?, args.get(FIRST)?, args.get(LAST)?)?;
        Ok(Self { file, lines, range: commit_range(args, REVISION)? })
    }
}
