//! Access rules: DuckDB's own limits on file access combined with the sandboxes.
//!
//! DuckDB checks only paths opened through its file system. Repositories and the files of sandboxes
//! are opened with the operating system's calls, so the same settings are read and enforced here.

use std::path::{Path, PathBuf};

use crate::open::directory::{Directory, OpenError};
use crate::open::walk::{self, Entrance, Target};
use crate::rules::ref_limit::RefLimit;
use crate::rules::rel_path::is_reserved;
use crate::rules::sandboxes::Sandboxes;
use redline_base::error::{Error, quoted};

/// Allows everything, or only the allowed directories; and of that everything, or only the
/// sandboxes.
#[derive(Debug)]
pub struct Access {
    /// `None` when DuckDB's external access is on.
    allowed: Option<Allowed>,
    /// `None` when no sandboxes are configured.
    sandboxes: Option<Sandboxes>,
}

/// The paths that DuckDB may read while its external access is off.
#[derive(Debug)]
struct Allowed {
    /// Each with its spelling, after resolving all links.
    directories: Vec<(PathBuf, PathBuf)>,
    /// Those that were missing when the settings were read.
    missing: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl Access {
    /// Returns the access granted by DuckDB's settings: everything while `external` (the setting
    /// `enable_external_access`) is on, else only `directories` (`allowed_directories`).
    ///
    /// Directories that do not exist allow nothing.
    pub fn new(external: bool, directories: &[&str]) -> Self {
        let resolved = |directory: &&str| {
            let path = Path::new(directory).canonicalize().ok()?;
            Some((std::path::absolute(directory).ok()?, path))
        };
        let is_missing = |directory: &&&str| resolved(directory).is_none();
        let missing = || directories.iter().filter(is_missing).map(PathBuf::from).collect();
        let found = || directories.iter().filter_map(resolved).collect();
        let allowed = (!external).then(|| Allowed {
            directories: found(),
            missing: missing(),
            files: Vec::new(),
        });
        Self { allowed, sandboxes: None }
    }

    /// Adds single files (`allowed_paths`), which never cover a repository or a root.
    #[must_use]
    pub fn with_files(mut self, files: &[&str]) -> Self {
        if let Some(allowed) = &mut self.allowed {
            allowed.files = files.iter().map(PathBuf::from).collect();
        }
        self
    }

    /// Narrows the access to the sandboxes of a setting, [`Sandboxes::open`].
    pub fn within(self, json: &str, max_read_bytes: u64) -> redline_base::error::Result<Self> {
        let sandboxes = Sandboxes::open(json, max_read_bytes, |root| self.is_allowed(root))?;
        Ok(Self { sandboxes: Some(sandboxes), ..self })
    }

    /// Returns the sandboxes, if any are configured: then only they name files.
    pub fn sandboxes(&self) -> Option<&Sandboxes> {
        self.sandboxes.as_ref()
    }

    /// Tells whether there is nothing to check.
    pub fn is_unlimited(&self) -> bool {
        self.allowed.is_none() && self.sandboxes.is_none()
    }

    /// Returns the path of a repository argument: with sandboxes, `name/directory` or an absolute
    /// path. The caller must still check where it leads.
    pub fn repository_path(&self, given: &str) -> redline_base::error::Result<PathBuf> {
        self.sandboxes
            .as_ref()
            .map_or_else(|| Ok(PathBuf::from(given)), |sandboxes| sandboxes.directory(given))
    }

    /// Returns the reserved name in the path of a directory of a repository beneath the sandboxes'
    /// roots; `None` if one of them has it without such a name, or there are no sandboxes. What is
    /// in a `.git` directory has names of git's.
    fn reserved(&self, path: &Path) -> Option<String> {
        let mut found = None;
        for root in self.sandboxes.as_ref()?.repository_roots() {
            let Ok(below) = path.strip_prefix(root.path) else { continue };
            let names = below.iter().map(|name| name.to_string_lossy());
            let mut names = names.take_while(|name| !name.eq_ignore_ascii_case(".git"));
            found = Some(names.find(|name| is_reserved(name))?.into_owned());
        }
        found
    }

    /// Returns the readable references of a repository with these directories; `None` for all.
    pub fn ref_limit(&self, directories: &[&Path]) -> Option<RefLimit> {
        self.sandboxes.as_ref()?.ref_limit(directories)
    }

    /// Opens a directory from which a repository may be read. If access is limited, it is opened
    /// below its root, without following a link, and so is everything below it later; a path with
    /// links is resolved first. None is opened in a directory of a reserved name.
    pub fn open_directory(&self, path: &Path) -> Result<Directory, OpenError> {
        if self.is_unlimited() {
            return Directory::open(std::path::absolute(path).map_err(OpenError::System)?);
        }
        match walk::find(&self.entrances(), &[], path)? {
            Target::Directory(directory) => match self.reserved(directory.path()) {
                Some(name) => Err(OpenError::Reserved(name)),
                None => Ok(directory),
            },
            Target::Named(_) => Err(OpenError::Outside),
            Target::Other(..) | Target::Missing(_) => Err(OpenError::Absent),
        }
    }

    /// Resolves a path within DuckDB's own limits, `None` if there are none.
    pub(crate) fn find(&self, path: &Path) -> Option<Result<Target, OpenError>> {
        let files = &self.allowed.as_ref()?.files;
        Some(walk::find(&self.entrances(), files, path))
    }

    /// Returns the roots below which repositories may be read, `None` if everything may be read.
    pub fn roots(&self) -> Option<Vec<&Path>> {
        let roots = || self.entrances().into_iter().map(|root| root.path).collect();
        (!self.is_unlimited()).then(roots)
    }

    /// Returns the error of a path that must not be read as a repository; `given` is the user's
    /// path.
    pub fn outside(&self, given: &str) -> Error {
        let refused = |limit| {
            let given = quoted(given);
            format!("the repository at {given} is, or reads from, a directory outside {limit}")
        };
        match &self.sandboxes {
            Some(sandboxes) => sandboxes.refuse_repository(refused("the sandboxes")),
            None => Error::fs_denied(refused("DuckDB's allowed_directories")).with_hint(
                "Give a path as current_setting('allowed_directories') has it, links resolved, or ask the host to add the directory before external access is disabled",
            ),
        }
    }

    /// Returns the roots that a path may enter.
    fn entrances(&self) -> Vec<Entrance<'_>> {
        if let Some(sandboxes) = &self.sandboxes {
            return sandboxes.repository_roots().collect();
        }
        let directories = self.allowed.iter().flat_map(|allowed| &allowed.directories);
        directories.map(|(spelled, path)| Entrance { path, spelled, root: None }).collect()
    }

    /// Tells whether DuckDB may read the files of a directory, by its path without links; also of
    /// one that was made since the settings were read.
    pub(crate) fn lets_duckdb_read(&self, canonical: &Path) -> bool {
        let missing = self.allowed.iter().flat_map(|allowed| &allowed.missing);
        let is_there =
            |made: &PathBuf| made.canonicalize().is_ok_and(|made| canonical.starts_with(made));
        self.is_allowed(canonical) || missing.into_iter().any(is_there)
    }

    /// Tells whether DuckDB's own settings limit what may be read.
    pub(crate) fn is_limited(&self) -> bool {
        self.allowed.is_some()
    }

    pub(crate) fn is_allowed(&self, canonical: &Path) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| {
            allowed.directories.iter().any(|(_, directory)| canonical.starts_with(directory))
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Returns the result of opening a path: the opened directory, or the kind of error.
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

    /// Returns a directory with `one` and `two`, and another one beside both.
    fn two_roots() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["one/repo", "one/deep/er", "two/repo", "out/there"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::fs::write(root.join("one/file"), "").unwrap();
        (temp, root)
    }

    #[test]
    fn no_answer_depends_on_whether_a_directory_outside_exists() {
        let (_temp, root) = two_roots();
        let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
        for (name, target) in [
            ("one/slash", "/"),
            ("one/up", ".."),
            ("one/there-and-back", "../out/there/../../one/repo"),
            ("one/nowhere-and-back", "../out/none/../../one/repo"),
            ("one/far", &at("out/there/../../one/repo")),
            ("one/near", &at("out/none/../../one/repo")),
        ] {
            std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        }
        let json = format!(
            r#"[{{"name":"one","root":"{}"}},{{"name":"two","root":"{}"}}]"#,
            at("one"),
            at("two")
        );
        let directories = [at("one"), at("two")];
        let directories: Vec<&str> = directories.iter().map(String::as_str).collect();
        for access in
            [Access::new(false, &directories), Access::new(true, &[]).within(&json, 1000).unwrap()]
        {
            // `DIR` is an existing directory, and a missing one.
            for (path, found) in [
                ("/proc/self/rootDIR/../../ROOT/one/repo", "Outside"),
                ("/dev/fd/../..DIR/../there", "Outside"),
                ("DIR/../../one/repo", "repo"),
                ("ROOT/one/slashDIR", "Outside"),
                ("ROOT/one/slashDIR/../../one/repo", "repo"),
                ("ROOT/one/slash/proc/self/rootDIR/../../one/repo", "Outside"),
                ("ROOT/one/up/out/../one/repo", "repo"),
                ("ROOT/one/up/none/../one/repo", "repo"),
                ("ROOT/one/there-and-back", "repo"),
                ("ROOT/one/nowhere-and-back", "repo"),
                ("ROOT/one/far", "repo"),
                ("ROOT/one/near", "repo"),
                ("ROOT/one/../two/repo", "repo"),
                ("ROOT/one/repo/../../two/none", "Absent"),
            ] {
                let answers = ["out/there", "out/none"].map(|name| {
                    let path = path.replace("DIR", &at(name)).replace("ROOT", &at(""));
                    opened(&access, Path::new(&path))
                });
                assert_eq!(answers, [found, found], "{path}");
            }
        }
    }

    #[test]
    fn a_path_is_walked_as_the_system_walks_it_beneath_a_root() {
        let (_temp, root) = two_roots();
        let long = "deep/../".repeat(400);
        for (name, target) in [
            ("one/inner", "deep/er"),
            ("one/deep/up", "../repo"),
            ("one/deep/er/two-up", "../../repo"),
            ("one/absolute", root.join("two/repo").to_str().unwrap()),
            ("one/nothing", "none"),
            ("one/to-file", "file"),
            ("one/many", &long),
            ("one/a", "b"),
            ("one/b", "a"),
        ] {
            std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        }
        let roots = ["one", "two"].map(|name| root.join(name).to_str().unwrap().to_owned());
        let access = Access::new(false, &roots.each_ref().map(String::as_str));
        let many = "many/".repeat(30);
        for (path, found) in [
            ("inner", "er"),
            ("inner/..", "deep"),
            ("inner/../up", "repo"),
            ("inner/two-up", "repo"),
            ("deep//./er/", "er"),
            ("absolute", "repo"),
            ("absolute/../../one/deep", "deep"),
            ("none/../repo", "Absent"),
            ("nothing", "Absent"),
            ("file", "Absent"),
            ("file/../repo", "Absent"),
            ("to-file", "Absent"),
            ("a", "Outside"),
            ("many/repo", "repo"),
            // Neither endless links nor endless names.
            (many.as_str(), "Outside"),
        ] {
            assert_eq!(opened(&access, &root.join("one").join(path)), found, "{path}");
        }
    }

    #[test]
    fn a_root_may_be_named_as_the_host_spells_it() {
        let (_temp, root) = two_roots();
        std::os::unix::fs::symlink("one", root.join("link")).unwrap();
        let spelled = root.join("link").to_str().unwrap().to_owned();
        let json = format!(r#"[{{"name":"one","root":"{spelled}"}}]"#);
        for access in
            [Access::new(false, &[&spelled]), Access::new(true, &[]).within(&json, 1000).unwrap()]
        {
            for path in ["link/repo", "one/repo", "link/deep/../repo", "link/../one/repo"] {
                let directory = access.open_directory(&root.join(path)).unwrap();
                assert_eq!(directory.path(), root.join("one/repo"), "{path}");
            }
            assert_eq!(opened(&access, &root.join("link/../two/repo")), "Outside");
        }
        // A link that was not listed is outside.
        let plain = Access::new(false, &[root.join("one").to_str().unwrap()]);
        assert_eq!(opened(&plain, &root.join("link/repo")), "Outside");
    }

    #[test]
    fn an_inner_root_leads_back_to_the_outer_one() {
        let (_temp, root) = two_roots();
        let roots = ["one", "one/deep/er"].map(|name| root.join(name).to_str().unwrap().to_owned());
        let access = Access::new(false, &roots.each_ref().map(String::as_str));
        for (path, found) in [
            ("one/deep/er/../../repo", "repo"),
            ("one/deep/er/..", "deep"),
            ("one/deep/er/../er", "er"),
            ("one/deep/er/../../../two", "Outside"),
        ] {
            assert_eq!(opened(&access, &root.join(path)), found, "{path}");
        }
    }

    /// Endless pseudorandom numbers, the same each time.
    fn numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
        move |below| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % below
        }
    }

    #[test]
    fn random_ways_lead_where_the_system_has_them_and_tell_nothing_of_what_is_outside() {
        let mut number = numbers(7);
        let (mut alike, mut refused) = (0, 0);
        for _ in 0..40 {
            let temp = tempfile::tempdir().unwrap();
            let top = temp.path().canonicalize().unwrap();
            // Directories a, b and c of each other, in the roots and beside them.
            let mut directories = Vec::new();
            for base in ["one", "two", "out"] {
                for path in ["", "a", "a/b", "b", "b/c", "c", "c/a/b"] {
                    std::fs::create_dir_all(top.join(base).join(path)).unwrap();
                    directories.push(top.join(base).join(path));
                }
            }
            let text = |number: &mut dyn FnMut(usize) -> usize| {
                let parts = ["a", "b", "c", "..", "..", "x", "y", "z", "one", "two", "out", "."];
                let start = ["", "", "/", "TOP/one/", "TOP/two/", "TOP/out/", "TOP/"][number(7)];
                let names: Vec<&str> =
                    (0..1 + number(5)).map(|_| parts[number(parts.len())]).collect();
                format!("{}{}", start.replace("TOP", top.to_str().unwrap()), names.join("/"))
            };
            for _ in 0..12 {
                let place = directories[number(directories.len())].join(["x", "y", "z"][number(3)]);
                let _ = std::os::unix::fs::symlink(text(&mut number), place);
            }
            let roots = ["one", "two"].map(|name| top.join(name).to_str().unwrap().to_owned());
            let access = Access::new(false, &roots.each_ref().map(String::as_str));
            let paths: Vec<PathBuf> = (0..200)
                .map(|_| top.join(["one", "two"][number(2)]).join(text(&mut number)))
                .collect();
            let answers = || -> Vec<String> {
                let answer = |path: &PathBuf| match access.open_directory(path) {
                    Ok(directory) => directory.path().to_str().unwrap().to_owned(),
                    Err(error) => format!("{error:?}"),
                };
                paths.iter().map(answer).collect()
            };
            let with = answers();
            for (path, answer) in paths.iter().zip(&with) {
                match path.canonicalize() {
                    // Where the system resolves a path into a root, our walk does too, except
                    // through a link outside.
                    Ok(real) if answer.starts_with('/') => {
                        assert_eq!(Path::new(answer), real, "{}", path.display());
                        alike += 1;
                    }
                    _ if answer.starts_with('/') => {}
                    Ok(real) if roots.iter().any(|root| real.starts_with(root)) => {
                        assert_eq!(answer, "Outside", "{}", path.display());
                    }
                    Ok(_) => {
                        assert_eq!(answer, "Outside", "{}", path.display());
                        refused += 1;
                    }
                    Err(_) => assert!(["Outside", "Absent"].contains(&answer.as_str())),
                }
            }
            std::fs::remove_dir_all(top.join("out")).unwrap();
            assert_eq!(answers(), with);
            std::fs::write(top.join("out"), "").unwrap();
            assert_eq!(answers(), with);
        }
        assert!(alike > 400 && refused > 400, "{alike} {refused}");
    }
}
