//! What may be opened: DuckDB's own limits on file access and the sandboxes, together.
//!
//! DuckDB checks only paths opened through its file system. Repositories and the files of sandboxes
//! are opened with the operating system's calls, so the same settings are read and enforced here.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::beneath::Root;
use super::directory::{Directory, OpenError};
use super::policy::Sandboxes;
use crate::error::{Error, quoted};

/// Everything, or only what lies in the allowed folders; and of that everything, or only what lies
/// in a sandbox.
#[derive(Debug)]
pub struct Access {
    /// `None` when DuckDB's external access is on.
    allowed: Option<Vec<PathBuf>>,
    /// `None` when no sandboxes are configured.
    sandboxes: Option<Sandboxes>,
}

impl Access {
    /// Returns the access that DuckDB's settings grant: everything while `external` (the setting
    /// `enable_external_access`) is on, else what lies in one of `directories`
    /// (`allowed_directories`).
    ///
    /// Folders that do not exist allow nothing. `allowed_paths` names single files and so never
    /// covers a repository or a root.
    pub fn new(external: bool, directories: &[&str]) -> Self {
        let canonical = || directories.iter().filter_map(|directory| Path::new(directory).canonicalize().ok());
        Self { allowed: (!external).then(|| canonical().collect()), sandboxes: None }
    }

    /// Narrows the access to the sandboxes of a setting, [`Sandboxes::open`].
    pub fn within(self, json: &str, max_read_bytes: u64) -> crate::error::Result<Self> {
        let sandboxes = Sandboxes::open(json, max_read_bytes, |root| self.is_allowed(root))?;
        Ok(Self { sandboxes: Some(sandboxes), ..self })
    }

    /// Returns the sandboxes, where any are configured: then files are named by them alone.
    pub fn sandboxes(&self) -> Option<&Sandboxes> {
        self.sandboxes.as_ref()
    }

    /// Tells whether there is nothing to check.
    pub fn is_unlimited(&self) -> bool {
        self.allowed.is_none() && self.sandboxes.is_none()
    }

    /// Returns the path that an argument names as a repository: with sandboxes, `name/folder` or
    /// an absolute path. Where it leads is still to be checked.
    pub fn repository_path(&self, given: &str) -> crate::error::Result<PathBuf> {
        self.sandboxes.as_ref().map_or_else(|| Ok(PathBuf::from(given)), |sandboxes| sandboxes.folder(given))
    }

    /// Tells whether a repository may be read from a canonical path.
    pub fn allows(&self, canonical: &Path) -> bool {
        self.is_allowed(canonical)
            && self.sandboxes.as_ref().is_none_or(|sandboxes| sandboxes.hold_repository(canonical))
    }

    /// Opens the directory at a path from which a repository may be read. Where access is limited, it is opened
    /// beneath its root, without following a link, and so is everything beneath it later; a path that leads
    /// through links is resolved first.
    pub fn open_directory(&self, path: &Path) -> Result<Directory, OpenError> {
        if self.is_unlimited() {
            return Directory::open(std::path::absolute(path).map_err(OpenError::System)?);
        }
        let as_written = lexical(path).map_or(Err(OpenError::Outside), |path| self.open_beneath(&path));
        match as_written {
            Err(OpenError::Outside | OpenError::Link) => {
                let resolved = path.canonicalize().map_err(|_| OpenError::Outside)?;
                // A link by now is one that was swapped in.
                self.open_beneath(&resolved).map_err(|error| match error {
                    OpenError::Link => OpenError::Absent,
                    error => error,
                })
            }
            opened => opened,
        }
    }

    /// Returns the roots that repositories are read beneath, `None` where everything may be read.
    pub fn roots(&self) -> Option<Vec<&Path>> {
        if let Some(sandboxes) = &self.sandboxes {
            return Some(sandboxes.repository_roots().map(|(path, _)| path).collect());
        }
        self.allowed.as_ref().map(|allowed| allowed.iter().map(PathBuf::as_path).collect())
    }

    /// Returns the error of a path from which no repository may be read; `given` is the path as the user wrote it.
    pub fn outside(&self, given: &str) -> Error {
        let refused = |limit| {
            let given = quoted(given);
            format!("the repository at {given} is, or reads from, a directory outside {limit}")
        };
        match &self.sandboxes {
            Some(sandboxes) => sandboxes.refuse_repository(refused("the sandboxes")),
            None => Error::fs_denied(refused("DuckDB's allowed_directories")).with_hint(
                "Ask the host to add the directory to allowed_directories before external access is disabled",
            ),
        }
    }

    /// Refuses a canonical path from which no repository may be read; `given` is the path as the
    /// user wrote it.
    pub fn check(&self, canonical: &Path, given: &str) -> crate::error::Result<()> {
        if self.allows(canonical) {
            return Ok(());
        }
        let refused = |limit| {
            let given = quoted(given);
            format!("the repository at {given} is, or reads from, a folder outside {limit}")
        };
        Err(match &self.sandboxes {
            Some(sandboxes) => sandboxes.refuse_repository(refused("the sandboxes")),
            None => Error::fs_denied(refused("DuckDB's allowed_directories"))
                .with_hint("Ask the host to add the folder to allowed_directories before external access is disabled"),
        })
    }

    /// Refuses a path that leads, after its links are resolved, to where no repository may be
    /// read. Of a path that does not exist, the part that does decides: a refusal tells nothing of
    /// what lies outside.
    pub fn check_target(&self, path: &Path, given: &str) -> crate::error::Result<()> {
        if self.is_unlimited() { Ok(()) } else { self.check(&resolved(path, 0), given) }
    }

    /// Opens a directory by an absolute path without `..`, beneath the root that it lies in.
    fn open_beneath(&self, path: &Path) -> Result<Directory, OpenError> {
        let relative = |root: &Path| path.strip_prefix(root).ok().map(|rest| rest.as_os_str().as_bytes().to_vec());
        if let Some(sandboxes) = &self.sandboxes {
            let found = sandboxes.repository_roots().find_map(|(own, root)| Some((own, root, relative(own)?)));
            let (own, root, rest) = found.ok_or(OpenError::Outside)?;
            return Directory::beneath(root, own, &rest);
        }
        let allowed = self.allowed.iter().flatten().find_map(|own| Some((own, relative(own)?)));
        let (own, rest) = allowed.ok_or(OpenError::Outside)?;
        let root = Root::open(own).map_err(|_| OpenError::Absent)?;
        Directory::beneath(&root, own, &rest)
    }

    fn is_allowed(&self, canonical: &Path) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|directory| canonical.starts_with(directory)))
    }
}

/// Returns the canonical path of `path`, or of the nearest folder above it that exists; of a link
/// that leads nowhere, that of the place it names. Where there is no end of links, the path is
/// empty, which lies nowhere.
fn resolved(path: &Path, links: usize) -> PathBuf {
    const MOST_LINKS: usize = 40;
    let absolute = std::path::absolute(path).unwrap_or_default();
    for above in absolute.ancestors() {
        if let Ok(canonical) = above.canonicalize() {
            return canonical;
        }
        if let Ok(target) = above.read_link() {
            let folder = above.parent().unwrap_or(above);
            return if links < MOST_LINKS { resolved(&folder.join(target), links + 1) } else { PathBuf::new() };
        }
    }
    PathBuf::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sibling_whose_name_starts_like_an_allowed_folder_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["allowed", "allowed_evil"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        for given in ["allowed", "allowed/"] {
            let access = Access::new(false, &[root.join(given).to_str().unwrap()]);
            assert!(access.check(&root.join("allowed/repo"), "x").is_ok());
            assert!(access.check(&root.join("allowed"), "x").is_ok());
            assert!(access.check(&root.join("allowed_evil"), "x").is_err());
            assert!(access.check(&root, "x").is_err());
        }
    }

    #[test]
    fn no_allowed_folder_allows_nothing_and_external_access_everything() {
        assert!(Access::new(false, &[]).check(Path::new("/"), "/").is_err());
        assert!(Access::new(false, &["/no/such/folder"]).check(Path::new("/no/such/folder"), "/").is_err());
        assert!(Access::new(true, &[]).check(Path::new("/"), "/").is_ok());
    }

    #[test]
    fn a_link_that_leads_nowhere_is_refused_otherwise_than_one_that_leads_outside() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["in", "out"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        std::fs::write(root.join("out/there"), "").unwrap();
        for (name, target) in [
            ("to-file", "../out/there"),
            ("to-nothing", "../out/not-there"),
            ("to-nothing-deep", "../out/not/there"),
            ("to-link", "to-nothing"),
            ("circle", "circle"),
            ("fine", "not-there"),
        ] {
            std::os::unix::fs::symlink(target, root.join("in").join(name)).unwrap();
        }
        let access = Access::new(false, &[root.join("in").to_str().unwrap()]);
        let check = |name: &str| access.check_target(&root.join("in").join(name), "given");
        let refusal = check("../out").unwrap_err().to_string();
        for name in [
            "to-file",
            "to-nothing",
            "to-nothing/x",
            "to-nothing-deep",
            "to-link",
            "circle",
            "../out/there",
            "../out/x",
        ] {
            assert_eq!(check(name).unwrap_err().to_string(), refusal, "{name}");
        }
        for name in ["", "fine", "missing", "missing/deep"] {
            assert!(check(name).is_ok(), "{name}");
        }
    }
}

/// Returns an absolute path whose `..` are taken off with the component before them, as text.
fn lexical(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in std::path::absolute(path).ok()?.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}
