//! The former values of a reference.

use super::rows::{Query, RowGroup, Rows};
use super::run::{Context, Needs, Run};
use redline_base::budget::Weigh;
use redline_base::error::Result;
use redline_git::{LogEntry, Reflog, reflog};

/// A query for the log of a reference.
pub struct ReflogQuery {
    /// The reference.
    pub reference: String,
    /// The repository.
    pub repo: String,
}

/// A log.
pub struct Log(Reflog);

impl Weigh for Log {
    fn bytes(&self) -> usize {
        self.0.entries.iter().map(Weigh::bytes).sum()
    }
}

impl RowGroup for Log {
    type Of<'a> = &'a LogEntry;

    fn rows(&self) -> usize {
        self.0.entries.len()
    }

    fn row(&self, index: usize) -> &LogEntry {
        &self.0.entries[index]
    }
}

impl Query for ReflogQuery {
    type Group = Log;

    fn start(&self, context: &Context, _: Needs) -> Result<Rows<Log>> {
        let (context, repo, name) = (context.clone(), self.repo.clone(), self.reference.clone());
        Ok(Rows::once(move || {
            context.read(|| {
                let run = Run::open(&context, &repo, 1)?;
                reflog(&run.repository, &name).map(Log)
            })
        }))
    }
}
