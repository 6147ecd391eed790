//! The files that a patch names: its paths as those of one sandbox.

use redline_base::error::{Error, Result, quoted};
use redline_edit::patches::{ChangeKind, FileChange};
use redline_sandbox::{Sandbox, SandboxPath, Sandboxes, without_side};
use redline_text::CancelToken;

/// Makes the paths of a patch those below its sandbox, which is returned. As in the other tools, they
/// may start with its name, or be absolute.
///
/// # Errors
/// `fs_denied` and `invalid_args` for paths that are not of one sandbox.
pub(super) fn below_sandbox<'a>(
    sandboxes: &'a Sandboxes,
    name: &str,
    changes: &mut [FileChange],
) -> Result<&'a Sandbox> {
    for path in changes.iter_mut().flat_map(FileChange::paths_mut) {
        while let Some(rest) = path.strip_prefix("./") {
            *path = rest.to_owned();
        }
        // A git diff of absolute paths, whose sides take the place of the slash.
        let absolute = format!("/{}", without_side(path).unwrap_or(path));
        if sandboxes.are_above(&absolute) {
            *path = absolute;
        }
        if path.starts_with("~/") || path.starts_with("file:") || path.contains('\\') {
            sandboxes.resolve_for_writing(path)?;
        }
    }
    let absolute = changes.iter().flat_map(FileChange::paths).find(|path| path.starts_with('/'));
    let sandbox = match absolute {
        Some(path) if name.is_empty() => sandboxes.resolve_for_writing(path)?.sandbox(),
        _ => sandbox_of(sandboxes, name, changes)?,
    };
    let prefix = format!("{}/", sandbox.name);
    let is_below = |path: &str| path.starts_with(&prefix) || path.starts_with('/');
    let all_are_named = changes.iter().flat_map(FileChange::paths).all(is_below);
    for path in changes.iter_mut().flat_map(FileChange::paths_mut) {
        if path.starts_with('/') {
            let place = sandboxes.resolve_for_writing(path)?;
            if place.sandbox().name != sandbox.name {
                return Err(Error::invalid_args(format!(
                    "{} is not in the sandbox {}, and a patch changes one",
                    quoted(path),
                    quoted(&sandbox.name)
                ))
                .with_hint("Send a patch for each sandbox"));
            }
            *path = place.path().as_str().to_owned();
        } else if all_are_named {
            path.drain(..prefix.len());
        }
    }
    Ok(sandbox)
}

/// Removes `a/` or `b/`, which models take over from git diffs into other forms, before files that
/// exist only without it.
///
/// # Errors
/// Those of the places.
pub(super) fn without_sides<'a>(
    changes: &mut [FileChange],
    place: impl Fn(&str) -> Result<SandboxPath<'a>>,
    cancel: &CancelToken<'_>,
) -> Result<()> {
    let exists = |path: &str| Ok::<_, Error>(place(path)?.read_for_writing()?.bytes().is_some());
    let mut is_any = false;
    for change in &mut *changes {
        cancel.check()?;
        let Some(path) = without_side(&change.path) else { continue };
        if matches!(change.kind, ChangeKind::Create(_)) || exists(&change.path)? || !exists(path)? {
            continue;
        }
        change.path = path.to_owned();
        if let ChangeKind::Update { moves_to: Some(path), .. } = &mut change.kind
            && let Some(new) = without_side(path)
        {
            *path = new.to_owned();
        }
        is_any = true;
    }
    // New files tell nothing by themselves, but are named as the others.
    for change in changes.iter_mut().filter(|_| is_any) {
        if let (ChangeKind::Create(_), Some(path)) = (&change.kind, without_side(&change.path)) {
            change.path = path.to_owned();
        }
    }
    Ok(())
}

/// Returns the named sandbox; without a name, the one that all paths start with, or the only one.
fn sandbox_of<'a>(
    sandboxes: &'a Sandboxes,
    name: &str,
    changes: &[FileChange],
) -> Result<&'a Sandbox> {
    let named = |name: &str| sandboxes.iter().find(|sandbox| sandbox.name == name);
    if !name.is_empty() {
        return named(name).ok_or_else(|| {
            Error::fs_denied(format!("there is no sandbox {}", quoted(name)))
                .with_hint(sandboxes.writable())
        });
    }
    let mut starts = changes.iter().flat_map(FileChange::paths).map(|path| path.split('/').next());
    let first = starts.next().flatten();
    let common = first.filter(|start| starts.all(|other| other == Some(start)));
    common.and_then(named).or_else(|| sandboxes.only()).ok_or_else(|| {
        Error::invalid_args("the paths of the patch do not start with one sandbox")
            .with_hint(format!("Give paths as sandbox/relative/path. {}", sandboxes.writable()))
    })
}
