//! Finds the commit of each line of a file, as `git blame` does.
//!
//! At first all lines are attributed to the newest version. Commits are processed by time, the
//! newest first; lines that a parent's version has too are passed to that version, and lines that
//! no parent has stay. A parent has the file under the same path, or under the one it was renamed
//! from.
//!
//! | file | holds |
//! |---|---|
//! | this one | the walk, from the newest version to those that keep lines |
//! | `entries` | runs of lines, and their division at a change |
//! | `origins` | the versions of files, and the search for a parent's |
//! | `ignored` | lines that an ignored commit changed |
//! | `moves` | lines that were moved or copied: `-M` and `-C` |

mod entries;
mod ignored;
mod moves;
mod origins;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::Oid;
use crate::change::side_files::{ReadLimit, SideFiles};
use crate::graph::commit_links::{Commits as CommitLinks, own_ancestor};
use crate::graph::walk::{History, HistoryOptions, Merges, micros};
use crate::history::{check_first_line, only_tip};
use crate::model::bytes::Bytes;
use crate::model::changed_file::Entry;
use crate::model::commit::Links;
use crate::model::id_tables::{IdMap, IdSet};
use crate::repository::Repository;
use crate::revision::{Revision, commit_of, range_of};
use entries::{Run, divide};
use ignored::{Fingerprints, carve, guess};
use origins::{Origin, OriginId, Origins};
use redline_base::budget::{
    Charge, Copied, Gather, Grow, GrowMap, GrowSet, Ordered, TryGather, check_current, filled,
    reserve,
};
use redline_base::error::{Error, Result};
use redline_text::lines::MAX_BYTES;
use redline_text::{Engine, LineChange, Whitespace, line_changes};

/// How lines are followed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlameOptions {
    /// The first and the last line to blame, from 1; `None` for all.
    pub lines: Option<(u32, u32)>,
    /// The whitespace to ignore when lines are compared.
    pub whitespace: Whitespace,
    /// Whether only the first parent of a merge is followed.
    pub first_parent: bool,
    /// Commits before this time, in microseconds since 1970, keep their lines.
    pub since: Option<i64>,
    /// Revisions to ignore; their lines are attributed to similar lines of a parent:
    /// `--ignore-rev`.
    pub ignore: Vec<String>,
    /// Whether to detect lines moved within a file: `-M`.
    pub moves: bool,
    /// How far to detect lines copied from another file, 0 to 3: the number of `-C` options.
    pub copies: u8,
}

/// The origins of a file's lines.
#[derive(Default)]
pub struct Blame {
    /// The blamed text.
    pub content: Bytes,
    /// The offset of each of its lines, and its end.
    pub bounds: Vec<u32>,
    /// Runs of lines in the order of the text.
    pub runs: Vec<BlamedRun>,
    /// The versions with lines.
    pub versions: Vec<BlamedVersion>,
    charge: Charge,
}

/// A run of lines from one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlamedRun {
    /// The first line, from 0.
    pub line: u32,
    /// The number of lines.
    pub lines: u32,
    /// The first line in the version, from 0.
    pub source: u32,
    /// The version, as an index in [`Blame::versions`].
    pub version: usize,
}

/// A version of a file that has lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedVersion {
    /// The commit; `None` for uncommitted lines.
    pub commit: Option<Oid>,
    /// The path of the file in this commit.
    pub path: Vec<u8>,
    /// Whether the history was not followed further: at its end, or at the end of the requested
    /// range.
    pub is_boundary: bool,
}

/// The cached links of commits, for blames of one revision with the same options; for one thread.
#[derive(Default)]
pub struct BlameCache {
    links: IdMap<Arc<Links>>,
}

/// Computes a blame; for one thread.
pub struct Blamer {
    repository: Repository,
    commits: CommitLinks,
    links: IdMap<Arc<Links>>,
    origins: Origins,
    options: BlameOptions,
    /// Commits that are not followed further.
    hidden: IdSet,
    /// Ignored commits.
    ignored: IdSet,
    /// Commits with attributed lines, by date, then by the order of insertion.
    queue: BinaryHeap<(u64, Reverse<u64>, Oid)>,
    put: u64,
    /// Commits that were taken from the queue, and the number of times that one was added again.
    left: IdSet,
    returns: u64,
    engine: Engine,
    /// The result, without its runs until the walk is over.
    blame: Blame,
    done: Vec<(Run, OriginId)>,
}

/// Returns the id that represents uncommitted content.
fn uncommitted(repository: &Repository) -> Oid {
    Oid::null(repository.object_hash())
}

impl Blame {
    /// Blames the lines of a file in a revision, the index or the work tree; a range `a..b` follows
    /// no line beyond `a`.
    ///
    /// # Errors
    /// `not_found` for a missing file, `invalid_args` for lines that it does not have.
    pub fn of(
        repository: &Repository,
        file: &str,
        revision: &str,
        options: &BlameOptions,
    ) -> Result<Self> {
        let file = repository.file_from_root(file)?;
        Self::of_one(repository, &file, revision, options, &mut BlameCache::default())
    }

    /// Does the same for one of many files, given from the root, with the cached links of commits.
    pub fn of_one(
        repository: &Repository,
        file: &str,
        revision: &str,
        options: &BlameOptions,
        cache: &mut BlameCache,
    ) -> Result<Self> {
        let is_named = Revision::is_named(revision);
        let (start, hidden) = if is_named {
            (uncommitted(repository), IdSet::default())
        } else {
            ends(repository, revision)?
        };
        let side = if is_named { revision.to_owned() } else { start.to_string() };
        let mut files = SideFiles::open(repository, &side)?;
        let entry = files.found(file, revision)?;
        let content = files.read(file.as_bytes(), entry, ReadLimit::OBJECT)?;
        let mut blamer = Blamer::new(repository, files, options.clone(), hidden)?;
        blamer.links = std::mem::take(&mut cache.links);
        if is_named {
            blamer.add_uncommitted()?;
        }
        let blamed = blamer.run(file.as_bytes(), entry, content, start);
        cache.links = blamer.links;
        blamed
    }
}

/// Returns the commit at the end of a range, and the excluded commits.
fn ends(repository: &Repository, revision: &str) -> Result<(Oid, IdSet)> {
    let ends = range_of(repository, revision)?;
    let tip = only_tip(&ends, revision, "one version of a file is wanted here")?;
    if ends.hidden.is_empty() {
        return Ok((tip, IdSet::default()));
    }
    let options = HistoryOptions { merges: Merges::AllParents, ..HistoryOptions::default() };
    let hidden = History::new(repository, &ends, options)?.into_hidden()?;
    Ok((tip, hidden))
}

impl Blamer {
    fn new(
        repository: &Repository,
        files: SideFiles,
        options: BlameOptions,
        hidden: IdSet,
    ) -> Result<Self> {
        let ignored = options.ignore.iter().map(|name| commit_of(repository, name));
        let ignored = ignored.try_gather()?;
        Ok(Self {
            repository: repository.clone(),
            commits: CommitLinks::new(repository)?,
            links: IdMap::default(),
            origins: Origins::new(repository, files),
            ignored,
            options,
            hidden,
            queue: BinaryHeap::new(),
            put: 0,
            left: IdSet::default(),
            returns: 0,
            engine: Engine::default(),
            blame: Blame::default(),
            done: Vec::new(),
        })
    }

    /// Creates the links of the uncommitted content: its parents are HEAD and the commits being
    /// merged.
    fn add_uncommitted(&mut self) -> Result<()> {
        let head = self.repository.head()?;
        let mut parents: Vec<Oid> = head.into_iter().gather();
        if head.is_some() {
            parents.add_all(self.repository.merge_heads()?);
        }
        let id = uncommitted(&self.repository);
        let tree = Oid::empty_tree(self.repository.object_hash());
        self.links.put(id, Arc::new(Links { tree, parents, date: u64::MAX }));
        Ok(())
    }

    fn run(&mut self, path: &[u8], entry: Entry, content: Bytes, start: Oid) -> Result<Blame> {
        self.split(&content)?;
        self.blame.content = content;
        let count = u32::try_from(self.blame.bounds.len() - 1).unwrap_or(u32::MAX);
        let (first, last) = self.options.lines.unwrap_or((1, count));
        if count > 0 {
            check_first_line(first, count)?;
            let run =
                Run { line: first - 1, lines: last.min(count) - (first - 1), source: first - 1 };
            let links = self.links(&start)?;
            let origin = self.origins.start(start, path, entry, &links)?;
            self.queue(origin, vec![run])?;
            self.walk()?;
        }
        self.finish()
    }

    /// Computes the offset of each line of the text, and its end.
    fn split(&mut self, text: &[u8]) -> Result<()> {
        let cancel = self.repository.cancel();
        if text.len() > MAX_BYTES {
            return Err(Error::too_large(format!("the file has {} bytes", text.len()))
                .with_hint("git compares files of up to 1023 MiB"));
        }
        cancel.room(&mut self.blame.charge, &mut self.blame.bounds, 1)?;
        self.blame.bounds.push(0);
        let mut end = 0;
        for line in text.lines_with_terminator() {
            end += line.len() as u32;
            cancel.room(&mut self.blame.charge, &mut self.blame.bounds, 1)?;
            self.blame.bounds.push(end);
        }
        Ok(())
    }

    /// Returns the text of a run.
    fn text(&self, run: &Run) -> &[u8] {
        let bound = |line: u32| self.blame.bounds[line as usize] as usize;
        &self.blame.content[bound(run.line)..bound(run.line + run.lines)]
    }

    /// Returns the links of a commit.
    fn links(&mut self, id: &Oid) -> Result<Arc<Links>> {
        if let Some(links) = self.links.get(id) {
            return Ok(Arc::clone(links));
        }
        let mut links = self.commits.links(id)?;
        let bytes = 2 * size_of::<(Oid, Links)>() + links.parents.len() * size_of::<Oid>();
        self.blame.charge.join(self.repository.budget().charge(bytes)?);
        if self.options.first_parent {
            links.parents.truncate(1);
        }
        let links = Arc::new(links);
        self.links.put(*id, Arc::clone(&links));
        Ok(links)
    }

    /// Attributes lines, which are sorted, to a version.
    fn queue(&mut self, id: OriginId, runs: Vec<Run>) -> Result<()> {
        if runs.is_empty() {
            return Ok(());
        }
        let commit = self.origins.get(id).commit;
        if self.origins.suspected_at(&commit).is_none() {
            let date = self.links(&commit)?.date;
            self.queue.add((date, Reverse(self.put), commit));
            self.put += 1;
            self.check_return(&commit)?;
        }
        let suspected = &mut self.origins.get_mut(id).suspected;
        suspected.add_all(runs);
        // The sort is stable: of runs at the same line the earlier ones stay first.
        suspected.order_by_key(|run| run.source);
        Ok(())
    }

    /// Rejects a history with a cycle, in which lines would be passed round for ever. With wrong
    /// clocks a commit may also be met again, so all links are checked, each time the number of
    /// returns has doubled.
    fn check_return(&mut self, commit: &Oid) -> Result<()> {
        if !self.left.contains(commit) {
            return Ok(());
        }
        self.returns += 1;
        if !self.returns.is_power_of_two() {
            return Ok(());
        }
        match own_ancestor(&self.links, self.repository.budget())? {
            Some(id) => Err(self.repository.objects().own_ancestor(&id)),
            None => Ok(()),
        }
    }

    /// Processes the newest commit with attributed lines, until there is none.
    fn walk(&mut self) -> Result<()> {
        while let Some((_, _, commit)) = self.queue.pop() {
            self.left.put(commit);
            while let Some(id) = self.origins.suspected_at(&commit) {
                self.repository.budget().check()?;
                let links = self.links(&commit)?;
                if self.is_followed(&commit, &links) {
                    self.pass(id, &links)?;
                } else {
                    self.hide(commit);
                }
                if links.parents.is_empty() && commit != uncommitted(&self.repository) {
                    // As in git, a root is a boundary.
                    self.hidden.put(commit);
                }
                let kept = std::mem::take(&mut self.origins.get_mut(id).suspected);
                self.done.add_all(kept.into_iter().map(|run| (run, id)));
            }
        }
        Ok(())
    }

    fn is_followed(&self, commit: &Oid, links: &Links) -> bool {
        !self.hidden.contains(commit)
            && self.options.since.is_none_or(|since| micros(links.date) >= i128::from(since))
    }

    /// Hides a commit and its known ancestors.
    fn hide(&mut self, commit: Oid) {
        self.hidden.put(commit);
        let mut waiting = vec![commit];
        while let Some(id) = waiting.pop() {
            let Some(links) = self.links.get(&id) else { continue };
            for parent in &links.parents {
                if self.hidden.put(*parent) {
                    waiting.add(*parent);
                }
            }
        }
    }

    /// Passes the lines of a version to its parents' versions.
    fn pass(&mut self, id: OriginId, links: &Links) -> Result<()> {
        let mut parents: Vec<Option<OriginId>> = filled(None, links.parents.len());
        for is_renamed in [false, true] {
            for (number, parent) in links.parents.iter().enumerate() {
                if parents[number].is_some() {
                    continue;
                }
                let parent_links = self.links(parent)?;
                let found = if is_renamed {
                    self.origins.renamed(id, *parent, &parent_links, links)?
                } else {
                    self.origins.same_path(id, *parent, &parent_links)?
                };
                let Some(found) = found else { continue };
                let blob = self.origins.get(found).entry.oid;
                if blob == self.origins.get(id).entry.oid {
                    let runs = std::mem::take(&mut self.origins.get_mut(id).suspected);
                    return self.queue(found, runs);
                }
                let is_known = parents[..number]
                    .iter()
                    .flatten()
                    .any(|&known| self.origins.get(known).entry.oid == blob);
                if !is_known {
                    parents[number] = Some(found);
                }
            }
        }
        for parent in parents.iter().flatten() {
            self.pass_same_lines(id, *parent)?;
            if self.origins.get(id).suspected.is_empty() {
                return Ok(());
            }
        }
        if self.ignored.contains(&self.origins.get(id).commit) {
            for parent in parents.iter().flatten() {
                self.pass_ignored_lines(id, *parent)?;
                if self.origins.get(id).suspected.is_empty() {
                    return Ok(());
                }
            }
        }
        if self.options.moves || self.options.copies > 0 {
            self.pass_moved_lines(id, links, &parents)?;
        }
        Ok(())
    }

    /// Returns the contents of a parent's version and of a version, and the changes between them.
    fn changes(
        &mut self,
        id: OriginId,
        parent: OriginId,
    ) -> Result<(Bytes, Bytes, Vec<LineChange>)> {
        let old = self.origins.content(parent)?;
        let new = self.origins.content(id)?;
        let (whitespace, cancel) = (self.options.whitespace, self.repository.cancel());
        let changes = line_changes(&mut self.engine, &old, &new, whitespace, &cancel)?;
        Ok((old, new, changes))
    }

    /// Passes on the lines that a parent's version has too.
    fn pass_same_lines(&mut self, id: OriginId, parent: OriginId) -> Result<()> {
        let (.., changes) = self.changes(id, parent)?;
        let (same, kept) = divide(&self.origins.get(id).suspected, &changes);
        self.origins.get_mut(id).suspected = kept;
        self.queue(parent, same)
    }

    /// Passes on the lines that an ignored commit made from lines of a parent.
    fn pass_ignored_lines(&mut self, id: OriginId, parent: OriginId) -> Result<()> {
        let (old, new, changes) = self.changes(id, parent)?;
        let cancel = self.repository.cancel();
        let (mut passed, differing) = divide(&self.origins.get(id).suspected, &changes);
        let mut old_lines = Fingerprints::new(&old, &cancel)?;
        let new_lines = Fingerprints::new(&new, &cancel)?;
        let (mut kept, mut rest) = (Vec::new(), differing.as_slice());
        // Every change is matched, even without blamed lines: a line matched by one change cannot
        // match another.
        for change in changes.iter().filter(|change| !change.new.is_empty()) {
            let guesses = guess(&mut old_lines, &new_lines, change, &cancel)?;
            let count = rest.partition_point(|run| run.source < change.new.end);
            let (here, others) = rest.split_at(count);
            for run in here {
                carve(run, change, &guesses, &mut passed, &mut kept);
            }
            rest = others;
        }
        passed.order_by_key(|run| run.source);
        self.origins.get_mut(id).suspected = kept;
        self.queue(parent, passed)
    }

    /// Returns the result.
    fn finish(&mut self) -> Result<Blame> {
        self.done.order_by_key(|(run, _)| run.line);
        let mut positions: HashMap<OriginId, usize> = HashMap::new();
        let (mut runs, mut versions) = (Vec::<BlamedRun>::new(), Vec::new());
        reserve(&mut runs, self.done.len())?;
        for (run, id) in std::mem::take(&mut self.done) {
            check_current()?;
            let version = *positions.slot(id).or_insert_with(|| {
                let Origin { commit, path, .. } = self.origins.get(id);
                let is_committed = *commit != uncommitted(&self.repository);
                versions.add(BlamedVersion {
                    commit: is_committed.then_some(*commit),
                    path: path.copied_vec(),
                    is_boundary: self.hidden.contains(commit),
                });
                versions.len() - 1
            });
            match runs.last_mut() {
                Some(last)
                    if last.version == version
                        && last.line + last.lines == run.line
                        && last.source + last.lines == run.source =>
                {
                    last.lines += run.lines;
                }
                _ => runs.push(BlamedRun {
                    line: run.line,
                    lines: run.lines,
                    source: run.source,
                    version,
                }),
            }
        }
        Ok(Blame { runs, versions, ..std::mem::take(&mut self.blame) })
    }
}

impl Blame {
    /// Returns the blame of an empty file.
    pub fn nothing() -> Self {
        Self { bounds: vec![0], ..Self::default() }
    }

    /// Returns a line by its 0-based number, without its newline.
    pub fn line(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let line = &self.content[self.bounds[number] as usize..self.bounds[number + 1] as usize];
        line.strip_suffix(b"\n").unwrap_or(line)
    }
}
