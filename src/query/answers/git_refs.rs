//! `GitRefs`: the references of a repository.

use super::call::{Answers, Call};
use super::pages::{Pages, opened, path_text, short};
use super::shown::shown_id;
use super::view;
use super::view::{ShownColumns, Values, View, Viewed};
use crate::Context;
use crate::questions::refs::{ReferenceColumns, kind};
use redline_base::budget::{Gather, Grow, GrowBy, Joined, text_of};
use redline_base::error::Result;
use redline_base::form::counted;
use redline_find::Glob;
use redline_git::{
    NamedReference, Reference, ReferenceDetails, ReferenceReader, Repository, reference_names,
    references_containing,
};
use redline_tools::{Alias, Listing, Reply, Tool, readings};
use schemars::JsonSchema;
use serde::Deserialize;

/// Lists references.
pub struct GitRefs;

impl Tool for GitRefs {
    const NAME: &'static str = "GitRefs";
    const TITLE: &'static str = "List references";
    const DESCRIPTION: &'static str = "Lists branches and tags, their commits, and how far branches are from upstream. \
         Example: glob = refs/tags/v*";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("pattern", "glob"),
        Alias::Means("name", "glob"),
        Alias::Means("filter", "glob"),
        Alias::Means("prefix", "glob"),
        Alias::Means("branch", "glob"),
        Alias::Means("commit", "contains"),
        Alias::Means("rev", "contains"),
        Alias::Read(
            "branch_type",
            readings::branch_type,
            "Give glob = heads, remotes or tags, or leave it out for all",
        ),
        Alias::Say("remote", "Give glob = remotes"),
        Alias::Say("kind", "Give glob = heads, remotes or tags"),
    ];
    type Arguments = GitRefsArguments;
    type Output = Listing<Viewed<Self>>;
}

/// The arguments of `GitRefs`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitRefsArguments {
    pub repo: Option<String>,
    pub glob: Option<String>,
    pub contains: Option<String>,
    pub cursor: Option<String>,
}

impl View for GitRefs {
    const LIST: &'static str = "refs";
    const COLUMNS: ShownColumns = &[
        ("name", view::reference),
        ("kind", view::plain),
        ("commit_id", view::plain),
        ("symbolic_target", view::target),
        ("is_head", view::plain),
        ("upstream", view::target),
        ("ahead", view::plain),
        ("behind", view::plain),
        ("subject", view::line),
    ];

    fn text(row: &Values) -> String {
        let name = row.text("name").unwrap_or_default();
        let id = row.text("commit_id").map_or("(no commit)", shown_id);
        let mut text = format!("{name} {id}");
        if let Some(target) = row.text("symbolic_target") {
            text.add_slice(&format!(" -> {target}"));
        }
        if row.is("is_head") {
            text.add_slice(" (HEAD)");
        }
        match (row.text("upstream"), row.number("ahead"), row.number("behind")) {
            (Some(upstream), Some(ahead), Some(behind)) => {
                text.add_slice(&format!(" [{upstream}: ahead {ahead}, behind {behind}]"));
            }
            (Some(upstream), ..) => text.add_slice(&format!(" [{upstream}: gone]")),
            (None, ..) => {}
        }
        if let Some(subject) = row.text("subject") {
            // The name of a reference has no blank, so it cannot contain this separator.
            text.add_slice(&format!(" | {subject}"));
        }
        text + "\n"
    }
}

/// Lists the references of a repository.
pub fn references(
    context: &Context,
    reply: &Reply,
    arguments: &GitRefsArguments,
) -> Result<Listing<Viewed<GitRefs>>> {
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
    let state: Vec<String> =
        named.iter().map(|named| format!("{} {:?}", text_of(&named.name), named.object)).gather();
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
    let rows = named
        .into_iter()
        .skip(pages.first())
        .map(|named| Ok(Viewed::of::<ReferenceColumns>(&reader.read(named)?, reply)));
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
        globs.add(Glob::parse(&[prefix, text, "/**"].joined(""))?);
        globs.add(Glob::parse(&[prefix, given].joined(""))?);
    }
    Ok(globs)
}

impl Answers for GitRefs {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        call.caller.context.read(|| references(&call.caller.context, &call.reply, &arguments))
    }
}
