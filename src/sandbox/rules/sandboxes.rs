//! All named roots: finds the one of a path, and says which there are.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::open::state::id_of;
use crate::open::walk::Entrance;
use crate::rules::policy::{GitGrant, Sandbox};
use crate::rules::ref_limit::RefLimit;
use crate::rules::rel_path::RelPath;
use crate::rules::setting::{Entry, SETTING, not_readable, wrong};
use crate::system::fs::stat;
use redline_base::error::{Error, Result, quoted};

/// Rejects a sandbox that forbids what another allows for the same files: its root is that of the
/// other, or below it. Directories are compared by device and inode, since one can have several
/// paths.
fn check_nested(sandboxes: &[Sandbox]) -> Result<()> {
    if sandboxes.len() < 2 {
        return Ok(());
    }
    let roots = sandboxes.iter().map(|sandbox| directory_of(&sandbox.path));
    let roots = roots.collect::<Result<Vec<_>>>()?;
    for (index, inner) in sandboxes.iter().enumerate() {
        let around = inner.path.ancestors().map(directory_of).collect::<Result<Vec<_>>>()?;
        let others = sandboxes.iter().zip(&roots).enumerate();
        for (_, (outer, root)) in others.filter(|(other, _)| *other != index) {
            if !around.contains(root) {
                continue;
            }
            if let Some(field) = inner.stricter_than(outer) {
                return Err(Error::invalid_args(format!(
                    "{SETTING}[{index}].{field} forbids what the sandbox {} allows, whose root is the same or contains it",
                    quoted(&outer.name)
                ))
                .with_hint("Keep the roots apart, or the inner one no stricter than the outer"));
            }
        }
    }
    Ok(())
}

/// Returns the device and the inode of a directory.
fn directory_of(path: &Path) -> Result<(u64, u64)> {
    let found = stat(path).map_err(|error| {
        Error::tool_failed(format!(
            "the directory {} cannot be inspected",
            quoted(&path.to_string_lossy())
        ))
        .with_source(std::io::Error::from(error))
    })?;
    Ok(id_of(&found))
}

/// All named roots of one execution.
#[derive(Debug)]
pub struct Sandboxes(Vec<Sandbox>);

impl Sandboxes {
    /// Parses the setting and opens its roots. A file may have at most `max_read_bytes`, whatever a
    /// sandbox says; `is_open` tells whether DuckDB's own settings allow reading a directory.
    pub fn open(json: &str, max_read_bytes: u64, is_open: impl Fn(&Path) -> bool) -> Result<Self> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let entries: Vec<Entry> = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| not_readable(&error.path().to_string(), &error.inner().to_string()))?;
        reader.end().map_err(|error| not_readable(".", &error.to_string()))?;
        let mut names = HashSet::new();
        let mut sandboxes = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            if !names.insert(entry.name.to_ascii_lowercase()) {
                return Err(wrong(
                    index,
                    "name",
                    &quoted(&entry.name),
                    "the name of an earlier one",
                    "Names must differ",
                ));
            }
            sandboxes.push(entry.open(index, max_read_bytes, &is_open)?);
        }
        check_nested(&sandboxes)?;
        Ok(Self(sandboxes))
    }

    /// Returns the sandboxes as the setting lists them.
    pub fn iter(&self) -> impl Iterator<Item = &Sandbox> {
        self.0.iter()
    }

    /// Returns the only sandbox, if there is just one.
    pub fn only(&self) -> Option<&Sandbox> {
        match self.0.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the path of a repository argument: `name`, `name/directory`, or an absolute path,
    /// which must be checked after resolving its links.
    pub(crate) fn directory(&self, given: &str) -> Result<PathBuf> {
        if Path::new(given).is_absolute() {
            return Ok(PathBuf::from(given));
        }
        let refuse = |what| self.refuse_repository(what);
        let (sandbox, rest) =
            self.named(given.strip_suffix('/').unwrap_or(given)).map_err(refuse)?;
        let Some(rest) = rest else { return Ok(sandbox.path.clone()) };
        let path = RelPath::parse(rest)
            .map_err(|flaw| refuse(format!("the repository {} {flaw}", quoted(given))))?;
        Ok(sandbox.path.join(path.as_str()))
    }

    /// Returns the roots below which repositories may be read. A root whose reading needs an
    /// approval is not one of them: a diff would show unapproved content.
    pub(crate) fn repository_roots(&self) -> impl Iterator<Item = Entrance<'_>> {
        let readable = self.0.iter().filter(|sandbox| sandbox.reads_freely());
        readable.map(|sandbox| Entrance {
            path: &sandbox.path,
            spelled: &sandbox.spelled,
            root: Some(&sandbox.root),
        })
    }

    /// Returns the readable references of a repository with these directories: the limits of every
    /// sandbox around one of them.
    pub(crate) fn ref_limit(&self, directories: &[&Path]) -> Option<RefLimit> {
        let around = self.0.iter().filter(|sandbox| {
            directories.iter().any(|directory| directory.starts_with(&sandbox.path))
        });
        RefLimit::of(around.filter_map(|sandbox| sandbox.refs.as_deref()))
    }

    /// Returns the sandbox of a repository that may be committed to, and its right; its directories
    /// are all beneath the same root.
    ///
    /// # Errors
    /// `fs_denied` without that right.
    pub fn committable(&self, given: &str, directories: &[&Path]) -> Result<(&Sandbox, &GitGrant)> {
        let around = |directory: &&Path| {
            let beneath = self.0.iter().filter(|sandbox| directory.starts_with(&sandbox.path));
            beneath.max_by_key(|sandbox| sandbox.path.as_os_str().len())
        };
        let mut found = directories.iter().map(around);
        let first = found.next().flatten();
        let sandbox = first.filter(|first| {
            let is_first =
                |other: Option<&Sandbox>| other.is_some_and(|it| std::ptr::eq(it, *first));
            found.all(is_first)
        });
        let Some(sandbox) = sandbox else {
            return Err(self.refuse(format!(
                "the repository {} is not whole beneath the root of one sandbox",
                quoted(given)
            )));
        };
        sandbox.git().map(|grant| (sandbox, grant)).ok_or_else(|| {
            Error::fs_denied(format!("the sandbox {} does not let git be written", quoted(&sandbox.name)))
                .with_hint("The host allows commits with \"mode\": \"rw\" and \"git\": \"commit\" in redline_sandboxes")
        })
    }

    /// Returns the sandbox at the start of a path and the rest after it; or the defect. A path may
    /// start with the name of a sandbox, with an optional slash before it, or with the path of a
    /// root, of which the longest matches. Only the text is parsed: no file is accessed.
    pub(crate) fn named<'a>(
        &self,
        given: &'a str,
    ) -> std::result::Result<(&Sandbox, Option<&'a str>), String> {
        if let Some((sandbox, rest)) = self.beneath_root(given) {
            return Ok((sandbox, Some(rest).filter(|rest| !rest.is_empty())));
        }
        let given = given.strip_prefix('/').unwrap_or(given);
        let (name, rest) =
            given.split_once('/').map_or((given, None), |(name, rest)| (name, Some(rest)));
        match self.0.iter().find(|sandbox| sandbox.name == name) {
            Some(sandbox) if sandbox.is_open => Ok((sandbox, rest)),
            Some(_) => {
                Err(format!("the sandbox {} is outside DuckDB's allowed_directories", quoted(name)))
            }
            None => Err(format!("{} does not start with the name of a sandbox", quoted(given))),
        }
    }

    /// Tells whether an absolute path is that of a root, or below one.
    pub fn are_above(&self, path: &str) -> bool {
        self.beneath_root(path).is_some()
    }

    /// Returns the sandbox with the longest root above an absolute path, and the path from there.
    fn beneath_root<'a>(&self, given: &'a str) -> Option<(&Sandbox, &'a str)> {
        let open = self.0.iter().filter(|sandbox| sandbox.is_open);
        let beneath = open.filter_map(|sandbox| {
            let rest = given.strip_prefix(sandbox.path.to_str()?)?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| (sandbox, rest.trim_start_matches('/')))
        });
        beneath.min_by_key(|(_, rest)| rest.len())
    }

    /// Returns a refusal with the readable sandboxes.
    pub(crate) fn refuse(&self, message: String) -> Error {
        Error::fs_denied(message).with_hint(self.readable())
    }

    /// Returns a refusal with the sandboxes of repositories.
    pub(crate) fn refuse_repository(&self, message: String) -> Error {
        let listed = self.listed("Repositories are readable", |sandbox| {
            sandbox.reads_freely().then(|| format!("{}/", sandbox.name))
        });
        Error::fs_denied(message).with_hint(listed)
    }

    /// Returns one sentence that lists the readable sandboxes.
    pub fn readable(&self) -> String {
        self.listed("Readable", |sandbox| sandbox.is_open.then(|| sandbox.to_string()))
    }

    /// Returns one sentence that lists the writable sandboxes.
    pub fn writable(&self) -> String {
        self.listed("Writable", |sandbox| sandbox.is_writable().then(|| sandbox.to_string()))
    }

    fn listed(&self, what: &str, shown: impl Fn(&Sandbox) -> Option<String>) -> String {
        let listed: Vec<String> = self.0.iter().filter_map(shown).collect();
        match listed.as_slice() {
            [] => format!("{what} beneath: nothing; ask the host to add a sandbox to {SETTING}"),
            listed => format!("{what} beneath: {}", listed.join(", ")),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::rules::policy::ApprovalPolicy;

    fn open(json: &str) -> Result<Sandboxes> {
        Sandboxes::open(json, 4000, |_| true)
    }

    // Promise (sandbox): An invalid setting allows nothing. With
    // `test_an_empty_or_invalid_setting_allows_nothing`.
    #[test]
    fn a_wrong_setting_is_refused_with_its_place() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().to_str().unwrap();
        std::fs::create_dir_all(temp.path().join("in/deep")).unwrap();
        std::fs::write(temp.path().join("file"), "").unwrap();
        std::os::unix::fs::symlink("in", temp.path().join("link")).unwrap();
        let good = format!(r#"{{"name":"a","root":"{root}"}}"#);
        // A sandbox with one field added or changed, and the words that the error must contain.
        let table = [
            ("", "redline_sandboxes cannot be read: EOF"),
            ("{}", "redline_sandboxes cannot be read: invalid type: map, expected a sequence"),
            ("null", "redline_sandboxes cannot be read: invalid type: null"),
            ("[] []", "redline_sandboxes cannot be read: trailing characters"),
            ("[GOOD", "redline_sandboxes cannot be read: EOF"),
            ("[GOOD, 1]", "redline_sandboxes[1] cannot be read: invalid type: integer"),
            ("[{}]", "redline_sandboxes[0] cannot be read: missing field `name`"),
            (r#"[{"name":"a"}]"#, "redline_sandboxes[0] cannot be read: missing field `root`"),
            (
                r#"[GOOD,{"name":"b","root":"ROOT","mode":"rx"}]"#,
                "redline_sandboxes[1].mode cannot be read: unknown variant `rx`, expected `ro` or `rw`",
            ),
            (
                r#"[{"name":"b","root":"ROOT","mode":null}]"#,
                "redline_sandboxes[0].mode cannot be read",
            ),
            (
                r#"[{"name":"b","root":"ROOT","mods":"ro"}]"#,
                "redline_sandboxes[0].mods cannot be read: unknown field `mods`",
            ),
            (
                r#"[{"name":"b","root":"ROOT","mode":"ro","mode":"rw"}]"#,
                "redline_sandboxes[0] cannot be read: duplicate field `mode`",
            ),
            (
                r#"[{"name":"b","root":1}]"#,
                "redline_sandboxes[0].root cannot be read: invalid type: integer",
            ),
            (
                r#"[{"name":"b","root":"ROOT","read_approval":"no"}]"#,
                "redline_sandboxes[0].read_approval cannot be read",
            ),
            (
                r#"[{"name":"b","root":"ROOT","write_approval":0}]"#,
                "redline_sandboxes[0].write_approval cannot be read",
            ),
            (
                r#"[{"name":"b","root":"ROOT","max_file_bytes":0}]"#,
                "redline_sandboxes[0].max_file_bytes cannot be read",
            ),
            (
                r#"[{"name":"b","root":"ROOT","max_file_bytes":-1}]"#,
                "redline_sandboxes[0].max_file_bytes cannot be read",
            ),
            (
                r#"[{"name":"b","root":"ROOT","max_file_bytes":1.5}]"#,
                "redline_sandboxes[0].max_file_bytes cannot be read",
            ),
            (
                r#"[{"name":"b","root":"ROOT","suffixes":".md"}]"#,
                "redline_sandboxes[0].suffixes cannot be read",
            ),
            (
                r#"[{"name":"b","root":"ROOT","suffixes":[".md",1]}]"#,
                "redline_sandboxes[0].suffixes[1] cannot be read",
            ),
            (
                r#"[{"name":"b","root":"ROOT","suffixes":[".md","md"]}]"#,
                "redline_sandboxes[0].suffixes[1] is 'md', no suffix",
            ),
            (
                r#"[{"name":"b","root":"ROOT","suffixes":["."]}]"#,
                "redline_sandboxes[0].suffixes[0] is '.', no suffix",
            ),
            (
                r#"[{"name":"b","root":"ROOT","suffixes":["./x"]}]"#,
                "redline_sandboxes[0].suffixes[0] is './x', no suffix",
            ),
            (r#"[GOOD,GOOD]"#, "redline_sandboxes[1].name is 'a', the name of an earlier one"),
            (
                r#"[GOOD,{"name":"A","root":"ROOT"}]"#,
                "redline_sandboxes[1].name is 'A', the name of an earlier one",
            ),
            (r#"[{"name":"","root":"ROOT"}]"#, "redline_sandboxes[0].name is '', not a name"),
            (r#"[{"name":"a/b","root":"ROOT"}]"#, "redline_sandboxes[0].name is 'a/b', not a name"),
            (r#"[{"name":"..","root":"ROOT"}]"#, "redline_sandboxes[0].name is '..', not a name"),
            (
                r#"[{"name":".git","root":"ROOT"}]"#,
                "redline_sandboxes[0].name is '.git', not a name",
            ),
            (r#"[{"name":"-a","root":"ROOT"}]"#, "redline_sandboxes[0].name is '-a', not a name"),
            (r#"[{"name":"a b","root":"ROOT"}]"#, "redline_sandboxes[0].name is 'a b', not a name"),
            (r#"[{"name":"C:","root":"ROOT"}]"#, "redline_sandboxes[0].name is 'C:', not a name"),
            (
                r#"[{"name":"a\u202e","root":"ROOT"}]"#,
                r"redline_sandboxes[0].name is 'a\u{202e}', not a name",
            ),
            (r#"[{"name":"b","root":""}]"#, "redline_sandboxes[0].root is '', no absolute path"),
            (
                r#"[{"name":"b","root":"relative"}]"#,
                "redline_sandboxes[0].root is 'relative', no absolute path",
            ),
            (
                r#"[{"name":"b","root":"~/x"}]"#,
                "redline_sandboxes[0].root is '~/x', no absolute path",
            ),
            (r#"[{"name":"b","root":"ROOT/missing"}]"#, "not a directory that can be opened"),
            (r#"[{"name":"b","root":"ROOT/file"}]"#, "not a directory that can be opened"),
            (r#"[{"name":"b","root":"ROOT/a\u0000b"}]"#, "not a directory that can be opened"),
            (
                r#"[{"name":"b","root":"ROOT/in"},{"name":"c","root":"ROOT","mode":"rw"}]"#,
                "redline_sandboxes[0].mode forbids what the sandbox 'c' allows",
            ),
            (
                r#"[GOOD,{"name":"c","root":"ROOT/in","suffixes":[".md"]}]"#,
                "redline_sandboxes[1].suffixes forbids",
            ),
            (
                r#"[GOOD,{"name":"c","root":"ROOT/in/deep","read_approval":true}]"#,
                "redline_sandboxes[1].read_approval forbids",
            ),
            (
                r#"[{"name":"b","root":"ROOT","mode":"rw","edit_approval":false},{"name":"c","root":"ROOT/in","mode":"rw"}]"#,
                "redline_sandboxes[1].edit_approval forbids",
            ),
            (
                r#"[GOOD,{"name":"c","root":"ROOT","read_approval":true}]"#,
                "redline_sandboxes[1].read_approval forbids what the sandbox 'a' allows, whose root is the same",
            ),
            (
                r#"[{"name":"b","root":"ROOT/link","read_approval":true},{"name":"c","root":"ROOT/in"}]"#,
                "redline_sandboxes[0].read_approval forbids",
            ),
            (
                r#"[GOOD,{"name":"c","root":"ROOT/in","max_file_bytes":10}]"#,
                "redline_sandboxes[1].max_file_bytes forbids",
            ),
            (
                r#"[{"name":"b","root":"ROOT","mode":"rw"},{"name":"c","root":"ROOT/in","mode":"rw","reserved":["*.sql"]}]"#,
                "redline_sandboxes[1].reserved forbids",
            ),
        ];
        assert!(open(&format!("[{good}]")).is_ok());
        for (json, words) in table {
            let json = json.replace("GOOD", &good).replace("ROOT", root);
            let error = open(&json).expect_err(&json).to_string();
            assert!(error.starts_with("invalid_args: redline_sandboxes"), "{error}");
            assert!(error.contains(words), "{words}: {error}");
        }
    }

    #[test]
    fn what_the_setting_leaves_out_is_the_safe_choice() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().to_str().unwrap();
        let sandboxes = open(&format!(r#"[{{"name":"a","root":"{root}"}}]"#)).unwrap();
        let sandbox = &sandboxes.0[0];
        assert!(!sandbox.is_writable());
        assert_eq!(sandbox.approvals, ApprovalPolicy { read: false, write: true, edit: true });
        assert_eq!(sandbox.max_file_bytes, 4000);
        assert!(sandbox.allows_name("anything"));
        assert_eq!(sandboxes.readable(), "Readable beneath: a/ (ro, up to 4000 bytes)");
        assert!(sandboxes.writable().starts_with("Writable beneath: nothing"));
    }

    #[test]
    fn a_sandbox_does_not_lift_the_limits_of_the_host() {
        let temp = tempfile::tempdir().unwrap();
        let [large, small] = ["large", "small"].map(|name| temp.path().join(name));
        [&large, &small].into_iter().for_each(|root| std::fs::create_dir(root).unwrap());
        let (large, small) = (large.display(), small.display());
        let json = format!(
            r#"[{{"name":"a","root":"{large}","mode":"rw","max_file_bytes":100000}},{{"name":"b","root":"{small}","max_file_bytes":10}}]"#
        );
        let limits = |sandboxes: &Sandboxes| [0, 1].map(|index| sandboxes.0[index].max_file_bytes);
        assert_eq!(limits(&open(&json).unwrap()), [4000, 10]);
        let closed = Sandboxes::open(&json, 4000, |_| false).unwrap();
        assert!(!closed.0[0].is_writable());
        assert!(
            closed
                .resolve("a/file")
                .is_err_and(|error| error.to_string().contains("allowed_directories"))
        );
        assert!(closed.repository_roots().next().is_none());
    }

    #[test]
    fn a_suffix_is_matched_only_at_the_end_of_a_name() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().to_str().unwrap();
        let json = format!(r#"[{{"name":"a","root":"{root}","suffixes":[".md",".tar.gz"]}}]"#);
        let sandboxes = open(&json).unwrap();
        for (name, allowed) in [
            ("a.md", true),
            ("A.MD", true),
            ("x.tar.gz", true),
            ("a.md.exe", false),
            ("amd", false),
            (".md", false),
            ("md", false),
            ("é", false),
            ("", false),
            ("a.gz", false),
        ] {
            assert_eq!(sandboxes.0[0].allows_name(name), allowed, "{name}");
        }
        assert_eq!(
            sandboxes.readable(),
            "Readable beneath: a/ (ro, only *.md *.tar.gz, up to 4000 bytes)"
        );
    }

    #[test]
    fn an_empty_list_allows_nothing() {
        let none = open("[]").unwrap();
        assert!(
            none.resolve("a/file")
                .is_err_and(|error| error.to_string().contains("Readable beneath: nothing"))
        );
        assert!(none.directory("a").is_err() && none.repository_roots().next().is_none());
    }
}
