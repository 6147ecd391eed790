//! The references of a repository.

use std::sync::Arc;

use super::context::Context;
use super::needs::{COMMIT, DISTANCE, MESSAGE, Needs, SHORT, UPSTREAM};
use super::rows::{Query, RowGroup, Rows};
use super::run::Run;
use crate::error::Result;
use crate::git::{NamedReference, Reference, ReferenceDetails, ReferenceReader, reference_names};
use crate::limits;
use crate::pipeline::{Source, Weigh, Window};
use crate::text::CancelToken;

/// A repository of which all references are wanted.
pub struct RefsQuery {
    /// The repository.
    pub repo: String,
}

/// Some references that follow each other.
pub struct References(Vec<Reference>);

impl Weigh for References {
    fn bytes(&self) -> usize {
        self.0.iter().map(Reference::bytes).sum()
    }
}

impl RowGroup for References {
    type Of<'a> = &'a Reference;

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn row(&self, index: usize) -> &Reference {
        &self.0[index]
    }
}

impl Query for RefsQuery {
    type Group = References;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<References>> {
        context.read(|| {
            let run = Run::open(context, &self.repo, if needs == 0 { 1 } else { usize::MAX })?;
            let names = reference_names(&run.repository)?;
            let jobs: Vec<Result<Vec<NamedReference>>> =
                names.chunks(limits::JOB_REFERENCES).map(|names| Ok(names.to_vec())).collect();
            let (details, packed) = (details(needs), run.repository.packed_references()?);
            let (jobs, window) =
                (Source::new(jobs.into_iter()), Window::of(limits::WINDOW_HISTORY_JOBS));
            let rows = run.start(jobs, window, |run| {
                let (repository, packed) = (run.repository.clone(), Arc::clone(&packed));
                Ok(move |names: Vec<NamedReference>, _: &CancelToken<'_>| {
                    let reader = ReferenceReader::new(&repository, details, Arc::clone(&packed));
                    let read = names.into_iter().map(|named| reader.read(named));
                    Ok(References(read.collect::<Result<_>>()?))
                })
            })?;
            Ok(rows.into())
        })
    }
}

fn details(needs: Needs) -> ReferenceDetails {
    ReferenceDetails {
        short: needs & SHORT != 0,
        commit: needs & COMMIT != 0,
        message: needs & MESSAGE != 0,
        upstream: needs & UPSTREAM != 0,
        distance: needs & DISTANCE != 0,
    }
}

/// Returns the kind of a reference by its name.
pub fn kind(name: &[u8]) -> &'static str {
    const KINDS: [(&[u8], &str); 4] = [
        (b"refs/heads/", "branch"),
        (b"refs/remotes/", "remote"),
        (b"refs/tags/", "tag"),
        (b"refs/notes/", "note"),
    ];
    match name {
        b"HEAD" => "head",
        b"refs/stash" => "stash",
        _ => KINDS
            .iter()
            .find(|(prefix, _)| name.starts_with(prefix))
            .map_or("other", |(_, kind)| kind),
    }
}
