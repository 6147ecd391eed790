//! The commits that changed a file, followed through renames.

use std::sync::Arc;

use crate::Question;
use crate::machinery::read_ahead::ReadAhead;
use crate::machinery::rows::{Query, Rows};
use crate::machinery::run::{Context, Run, mailmap_of, measure_of};
use crate::params::range::CommitRange;
use crate::params::range::{FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, UNTIL, commit_range};
use crate::params::{FILE, REPO};
use crate::questions::commit::Commit;
use crate::questions::commit_columns::CommitThen;
use crate::questions::file_changes::lines;
use redline_base::budget::Permits;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::pipeline::{Source, Window};
use redline_git::{
    Comparison, ContentSource, FileChange, Follow, FollowStep, FollowWalk, HistoryOptions,
    LineCounts, Measured, Measurer, PathChange, Reader, Repository, RevRange, Revision,
    nearest_paths, range_of, side_of,
};
use redline_rows::params::{Args, Name, Param, required};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Need, Needs, Row, bigint, fields, utinyint, varchar,
};
use redline_text::{CancelToken, DiffOptions};

/// A file and a range of commits.
pub struct FileHistoryQuery {
    /// The path of the file.
    pub file: String,
    /// The range.
    pub range: CommitRange,
}

impl Query for FileHistoryQuery {
    type Group = (Commit, Measured);
    type Row = CommitThen<FileThere>;

    /// Starts the walk with workers, which read the fields of commits and count lines; one thread
    /// reads the links between commits ahead.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Self::Group>> {
        context.read(|| {
            let CommitRange { range, repo, history, mailmap } = &self.range;
            let mut run = Run::open(context, repo, usize::MAX)?;
            let ends = range_of(&run.repository, range)?;
            let file = run.repository.file_from_root(&self.file)?;
            let mailmap = mailmap_of(needs, &run.repository, mailmap)?;
            let asked = [file.as_str(), range.as_str()];
            let permit = run.permits.split();
            let jobs = FileChanges::new(&run.repository, &ends, asked, *history, permit)?;
            let source = ContentSource::of_objects(&run.repository);
            run.start(Source::new(jobs), Window::of(limits::WINDOW_JOBS), |run| {
                let (mailmap, objects) = (mailmap.clone(), run.repository.objects());
                let reader = Reader::new(&source);
                let mut measurer = Measurer::new(reader, measure_of(needs), DiffOptions::default());
                Ok(move |found: FileChange, cancel: &CancelToken<'_>| {
                    let mailmap = mailmap.as_deref();
                    let commit = Commit::read(found.commit, needs, &objects, mailmap, cancel)?;
                    Ok((commit, measurer.measure(found.change, cancel)?))
                })
            })
            .map(Rows::Workers)
        })
    }
}

/// The changes of a file in the commits of a range; a file that no commit has is an error.
pub struct FileChanges {
    follow: Follow<ReadAhead<FollowWalk, FollowStep>>,
    repository: Repository,
    file: String,
    rev: String,
    is_found: bool,
}

impl Iterator for FileChanges {
    type Item = Result<FileChange>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.follow.next();
        if next.is_none() && !std::mem::replace(&mut self.is_found, true) {
            return self.not_found().transpose();
        }
        self.is_found = true;
        next
    }
}

impl FileChanges {
    /// Starts the walk over the commits of a range that changed a file; the range is the given
    /// text, for messages. With a permit a separate thread reads the commits.
    pub fn new(
        repository: &Repository,
        ends: &RevRange,
        [file, rev]: [&str; 2],
        options: HistoryOptions,
        permit: Option<Permits>,
    ) -> Result<Self> {
        let walk = FollowWalk::new(repository, ends, options)?;
        let walk = ReadAhead::new(walk, permit, Arc::clone(repository.budget()));
        Ok(Self {
            follow: Follow::new(repository, walk, file),
            repository: repository.clone(),
            file: file.to_owned(),
            rev: rev.to_owned(),
            is_found: false,
        })
    }

    /// Returns an error if the newest version lacks the file, too.
    fn not_found(&self) -> Result<Option<FileChange>> {
        let ends = range_of(&self.repository, &self.rev)?;
        let Some(tip) = ends.tips.first() else { return Ok(None) };
        let side = side_of(&self.repository, &tip.to_string())?;
        let comparison = Comparison::new(self.repository.clone(), Revision::Empty, side)?;
        if let PathChange::File(_) = PathChange::of(&comparison, self.file.as_bytes())? {
            return Ok(None);
        }
        let error = Error::not_found(format!(
            "no commit of {} changed a file {}",
            quoted(&self.rev),
            quoted(&self.file)
        ));
        let near = nearest_paths(&comparison, &self.file)?;
        Err(error.near(&near).or_hint("Paths start at the root of the repository"))
    }
}

/// The columns of a file at a commit.
pub struct FileThere;

impl Row for FileThere {
    type Of<'a> = &'a Measured;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "The path of the file there", |row, out| {
            out.text(row.change.path.as_slice())
        }),
        varchar("old_path", "The path that it was renamed or copied from", |row, out| {
            out.text(row.change.origin.as_ref().map(|origin| origin.path.as_slice()))
        }),
        varchar(
            "status",
            "added, deleted, modified, type_changed, renamed or copied",
            |row, out| out.text(row.change.status().name()),
        ),
        utinyint(
            "similarity",
            "Similarity of a renamed or copied file to its origin, in percent",
            |row| row.change.origin.as_ref().map(|origin| origin.similarity),
        ),
        bigint::<Self>("additions", "Added lines; NULL for a binary file", |row| {
            lines(row, LineCounts::additions).into()
        })
        .needing(&[Need::Lines]),
        bigint::<Self>("deletions", "Removed lines; NULL for a binary file", |row| {
            lines(row, LineCounts::deletions).into()
        })
        .needing(&[Need::Lines]),
    ];
}

const REVISION: Param<Name> =
    required("rev", "A revision with all that it reaches, a..b, a...b, or ALL for every reference");

impl Question for FileHistoryQuery {
    const DECLARATION: Declaration = Declaration {
        name: "file_history",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "Lists the commits that changed a file, through renames, like git log --follow",
        example: "SELECT subject, file_path, additions FROM file_history('README.md', 'HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, REVISION, REPO];
    const NAMED: &'static [Field] = fields![SINCE, UNTIL, FIRST_PARENT, MAILMAP, MAILMAP_FILE];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(file_history_list('README.md', 'HEAD', '.', {'first_parent': true}))";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self { file: args.owned(FILE)?, range: commit_range(args, REVISION)? })
    }
}
