//! The changed files of every commit of a range.
//!
//! Jobs of 16 commits (64 where no contents are compared) go to the workers. The commits that a
//! range `a..b` excludes are certain only when the walk has ended: its commits are handed out and
//! compared while it continues, and the reader holds their rows back until the end and drops
//! those of excluded commits.

use std::sync::Arc;

use crate::Question;
use crate::machinery::history_jobs::{Jobs, Unsettled};
use crate::machinery::rows::{Query, RowGroup, Rows};
use crate::machinery::run::{Context, Run, mailmap_of, measure_of};
use crate::params::range::CommitRange;
use crate::params::range::{MAILMAP, MAILMAP_FILE, RANGE, SINCE, UNTIL, commit_range};
use crate::params::{PATHS, REPO, comparison};
use crate::questions::commit_columns::{
    OfCommit, author_date, author_email, author_name, author_offset, committer_date, subject,
};
use crate::questions::file_changes::FileColumns;
use redline_base::budget::{CopiedText, Gather, GatherSome, Weigh};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_base::pipeline::Window;
use redline_git::{
    CommitChanges, CommitInfo, CommitMeasure, CommitMeasurer, Comparable, Excluded, History,
    Measured, Merges, Pathspec, Search, range_of,
};
use redline_rows::params::{
    Args, Asked, Choice, Given, Kind, Maybe, OneOf, Param, Text, Value, choice, optional,
};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Has, Need, Needs, Part, Row, Type, fields, joined,
    varchar, varchars,
};
use redline_text::CancelToken;

/// A range of commits, and how each is compared.
pub struct CommitChangesQuery {
    /// The range.
    pub range: CommitRange,
    /// The selected files.
    pub paths: Vec<Pathspec>,
    /// How each commit is compared; the shown columns say what else of it is read.
    pub measure: CommitMeasure,
}

/// The changes of some commits.
pub struct ChangesOfCommits {
    commits: Vec<CommitChanges>,
    /// The indices of the commit and the change of each row.
    places: Vec<(u32, u32)>,
    /// The searched texts.
    texts: Option<Arc<[String]>>,
    unsettled: Unsettled,
}

impl ChangesOfCommits {
    fn new(
        commits: Vec<CommitChanges>,
        unsettled: Unsettled,
        texts: Option<Arc<[String]>>,
    ) -> Self {
        let places = (0u32..).zip(&commits).flat_map(|(place, commit)| {
            (0..commit.changes.len() as u32).map(move |change| (place, change))
        });
        Self { places: places.gather(), commits, texts, unsettled }
    }
}

impl Weigh for ChangesOfCommits {
    fn bytes(&self) -> usize {
        let changes = self.commits.iter().flat_map(|commit| &commit.changes);
        let info = self.commits.iter().filter_map(|commit| commit.info.as_deref());
        self.commits.len() * size_of::<CommitChanges>()
            + changes.map(Weigh::bytes).sum::<usize>()
            + info.map(CommitInfo::bytes).sum::<usize>()
    }
}

impl RowGroup for ChangesOfCommits {
    /// The commit, the change, and the indices of the texts that it adds or removes.
    type Of<'a> = (&'a CommitChanges, &'a Measured, Option<(&'a [u32], &'a [String])>);

    fn finalize(&mut self) -> Result<()> {
        let is_excluded = self.unsettled.settle()?;
        self.places.retain(|(commit, _)| !is_excluded(&self.commits[*commit as usize].id));
        Ok(())
    }

    fn rows(&self) -> usize {
        self.places.len()
    }

    fn row(&self, index: usize) -> Self::Of<'_> {
        let (commit, change) = self.places[index];
        let commit = &self.commits[commit as usize];
        let found = commit.found.get(change as usize).map_or(&[][..], Vec::as_slice);
        let matched = self.texts.as_ref().map(|texts| (found, &texts[..]));
        (commit, &commit.changes[change as usize], matched)
    }
}

impl Query for CommitChangesQuery {
    type Group = ChangesOfCommits;
    type Row = ChangesOfCommits;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<ChangesOfCommits>> {
        context.read(|| {
            let CommitRange { range, repo, history, mailmap } = &self.range;
            let run = Run::open(context, repo, usize::MAX)?;
            let ends = range_of(&run.repository, range)?;
            let history = History::new(&run.repository, &ends, *history)?;
            let excluded = history.excluded();
            let (info, changes) = (needs.has(Need::Info), measure_of(needs));
            let measure = CommitMeasure { info, changes, ..self.measure.clone() };
            let mailmap = mailmap_of(needs, &run.repository, mailmap)?;
            let is_compared = needs.has_any(&[Need::Lines, Need::Patch])
                || measure.search.is_some()
                || measure.renames.is_some();
            let most = if is_compared { limits::JOB_COMMITS } else { limits::JOB_SMALL_COMMITS };
            let jobs = Jobs::source(history, History::next, most);
            run.start(jobs, Window::of(limits::WINDOW_HISTORY_JOBS), |run| {
                let (paths, mailmap) = (&self.paths, mailmap.clone());
                let measurer = CommitMeasurer::new(&run.repository, paths, &measure, mailmap)?;
                Ok(self.worker(measurer, Arc::clone(&excluded)))
            })
            .map(Rows::Workers)
        })
    }
}

impl CommitChangesQuery {
    /// Returns the work of one thread.
    fn worker(
        &self,
        mut measurer: CommitMeasurer,
        excluded: Arc<Excluded>,
    ) -> impl FnMut(Vec<Comparable>, &CancelToken<'_>) -> Result<ChangesOfCommits> + use<> {
        let wanted = match &self.measure.search {
            Some(Search::Texts(texts)) => Some(Arc::clone(texts)),
            _ => None,
        };
        move |job, cancel| {
            let (mut commits, mut unsettled) = (Vec::new(), Unsettled::new(&excluded));
            for commit in &job {
                if let Err(error) = measurer.measure(commit, &mut commits, cancel) {
                    unsettled.fail(commit.id, error);
                }
            }
            Ok(ChangesOfCommits::new(commits, unsettled, wanted.clone()))
        }
    }
}

impl Row for ChangesOfCommits {
    type Of<'a> = <ChangesOfCommits as RowGroup>::Of<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("commit_id", "The id of the commit, in hexadecimal", |(commit, ..), out| {
            out.text(commit.id.to_string())
        }),
        varchar(
            "parent_id",
            "The parent that it is compared with; NULL for a root",
            |(commit, ..), out| out.text(commit.parent.map(|id| id.to_string())),
        ),
        author_name(),
        author_email(),
        author_date(),
        author_offset(),
        committer_date(),
        subject("The subject of its message, as git's %s"),
    ];
    const PART: Option<Part<Self>> = Some(Part::of::<FileColumns>());
    const TAIL: &'static [Col<Self>] = &[varchars(
        "matched",
        "Texts of contains that occur more or less often; NULL if none are searched",
        |(.., matched), out| match matched {
            None => out.null(),
            Some((found, texts)) => {
                out.texts(found.iter().filter_map(|&text| texts.get(text as usize)))
            }
        },
    )];
}

impl Has<FileColumns> for ChangesOfCommits {
    fn part<'a>(row: Self::Of<'a>) -> <FileColumns as Row>::Of<'a> {
        row.1
    }
}

impl OfCommit for ChangesOfCommits {
    fn info<'a>(row: Self::Of<'a>) -> Option<&'a CommitInfo> {
        row.0.info.as_deref()
    }
}

const MERGES: Param<OneOf<MergesCompared>> = choice(
    "merges",
    "Merges: skip, first_parent (each with its first parent), all_parents (each with every parent) or combined (files that differ from all)",
);
const CONTAINS: Param<Maybe<Texts>> = optional(
    "contains",
    "A text, or a list of texts (any may match): only changes after which it occurs more or less often, as git's -S",
);
const CHANGED_LINES: Param<Maybe<Text>> = optional(
    "changed_lines",
    "Only changes of a line that matches an extended regular expression, as git's -G",
);

/// Its own parameters; those of a comparison follow.
const OWN: &[Field] = fields![MERGES, SINCE, UNTIL, MAILMAP, MAILMAP_FILE, CONTAINS, CHANGED_LINES];

/// The parents with which merges are compared, and whether at once.
type ComparedMerges = (Merges, bool);

/// The ways to compare merges, by their names.
struct MergesCompared;

impl Choice for MergesCompared {
    type Of = ComparedMerges;
    const WORDS: &'static [(&'static str, ComparedMerges)] = &[
        ("skip", (Merges::Skip, false)),
        ("first_parent", (Merges::FirstParent, false)),
        ("all_parents", (Merges::AllParents, false)),
        ("combined", (Merges::AllParents, true)),
    ];
}

/// A text, or a list of texts.
struct Texts;

impl Kind for Texts {
    const TYPE: Type = Type::TextOrTexts;
    type Of<'a> = Vec<String>;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Vec<String>> {
        let wrong = |what: &str, hint: &str| {
            Error::invalid_args(format!("{} is not a {what}", asked.name)).with_hint(hint)
        };
        let text = |text: &Value| text.as_text().map(str::copied_text);
        match given.value() {
            Some(Value::Text(text)) => Ok(vec![text.copied_text()]),
            Some(Value::List(texts)) => texts.iter().map(text).gather_some().ok_or_else(|| {
                wrong("list of texts", "Give a text, or a list of texts without NULL")
            }),
            _ => Err(wrong("text", "Give a text, or a list of texts")),
        }
    }
}

impl Question for CommitChangesQuery {
    const DECLARATION: Declaration = Declaration {
        name: "commit_changes",
        family: Family::Git,
        grant: Grant::Tools(&["GitShow"]),
        description: "Lists the changed files of every commit of a range, in the order of git log",
        example: "SELECT subject, file_path, additions FROM commit_changes('HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![RANGE, REPO];
    const NAMED: &'static [Field] = joined!(Field: OWN, comparison::OF_HISTORY);
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(commit_changes_list('HEAD~2..HEAD', '.', {'renames': true}))";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        let (merges, combined) = args.get(MERGES)?;
        let mut range = commit_range(args, RANGE)?;
        range.history.merges = merges;
        Ok(Self {
            range,
            paths: args.get(PATHS)?.unwrap_or_default(),
            measure: CommitMeasure {
                renames: comparison::rename_options(args)?,
                diff: comparison::diff_options(args)?,
                search: search(args)?,
                combined,
                ..CommitMeasure::default()
            },
        })
    }
}

/// Returns the search for changes.
fn search(args: Args<'_>) -> Result<Option<Search>> {
    match (args.get(CONTAINS)?, args.get(CHANGED_LINES)?) {
        (None, None) => Ok(None),
        (Some(texts), None) => Search::texts(texts).map(Some),
        (None, Some(pattern)) => Search::lines(pattern).map(Some),
        (Some(_), Some(_)) => {
            Err(Error::invalid_args("contains and changed_lines are given together")
                .with_hint("Give one of them: git too looks for one at a time"))
        }
    }
}
