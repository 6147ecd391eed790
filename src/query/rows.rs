//! What a query returns: rows in order, in groups of those that one job has made.

use std::sync::Arc;

use super::context::Context;
use super::needs::Needs;
use crate::budget::{Budget, Current};
use crate::error::Result;
use crate::git::{Change, Changes};
use crate::pipeline::{Ordered, Poll, Weigh};

/// A request, complete and checked as far as that needs no repository.
pub trait Query: Send + Sync + 'static {
    /// The rows of one job.
    type Group: RowGroup;

    /// Opens what is asked for and starts the work; `needs` is what the wanted columns need.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Self::Group>>;
}

/// A result of one job that stands for some rows, or none.
pub trait RowGroup: Weigh + Send + 'static {
    /// A row.
    type Of<'a>: Copy;

    /// Drops rows that turned out not to be asked for; called once, before the first row is read.
    ///
    /// # Errors
    /// Those that were met in what is asked for.
    fn finalize(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns how many rows it stands for.
    fn rows(&self) -> usize;
    /// Returns a row by its 0-based place.
    fn row(&self, index: usize) -> Self::Of<'_>;
}

/// The rows of a query.
pub enum Rows<G> {
    /// Workers compute them.
    Workers(Ordered<G>),
    /// The thread that reads them does the walk itself.
    Walk(CallersWalk<G>),
}

impl<G: RowGroup> Rows<G> {
    /// Hands all groups to `take`.
    pub fn each(self, mut take: impl FnMut(G)) -> Result<()> {
        match self {
            Self::Workers(mut work) => {
                while let Poll::Ready(group) = work.poll(None) {
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
        }
    }
}

impl<G> From<Ordered<G>> for Rows<G> {
    fn from(work: Ordered<G>) -> Self {
        Self::Workers(work)
    }
}

/// The changes of a walk that the caller's thread does itself, under the budget of the query.
pub struct CallersWalk<G> {
    changes: Changes,
    budget: Arc<Budget>,
    group: fn(Change) -> G,
}

impl<G> CallersWalk<G> {
    /// Takes a walk; `group` makes a result of each change.
    pub fn new(changes: Changes, budget: Arc<Budget>, group: fn(Change) -> G) -> Self {
        Self { changes, budget, group }
    }

    /// Hands groups to `take` until it says that it has no room for another, or the walk ends.
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
