//! Says which pathspecs name nothing: an empty answer is true of a wrong path too, and misleads.

use redline_base::budget::{Grow, Joined};
use redline_base::error::{Result, quoted};
use redline_git::{Comparison, Pathspec, Repository, Revision, changed_files, nearest_paths};

/// Returns a sentence about the pathspecs that name no file of any of these sides, if there is one.
///
/// # Errors
/// Those of reading the sides.
pub fn unnamed(
    repository: &Repository,
    sides: &[Revision],
    paths: &[String],
) -> Result<Option<String>> {
    let whole = |side: &Revision| Comparison::new(repository.clone(), Revision::Empty, *side);
    let mut wrong = Vec::new();
    let mut near = Vec::new();
    for path in paths {
        let spec = [Pathspec::parse(path)?];
        let mut is_named = spec[0].is_excluding();
        for side in sides.iter().filter(|side| **side != Revision::Empty) {
            is_named = is_named
                || changed_files(&whole(side)?.with_paths(&spec)?, None)?
                    .next()
                    .transpose()?
                    .is_some();
        }
        if is_named {
            continue;
        }
        if let (None, Some(side)) = (wrong.first(), sides.last()) {
            near = nearest_paths(&whole(side)?, path)?;
        }
        wrong.add(quoted(path));
    }
    let verb = match wrong.len() {
        0 => return Ok(None),
        1 => "names",
        _ => "name",
    };
    let near = if near.is_empty() {
        String::new()
    } else {
        format!(" Did you mean {}?", near.joined(" or "))
    };
    Ok(Some(format!(
        "{} {verb} no file.{near} Paths start at the root of the repository, without the name of its sandbox",
        wrong.joined(" and ")
    )))
}
