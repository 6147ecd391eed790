//! DuckDB's own limits on file access, applied to what redline opens itself.
//!
//! DuckDB checks only paths opened through its file system. Repositories are opened with the
//! operating system's calls, so the same settings are read and enforced here.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// What may be opened: everything, or only what lies in the allowed folders.
#[derive(Debug, Clone)]
pub struct Access {
    /// `None` when DuckDB's external access is on.
    allowed: Option<Vec<PathBuf>>,
}

impl Access {
    /// Returns the access that DuckDB's settings grant: everything while `external` (the setting
    /// `enable_external_access`) is on, else what lies in one of `directories`
    /// (`allowed_directories`).
    ///
    /// Folders that do not exist allow nothing. `allowed_paths` names single files and so never
    /// covers a repository.
    pub fn new(external: bool, directories: &[&str]) -> Self {
        let canonical = || directories.iter().filter_map(|directory| Path::new(directory).canonicalize().ok());
        Self { allowed: (!external).then(|| canonical().collect()) }
    }

    /// Tells whether there is nothing to check.
    pub fn is_unlimited(&self) -> bool {
        self.allowed.is_none()
    }

    /// Tells whether a canonical path may be opened.
    pub fn allows(&self, canonical: &Path) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|directory| canonical.starts_with(directory)))
    }

    /// Refuses a canonical path outside the allowed folders; `given` is the path as the user
    /// wrote it.
    pub fn check(&self, canonical: &Path, given: &str) -> Result<()> {
        if self.allows(canonical) {
            return Ok(());
        }
        Err(Error::fs_denied(format!(
            "the repository at {} is, or reads from, a folder outside DuckDB's allowed_directories",
            crate::error::quoted(given)
        ))
        .with_hint("Ask the host to add the folder to allowed_directories before external access is disabled"))
    }
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
}
