//! The setting `redline_sandboxes`: reads its JSON, and opens its roots.

use std::num::NonZero;
use std::path::Path;

use serde::Deserialize;

use crate::open::beneath::Root;
use crate::rules::policy::{ApprovalPolicy, GitGrant, HEADS, Mode, Sandbox};
use crate::rules::ref_limit::RefPattern;
use crate::rules::rel_path::{Pattern, RelPath, obeyed};
use redline_base::error::{Error, Result, quoted, visible};
use redline_base::form::trailer;
use redline_base::limits;

/// Its name.
pub(crate) const SETTING: &str = "redline_sandboxes";
const NAME_BYTES: usize = 64;

/// What may be done to the git directory of a repository.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GitRight {
    /// It is read.
    #[default]
    Read,
    /// Commits are made.
    Commit,
}

/// What becomes of a commit for which git would run a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GitHooks {
    /// It is refused.
    #[default]
    Refuse,
    /// It is made without the program.
    Skip,
}

/// One element of the setting's JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) name: String,
    root: String,
    #[serde(default)]
    mode: Mode,
    suffixes: Option<Vec<String>>,
    max_file_bytes: Option<NonZero<u64>>,
    #[serde(default)]
    read_approval: bool,
    #[serde(default = "asked")]
    write_approval: bool,
    #[serde(default = "asked")]
    edit_approval: bool,
    reserved: Option<Vec<String>>,
    warned: Option<Vec<String>>,
    refs: Option<Vec<String>>,
    #[serde(default)]
    git: GitRight,
    git_branches: Option<Vec<String>>,
    #[serde(default)]
    git_hooks: GitHooks,
    git_trailer: Option<String>,
}

fn asked() -> bool {
    true
}

impl Entry {
    /// Checks the element, and opens its root.
    pub(crate) fn open(
        self,
        index: usize,
        max_read_bytes: u64,
        is_open: impl Fn(&Path) -> bool,
    ) -> Result<Sandbox> {
        if !is_name(&self.name) {
            return Err(wrong(
                index,
                "name",
                &quoted(&self.name),
                "not a name of a sandbox",
                &format!(
                    "Use up to {NAME_BYTES} letters, digits, '_', '-' and '.', a letter, digit or '_' first"
                ),
            ));
        }
        let suffixes = self.suffixes.as_deref().unwrap_or_default();
        if let Some((at, suffix)) =
            suffixes.iter().enumerate().find(|(_, suffix)| !is_suffix(suffix))
        {
            let field = format!("suffixes[{at}]");
            return Err(wrong(
                index,
                &field,
                &quoted(suffix),
                "no suffix",
                "Write it as '.md', with its dot",
            ));
        }
        let reserved = self.reserved.as_deref().map(|texts| {
            let hint = "Give names such as 'CLAUDE.md', '.env*' or '.github/workflows'";
            patterns(index, "reserved", texts, Pattern::parse, ["not a pattern of names", hint])
        });
        let reserved = reserved.transpose()?.unwrap_or_else(obeyed);
        let warned = self.warned.as_deref().map(|texts| {
            let hint = "Give names such as 'deploy.yaml', '*.sql' or 'ci/*'";
            patterns(index, "warned", texts, Pattern::parse, ["not a pattern of names", hint])
        });
        let warned = warned.transpose()?.unwrap_or_default();
        let refs = self.refs.as_deref().map(|texts| {
            let hint = "Give full names such as 'refs/heads/main' or 'refs/tags/*'";
            patterns(index, "refs", texts, RefPattern::parse, ["not a pattern of references", hint])
        });
        let refs = refs.transpose()?;
        let branches = self.git_branches.as_deref().map(|texts| {
            let hint = "Give names of branches such as 'main' or 'agents/*'";
            let parse = |text: &str| RefPattern::parse(&format!("{HEADS}{text}"));
            patterns(index, "git_branches", texts, parse, ["not a pattern of branches", hint])
        });
        if let Some(text) = self.git_trailer.as_ref().filter(|text| trailer(text).is_none()) {
            let hint = "Give a line such as 'Assisted-by: an agent'";
            return Err(wrong(index, "git_trailer", &quoted(text), "not a trailer", hint));
        }
        let git = (self.git == GitRight::Commit).then_some(GitGrant {
            branches: branches.transpose()?,
            skips_hooks: self.git_hooks == GitHooks::Skip,
            trailer: self.git_trailer,
        });
        if cfg!(windows) && (self.mode == Mode::ReadWrite || git.is_some()) {
            let (field, given) = if git.is_some() { ("git", "commit") } else { ("mode", "rw") };
            let hint = "Leave it out: on Windows files and repositories are read";
            return Err(wrong(
                index,
                field,
                &quoted(given),
                "and redline does not write on Windows",
                hint,
            ));
        }
        let bad_root = |what| {
            wrong(index, "root", &quoted(&self.root), what, "Give the absolute path of a directory")
        };
        if !Path::new(&self.root).is_absolute() {
            return Err(bad_root("no absolute path"));
        }
        let not_there = |error: std::io::Error| {
            bad_root("not a directory that can be opened").with_source(error)
        };
        let path = Path::new(&self.root).canonicalize().map_err(not_there)?;
        let root = Root::open(&path).map_err(not_there)?;
        let directory = root.identity().map_err(|error| not_there(error.into()))?;
        let mut identity = Vec::new();
        for field in [self.name.as_bytes(), path.as_os_str().as_encoded_bytes(), &directory[..]] {
            identity.extend_from_slice(&(field.len() as u64).to_be_bytes());
            identity.extend_from_slice(field);
        }
        Ok(Sandbox {
            is_open: is_open(&path),
            name: self.name,
            path,
            spelled: self.root.into(),
            root,
            identity,
            mode: self.mode,
            reserved,
            warned,
            refs,
            git,
            suffixes: self.suffixes,
            max_file_bytes: self
                .max_file_bytes
                .map_or(max_read_bytes, |bytes| bytes.get().min(max_read_bytes)),
            approvals: ApprovalPolicy {
                read: self.read_approval,
                write: self.write_approval,
                edit: self.edit_approval,
            },
        })
    }
}

/// Reads the patterns of a field; `what` and `hint` are for a text that is not a pattern.
fn patterns<T>(
    index: usize,
    field: &str,
    texts: &[String],
    parse: impl Fn(&str) -> Option<T>,
    [what, hint]: [&str; 2],
) -> Result<Vec<T>> {
    if texts.len() > limits::RESERVED_PATTERNS {
        let count = texts.len().to_string();
        return Err(wrong(index, field, &count, "too many patterns", "Give fewer"));
    }
    let read = |(at, text): (usize, &String)| {
        let field = format!("{field}[{at}]");
        parse(text).ok_or_else(|| wrong(index, &field, &quoted(text), what, hint))
    };
    texts.iter().enumerate().map(read).collect()
}

fn is_name(name: &str) -> bool {
    name.len() <= NAME_BYTES
        && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn is_suffix(suffix: &str) -> bool {
    suffix.len() > 1
        && suffix.starts_with('.')
        && RelPath::parse(&format!("x{suffix}")).is_ok()
        && !suffix.contains('/')
}

/// Returns the error of a field.
pub(crate) fn wrong(index: usize, field: &str, given: &str, what: &str, hint: &str) -> Error {
    Error::invalid_args(format!("{SETTING}[{index}].{field} is {given}, {what}")).with_hint(hint)
}

/// `at` is the path of the defect, `.` for the whole.
pub(crate) fn not_readable(at: &str, why: &str) -> Error {
    let at = if at == "." { "" } else { at };
    Error::invalid_args(format!("{SETTING}{} cannot be read: {}", visible(at), visible(why)))
        .with_hint(
            r#"Give JSON such as [{"name": "workspace", "root": "/srv/workspace", "mode": "rw"}]"#,
        )
}
