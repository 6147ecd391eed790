//! Paths of the machine's own file system, as DuckDB reads them.

use std::path::Path;

use super::access::Access;

/// A path that DuckDB's local file system would open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalPath(String);

/// What stands at a path, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A FIFO, a socket or a device: reading may never end.
    Special,
    /// Nothing, as far as can be seen.
    Missing,
}

impl LocalPath {
    /// Returns the path that DuckDB's local file system opens for `given`: `~` is the home directory
    /// (`home`, the setting `home_directory`, or else the user's), and `file:` is taken off.
    pub fn new(given: &str, home: Option<&str>) -> Self {
        if let Some(rest) = given.strip_prefix('~') {
            let home = home.filter(|home| !home.is_empty()).map(str::to_owned);
            return Self(home.or_else(|| std::env::var("HOME").ok()).unwrap_or_default() + rest);
        }
        // DuckDB knows these three forms and takes any other for a name.
        let url = given.strip_prefix("file:").and_then(|rest| {
            let path = rest
                .strip_prefix("//localhost")
                .or_else(|| rest.strip_prefix("//"))
                .unwrap_or(rest);
            (path.starts_with('/') && !path.starts_with("//")).then_some(path)
        });
        Self(url.unwrap_or(given).to_owned())
    }

    /// Looks at what stands there.
    pub fn kind(&self) -> LocalKind {
        match self.as_path().metadata() {
            Ok(found) if found.is_file() => LocalKind::File,
            Ok(found) if found.is_dir() => LocalKind::Directory,
            Ok(_) => LocalKind::Special,
            Err(_) => LocalKind::Missing,
        }
    }

    /// Tells whether the path starts with `scheme://`, so that another file system may take it, as
    /// one does `s3://…`.
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

    /// Tells whether `access` lets what stands there be opened, links resolved.
    pub fn is_allowed(&self, access: &Access) -> bool {
        self.as_path().canonicalize().is_ok_and(|path| access.allows(&path))
    }

    fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn only_a_path_with_a_scheme_is_taken_for_a_url() {
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
    fn what_blocks_is_not_taken_for_a_file() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| LocalPath(temp.path().join(name).to_str().unwrap().to_owned());
        std::fs::write(temp.path().join("file"), "").unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            temp.path().join("fifo"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        std::os::unix::fs::symlink("fifo", temp.path().join("link")).unwrap();
        let kinds = ["file", "", "fifo", "link", "none", "file/x"].map(|name| at(name).kind());
        use LocalKind::{Directory, File, Missing, Special};
        assert_eq!(kinds, [File, Directory, Special, Special, Missing, Missing]);
        assert_eq!(LocalPath("/dev/zero".to_owned()).kind(), Special);
    }
}
