//! `git_commit(repo, message, what [, options])`, `git_stage(repo, what [, options])` and
//! `git_unstage(repo, what [, options])`.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{
    Args, Flag, Maybe, Name, Names, Param, Text, fields, flag, optional, options, required,
    row_options,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_query::files::{CommitArguments, GitAction, What};
use redline_rows::{Field, Out, StructOf, Written};

use redline_tools::CommitResult;

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
        true => What::of_parts(&args.get(PARTS)?),
        false => What::of_text(args.get(WHAT)?),
    }
}
