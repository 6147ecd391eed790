//! Compares two versions of a series of commits, and pairs their commits.

use std::sync::Arc;

use crate::Question;
use crate::machinery::rows::{OneRow, Query, Rows};
use crate::machinery::run::{Context, Run};
use crate::params::REPO;
use redline_base::budget::{Charge, Gather, Grow, TryGather, Weigh, filled};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::pipeline::{Ordered, Source, Unweighed, Window};
use redline_git::{
    Comparable, History, HistoryOptions, Merges, Notes, RangePatch, RangePatcher, Repository,
    WrittenFiles, by_date, mailmap_of, range_of,
};
use redline_rows::params::{Args, Name, Param, number, required};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Need, Needs, Row, bigint, bounded, fields, varchar,
};
use redline_text::range_diff::{
    Costs, Matches, NumberedPatches, PatchText, assign_rest, changes, exact_matches, in_order,
};
use redline_text::{CancelToken, Engine};

/// The default cost of a dropped or added commit, in percent of its size.
pub const CREATION_FACTOR: i64 = 60;

/// Two ranges of commits.
pub struct RangeDiffQuery {
    /// The old commits.
    pub old: String,
    /// The new commits.
    pub new: String,
    /// The repository.
    pub repo: String,
    /// The cost of a dropped or added commit, in percent of its size.
    pub creation_factor: i64,
}

/// A commit of one range.
pub struct Numbered {
    /// Its place in the range, from 1.
    pub number: usize,
    /// The commit.
    pub commit: Arc<RangePatch>,
}

/// A commit in both ranges, or in one of them.
pub struct CommitPair {
    /// The old version.
    pub old: Option<Numbered>,
    /// The new version.
    pub new: Option<Numbered>,
    /// The changes between both, if requested and there are any.
    pub changes: Option<Vec<u8>>,
    _charge: Charge,
}

impl CommitPair {
    /// Returns the status of the commit.
    pub fn status(&self) -> &'static str {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if is_equal(old, new) => "equal",
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "dropped",
            (None, _) => "added",
        }
    }

    /// Returns the subject, the old one if there is one.
    pub fn subject(&self) -> Option<&[u8]> {
        self.old.as_ref().or(self.new.as_ref()).map(|side| side.commit.subject.as_slice())
    }
}

fn is_equal(old: &Numbered, new: &Numbered) -> bool {
    old.commit.patch.text == new.commit.patch.text
}

impl Weigh for CommitPair {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.changes.as_ref().map_or(0, Vec::len)
    }
}

impl OneRow for CommitPair {}

impl Query for RangeDiffQuery {
    type Group = CommitPair;
    type Row = CommitPair;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<CommitPair>> {
        context.read(|| {
            let repository = context.repository(&self.repo)?;
            let (mut commits, new) =
                (commits_of(&repository, &self.old)?, commits_of(&repository, &self.new)?);
            let old_commits = commits.len();
            commits.add_all(new);
            let mut patches = read(context, &repository, commits)?;
            let new_patches = patches.split_off(old_commits);
            let sides = BothSeries { old: patches.into(), new: new_patches.into() };
            let matches = self.matches(context, &repository, &sides)?;
            pairs(context, repository, sides, &matches, needs.has(Need::Patch))
        })
    }
}

/// The commits of both ranges.
#[derive(Clone)]
struct BothSeries {
    old: Arc<[Arc<RangePatch>]>,
    new: Arc<[Arc<RangePatch>]>,
}

impl RangeDiffQuery {
    /// Pairs the commits.
    fn matches(
        &self,
        context: &Context,
        repository: &Repository,
        sides: &BothSeries,
    ) -> Result<Matches> {
        let (old, new) = (texts(&sides.old), texts(&sides.new));
        let mut matches = exact_matches(&old, &new);
        let cancel = repository.cancel();
        let _charge = cancel.charge(old.len() * new.len() * size_of::<i64>())?;
        let costs = costs(context, repository, sides, &matches)?;
        assign_rest(&mut matches, &old, &new, &costs, self.creation_factor, &cancel)?;
        Ok(matches)
    }
}

fn texts(side: &[Arc<RangePatch>]) -> Vec<&PatchText> {
    side.iter().map(|commit| &commit.patch).gather()
}

/// Returns the commits of a range except merges, the oldest first.
fn commits_of(repository: &Repository, range: &str) -> Result<Vec<Comparable>> {
    let ends = range_of(repository, range)?;
    if ends.hidden.is_empty() {
        return Err(Error::invalid_args(format!("{} is not a range of commits", quoted(range)))
            .with_hint("Give both ends, such as 'main..topic'"));
    }
    let options = HistoryOptions { merges: Merges::AllParents, ..HistoryOptions::default() };
    let mut history = History::new(repository, &ends, options)?;
    history.settle();
    let (mut walked, mut charge) = (Vec::new(), Charge::free());
    for commit in history.by_ref() {
        repository.cancel().room(&mut charge, &mut walked, 1)?;
        walked.push(commit?);
    }
    let excluded = history.excluded();
    walked.retain(|commit| excluded.get().is_none_or(|ids| !ids.contains(&commit.id)));
    let mut sorted = by_date(&history, &walked)?;
    sorted.retain(|commit| commit.parents.len() < 2);
    if sorted.len() > limits::RANGE_DIFF_COMMITS {
        let (count, most) = (sorted.len(), limits::RANGE_DIFF_COMMITS);
        return Err(Error::too_large(format!("{} has {count} commits", quoted(range)))
            .with_hint(format!("Give ranges of up to {most} commits")));
    }
    sorted.reverse();
    Ok(sorted)
}

fn collect<T: Send + 'static>(work: Ordered<Unweighed<T>>) -> Result<Vec<T>> {
    work.map(|made| made.map(|made| made.0)).try_gather()
}

/// Reads the texts of commits.
fn read(
    context: &Context,
    repository: &Repository,
    commits: Vec<Comparable>,
) -> Result<Vec<Arc<RangePatch>>> {
    let run = Run::over(context, repository.clone(), usize::MAX);
    let mailmap = Arc::new(mailmap_of(&run.repository)?);
    let notes = Arc::new(Notes::read(&run.repository, None)?);
    let written = Arc::new(WrittenFiles::default());
    let jobs = Source::new(commits.into_iter().map(Ok));
    let work = run.start(jobs, Window::of(limits::WINDOW_JOBS), |run| {
        let (mailmap, notes, written) =
            (Arc::clone(&mailmap), Arc::clone(&notes), Arc::clone(&written));
        let mut patcher = RangePatcher::new(&run.repository, mailmap, notes, written)?;
        Ok(move |commit: Comparable, cancel: &CancelToken<'_>| {
            patcher.patch(&commit, cancel).map(Unweighed)
        })
    })?;
    collect(work)
}

/// Returns the cost of each pair of commits without an equal partner; other pairs cost nothing.
fn costs(
    context: &Context,
    repository: &Repository,
    sides: &BothSeries,
    matches: &Matches,
) -> Result<Vec<Vec<i64>>> {
    let run = Run::over(context, repository.clone(), usize::MAX);
    let (old, new) = (texts(&sides.old), texts(&sides.new));
    let patches = Arc::new(NumberedPatches::new(&old, &new, matches, &repository.cancel())?);
    let is_paired: Arc<Vec<bool>> = Arc::new(matches.new.iter().map(Option::is_some).gather());
    let jobs: Vec<_> = matches.old.iter().map(Option::is_some).enumerate().map(Ok).gather();
    let work = run.start(Source::new(jobs.into_iter()), Window::of(limits::WINDOW_JOBS), |_| {
        let (patches, is_paired, mut costs) =
            (Arc::clone(&patches), Arc::clone(&is_paired), Costs::default());
        Ok(move |(at, is_known): (usize, bool), cancel: &CancelToken<'_>| {
            let costs = match is_known {
                true => filled(0, is_paired.len()),
                false => costs.of(&patches, at, |new| !is_paired[new], cancel)?,
            };
            Ok(Unweighed(costs))
        })
    })?;
    collect(work)
}

/// Starts the comparison of the commits of each pair.
fn pairs(
    context: &Context,
    repository: Repository,
    sides: BothSeries,
    matches: &Matches,
    is_compared: bool,
) -> Result<Rows<CommitPair>> {
    let run = Run::over(context, repository, if is_compared { usize::MAX } else { 1 });
    let jobs = Source::new(in_order(matches).into_iter().map(Ok));
    run.start(jobs, Window::of(limits::WINDOW_JOBS), |_| {
        let (sides, mut engine) = (sides.clone(), Engine::default());
        Ok(move |(old, new): (Option<usize>, Option<usize>), cancel: &CancelToken<'_>| {
            let side = |side: &[Arc<RangePatch>], at: Option<usize>| {
                at.map(|at| Numbered { number: at + 1, commit: Arc::clone(&side[at]) })
            };
            let (old, new) = (side(&sides.old, old), side(&sides.new, new));
            let (changes, charge) = match (&old, &new) {
                (Some(old), Some(new)) if is_compared && !is_equal(old, new) => {
                    let (old, new) = (&old.commit.patch, &new.commit.patch);
                    let (changes, charge) = changes(&mut engine, old, new, cancel)?;
                    (Some(changes), charge)
                }
                _ => (None, Charge::free()),
            };
            Ok(CommitPair { old, new, changes, _charge: charge })
        })
    })
    .map(Rows::Workers)
}

impl Row for CommitPair {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        bigint("old_number", "The commit's number in the old range, from 1", |pair| {
            pair.old.as_ref().map(|side| side.number).into()
        }),
        varchar("old_commit_id", "The id of the old commit; NULL for one added", |pair, out| {
            out.text(id_of(pair.old.as_ref()))
        }),
        bigint("new_number", "The commit's number in the new range, from 1", |pair| {
            pair.new.as_ref().map(|side| side.number).into()
        }),
        varchar("new_commit_id", "The id of the new commit; NULL for one dropped", |pair, out| {
            out.text(id_of(pair.new.as_ref()))
        }),
        varchar("status", "equal, changed, dropped or added", |pair, out| out.text(pair.status())),
        varchar("subject", "The subject of the old commit, else of the new one", |pair, out| {
            out.text(pair.subject())
        }),
        varchar::<Self>(
            "patch",
            "What changed in the message and in the patch, as git prints it; NULL unless changed",
            |pair, out| out.text(pair.changes.as_deref()),
        )
        .needing(&[Need::Patch]),
    ];
}

fn id_of(side: Option<&Numbered>) -> Option<String> {
    side.map(|side| side.commit.id.to_string())
}

const OLD_RANGE: Param<Name> = required("old_range", "The old commits, as a..b");
const NEW_RANGE: Param<Name> = required("new_range", "The new commits, as a..b");
const FACTOR: Param<Percent> = number(
    "creation_factor",
    CREATION_FACTOR,
    "Cost of a dropped or added commit in percent of its size; a higher one pairs more commits",
);

bounded! {
    /// A percentage, up to git's own limit for a cost.
    Percent: BigInt as i64, 0..=i64::from(u16::MAX), "Give 0 to 65535; git's default is 60";
}

impl Question for RangeDiffQuery {
    const DECLARATION: Declaration = Declaration {
        name: "range_diff",
        family: Family::Git,
        grant: Grant::Tools(&["GitRangeDiff"]),
        description: "Compares two versions of a commit series, like git range-diff",
        example: "SELECT status, subject, patch FROM range_diff('HEAD~3..HEAD~1', 'HEAD~2..HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![OLD_RANGE, NEW_RANGE, REPO];
    const NAMED: &'static [Field] = fields![FACTOR];
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self {
            old: args.owned(OLD_RANGE)?,
            new: args.owned(NEW_RANGE)?,
            repo: args.owned(REPO)?,
            creation_factor: args.get(FACTOR)?,
        })
    }
}
