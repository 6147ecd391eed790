//! The errors for names that are not revisions.

use gix::bstr::ByteSlice;

use super::resolve::resolve;
use super::resolver::{Resolver, Revision};
use super::short::Hint;
use crate::refs::Resolved;
use crate::tree::tree_lookup::entry_at;
use redline_base::error::{Error, Result, quoted};
use redline_base::suggest;

/// Common names of the first branch of a repository.
const FIRST_BRANCHES: [&str; 5] = ["main", "master", "trunk", "develop", "default"];

/// Returns the error of a name that does not resolve, or of one `end` of a range.
pub fn unknown_name(resolver: &Resolver<'_>, end: Option<&str>) -> Result<Error> {
    if let Some(end) = end.filter(|end| Revision::is_named(end)) {
        return Ok(Error::invalid_args(format!(
            "{} is not a commit, so {} is not a range of commits",
            quoted(end),
            quoted(&resolver.asked)
        ))
        .with_hint("Give the two sides as `from` and `to`, such as 'HEAD', 'WORKTREE'"));
    }
    if let Some(broken) = resolver.broken.borrow().as_ref() {
        return Ok(resolver.references.damaged(broken, "holds no id"));
    }
    let error = match end {
        Some(end) => resolver.unresolved_end(end),
        None => resolver.unresolved(""),
    };
    let error = hinted(error, resolver, end.unwrap_or(&resolver.asked))?;
    Ok(error.or_hint("Name a branch, a tag or a commit that 'git rev-parse' knows"))
}

/// Adds a hint for a name, if there is one.
fn hinted(error: Error, resolver: &Resolver<'_>, name: &str) -> Result<Error> {
    let head = resolver.references.resolve(b"HEAD")?;
    let base = name.find(['~', '^', '@', ':']).map_or(name, |at| &name[..at]);
    let means_head = base.is_empty() || base.eq_ignore_ascii_case("HEAD");
    if let Resolved::Dangling(branch) = &head
        && (means_head || branch.ends_with(format!("/{base}").as_bytes()))
    {
        let branch = branch.strip_prefix(b"refs/heads/").unwrap_or(branch);
        return Ok(error.with_hint(format!(
            "The branch {} has no commit yet; EMPTY, INDEX and WORKTREE can be compared",
            quoted(&branch.to_str_lossy())
        )));
    }
    if let Some(hint) = beyond_the_first(resolver, name)? {
        return Ok(error.with_hint(hint));
    }
    let mut names = resolver.references.short_names()?;
    names.push("HEAD".to_owned());
    names.retain(|known| known != name);
    let mut near = suggest::nearest(name, names.iter().map(String::as_str));
    // A branch that only a remote has.
    let of_remote = |known: &&String| known.split_once('/').is_some_and(|(_, last)| last == base);
    if let Some(remote) = names.iter().find(of_remote).map(|remote| quoted(remote)) {
        near.retain(|name| *name != remote);
        near.insert(0, remote);
        near.truncate(suggest::MAX_SUGGESTIONS);
    }
    if let Resolved::Id { name: branch, .. } = &head
        && FIRST_BRANCHES.contains(&base)
        && let Some(branch) = branch.strip_prefix(b"refs/heads/")
    {
        let branch = quoted(&branch.to_str_lossy());
        near.retain(|name| *name != branch);
        near.insert(0, branch);
        near.truncate(suggest::MAX_SUGGESTIONS);
    }
    if !near.is_empty() {
        return Ok(error.near(&near));
    }
    if resolver.commits()?.is_shallow() {
        return Ok(error.with_hint("The history is shallow; 'git fetch --unshallow' gets the rest"));
    }
    if let Resolved::Id { id, .. } = head
        && let tree = resolver.tree(id)?
        && entry_at(&resolver.objects, tree, name.as_bytes())?.is_some()
    {
        return Ok(error.with_hint(format!(
            "{} is a path of HEAD, and a revision is wanted here: the arguments may be in another order",
            quoted(name)
        )));
    }
    Ok(error)
}

/// Returns the hint for `HEAD~1` if HEAD is a root commit.
fn beyond_the_first(resolver: &Resolver<'_>, name: &str) -> Result<Option<String>> {
    let Some(at) = name.find(['~', '^']).filter(|&at| at > 0) else { return Ok(None) };
    let (base, way) = name.split_at(at);
    let is_way = way.bytes().all(|byte| matches!(byte, b'~' | b'^') || byte.is_ascii_digit());
    if !is_way || !matches!(resolve(resolver, base.as_bytes(), Hint::Committish), Ok(Some(_))) {
        return Ok(None);
    }
    let why = if resolver.commits()?.is_shallow() {
        "the history is shallow: 'git fetch --unshallow' gets the rest"
    } else {
        "has no such ancestor; before a first commit there is EMPTY, the empty tree"
    };
    Ok(Some(format!("{} exists, but {why}", quoted(base))))
}
