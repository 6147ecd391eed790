//! The changes of a comparison, with optional detection of renames and copies.

use std::sync::Arc;
use std::vec;

use crate::budget::{Budget, Charge};
use crate::error::Result;
use crate::git::change::contents::Reader;
use crate::git::change::differences::{Walk, walk};
use crate::git::change::renames::{RenameOptions, pair};
use crate::git::{Change, Comparison};
use crate::text::CancelToken;

/// An iterator over the changed files in git's order; after an error it ends.
///
/// Without renames they stream from the walk. With renames the first call collects all of them and
/// pairs them up: the origin of a file depends on every other file.
pub enum Changes {
    /// As the walk finds them.
    Walked(Walk),
    /// To be paired.
    Unpaired(Box<Unpaired>),
    /// Paired.
    Paired(vec::IntoIter<Change>),
}

/// The input of pairing.
pub struct Unpaired {
    walk: Walk,
    reader: Reader,
    options: RenameOptions,
    budget: Arc<Budget>,
}

impl Changes {
    /// Starts a comparison, with renames if options are given.
    pub fn new(comparison: &Comparison, renames: Option<RenameOptions>) -> Result<Self> {
        Ok(Self::of(walk(comparison)?, comparison, renames))
    }

    /// Starts the pairing of a walk's changes, if options are given.
    pub(super) fn of(walk: Walk, comparison: &Comparison, renames: Option<RenameOptions>) -> Self {
        let Some(options) = renames else { return Self::Walked(walk) };
        let budget = Arc::clone(comparison.repository().budget());
        let reader = comparison.reader();
        Self::Unpaired(Box::new(Unpaired { walk, reader, options, budget }))
    }
}

impl Iterator for Changes {
    type Item = Result<Change>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Self::Unpaired(unpaired) = self {
            let Unpaired { walk, reader, options, budget } = &mut **unpaired;
            let cancel = CancelToken::of(budget);
            let mut charge = Charge::free();
            let paired = collect(walk, &mut charge, &cancel).and_then(|changes| {
                let pairing = pair(changes, options, reader, &cancel)?;
                Ok(pairing.rows)
            });
            match paired {
                Ok(rows) => *self = Self::Paired(rows.into_iter()),
                Err(error) => {
                    *self = Self::Paired(Vec::new().into_iter());
                    return Some(Err(error));
                }
            }
        }
        match self {
            Self::Walked(walk) => walk.next().map(|change| change.map(Change::shown)),
            Self::Paired(rows) => rows.next().map(Ok),
            Self::Unpaired(_) => unreachable!("paired above"),
        }
    }
}

/// Bytes of paths that are charged at once.
const COUNTED_PATHS: usize = 1 << 20;

/// Collects all changes, within the memory of the query.
pub(crate) fn collect(
    changes: &mut impl Iterator<Item = Result<Change>>,
    charge: &mut Charge,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Change>> {
    let (mut all, mut path_bytes) = (Vec::new(), 0);
    for change in changes {
        let change = change?;
        path_bytes += change.path.len();
        if path_bytes >= COUNTED_PATHS {
            charge.join(cancel.charge(std::mem::take(&mut path_bytes))?);
        }
        cancel.room(charge, &mut all, 1)?;
        all.push(change);
    }
    Ok(all)
}
