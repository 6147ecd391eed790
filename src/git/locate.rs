//! Finding a repository from a path, by our own walk: no environment variable takes part.

use std::fs;
use std::io::ErrorKind as Io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, quoted};
use crate::sandbox::Access;

/// Where a repository's parts lie; canonical paths.
#[derive(Debug)]
pub struct Location {
    /// The folder with HEAD: `.git`, a bare repository, or `.git/worktrees/<name>`.
    pub git_dir: PathBuf,
    /// The folder with objects, references and configuration; `git_dir` but for linked work trees.
    pub common_dir: PathBuf,
    /// The folder of the checked-out files, where the repository was found through one.
    pub work_tree: Option<PathBuf>,
}

/// Returns the repository at `given`, or the nearest one above it: a work tree, a folder inside
/// one, a bare repository, a linked work tree, or a `.git` folder.
///
/// Where `access` is limited, a path outside is refused before anything is said of it.
pub fn locate(given: &str, access: &Access) -> Result<Location> {
    if given.is_empty() {
        return Err(Error::invalid_args("the repository path is ''").with_hint("Use '.' for the current folder"));
    }
    let start = Path::new(given).canonicalize();
    if !access.is_unlimited() {
        match &start {
            Ok(start) => access.check(start, given)?,
            Err(_) => access.check(&nearest_existing(Path::new(given)), given)?,
        }
    }
    let start = start.map_err(|error| match error.kind() {
        Io::PermissionDenied => Error::fs_denied(format!("{} cannot be read", quoted(given))).with_source(error),
        Io::NotFound | Io::NotADirectory => {
            Error::not_found(format!("there is no folder {}", quoted(given))).with_source(error)
        }
        _ => Error::invalid_args(format!("{} is not a usable path", quoted(given))).with_source(error),
    })?;
    if !start.is_dir() {
        return Err(Error::not_found(format!("{} is a file, not a repository", quoted(given)))
            .with_hint("Name the folder of the repository"));
    }
    if let Err(error) = fs::read_dir(&start) {
        return Err(Error::fs_denied(format!("the folder {} cannot be read", quoted(given))).with_source(error));
    }
    for folder in start.ancestors() {
        if let Some(git_dir) = dot_git(folder, given)? {
            return Location::new(git_dir, Some(folder), given);
        }
        if is_git_dir(folder) {
            let work_tree = work_tree_of(folder);
            return Location::new(folder.to_owned(), work_tree.as_deref(), given);
        }
    }
    Err(Error::not_found(format!("neither {} nor a folder above it is a git repository", quoted(given)))
        .with_hint("Name a work tree, a folder inside one, a bare repository or a .git folder"))
}

/// Returns the canonical path of the nearest folder above `path` that exists.
fn nearest_existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_default();
    absolute.ancestors().skip(1).find_map(|above| above.canonicalize().ok()).unwrap_or_default()
}

impl Location {
    fn new(git_dir: PathBuf, work_tree: Option<&Path>, given: &str) -> Result<Self> {
        let broken = |what: &str| {
            Error::tool_failed(format!("the repository at {} is damaged: {what}", quoted(given)))
                .with_hint("Run 'git fsck' there")
        };
        let git_dir = git_dir.canonicalize().map_err(|_| broken("its .git folder cannot be read"))?;
        let common_dir = match read_pointer(&git_dir.join("commondir"), b"") {
            Pointer::Absent => git_dir.clone(),
            Pointer::To(path) => {
                git_dir.join(path).canonicalize().map_err(|_| broken("its commondir names no folder"))?
            }
            Pointer::Unusable => return Err(broken("its commondir cannot be read")),
        };
        let work_tree = work_tree.map(Path::to_owned);
        Ok(Self { git_dir, common_dir, work_tree })
    }
}

/// Returns the git folder that `folder/.git` is or points to.
fn dot_git(folder: &Path, given: &str) -> Result<Option<PathBuf>> {
    let path = folder.join(".git");
    let Ok(found) = fs::metadata(&path) else { return Ok(None) };
    if found.is_dir() {
        // git would climb on and answer from a repository further up, which was not meant.
        return if is_git_dir(&path) {
            Ok(Some(path))
        } else {
            Err(Error::tool_failed(format!("the .git folder found from {} is no repository", quoted(given)))
                .with_hint("It lacks HEAD, objects or refs; run 'git fsck' there"))
        };
    }
    let Pointer::To(target) = read_pointer(&path, b"gitdir: ") else {
        return Err(Error::tool_failed(format!("the .git file found from {} cannot be read", quoted(given)))
            .with_hint("It should hold one line, 'gitdir: <path>'"));
    };
    let git_dir = folder.join(target);
    if is_git_dir(&git_dir) {
        Ok(Some(git_dir))
    } else {
        Err(Error::not_found(format!("the .git file found from {} points to no repository", quoted(given)))
            .with_hint("Run 'git worktree repair' or 'git submodule update --init' there"))
    }
}

/// Tells whether a folder has the parts of a git folder.
fn is_git_dir(folder: &Path) -> bool {
    let has_head = fs::symlink_metadata(folder.join("HEAD")).is_ok();
    let has_store = folder.join("objects").is_dir() && folder.join("refs").is_dir();
    has_head && (has_store || folder.join("commondir").is_file())
}

/// Returns the work tree of a git folder that was named itself: the parent of `.git`, or what a
/// linked work tree's `gitdir` file names. The configuration's `core.worktree` is not asked: it
/// may name any folder of the machine.
fn work_tree_of(git_dir: &Path) -> Option<PathBuf> {
    if git_dir.file_name()? == ".git" {
        return git_dir.parent().map(Path::to_owned);
    }
    match read_pointer(&git_dir.join("gitdir"), b"") {
        Pointer::To(dot_git) => git_dir.join(dot_git).canonicalize().ok()?.parent().map(Path::to_owned),
        _ => None,
    }
}

enum Pointer {
    Absent,
    To(PathBuf),
    Unusable,
}

/// Reads a file that holds one path behind a prefix.
fn read_pointer(path: &Path, prefix: &[u8]) -> Pointer {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    const LONGEST: u64 = 1 << 16;
    match fs::metadata(path) {
        Err(_) => Pointer::Absent,
        Ok(found) if found.is_file() && found.len() <= LONGEST => match fs::read(path) {
            Ok(bytes) => {
                let Some(line) = bytes.strip_prefix(prefix) else { return Pointer::Unusable };
                let end = line.iter().rposition(|&byte| byte != b'\n' && byte != b'\r').map_or(0, |last| last + 1);
                match &line[..end] {
                    [] => Pointer::Unusable,
                    line if line.contains(&0) => Pointer::Unusable,
                    line => Pointer::To(PathBuf::from(OsStr::from_bytes(line))),
                }
            }
            Err(_) => Pointer::Unusable,
        },
        Ok(_) => Pointer::Unusable,
    }
}
