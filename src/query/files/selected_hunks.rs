//! Hunks that are named by their ids, as a patch.

use crate::machinery::hunk_ids::HunkNamer;
use redline_base::budget::{Gather, Grow, GrowBy, Joined, Taken, text_of};
use redline_base::error::{Error, Result, quoted};
use redline_git::{Comparison, Repository, changed_files};
use redline_text::DiffOptions;

/// Finds hunks of some comparisons by their ids, of the lines or with the lines around. Returns them as a patch, and the paths of files without hunks that ids name.
///
/// # Errors
/// `stale` if an id is that of no hunk now.
pub(super) fn selected(
    repository: &Repository,
    ids: &[String],
    sides: &[[&str; 2]],
) -> Result<(Vec<u8>, Vec<String>)> {
    let mut wanted: Vec<&str> = ids.iter().map(String::as_str).gather();
    let (mut patch, mut files) = (Vec::new(), Vec::new());
    for [from, to] in sides {
        if wanted.is_empty() {
            break;
        }
        let comparison = Comparison::of(repository, from, Some(to), false, None)?;
        let options = DiffOptions::default();
        let mut namer = HunkNamer::new(&comparison, &options, true)?;
        let mut patcher = comparison.patcher(options)?;
        for change in changed_files(&comparison, None)? {
            let change = change?;
            let cancel = repository.cancel();
            let written = patcher.patch(&change, &cancel)?;
            let Some(names) = namer.names(&change, &written, &cancel)? else { continue };
            let mut take = |id: &redline_text::hunk_id::HunkId| {
                // Both ids may be given: the hunk is taken once.
                let before = wanted.len();
                wanted.retain(|wanted| *wanted != id.lines && *wanted != id.context);
                wanted.len() < before
            };
            if let Some(id) = names.file() {
                if take(id) {
                    files.add(text_of(&change.path).taken());
                }
                continue;
            }
            let mut is_headed = false;
            for (index, hunk) in written.hunks.iter().enumerate() {
                let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
                if !names.of_hunk(number).is_some_and(&mut take) {
                    continue;
                }
                if !is_headed {
                    let head = written.hunks.first().map_or(0, |first| first.span.start);
                    patch.add_slice(&written.bytes[..head]);
                    is_headed = true;
                }
                patch.add_slice(&written.bytes[hunk.span.clone()]);
            }
        }
    }
    match wanted.first() {
        None => Ok((patch, files)),
        Some(id) => {
            let names = sides.iter().map(|[from, to]| format!("{from} against {to}"));
            let names: Vec<String> = names.gather();
            let [from, to] = sides.first().copied().unwrap_or_default();
            Err(Error::stale(format!("no hunk of {} has the id {}", names.joined(" or "), quoted(id)))
                .with_hint(format!(
                    "Ask for the hunks again: GitDiff with ids = true and diff_hunks('{from}', '{to}', repo) have their ids; new files are named by their paths"
                )))
        }
    }
}
