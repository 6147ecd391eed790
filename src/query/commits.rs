//! Every commit of a range.

use std::collections::HashMap;
use std::sync::Arc;

use super::commit::Commit;
use super::context::Context;
use super::excluded::Unsettled;
use super::history_jobs::Jobs;
use super::needs::{NOTES, Needs, REFS};
use super::rows::{Query, RowGroup, Rows};
use super::run::Run;
use crate::budget::Charge;
use crate::error::Result;
use crate::git::{History, HistoryOptions, Notes, Oid, Pathspec, Visited, decorations, range_of};
use crate::limits;
use crate::pipeline::{Weigh, Window};
use crate::text::CancelToken;

/// A range of commits.
pub struct CommitsQuery {
    /// The range.
    pub range: String,
    /// The repository.
    pub repo: String,
    /// Which commits of the range.
    pub history: HistoryOptions,
    /// Whether people are named as .mailmap has them.
    pub mailmap: bool,
    /// The reference with the notes; `None` for git's own choice.
    pub notes_ref: Option<String>,
    /// Only commits that change these.
    pub paths: Vec<Pathspec>,
}

/// Some commits that follow each other.
pub struct Commits {
    /// Each with the note on it.
    commits: Vec<(Commit, Option<Vec<u8>>)>,
    decorations: Arc<HashMap<Oid, Vec<Vec<u8>>>>,
    unsettled: Unsettled,
    /// The memory of the notes.
    _charge: Charge,
}

/// The references that lead to a commit, and the note on it.
pub type Attached<'a> = (Option<&'a [Vec<u8>]>, Option<&'a [u8]>);

impl Weigh for Commits {
    fn bytes(&self) -> usize {
        let bytes = |(commit, note): &(Commit, Option<Vec<u8>>)| {
            commit.bytes() + note.as_ref().map_or(0, Vec::len)
        };
        self.commits.iter().map(bytes).sum()
    }
}

impl RowGroup for Commits {
    type Of<'a> = (&'a Commit, Attached<'a>);

    fn finalize(&mut self) -> Result<()> {
        let is_excluded = self.unsettled.settle()?;
        self.commits.retain(|(commit, _)| !is_excluded(&commit.visited.id));
        Ok(())
    }

    fn rows(&self) -> usize {
        self.commits.len()
    }

    fn row(&self, index: usize) -> (&Commit, Attached<'_>) {
        let (commit, note) = &self.commits[index];
        let refs = self.decorations.get(&commit.visited.id).map(Vec::as_slice);
        (commit, (refs, note.as_deref()))
    }
}

impl Query for CommitsQuery {
    type Group = Commits;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Commits>> {
        context.read(|| self.start_within(context, needs))
    }
}

impl CommitsQuery {
    fn start_within(&self, context: &Context, needs: Needs) -> Result<Rows<Commits>> {
        // One worker is enough to hand on what the walk knows.
        let is_read = needs & !REFS != 0;
        let run = Run::open(context, &self.repo, if is_read { usize::MAX } else { 1 })?;
        let ends = range_of(&run.repository, &self.range)?;
        let decorations =
            if needs & REFS == 0 { HashMap::new() } else { decorations(&run.repository)? };
        let decorations = Arc::new(decorations);
        let notes = if needs & NOTES == 0 {
            None
        } else {
            Some(Arc::new(Notes::read(&run.repository, self.notes_ref.as_deref())?))
        };
        let mailmap = run.mailmap(needs, self.mailmap)?;
        let history = History::new(&run.repository, &ends, self.history)?
            .with_paths(&run.repository, &self.paths)?;
        let excluded = history.excluded();
        let jobs = Jobs::source(history, History::next_commit);
        let rows = run.start(jobs, Window::of(limits::WINDOW_HISTORY_JOBS), |run| {
            let (mailmap, excluded, decorations, notes) =
                (mailmap.clone(), Arc::clone(&excluded), Arc::clone(&decorations), notes.clone());
            let objects = run.repository.objects();
            Ok(move |job: Vec<Visited>, cancel: &CancelToken<'_>| {
                let mut commits = Vec::with_capacity(job.len());
                let (mut unsettled, mut charge) = (Unsettled::new(&excluded), Charge::free());
                for visited in job {
                    let id = visited.id;
                    let read = Commit::read(visited, needs, &objects, mailmap.as_deref(), cancel);
                    let read = read.and_then(|commit| {
                        let note = match &notes {
                            Some(notes) => notes.of(&id, &objects, cancel, &mut charge)?,
                            None => None,
                        };
                        Ok((commit, note))
                    });
                    match read {
                        Ok(commit) => commits.push(commit),
                        Err(error) => unsettled.fail(id, error),
                    }
                }
                let decorations = Arc::clone(&decorations);
                Ok(Commits { commits, decorations, unsettled, _charge: charge })
            })
        })?;
        Ok(rows.into())
    }
}
