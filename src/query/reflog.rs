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
        context.read(|| {
            let run = Run::open(context, &self.repo, 1)?;
            let log = Log(reflog(&run.repository, &self.reference)?);
            Ok(Rows::Once(Some(log)))
        })
    }
}
