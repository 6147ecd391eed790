//! Resolves a path if access is limited, without letting the system check a path outside.
//!
//! Outside the roots a path is text: `..` removes the name before it, and nothing reveals whether
//! such a directory exists. Where the text enters a root, the walk continues below the opened root,
//! name by name. A link is read, and replaced by its target: a relative one from the directory of
//! the link, an absolute one as text. `..` at a root leads back to the text.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::open::beneath::Root;
use crate::open::directory::{Directory, OpenError};
use crate::open::state::EntryKind;
use redline_base::limits;
use redline_base::os_path;

/// A root below which files may be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entrance<'a> {
    /// Its path after resolving all links.
    pub path: &'a Path,
    /// Its path as spelled by the host.
    pub spelled: &'a Path,
    /// The root; `None` if it is opened on entering.
    pub root: Option<&'a Root>,
}

/// The target of a path.
#[derive(Debug)]
pub(crate) enum Target {
    /// A directory below a root.
    Directory(Directory),
    /// Another entry below a root; the path has no link.
    Other(PathBuf, EntryKind),
    /// Nothing, below a root: the path has no link, up to the missing name.
    Missing(PathBuf),
    /// One of the files that may be read individually.
    Named(PathBuf),
}

impl Target {
    /// Returns the result below a file: nothing, whatever its name.
    pub(crate) fn beneath_a_file(path: &Path) -> Self {
        Self::Missing(path.join("-"))
    }
}

/// Resolves `path`, below `roots` or among `files`.
///
/// # Errors
/// [`OpenError::Outside`] if it leads elsewhere, or in a cycle.
pub(crate) fn find(
    roots: &[Entrance<'_>],
    files: &[PathBuf],
    path: &Path,
) -> Result<Target, OpenError> {
    let path = std::path::absolute(path).map_err(|_| OpenError::Outside)?;
    // The path of a root and one below it; the system accepts half of that at once.
    if path.as_os_str().len() > 2 * limits::PATH_BYTES {
        return Err(OpenError::Outside);
    }
    let mut walk = Walk { outside: Vec::new(), ahead: Vec::new(), steps: 0, links: 0 };
    walk.go_on_with(&os_path::to_git(&path));
    loop {
        let Some(root) = walk.enter(roots) else {
            let is_named =
                |file: &&PathBuf| names(&os_path::to_git(file)).eq(walk.outside.iter().cloned());
            return files
                .iter()
                .find(is_named)
                .map(|file| Target::Named(file.clone()))
                .ok_or(OpenError::Outside);
        };
        // A link that is found only on opening was swapped in meanwhile.
        let found = walk.beneath(root).map_err(|error| match error {
            OpenError::Link => OpenError::Absent,
            error => error,
        })?;
        if let Some(found) = found {
            return Ok(found);
        }
    }
}

struct Walk {
    /// The names of the text so far, outside the roots.
    outside: Vec<Vec<u8>>,
    /// The remaining names, the next one last.
    ahead: Vec<Vec<u8>>,
    steps: usize,
    links: usize,
}

impl Walk {
    /// Inserts the names of a text before the remaining ones.
    fn go_on_with(&mut self, text: &[u8]) {
        let at = self.ahead.len();
        self.ahead.extend(names(text));
        self.ahead[at..].reverse();
    }

    /// Follows the text until it enters a root, the innermost one; `None` if it ends before.
    fn enter<'r, 'a>(&mut self, roots: &'r [Entrance<'a>]) -> Option<&'r Entrance<'a>> {
        loop {
            let entered = roots
                .iter()
                .filter_map(|root| Some((root, self.beginning(root)?)))
                .max_by_key(|&(_, length)| length);
            if let Some((root, length)) = entered {
                // A root around the previous one has fewer names than were followed.
                self.ahead.extend(self.outside.drain(length.min(self.outside.len())..).rev());
                let left = length - self.outside.len();
                self.ahead.truncate(self.ahead.len() - left);
                self.outside.clear();
                return Some(root);
            }
            let name = self.ahead.pop()?;
            if name == b".." {
                self.outside.pop();
            } else {
                self.outside.push(name);
            }
        }
    }

    /// Returns the number of leading names of the text that are those of the root.
    fn beginning(&self, root: &Entrance<'_>) -> Option<usize> {
        let has = |path: &Path| {
            let mut text = self.outside.iter().chain(self.ahead.iter().rev());
            let mut length = 0;
            for name in names(&os_path::to_git(path)) {
                // A spelling with `..` cannot be compared as text.
                if name == b".." || text.next() != Some(&name) {
                    return None;
                }
                length += 1;
            }
            Some(length)
        };
        has(root.path).max(has(root.spelled))
    }

    /// Walks below a root; `None` if the path leads out of it and continues as text.
    fn beneath(&mut self, root: &Entrance<'_>) -> Result<Option<Target>, OpenError> {
        let start = root.open()?;
        // Without links and `..`, one call opens it.
        if !self.ahead.is_empty() && self.ahead.iter().all(|name| name != b"..") {
            let names: Vec<&[u8]> = self.ahead.iter().rev().map(Vec::as_slice).collect();
            if let Ok(directory) = start.directory(&names.join(&b'/')) {
                return Ok(Some(Target::Directory(directory)));
            }
        }
        let mut inside: Vec<Vec<u8>> = Vec::new();
        let mut current = start.clone();
        while let Some(name) = self.ahead.pop() {
            self.steps += 1;
            if self.steps > limits::PATH_STEPS {
                return Err(OpenError::Outside);
            }
            if name == b".." {
                if inside.pop().is_none() {
                    self.outside = names(&os_path::to_git(root.path)).collect();
                    self.outside.pop();
                    return Ok(None);
                }
                current = match inside.as_slice() {
                    [] => start.clone(),
                    inside => start.directory(&inside.join(&b'/'))?,
                };
                continue;
            }
            let path = || current.path().join(os_path::of_git(&name));
            match current.kind_of(&name) {
                Ok(EntryKind::Directory) => {
                    current = current.directory(&name)?;
                    inside.push(name);
                }
                Ok(EntryKind::Link) => {
                    self.links += 1;
                    if self.links > limits::PATH_LINKS {
                        return Err(OpenError::Outside);
                    }
                    let target = current.target(&name)?;
                    self.go_on_with(&target);
                    if Path::new(&os_path::of_git(&target)).is_absolute() {
                        return Ok(None);
                    }
                }
                Ok(kind) if self.ahead.is_empty() => return Ok(Some(Target::Other(path(), kind))),
                Err(OpenError::Absent) => return Ok(Some(Target::Missing(path()))),
                Ok(_) => return Ok(Some(Target::beneath_a_file(&path()))),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(Target::Directory(current)))
    }
}

impl Entrance<'_> {
    fn open(&self) -> Result<Directory, OpenError> {
        match self.root {
            Some(root) => Directory::beneath(root, self.path, b""),
            None => {
                let root = Root::open(self.path).map_err(|_| OpenError::Absent)?;
                Directory::beneath(&root, self.path, b"")
            }
        }
    }
}

/// Returns the names of a path; of an absolute one, a leading link of the system is replaced by its
/// target.
fn names(path: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let is_absolute = path.starts_with(b"/");
    let mut parts = path.split(|&byte| byte == b'/').filter(|name| !matches!(*name, b"" | b"."));
    let first = parts.next();
    let target = first.filter(|_| is_absolute).and_then(|first| system_links().get(first));
    let first = match target {
        Some(target) => target.clone(),
        None => first.map(<[u8]>::to_vec).into_iter().collect(),
    };
    first.into_iter().chain(parts.map(<[u8]>::to_vec))
}

/// Returns the targets of the system's own links at `/`, such as `/tmp` on macOS: read once per
/// process, whatever the path.
fn system_links() -> &'static HashMap<Vec<u8>, Vec<Vec<u8>>> {
    static LINKS: OnceLock<HashMap<Vec<u8>, Vec<Vec<u8>>>> = OnceLock::new();
    LINKS.get_or_init(|| {
        let links = ["etc", "home", "media", "mnt", "opt", "root", "srv", "tmp", "var"];
        let target = |name: &str| {
            let link = Path::new("/").join(name);
            std::fs::read_link(&link).ok()?;
            let path = link.canonicalize().ok()?;
            let names =
                path.components().skip(1).map(|part| part.as_os_str().as_encoded_bytes().to_vec());
            Some((name.as_bytes().to_vec(), names.collect()))
        };
        links.into_iter().filter_map(target).collect()
    })
}
