//! `git_commit(repo, message, what [, options])`, `git_stage(repo, what [, options])` and
//! `git_unstage(repo, what [, options])`.

use crate::ffi::{Field, Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{
    Args, Flag, Maybe, Name, Names, Param, Text, fields, flag, optional, options, required,
    row_options,
};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, HasList, ListOf, Out, Row, Scalar, StructOf, Written, bigint,
    structures, varchar, varchars,
};
use redline_base::error::Result;
use redline_query::files::{CommitArguments, GitAction, What};
use redline_tools::{CommitResult, CommittedFile};

/// `git_commit`
pub struct GitCommit;

/// `git_stage`
pub struct GitStage;

/// `git_unstage`
pub struct GitUnstage;

pub(super) const REPO: Param<Name> =
    required("repo", "The repository: a directory of a sandbox, as `sandbox/directory`");
const MESSAGE: Param<Text> = required("message", "The message; its first line is the subject");
const WHAT: Param<Text> =
    required("what", "`staged`, a git diff, the id of a hunk, or a path as git's pathspecs");
const PARTS: Param<Names> = required("parts", "Paths and ids of hunks");
const TRAILER: Param<Maybe<Text>> =
    optional("trailer", "A trailer of the message, `Key: value`, as git's `--trailer`");
const AUTHOR: Param<Maybe<Text>> = optional("author", "`Name <address>`; NULL: the configured one");
const DATE: Param<Maybe<Text>> =
    optional("date", "The time of author and committer, `<seconds> <±hhmm>`; NULL: now");
const DRY_RUN: Param<Flag> = flag("dry_run", false, "Write nothing");

const OF_COMMIT: &[Field] = fields![TRAILER, AUTHOR, DATE, DRY_RUN];
const OF_STAGE: &[Field] = fields![DRY_RUN];
const COMMIT_OPTIONS: Field =
    options(OF_COMMIT, "A STRUCT of trailer, author, date and dry_run; NULL for none");
const STAGE_OPTIONS: Field = options(OF_STAGE, "A STRUCT of dry_run; NULL for none");
const COMMIT_TEXT: [Field; 4] = [REPO.field, MESSAGE.field, WHAT.field, COMMIT_OPTIONS];
const COMMIT_PARTS: [Field; 4] = [REPO.field, MESSAGE.field, PARTS.field, COMMIT_OPTIONS];
const STAGE_TEXT: [Field; 3] = [REPO.field, WHAT.field, STAGE_OPTIONS];
const STAGE_PARTS: [Field; 3] = [REPO.field, PARTS.field, STAGE_OPTIONS];
const STAGE_OVERLOADS: &[Overload] =
    &[STAGE_TEXT.split_at(2).0, &STAGE_TEXT, STAGE_PARTS.split_at(2).0, &STAGE_PARTS];

impl Row for CommittedFile {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("path", "The file, from the root of the repository", |file, out| {
            out.text(file.path.as_str())
        }),
        varchar("kind", "`create`, `update`, `delete` or `mode`", |file, out| out.text(file.kind)),
        bigint("lines_added", "Added lines", |file| file.lines_added.into()),
        bigint("lines_removed", "Removed lines", |file| file.lines_removed.into()),
        varchar("base_oid", "The git blob id before; NULL for a new file", |file, out| {
            out.text(file.base_oid.as_deref())
        }),
        varchar("oid", "The git blob id after; NULL if deleted", |file, out| {
            out.text(file.oid.as_deref())
        }),
    ];
}

impl Row for CommitResult {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "id",
            "The operation, as redline_log() has it; NULL if nothing was written",
            |it, out| out.text(it.id.as_deref()),
        ),
        varchar("outcome", "`applied` or `would_apply`", |it, out| out.text(it.outcome)),
        varchar("commit_id", "The commit; NULL if only the index changes", |it, out| {
            out.text(it.commit_id.as_deref())
        }),
        varchar("branch", "The branch that HEAD names; NULL for a detached HEAD", |it, out| {
            out.text(it.branch.as_deref())
        }),
        structures::<Self, CommittedFile>("files", "The files that change"),
        varchars(
            "left_out",
            "Tracked files that still differ from the commit, 100 at most; empty if only the index changes",
            |it, out| out.texts(it.left_out.iter().map(String::as_str)),
        ),
        varchar("message", "What happened, in one line", |it, out| out.text(it.message.as_str())),
    ];
}

impl HasList<CommittedFile> for CommitResult {
    fn list(result: &Self, out: Out<'_, ListOf<CommittedFile>>) -> Written {
        out.all(&result.files)
    }
}

impl Scalar for GitCommit {
    const DECLARATION: Declaration = Declaration {
        name: "git_commit",
        family: Family::Files,
        grant: Grant::Tools(&["GitCommit"]),
        description: "Commits what paths, hunks, a patch or the index name, on top of HEAD",
        example: "SELECT git_commit('workspace', 'Say what changed', ['app.py'], {'dry_run': true}).message",
    };
    const OVERLOADS: &'static [Overload] =
        &[COMMIT_TEXT.split_at(3).0, &COMMIT_TEXT, COMMIT_PARTS.split_at(3).0, &COMMIT_PARTS];
    type Returns = StructOf<CommitResult>;
    type State = Opened;
    // A NULL must not silently skip a commit.
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let values = row_options(args.options(), OF_COMMIT, args.function())?;
        let given = args.with((OF_COMMIT, &values), (&[], &[]));
        let arguments = CommitArguments {
            action: GitAction::Commit,
            repo: args.owned(REPO)?,
            message: args.owned(MESSAGE)?,
            what: what(&args)?,
            trailer: given.get(TRAILER)?.map(str::to_owned),
            author: given.get(AUTHOR)?.map(str::to_owned),
            date: given.get(DATE)?.map(str::to_owned),
            dry_run: given.get(DRY_RUN)?,
        };
        Ok(out.row(&opened.tools.commit(&arguments)?))
    }
}

impl Scalar for GitStage {
    const DECLARATION: Declaration = Declaration {
        name: "git_stage",
        grant: Grant::Tools(&["GitStage"]),
        description: "Stages what paths, hunks or a patch name, for the next commit",
        example: "SELECT git_stage('workspace', 'app.py', {'dry_run': true}).message",
        ..GitCommit::DECLARATION
    };
    const OVERLOADS: &'static [Overload] = STAGE_OVERLOADS;
    type Returns = StructOf<CommitResult>;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        staged(opened, GitAction::Stage, args, out)
    }
}

impl Scalar for GitUnstage {
    const DECLARATION: Declaration = Declaration {
        name: "git_unstage",
        grant: Grant::Tools(&["GitStage"]),
        description: "Takes what paths, hunks or a patch name out of the next commit",
        example: "SELECT git_unstage('workspace', 'app.py', {'dry_run': true}).message",
        ..GitCommit::DECLARATION
    };
    const OVERLOADS: &'static [Overload] = STAGE_OVERLOADS;
    type Returns = StructOf<CommitResult>;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        staged(opened, GitAction::Unstage, args, out)
    }
}

fn staged(
    opened: &Opened,
    action: GitAction,
    args: Args<'_>,
    out: Out<'_, StructOf<CommitResult>>,
) -> Result<Written> {
    let values = row_options(args.options(), OF_STAGE, args.function())?;
    let given = args.with((OF_STAGE, &values), (&[], &[]));
    let arguments = CommitArguments {
        action,
        repo: args.owned(REPO)?,
        message: String::new(),
        what: what(&args)?,
        trailer: None,
        author: None,
        date: None,
        dry_run: given.get(DRY_RUN)?,
    };
    Ok(out.row(&opened.tools.commit(&arguments)?))
}

fn what(args: &Args<'_>) -> Result<What> {
    match args.has(PARTS) {
        true => What::of_parts(args.get(PARTS)?.into_iter().map(str::to_owned).collect()),
        false => What::of_text(args.get(WHAT)?),
    }
}
