//! Finding a repository from a path, by our own walk: no environment variable takes part.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind as Io;
use std::os::unix::ffi::OsStrExt;
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
    /// The path from the work tree to the folder that was given, with a slash at its end; empty
    /// where that is the work tree or lies outside.
    pub folder: Vec<u8>,
}

/// Returns the repository at `given`, or the nearest one above it: a work tree, a folder inside
/// one, a bare repository, a linked work tree, or a `.git` folder.
///
/// With sandboxes, `given` is `name/folder`. Where `access` is limited, a path outside is refused
/// before anything is said of it.
pub fn locate(given: &str, access: &Access) -> Result<Location> {
    if given.is_empty() {
        return Err(Error::invalid_args("the repository path is ''").with_hint("Use '.' for the current folder"));
    }
    let path = access.repository_path(given)?;
    access.check_target(&path, given)?;
    let start = path.canonicalize().map_err(|error| match error.kind() {
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
    let finder = Finder { access, given };
    // What lies above the allowed folders is not looked at: its absence would tell something too.
    for folder in start.ancestors().take_while(|folder| access.allows(folder)) {
        if let Some(git_dir) = finder.dot_git(folder)? {
            let mut below = start.strip_prefix(folder).unwrap_or(Path::new("")).as_os_str().as_bytes().to_vec();
            if !below.is_empty() {
                below.push(b'/');
            }
            return finder.location(git_dir, Some(folder), below);
        }
        if finder.is_git_dir(folder)? {
            let work_tree = finder.work_tree_of(folder)?;
            return finder.location(folder.to_owned(), work_tree.as_deref(), Vec::new());
        }
    }
    let above = if access.is_unlimited() { "a folder above it" } else { "a folder above it that may be read" };
    Err(Error::not_found(format!("neither {} nor {above} is a git repository", quoted(given)))
        .with_hint("Name a work tree, a folder inside one, a bare repository or a .git folder"))
}

/// Follows what leads from a folder to a repository, within what may be read.
struct Finder<'a> {
    access: &'a Access,
    /// The path as the user gave it, for messages.
    given: &'a str,
}

impl Finder<'_> {
    fn location(&self, git_dir: PathBuf, work_tree: Option<&Path>, folder: Vec<u8>) -> Result<Location> {
        let broken = |what: &str| {
            Error::tool_failed(format!("the repository at {} is damaged: {what}", quoted(self.given)))
                .with_hint("Run 'git fsck' there")
        };
        let git_dir = git_dir.canonicalize().map_err(|_| broken("its .git folder cannot be read"))?;
        let common_dir = match self.read_pointer(&git_dir.join("commondir"), b"")? {
            Pointer::Absent => git_dir.clone(),
            Pointer::To(path) => path.canonicalize().map_err(|_| broken("its commondir names no folder"))?,
            Pointer::Unusable => return Err(broken("its commondir cannot be read")),
        };
        let work_tree = work_tree.map(Path::to_owned);
        Ok(Location { git_dir, common_dir, work_tree, folder })
    }

    /// Returns the git folder that `folder/.git` is or points to.
    fn dot_git(&self, folder: &Path) -> Result<Option<PathBuf>> {
        let path = folder.join(".git");
        self.access.check_target(&path, self.given)?;
        let Ok(found) = fs::metadata(&path) else { return Ok(None) };
        let given = quoted(self.given);
        if found.is_dir() {
            // git would climb on and answer from a repository further up, which was not meant.
            return if self.is_git_dir(&path)? {
                Ok(Some(path))
            } else {
                Err(Error::tool_failed(format!("the .git folder found from {given} is no repository"))
                    .with_hint("It lacks HEAD, objects or refs; run 'git fsck' there"))
            };
        }
        let Pointer::To(git_dir) = self.read_pointer(&path, b"gitdir: ")? else {
            return Err(Error::tool_failed(format!("the .git file found from {given} cannot be read"))
                .with_hint("It should hold one line, 'gitdir: <path>'"));
        };
        if self.is_git_dir(&git_dir)? {
            Ok(Some(git_dir))
        } else {
            Err(Error::not_found(format!("the .git file found from {given} points to no repository"))
                .with_hint("Run 'git worktree repair' or 'git submodule update --init' there"))
        }
    }

    /// Tells whether a folder has the parts of a git folder.
    fn is_git_dir(&self, folder: &Path) -> Result<bool> {
        if fs::symlink_metadata(folder.join("HEAD")).is_err() {
            return Ok(false);
        }
        let [objects, refs, commondir] = ["objects", "refs", "commondir"].map(|part| folder.join(part));
        for part in [&objects, &refs, &commondir] {
            self.access.check_target(part, self.given)?;
        }
        Ok(objects.is_dir() && refs.is_dir() || commondir.is_file())
    }

    /// Returns the work tree of a git folder that was named itself: the parent of `.git`, or what a
    /// linked work tree's `gitdir` file names. The configuration's `core.worktree` is not asked: it
    /// may name any folder of the machine.
    fn work_tree_of(&self, git_dir: &Path) -> Result<Option<PathBuf>> {
        if git_dir.file_name().is_some_and(|name| name == ".git") {
            return Ok(git_dir.parent().map(Path::to_owned));
        }
        Ok(match self.read_pointer(&git_dir.join("gitdir"), b"")? {
            Pointer::To(dot_git) => dot_git.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned)),
            _ => None,
        })
    }

    /// Reads a file that holds one path behind a prefix, and refuses a path that leads outside.
    fn read_pointer(&self, path: &Path, prefix: &[u8]) -> Result<Pointer> {
        self.access.check_target(path, self.given)?;
        let pointer = read_pointer(path, prefix);
        if let Pointer::To(target) = &pointer {
            self.access.check_target(target, self.given)?;
        }
        Ok(pointer)
    }
}

enum Pointer {
    Absent,
    To(PathBuf),
    Unusable,
}

/// Reads a file that holds one path behind a prefix; a relative path starts at the file's folder.
fn read_pointer(path: &Path, prefix: &[u8]) -> Pointer {
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
                    line => Pointer::To(path.parent().unwrap_or(path).join(OsStr::from_bytes(line))),
                }
            }
            Err(_) => Pointer::Unusable,
        },
        Ok(_) => Pointer::Unusable,
    }
}
