//! Paths of the local file system, as DuckDB reads them.

use std::path::Path;

use crate::open::beneath::Root;
use crate::open::directories::Directories;
use crate::open::directory::OpenError;
use crate::open::state::{EntryKind, FileState};
use crate::open::walk::Target;
use crate::rules::access::Access;

/// A path that DuckDB's local file system would open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalPath(String);

/// The entry at a readable path, and the path for DuckDB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalFile {
    /// Its kind, after following links; `None` if nothing is visible there.
    pub kind: Option<EntryKind>,
    /// The path to open. If access is limited it has neither a link nor `..`, as DuckDB lets the
    /// system resolve the path before it checks the result.
    pub path: String,
}

impl LocalPath {
    /// Returns the path that DuckDB's local file system opens for `given`: replaces `~` by the home
    /// directory (`home`, the setting `home_directory`, or else the user's), and removes `file:`.
    pub fn new(given: &str, home: Option<&str>) -> Self {
        if let Some(rest) = given.strip_prefix('~') {
            let home = home.filter(|home| !home.is_empty()).map(str::to_owned);
            return Self(home.or_else(|| std::env::var("HOME").ok()).unwrap_or_default() + rest);
        }
        // DuckDB knows these three forms and treats any other as a name.
        let url = given.strip_prefix("file:").and_then(|rest| {
            let path = rest
                .strip_prefix("//localhost")
                .or_else(|| rest.strip_prefix("//"))
                .unwrap_or(rest);
            (path.starts_with('/') && !path.starts_with("//")).then_some(path)
        });
        Self(url.unwrap_or(given).to_owned())
    }

    /// Returns the entry at the path.
    ///
    /// # Errors
    /// [`OpenError::Outside`] if `access` does not allow reading it; nothing outside is checked.
    pub fn look(&self, access: &Access) -> Result<LocalFile, OpenError> {
        let Some(found) = access.find(Path::new(&self.0)) else {
            return Ok(LocalFile { kind: kind(Path::new(&self.0)), path: self.0.clone() });
        };
        if self.is_url(access) {
            // A path for another file system has no local files; DuckDB rejects it if no file
            // system takes it.
            let is_plain = self.0.split('/').all(|name| name != "..");
            let url = LocalFile { kind: None, path: self.0.clone() };
            return if is_plain { Ok(url) } else { Err(OpenError::Outside) };
        }
        let found = match found? {
            Target::Other(path, _) if self.0.ends_with('/') => Target::beneath_a_file(&path),
            found => found,
        };
        let (kind, path) = match found {
            Target::Directory(directory) => {
                (Some(EntryKind::Directory), directory.path().to_owned())
            }
            Target::Other(path, kind) => (Some(kind), path),
            Target::Missing(path) => (None, path),
            Target::Named(path) => (kind(&path), path),
        };
        let path = path.into_os_string().into_string().map_err(|_| {
            OpenError::System(std::io::Error::other("DuckDB opens only paths in UTF-8"))
        })?;
        Ok(LocalFile { kind, path })
    }

    /// Tells whether the path has a scheme, and no readable directory has the scheme's name.
    fn is_url(&self, access: &Access) -> bool {
        let first = self.0.split('/').next().unwrap_or_default();
        let may_be_local = || {
            let here = access.find(Path::new("."));
            let there = access.find(Path::new(first));
            here.is_some_and(|here| here.is_ok()) && !matches!(there, Some(Ok(Target::Missing(_))))
        };
        self.has_scheme() && !may_be_local()
    }

    /// Tells whether the path starts with `scheme://`, so that another file system may take it, as
    /// for `s3://…`.
    pub fn has_scheme(&self) -> bool {
        self.0.split_once("://").is_some_and(|(scheme, _)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        })
    }

    /// Returns the path as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Tells whether nothing can be reached without a link at a relative path in the current directory.
pub fn is_free_name(relative: &str) -> bool {
    Root::open(Path::new("."))
        .and_then(|here| Directories::new(here).look(relative.as_bytes()))
        .is_ok_and(|found| found.is_none())
}

fn kind(path: &Path) -> Option<EntryKind> {
    crate::system::fs::stat(path).ok().map(|stat| FileState::new(&stat).kind)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::fixture::fifo;

    #[test]
    fn a_path_is_looked_at_where_duckdb_opens_it() {
        for (given, opened) in [
            ("a/b", "a/b"),
            ("/a", "/a"),
            ("~/a", "/home/me/a"),
            ("~", "/home/me"),
            ("a~", "a~"),
            ("file:/a", "/a"),
            ("file:///a", "/a"),
            ("file://localhost/a", "/a"),
            ("file:a", "file:a"),
            ("file://a", "file://a"),
            ("s3://bucket/a", "s3://bucket/a"),
        ] {
            assert_eq!(LocalPath::new(given, Some("/home/me")).as_str(), opened);
        }
    }

    #[test]
    fn only_a_path_with_a_scheme_is_a_url() {
        for (given, is_url) in [
            ("s3://bucket/a", true),
            ("https://host/a", true),
            ("a+b.c-1://x", true),
            ("a/b://c", false),
            ("://c", false),
            ("1x://c", false),
            ("a:/b", false),
        ] {
            assert_eq!(LocalPath::new(given, None).has_scheme(), is_url, "{given}");
        }
    }

    #[test]
    fn opened_paths_have_neither_links_nor_dots_where_access_is_limited() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("in/sub")).unwrap();
        for name in ["in/file", "single", "other"] {
            std::fs::write(root.join(name), "").unwrap();
        }
        for (name, target) in
            [("in/link", "sub/../file"), ("in/out", "../other"), ("in/named", "../single")]
        {
            std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        }
        let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
        let access = Access::new(false, &[&at("in")]).with_files(&[&at("single")]);
        for (given, found) in [
            ("in/file", Some((Some(EntryKind::File), "in/file"))),
            ("in/link", Some((Some(EntryKind::File), "in/file"))),
            ("in/sub/../file", Some((Some(EntryKind::File), "in/file"))),
            ("none/../in/file", Some((Some(EntryKind::File), "in/file"))),
            ("in/none", Some((None, "in/none"))),
            ("in/none/../file", Some((None, "in/none"))),
            ("in/file/", Some((None, "in/file/-"))),
            ("in/file/x", Some((None, "in/file/-"))),
            ("in/file/..", Some((None, "in/file/-"))),
            ("in/sub", Some((Some(EntryKind::Directory), "in/sub"))),
            ("single", Some((Some(EntryKind::File), "single"))),
            ("in/named", Some((Some(EntryKind::File), "single"))),
            ("none/../single", Some((Some(EntryKind::File), "single"))),
            ("in/out", None),
            ("other", None),
            ("none", None),
            ("single/x", None),
            ("in/../other", None),
        ] {
            let looked = LocalPath(at(given)).look(&access);
            let wanted = found.map(|(kind, path)| LocalFile { kind, path: at(path) });
            match looked {
                Err(OpenError::Outside) => assert_eq!(wanted, None, "{given}"),
                looked => assert_eq!(looked.ok(), wanted, "{given}"),
            }
        }
        // A path for another file system is passed on, unless it could lead through directories.
        let url = |text: &str| LocalPath(text.to_owned()).look(&access).map(|found| found.path);
        assert_eq!(url("s3://bucket/a").unwrap(), "s3://bucket/a");
        assert!(matches!(url("s3://bucket/../../etc/passwd"), Err(OpenError::Outside)));
    }

    #[test]
    fn files_that_block_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| LocalPath(temp.path().join(name).to_str().unwrap().to_owned());
        std::fs::write(temp.path().join("file"), "").unwrap();
        fifo(&temp.path().join("fifo"));
        std::os::unix::fs::symlink("fifo", temp.path().join("link")).unwrap();
        let everything = Access::new(true, &[]);
        let here = Access::new(false, &[temp.path().to_str().unwrap()]);
        let kind = |path: &LocalPath, access| path.look(access).unwrap().kind;
        use EntryKind::{Directory, File, Special};
        for access in [&everything, &here] {
            let names = ["file", "", "fifo", "link", "none", "file/x"];
            let kinds = names.map(|name| kind(&at(name), access));
            let wanted = [File, Directory, Special, Special].map(Some);
            assert_eq!((&kinds[..4], &kinds[4..]), (&wanted[..], &[None, None][..]));
        }
        assert_eq!(kind(&LocalPath("/dev/zero".to_owned()), &everything), Some(Special));
    }
}
