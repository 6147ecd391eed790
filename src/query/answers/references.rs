//! The answer of `GitRefs`.

use super::pages::{Pages, opened, path_text, short, shown};
use crate::Context;
use crate::refs::kind;
use redline_base::budget::{Gather, Grow, Joined, text_of};
use redline_base::error::Result;
use redline_base::form::counted;
use redline_find::Glob;
use redline_git::{
    NamedReference, Reference, ReferenceDetails, ReferenceReader, Repository, reference_names,
    references_containing,
};
use redline_tools::{GitRefsArguments, ListedReference, Listing, Reply};

/// Lists the references of a repository.
pub fn references(
    context: &Context,
    reply: &Reply,
    arguments: &GitRefsArguments,
) -> Result<Listing<ListedReference>> {
    let (repo, repository) = opened(context, arguments.repo.as_deref())?;
    let globs = arguments.glob.as_deref().map(reference_globs).transpose()?;
    let all = match &arguments.contains {
        Some(commit) => references_containing(&repository, commit)?,
        None => reference_names(&repository)?,
    };
    let mut named: Vec<NamedReference> = Vec::new();
    for reference in &all {
        let name = text_of(&reference.name);
        if globs.as_ref().map_or(Ok(true), |globs| Glob::any_matches(globs, &name))? {
            named.add(reference.clone());
        }
    }
    let state: Vec<String> = named
        .iter()
        .map(|named| format!("{} {:?}", String::from_utf8_lossy(&named.name), named.object))
        .gather();
    let asked = format!("GitRefs {:?} {:?}", arguments.glob, arguments.contains);
    let pages = Pages::new(&asked, &state.joined("\n"), arguments.cursor.as_deref())?;
    let details = ReferenceDetails {
        short: false,
        commit: true,
        message: true,
        upstream: true,
        distance: true,
        committed: false,
    };
    let reader = ReferenceReader::new(&repository, details, repository.packed_references()?);
    let mut head = format!("{repo}: {}", counted(named.len() as u64, "reference"));
    if let Some(commit) = &arguments.contains {
        head += &format!(" with {commit}");
        if let Some(tag) = first_tag(&repository, &named)? {
            head += &format!("; the first tag by its commit's date is {}", path_text(short(&tag)));
        }
    }
    if named.is_empty() && !all.is_empty() {
        let count = |prefix: &[u8]| all.iter().filter(|one| one.name.starts_with(prefix)).count();
        let [branches, tags, remotes] =
            [&b"refs/heads/"[..], b"refs/tags/", b"refs/remotes/"].map(count);
        head += &format!(
            ". None of {} matches the glob: {branches} below refs/heads/, {tags} below refs/tags/, {remotes} below refs/remotes/",
            all.len()
        );
    }
    let rows = named.into_iter().skip(pages.first()).map(|named| Ok(listed(&reader.read(named)?)));
    pages.filled(head, reply, rows)
}

/// Returns the tag with the oldest commit.
fn first_tag(repository: &Repository, named: &[NamedReference]) -> Result<Option<Vec<u8>>> {
    let details = ReferenceDetails { committed: true, ..ReferenceDetails::default() };
    let reader = ReferenceReader::new(repository, details, repository.packed_references()?);
    let mut first: Option<Reference> = None;
    for tag in named.iter().filter(|named| kind(&named.name) == "tag") {
        let tag = reader.read(tag.clone())?;
        if first.as_ref().is_none_or(|first| tag.committed_at < first.committed_at) {
            first = Some(tag);
        }
    }
    Ok(first.map(|tag| tag.named.name))
}

/// Returns the globs for an argument: full names, or prefixes up to a slash, as `git for-each-ref`
/// takes them, and both without `refs/` and the kind, as revisions do.
fn reference_globs(given: &str) -> Result<Vec<Glob>> {
    let mut globs = Vec::new();
    let text = given.strip_suffix("/*").or_else(|| given.strip_suffix('/')).unwrap_or(given);
    for prefix in ["", "refs/", "refs/heads/", "refs/tags/", "refs/remotes/"] {
        globs.add(Glob::parse(&format!("{prefix}{text}/**"))?);
        globs.add(Glob::parse(&format!("{prefix}{given}"))?);
    }
    Ok(globs)
}

fn listed(reference: &Reference) -> ListedReference {
    let named = &reference.named;
    ListedReference {
        name: path_text(short(&named.name)),
        kind: kind(&named.name),
        commit_id: reference.commit.map(|id| id.to_string()),
        symbolic_target: named.target.as_deref().map(|target| shown(short(target))),
        is_head: named.is_head,
        upstream: reference.upstream.as_deref().map(|upstream| shown(short(upstream))),
        ahead: reference.distance.map(|(ahead, _)| ahead),
        behind: reference.distance.map(|(_, behind)| behind),
        subject: reference.subject.as_deref().map(shown),
    }
}
