//! The result of a query: ordered rows, in groups made by one job each.

use std::sync::Arc;

use crate::machinery::run::Context;
use redline_base::budget::{Budget, Current, Weigh};
use redline_base::error::Result;
use redline_base::pipeline::Ordered;
use redline_git::{Change, Changes};
use redline_rows::Needs;
use redline_rows::Row;

/// A request that is complete and checked, as far as possible without a repository.
pub trait Query: Send + Sync + 'static {
    /// The rows of one job.
    type Group: RowGroup;
    /// The columns of a row, as SQL and tools show them.
    type Row: for<'a> Row<Of<'a> = <Self::Group as RowGroup>::Of<'a>>;

    /// Opens the request's repository and starts the work; `needs` are those of the requested
    /// columns.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Self::Group>>;
}

/// The result of one job: any number of rows.
pub trait RowGroup: Weigh + Send + 'static {
    /// A row.
    type Of<'a>: Copy;

    /// Drops rows that turned out to be excluded; called once, before the first row is read.
    ///
    /// # Errors
    /// The errors of rows that are not excluded.
    fn finalize(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns the number of rows.
    fn rows(&self) -> usize;
    /// Returns a row by its 0-based index.
    fn row(&self, index: usize) -> Self::Of<'_>;
}

/// A group of one row, which is itself.
pub trait OneRow: Weigh + Send + 'static {}

impl<T: OneRow> RowGroup for T {
    type Of<'a> = &'a Self;

    fn rows(&self) -> usize {
        1
    }

    fn row(&self, _: usize) -> &Self {
        self
    }
}

/// Some consecutive rows.
impl<T: Weigh + Send + 'static> RowGroup for Vec<T> {
    type Of<'a> = &'a T;

    fn rows(&self) -> usize {
        self.len()
    }

    fn row(&self, index: usize) -> &T {
        &self[index]
    }
}

/// The rows of a query.
pub enum Rows<G> {
    /// Workers compute them.
    Workers(Ordered<G>),
    /// The reading thread does the walk itself.
    Walk(CallersWalk<G>),
    /// One group; `None` once it was taken.
    Once(Option<G>),
}

impl<G: RowGroup> Rows<G> {
    /// Passes all groups to `take`.
    pub fn each(self, mut take: impl FnMut(G)) -> Result<()> {
        match self {
            Self::Workers(work) => {
                for group in work {
                    let mut group = group?;
                    group.finalize()?;
                    take(group);
                }
                Ok(())
            }
            Self::Walk(mut walk) => walk.each(|group| {
                take(group);
                true
            }),
            Self::Once(group) => {
                group.into_iter().for_each(take);
                Ok(())
            }
        }
    }
}

/// The changes of a walk on the caller's thread, under the budget of the query.
pub struct CallersWalk<G> {
    pub(crate) changes: Changes,
    pub(crate) budget: Arc<Budget>,
    /// Makes a result of each change.
    pub(crate) group: fn(Change) -> G,
}

impl<G> CallersWalk<G> {
    /// Passes groups to `take` until it returns false or the walk ends.
    pub fn each(&mut self, mut take: impl FnMut(G) -> bool) -> Result<()> {
        let _current = Current::enter(&self.budget);
        for change in &mut self.changes {
            if !take((self.group)(change?)) {
                break;
            }
        }
        Ok(())
    }
}
