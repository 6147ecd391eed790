//! Finds a repository and its work tree from a path, without environment variables.
//!
//! Each directory on the way is opened through the gate, and the files that name another (`.git`,
//! `commondir`, `gitdir`) are read once, as in git: the named directory is the one used from then
//! on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::ByteSlice;

use super::gate::{Found, Gate, GitDirectory};
use crate::model::settings::boolean;
use redline_base::error::{Error, ErrorKind, Result, quoted, visible};
use redline_base::limits;
use redline_base::os_path;
use redline_sandbox::RegularFile;

/// The directories of a repository.
#[derive(Debug)]
pub struct Location {
    /// The directory with HEAD: `.git`, a bare repository, or `.git/worktrees/<name>`.
    pub git_dir: GitDirectory,
    /// The directory with objects, references and configuration; it is `git_dir` except in linked
    /// work trees.
    pub common_dir: GitDirectory,
    /// The work tree, if the repository was found through one.
    pub work_tree: Option<PathBuf>,
    /// Whether a file of the repository names the work tree, and it was not found through it.
    pub is_named: bool,
    /// The path from the work tree to the given directory, with a trailing slash; empty if that is
    /// the work tree or outside.
    pub directory: Vec<u8>,
}

/// Returns the repository at the path of `gate`, or the nearest one above it: a work tree, a
/// directory inside one, a bare repository, a linked work tree, or a `.git` directory.
///
/// With sandboxes, the path is `name/directory`. If access is limited, a path outside is refused
/// without telling whether it exists.
pub fn locate(gate: &Arc<Gate>) -> Result<Location> {
    let given = quoted(gate.given());
    if gate.given().is_empty() {
        return Err(Error::invalid_args("the repository path is ''")
            .with_hint("Use '.' for the current directory"));
    }
    refuse_what_is_no_path(gate.given())?;
    let access = gate.access();
    let start = access.repository_path(gate.given())?;
    let start = if access.is_unlimited() { canonical(&start, &given)? } else { start };
    let Some(start) = gate.open(&start)? else {
        return Err(if gate.is_file(&start) {
            Error::not_found(format!("{given} is a file, not a repository"))
                .with_hint("Name the directory of the repository")
        } else {
            Error::not_found(format!("there is no directory {given}"))
        });
    };
    // The canonical path if access is limited, too: it was opened without following a link.
    let path = start.path().to_owned();
    for above in path.ancestors() {
        // Directories above the roots are not checked: even their absence would be information.
        let directory = if above == path { Some(start.clone()) } else { gate.open_within(above)? };
        let Some(directory) = directory else { break };
        if let Some(git_dir) = dot_git(&directory)? {
            return location(git_dir, Some(above.to_owned()), below(above, &path));
        }
        if is_git_dir(&directory)? {
            let work_tree = work_tree_of(&directory)?;
            return Ok(Location { is_named: true, ..location(directory, work_tree, Vec::new())? });
        }
    }
    let above = if access.is_unlimited() {
        "a directory above it"
    } else {
        "a directory above it that may be read"
    };
    Err(Error::not_found(format!("neither {given} nor {above} is a git repository")).with_hint(
        "Name a work tree, a directory inside one, a bare repository or a .git directory",
    ))
}

/// Rejects the URL of a repository, as redline reads only from disk.
fn refuse_what_is_no_path(given: &str) -> Result<()> {
    let shown = quoted(given);
    if let Some(path) = given.strip_prefix("file://") {
        return Err(Error::invalid_args(format!("{shown} is a URL, not a path"))
            .with_hint(format!("Give the path alone: {}", quoted(path))));
    }
    let scheme = given.split_once("://").map(|(scheme, _)| scheme);
    let is_url = scheme.is_some_and(|scheme| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    });
    // As in git, `host:path` is remote if no slash precedes the colon.
    let is_remote = given
        .split_once(':')
        .is_some_and(|(host, path)| host.contains('@') && !host.contains('/') && !path.is_empty());
    if is_url || is_remote {
        return Err(Error::invalid_args(format!("{shown} is not on this machine"))
            .with_hint(format!(
                "redline reads local repositories; run 'git clone {} <directory>' and give the directory",
                visible(given)
            )));
    }
    Ok(())
}

fn canonical(path: &Path, given: &str) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| {
        match error.kind() {
            std::io::ErrorKind::PermissionDenied => {
                Error::fs_denied(format!("{given} cannot be read"))
            }
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                let error = Error::not_found(format!("there is no directory {given}"));
                if given.starts_with("'~") {
                    error.with_hint(
                        "A shell replaces ~, SQL does not: write the path of the home directory",
                    )
                } else {
                    error
                }
            }
            _ => Error::invalid_args(format!("{given} is not a usable path")),
        }
        .with_source(error)
    })
}

fn location(
    git_dir: GitDirectory,
    work_tree: Option<PathBuf>,
    directory: Vec<u8>,
) -> Result<Location> {
    let gate = Arc::clone(git_dir.gate());
    let common_dir = match pointer(&git_dir, b"commondir", b"")? {
        Pointer::Absent => git_dir.clone(),
        Pointer::To(path) => git_dir
            .follow(&path)?
            .ok_or_else(|| gate.damaged("its commondir names no directory"))?,
        Pointer::Directory | Pointer::Unusable => {
            return Err(gate.damaged("its commondir cannot be read"));
        }
    };
    Ok(Location { git_dir, common_dir, work_tree, is_named: false, directory })
}

/// Returns the git directory of a `.git` directory or file.
fn dot_git(directory: &GitDirectory) -> Result<Option<GitDirectory>> {
    let given = quoted(directory.gate().given());
    let path = match pointer(directory, b".git", b"gitdir: ")? {
        Pointer::Absent => return Ok(None),
        Pointer::Directory => {
            let found = directory.directory(b".git")?;
            // git would continue upwards and use another repository, which was not meant.
            return match found {
                Some(found) if is_git_dir(&found)? => Ok(Some(found)),
                _ => Err(Error::tool_failed(format!(
                    "the .git directory found from {given} is not a repository"
                ))
                .with_hint(
                    "It lacks objects, refs or a HEAD that names one; run 'git fsck' there",
                )),
            };
        }
        Pointer::To(path) => path,
        Pointer::Unusable => {
            return Err(Error::tool_failed(format!(
                "the .git file found from {given} cannot be read"
            ))
            .with_hint("It should hold one line, 'gitdir: <path>'"));
        }
    };
    match directory.follow(&path)? {
        Some(git_dir) if is_git_dir(&git_dir)? => Ok(Some(git_dir)),
        _ => Err(Error::not_found(format!(
            "the .git file found from {given} does not point to a repository"
        ))
        .with_hint("Run 'git worktree repair' or 'git submodule update --init' there")),
    }
}

/// Tells whether the directory at a path in a work tree is a repository of its own, by the rule of
/// git's `is_nonbare_repository_dir`: its `.git` is a git directory, or a file that leads to one. A
/// left-over `.git` makes none.
///
/// # Errors
/// `fs_denied` if its `.git` leads to where nothing may be read; those of the system.
pub fn is_repository(gate: &Arc<Gate>, path: &Path) -> Result<bool> {
    let Some(directory) = gate.open_if_readable(path)? else { return Ok(false) };
    let git_dir = match directory.look_if_readable(b".git")? {
        Found::Absent => return Ok(false),
        Found::Directory => directory.join(b".git"),
        Found::File(file) => match named_by(&directory, &file, (b".git", b"gitdir: "))? {
            Some(named) => directory.join(&named),
            None => return Ok(false),
        },
    };
    match gate.open(&git_dir)? {
        Some(git_dir) => is_whole_git_dir(&git_dir),
        None => Ok(false),
    }
}

/// What is found under a name: with an error for what may not be read, or as if it were absent.
type Look = fn(&GitDirectory, &[u8]) -> Result<Found>;

/// Tells whether a directory is a git directory: HEAD names a reference or a commit, and there are
/// objects and references, its own or those of the directory that `commondir` names, which
/// [`location`] opens.
fn is_git_dir(directory: &GitDirectory) -> Result<bool> {
    let look = GitDirectory::look;
    Ok(has_head(directory, look)?
        && (matches!(look(directory, b"commondir")?, Found::File(_))
            || has_stores(directory, look)?))
}

/// As [`is_git_dir`], where what may not be read, and a `commondir` that leads nowhere, make none.
fn is_whole_git_dir(directory: &GitDirectory) -> Result<bool> {
    let look = GitDirectory::look_if_readable;
    if !has_head(directory, look)? {
        return Ok(false);
    }
    let Found::File(file) = look(directory, b"commondir")? else {
        return has_stores(directory, look);
    };
    let Some(named) = named_by(directory, &file, (b"commondir", b""))? else { return Ok(false) };
    match directory.gate().open_if_readable(&directory.join(&named))? {
        Some(common_dir) => has_stores(&common_dir, look),
        None => Ok(false),
    }
}

/// Tells whether HEAD names a reference or a commit, by the rule of git's `validate_headref`.
fn has_head(directory: &GitDirectory, look: Look) -> Result<bool> {
    Ok(match look(directory, b"HEAD")? {
        Found::File(file) => {
            named_by(directory, &file, (b"HEAD", b""))?.is_some_and(|line| is_head(&line))
        }
        // Of an unborn branch a link leads nowhere.
        _ => directory.link(b"HEAD")?.is_some_and(|target| target.starts_with(b"refs/")),
    })
}

/// Tells whether a directory holds objects and references.
fn has_stores(directory: &GitDirectory, look: Look) -> Result<bool> {
    for name in [b"objects", &b"refs"[..]] {
        if !matches!(look(directory, name)?, Found::Directory) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns what a file names after a prefix; `None` if it does not, or is too large for that.
fn named_by(
    directory: &GitDirectory,
    file: &RegularFile,
    (name, prefix): (&[u8], &[u8]),
) -> Result<Option<Vec<u8>>> {
    match directory.contents(file, name, limits::POINTER_BYTES) {
        Ok(bytes) => Ok(named_after(prefix, &bytes)),
        Err(error) if error.kind() == ErrorKind::TooLarge => Ok(None),
        Err(error) => Err(error),
    }
}

/// Tells whether a line is what HEAD may hold.
fn is_head(line: &[u8]) -> bool {
    match line.strip_prefix(b"ref:") {
        Some(name) => name.trim_ascii_start().starts_with(b"refs/"),
        None => {
            let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            digits >= 40
        }
    }
}

/// Returns the work tree of a git directory that was given itself: the parent of `.git`, or the one
/// named in a linked work tree's `gitdir` file.
fn work_tree_of(git_dir: &GitDirectory) -> Result<Option<PathBuf>> {
    if git_dir.path().file_name().is_some_and(|name| name == ".git") {
        return Ok(git_dir.path().parent().map(Path::to_owned));
    }
    let Pointer::To(dot_git) = pointer(git_dir, b"gitdir", b"")? else { return Ok(None) };
    let dot_git = git_dir.join(&dot_git);
    let Some(work_tree) = dot_git.parent() else { return Ok(None) };
    Ok(git_dir.gate().open(work_tree)?.map(|work_tree| work_tree.path().to_owned()))
}

/// Returns a location with its configured work tree: absolute, or relative to the git directory.
///
/// As in git, a bare repository has none, and in a linked work tree the setting counts only with
/// `extensions.worktreeConfig`.
///
/// # Errors
/// `fs_denied` if it is outside of what may be read, `not_found` if it is not a directory.
pub fn with_configured_work_tree(
    location: Location,
    config: &gix::config::File,
) -> Result<Location> {
    let flag = |section: &str, key: &str| boolean(config, section, key).unwrap_or(false);
    let is_linked = location.git_dir.path() != location.common_dir.path();
    if is_linked && !flag("extensions", "worktreeConfig") {
        return Ok(location);
    }
    if flag("core", "bare") && !is_linked {
        return Ok(Location { work_tree: None, directory: Vec::new(), ..location });
    }
    let Some(value) = config.string("core.worktree") else { return Ok(location) };
    let gate = location.git_dir.gate();
    let missing = || {
        Error::not_found(format!(
            "the repository at {} has its work tree at {}, and there is no directory",
            quoted(gate.given()),
            quoted(&value.to_str_lossy())
        ))
        .with_hint("Check core.worktree in its configuration")
    };
    let directory = location.git_dir.follow(&value)?.ok_or_else(missing)?;
    // If access is limited, the path is already canonical and is not resolved again.
    let work_tree = if gate.access().is_unlimited() {
        directory.path().canonicalize().map_err(|error| missing().with_source(error))?
    } else {
        directory.path().to_owned()
    };
    let directory = location.work_tree.as_deref().map_or_else(Vec::new, |found_through| {
        below(&work_tree, &found_through.join(os_path::of_git(&location.directory)))
    });
    let is_named = location.is_named || location.work_tree.as_ref() != Some(&work_tree);
    Ok(Location { work_tree: Some(work_tree), is_named, directory, ..location })
}

/// Rejects a work tree whose files must not be shown, if access is limited: one that is a git
/// directory, or inside one without a `.git` of its own; with sandboxes, one that the repository names
/// and that does not lead back to it.
pub fn check_work_tree(location: &Location) -> Result<()> {
    let gate = location.git_dir.gate();
    let limited = location.work_tree.as_deref().filter(|_| !gate.access().is_unlimited());
    let Some(work_tree) = limited else { return Ok(()) };
    if location.is_named && gate.access().sandboxes().is_some() && !leads_back(location)? {
        return Err(Error::fs_denied(format!(
            "the repository at {} has its work tree in a directory whose .git does not lead to it",
            quoted(gate.given())
        ))
        .with_hint("Check core.worktree in its configuration, or run 'git worktree repair'"));
    }
    for above in work_tree.ancestors() {
        let Some(directory) = gate.open_within(above)? else { break };
        if above == work_tree && directory.has(b".git")? {
            break;
        }
        if is_git_dir(&directory)? {
            return Err(Error::fs_denied(format!(
                "the repository at {} has its work tree in a git directory, whose files are not read",
                quoted(gate.given())
            ))
            .with_hint("Check core.worktree in its configuration"));
        }
    }
    Ok(())
}

/// Tells whether the work tree has a `.git` that leads to the repository.
fn leads_back(location: &Location) -> Result<bool> {
    let Some(work_tree) = &location.work_tree else { return Ok(true) };
    let gate = location.git_dir.gate();
    let Some(directory) = gate.open_if_readable(work_tree)? else { return Ok(false) };
    let path = match pointer(&directory, b".git", b"gitdir: ")? {
        Pointer::To(path) => path,
        Pointer::Directory => b".git".to_vec(),
        Pointer::Absent | Pointer::Unusable => return Ok(false),
    };
    let found = gate.open_if_readable(&directory.join(&path))?;
    Ok(found.is_some_and(|found| found.path() == location.git_dir.path()))
}

/// The content of a file that names a path.
enum Pointer {
    Absent,
    Directory,
    To(Vec<u8>),
    Unusable,
}

/// Reads a file with one path after a prefix; removes only line endings at its end.
fn pointer(directory: &GitDirectory, name: &[u8], prefix: &[u8]) -> Result<Pointer> {
    let file = match directory.look(name)? {
        Found::Absent => return Ok(Pointer::Absent),
        Found::Directory => return Ok(Pointer::Directory),
        Found::File(file) => file,
    };
    let bytes = directory.contents(&file, name, limits::POINTER_BYTES)?;
    Ok(named_after(prefix, &bytes).map_or(Pointer::Unusable, Pointer::To))
}

/// Returns the path after a prefix, without line endings at its end.
fn named_after(prefix: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let path = bytes.strip_prefix(prefix)?.trim_end_with(|c| matches!(c, '\n' | '\r'));
    (!path.is_empty() && !path.contains(&0)).then(|| path.to_vec())
}

/// Returns the path from a work tree to a directory in it, with a trailing slash; empty for the
/// work tree itself, and outside.
fn below(work_tree: &Path, directory: &Path) -> Vec<u8> {
    let path = os_path::to_git(directory.strip_prefix(work_tree).unwrap_or(Path::new("")));
    let path = path.trim_end_with(|c| c == '/');
    if path.is_empty() { Vec::new() } else { [path, b"/"].concat() }
}
