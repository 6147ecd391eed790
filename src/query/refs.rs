//! The references of a repository.

use std::sync::Arc;

use super::rows::{Query, Rows};
use super::run::{Context, Need, Needs, Run};
use redline_base::budget::{Gather, TryGather};
use redline_base::error::Result;
use redline_base::limits;
use redline_base::pipeline::{Source, Window};
use redline_git::{
    NamedReference, Reference, ReferenceDetails, ReferenceReader, reference_names,
    references_containing,
};
use redline_text::CancelToken;

/// A query for references of a repository.
pub struct RefsQuery {
    /// The repository.
    pub repo: String,
    /// A commit that their histories must hold, if any.
    pub contains: Option<String>,
}

impl Query for RefsQuery {
    type Group = Vec<Reference>;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Vec<Reference>>> {
        context.read(|| {
            let run =
                Run::open(context, &self.repo, if needs == Needs::NONE { 1 } else { usize::MAX })?;
            let names = match &self.contains {
                Some(commit) => references_containing(&run.repository, commit)?,
                None => reference_names(&run.repository)?,
            };
            let mut names = names.into_iter();
            let jobs = std::iter::from_fn(move || {
                let job: Vec<_> = names.by_ref().take(limits::JOB_REFERENCES).gather();
                (!job.is_empty()).then_some(Ok(job))
            });
            let (details, packed) = (details(needs), run.repository.packed_references()?);
            let window = Window::of(limits::WINDOW_HISTORY_JOBS);
            run.start(Source::new(jobs), window, |run| {
                let (repository, packed) = (run.repository.clone(), Arc::clone(&packed));
                Ok(move |names: Vec<NamedReference>, _: &CancelToken<'_>| {
                    let reader = ReferenceReader::new(&repository, details, Arc::clone(&packed));
                    names.into_iter().map(|named| reader.read(named)).try_gather()
                })
            })
            .map(Rows::Workers)
        })
    }
}

fn details(needs: Needs) -> ReferenceDetails {
    ReferenceDetails {
        short: needs.has(Need::Short),
        commit: needs.has(Need::Commit),
        committed: needs.has(Need::Committed),
        message: needs.has(Need::Message),
        upstream: needs.has(Need::Upstream),
        distance: needs.has(Need::Distance),
    }
}

/// Returns the kind of a reference, by its name.
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
