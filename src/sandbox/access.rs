//! What may be opened: DuckDB's own limits on file access and the sandboxes, together.
//!
//! DuckDB checks only paths opened through its file system. Repositories and the files of sandboxes
//! are opened with the operating system's calls, so the same settings are read and enforced here.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::beneath::Root;
use super::directory::{Directory, OpenError};
use super::policy::Sandboxes;
use super::ref_limit::RefLimit;
use crate::error::{Error, quoted};

/// Everything, or only what lies in the allowed directories; and of that everything, or only what lies
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
    /// Directories that do not exist allow nothing. `allowed_paths` names single files and so never
    /// covers a repository or a root.
    pub fn new(external: bool, directories: &[&str]) -> Self {
        let canonical =
            || directories.iter().filter_map(|directory| Path::new(directory).canonicalize().ok());
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

    /// Returns the path that an argument names as a repository: with sandboxes, `name/directory` or
    /// an absolute path. Where it leads is still to be checked.
    pub fn repository_path(&self, given: &str) -> crate::error::Result<PathBuf> {
        self.sandboxes
            .as_ref()
            .map_or_else(|| Ok(PathBuf::from(given)), |sandboxes| sandboxes.directory(given))
    }

    /// Tells whether a repository may be read from a canonical path.
    pub fn allows(&self, canonical: &Path) -> bool {
        self.is_allowed(canonical)
            && self.sandboxes.as_ref().is_none_or(|sandboxes| sandboxes.hold_repository(canonical))
    }

    /// Returns which references may be read of a repository with these directories; `None` is all of them.
    pub fn ref_limit(&self, directories: &[&Path]) -> Option<RefLimit> {
        self.sandboxes.as_ref()?.ref_limit(directories)
    }

    /// Opens the directory at a path from which a repository may be read. Where access is limited, it is opened
    /// beneath its root, without following a link, and so is everything beneath it later; a path that leads
    /// through links is resolved first.
    pub fn open_directory(&self, path: &Path) -> Result<Directory, OpenError> {
        if self.is_unlimited() {
            return Directory::open(std::path::absolute(path).map_err(OpenError::System)?);
        }
        let as_written =
            lexical(path).map_or(Err(OpenError::Outside), |path| self.open_beneath(&path));
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

    /// Opens a directory by an absolute path without `..`, beneath the root that it lies in.
    fn open_beneath(&self, path: &Path) -> Result<Directory, OpenError> {
        let relative = |root: &Path| {
            path.strip_prefix(root).ok().map(|rest| rest.as_os_str().as_bytes().to_vec())
        };
        if let Some(sandboxes) = &self.sandboxes {
            let found = sandboxes
                .repository_roots()
                .find_map(|(own, root)| Some((own, root, relative(own)?)));
            let (own, root, rest) = found.ok_or(OpenError::Outside)?;
            return Directory::beneath(root, own, &rest);
        }
        let allowed = self.allowed.iter().flatten().find_map(|own| Some((own, relative(own)?)));
        let (own, rest) = allowed.ok_or(OpenError::Outside)?;
        let root = Root::open(own).map_err(|_| OpenError::Absent)?;
        Directory::beneath(&root, own, &rest)
    }

    fn is_allowed(&self, canonical: &Path) -> bool {
        self.allowed
            .as_ref()
            .is_none_or(|allowed| allowed.iter().any(|directory| canonical.starts_with(directory)))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what came of opening a path: the directory that was opened, or the kind of error.
    fn opened(access: &Access, path: &Path) -> String {
        match access.open_directory(path) {
            Ok(directory) => {
                directory.path().file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn a_sibling_whose_name_starts_like_an_allowed_directory_lies_outside() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["allowed", "allowed/repo", "allowed_evil"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        for given in ["allowed", "allowed/"] {
            let access = Access::new(false, &[root.join(given).to_str().unwrap()]);
            for (path, found) in [
                ("allowed/repo", "repo"),
                ("allowed", "allowed"),
                ("allowed_evil/../allowed", "allowed"),
                ("allowed/none", "Absent"),
                ("allowed_evil", "Outside"),
                ("allowed/../allowed_evil", "Outside"),
                ("", "Outside"),
            ] {
                assert_eq!(opened(&access, &root.join(path)), found, "{path}");
            }
        }
    }

    #[test]
    fn no_allowed_directory_allows_nothing_and_external_access_everything() {
        assert_eq!(opened(&Access::new(false, &[]), Path::new("/")), "Outside");
        assert_eq!(
            opened(&Access::new(false, &["/no/such/directory"]), Path::new("/no/such/directory")),
            "Outside"
        );
        assert!(Access::new(true, &[]).open_directory(Path::new("/")).is_ok());
    }

    #[test]
    fn a_link_that_leads_outside_and_one_that_leads_nowhere_are_refused_alike() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["in", "in/there", "out", "out/there"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        for (name, target) in [
            ("to-directory", "../out/there"),
            ("to-nothing", "../out/not-there"),
            ("to-nothing-deep", "../out/not/there"),
            ("to-link", "to-nothing"),
            ("circle", "circle"),
            ("inside", "there"),
        ] {
            std::os::unix::fs::symlink(target, root.join("in").join(name)).unwrap();
        }
        let access = Access::new(false, &[root.join("in").to_str().unwrap()]);
        for (name, found) in [
            ("to-directory", "Outside"),
            ("to-nothing", "Outside"),
            ("to-nothing/x", "Outside"),
            ("to-nothing-deep", "Outside"),
            ("to-link", "Outside"),
            ("circle", "Outside"),
            ("../out", "Outside"),
            ("../out/there", "Outside"),
            ("../out/not-there", "Outside"),
            ("inside", "there"),
            ("there", "there"),
            ("missing", "Absent"),
            ("missing/deep", "Absent"),
        ] {
            assert_eq!(opened(&access, &root.join("in").join(name)), found, "{name}");
        }
    }
}
