//! Reads the header lines before the hunks of a file.

use redline_base::budget::Joined;
use std::borrow::Cow;

use super::super::lines::without_cr;
use super::error::{PatchError, excerpt, excerpt_or_end};
use super::lines::{Line, LineCursor};
use super::path::{self, Name, name_and_rest};
use super::time::time_start;
use super::values::{index, malformed, octal, oid, percent};
use super::work::Work;
use super::{FilePatch, PatchStatus};

/// The first bytes of a file in a git diff.
pub(super) const GIT: &[u8] = b"diff --git ";

/// A `---` or `+++` line: the name, and the TAB or blanks and time after it.
#[derive(Clone, Debug)]
pub(super) struct Side<'a> {
    pub name: Name<'a>,
    pub rest: &'a [u8],
}

/// The names in the `diff --git` line of a git diff.
#[derive(Clone, Debug)]
pub(super) struct GitNames<'a> {
    pub old: Name<'a>,
    pub new: Name<'a>,
    /// The bytes of each name's prefix.
    pub prefixes: (usize, usize),
}

/// The lines of a git header, as written.
#[derive(Clone, Debug, Default)]
pub(super) struct GitHeader<'a> {
    pub old_mode: Option<u32>,
    pub new_mode: Option<u32>,
    pub added_mode: Option<u32>,
    pub deleted_mode: Option<u32>,
    /// `similarity` or `dissimilarity`, and its percentage.
    pub likeness: Option<(&'static str, u8)>,
    /// `rename` or `copy`.
    pub transfer: Option<&'static str>,
    pub from: Option<Name<'a>>,
    pub to: Option<Name<'a>>,
    /// The two ids and the mode of an `index` line.
    pub index: Option<(&'a str, &'a str, Option<u32>)>,
    pub minus: Option<Side<'a>>,
    pub plus: Option<Side<'a>>,
}

/// The header of a file, from which [`reverse`](super::reverse()) prints the reversed one.
#[derive(Clone, Debug)]
pub(super) enum Header<'a> {
    Git(GitNames<'a>, Box<GitHeader<'a>>),
    Plain(Side<'a>, Side<'a>),
    /// `Binary files … and … differ` outside a git diff.
    PlainBinary(Name<'a>, Name<'a>),
    /// Hunks at the start of the patch, without a header.
    Bare,
}

/// Reads a `---` or `+++` line that the caller has recognised.
pub(super) fn side<'a>(line: &Line<'a>, quoted: bool) -> Result<Side<'a>, PatchError> {
    let text = line.text.get(3..).unwrap_or_default();
    let text = without_cr(text.strip_prefix(b" ").unwrap_or(text));
    match name_and_rest(text) {
        Some((name, rest)) if quoted || text.starts_with(b"\"") => Ok(Side { name, rest }),
        None if quoted => Err(malformed(line, "a file name, quoted as git does")),
        // Outside git, a name may contain a quote, and blanks may separate its time.
        _ => {
            let tab = text.iter().position(|&byte| byte == b'\t');
            let end = path::dev_null_end(text).or(tab).or_else(|| time_start(text));
            let (raw, rest) = text.split_at(end.unwrap_or(text.len()));
            let name = Name::bare(raw);
            Ok(Side { name, rest })
        }
    }
}

/// Reads the header whose `diff --git` line is `head`, which the caller has taken.
pub(super) fn git<'a>(
    head: &Line<'a>,
    lines: &mut LineCursor<'a>,
    work: &mut Work<'_>,
) -> Result<(GitNames<'a>, GitHeader<'a>), PatchError> {
    let mut header = GitHeader::default();
    while let Some(line) = lines.peek() {
        work.line(line.text)?;
        if !header.take(&line)? {
            break;
        }
        lines.next();
        if header.plus.is_some() {
            break;
        }
    }
    let half = if header.minus.is_some() != header.plus.is_some() {
        Some("a `+++` line after the `---` line")
    } else if header.old_mode.is_some() != header.new_mode.is_some() {
        Some("both an `old mode` and a `new mode` line before it")
    } else {
        None
    };
    if let Some(expected) = half {
        return Err(PatchError::Header {
            line: lines.number(),
            found: excerpt_or_end(lines.peek().map(|line| line.text)),
            expected,
        });
    }
    let names = header.names(head)?;
    Ok((names, header))
}

impl<'a> GitHeader<'a> {
    /// Takes one line; returns false if it is not a line of a git header.
    fn take(&mut self, line: &Line<'a>) -> Result<bool, PatchError> {
        let text = line.header();
        let is = |start: &str| text.strip_prefix(start.as_bytes());
        if let Some(mode) = is("old mode ") {
            self.old_mode = Some(octal(mode, line)?);
        } else if let Some(mode) = is("new mode ") {
            self.new_mode = Some(octal(mode, line)?);
        } else if let Some(mode) = is("deleted file mode ") {
            self.deleted_mode = Some(octal(mode, line)?);
        } else if let Some(mode) = is("new file mode ") {
            self.added_mode = Some(octal(mode, line)?);
        } else if let Some(name) = is("rename from ") {
            self.from = Some(self.transfer(line, "rename", name)?);
        } else if let Some(name) = is("rename to ") {
            self.to = Some(self.transfer(line, "rename", name)?);
        } else if let Some(name) = is("copy from ") {
            self.from = Some(self.transfer(line, "copy", name)?);
        } else if let Some(name) = is("copy to ") {
            self.to = Some(self.transfer(line, "copy", name)?);
        } else if let Some(value) = is("similarity index ") {
            self.likeness = Some(("similarity", percent(value, line)?));
        } else if let Some(value) = is("dissimilarity index ") {
            self.likeness = Some(("dissimilarity", percent(value, line)?));
        } else if let Some(value) = is("index ") {
            self.index = Some(index(value).ok_or_else(|| {
                malformed(line, "`index <hex>..<hex>`, with or without an octal mode after it")
            })?);
        } else if is("--- ").is_some() {
            self.minus = Some(side(line, true)?);
        } else if is("+++ ").is_some() && self.minus.is_some() {
            self.plus = Some(side(line, true)?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn transfer(
        &mut self,
        line: &Line<'a>,
        kind: &'static str,
        raw: &'a [u8],
    ) -> Result<Name<'a>, PatchError> {
        let name = path::name(raw).filter(|_| self.transfer.is_none_or(|k| k == kind));
        self.transfer = Some(kind);
        name.ok_or_else(|| malformed(line, "a pair of `from` and `to` lines with quoted names"))
    }

    /// Finds the names in the `diff --git` line, with the help of the other lines.
    fn names(&self, head: &Line<'a>) -> Result<GitNames<'a>, PatchError> {
        let wrong =
            |reason| PatchError::Names { line: head.number, found: excerpt(head.text), reason };
        let text = head.header().get(GIT.len()..).unwrap_or_default();
        let minus = self.minus.as_ref().map(|side| &side.name);
        let plus = self.plus.as_ref().map(|side| &side.name);
        let minus = minus.filter(|name| !name.is_dev_null());
        let plus = plus.filter(|name| !name.is_dev_null());
        // Names with spaces are ambiguous in this line alone; the lines below may state them.
        let told = minus
            .and_then(|old| Some((old.clone(), text.strip_prefix(old.raw)?.strip_prefix(b" ")?)))
            .and_then(|(old, new)| Some((old, path::name(new)?)))
            .or_else(|| {
                let new = plus?;
                let old = text.strip_suffix(new.raw)?.strip_suffix(b" ")?;
                Some((path::name(old)?, new.clone()))
            })
            .or_else(|| self.transferred_names(text))
            .or_else(|| path::two_names(text, b" "));
        let (old, new) = told.ok_or_else(|| wrong("it does not hold two names of one file"))?;
        if minus.is_some_and(|name| name.path != old.path)
            || plus.is_some_and(|name| name.path != new.path)
        {
            return Err(wrong("the `---` and `+++` lines have other names"));
        }
        let prefixes = match (&self.from, &self.to) {
            (Some(from), Some(to)) => {
                let prefix = |name: &Name<'_>, path: &Name<'_>| {
                    name.path.strip_suffix(&*path.path).map(<[u8]>::len)
                };
                prefix(&old, from)
                    .zip(prefix(&new, to))
                    .ok_or_else(|| wrong("the `from` and `to` lines have other names"))?
            }
            (None, None) => path::prefix_lengths(&old.path, &new.path),
            _ => return Err(wrong("one of the `from` and `to` lines is missing")),
        };
        Ok(GitNames { old, new, prefixes })
    }

    /// Splits the names of a rename or copy at the ends that its `from` and `to` lines state.
    fn transferred_names(&self, text: &'a [u8]) -> Option<(Name<'a>, Name<'a>)> {
        let (from, to) = (self.from.as_ref()?, self.to.as_ref()?);
        if text.len() > path::MAX_BYTES {
            return None;
        }
        let is_space = |at: usize| text.get(at) == Some(&b' ');
        // The prefixes have only a few bytes, so the split is near the end of one `from`.
        let cuts = (from.raw.len()..text.len()).filter(|&at| is_space(at)).take(64);
        cuts.filter_map(|at| {
            let old = path::name(text.get(..at)?)?;
            let new = path::name(text.get(at + 1..)?)?;
            Some((old, new))
        })
        .find(|(old, new)| old.path.ends_with(&from.path) && new.path.ends_with(&to.path))
    }

    /// Returns the file that the header describes, without hunks.
    pub fn file(&self, names: &GitNames<'a>, line: u32) -> Result<FilePatch<'a>, PatchError> {
        let is_missing = |side: &Option<Side<'_>>| side.as_ref().map(|s| s.name.is_dev_null());
        let (old_is_missing, new_is_missing) = (is_missing(&self.minus), is_missing(&self.plus));
        let added = self.added_mode.is_some() || old_is_missing == Some(true);
        let deleted = self.deleted_mode.is_some() || new_is_missing == Some(true);
        if (added && (deleted || old_is_missing == Some(false)))
            || (deleted && new_is_missing == Some(false))
            || ((added || deleted) && self.transfer.is_some())
        {
            return Err(PatchError::Names {
                line,
                found: excerpt(&[GIT, names.old.raw, b" ", names.new.raw].chained()),
                reason: "the header says both that a side is missing and that it is there",
            });
        }
        let index_mode = self.index.and_then(|(_, _, mode)| mode);
        let old_mode = self.old_mode.or(self.deleted_mode).or(index_mode);
        let new_mode = self.new_mode.or(self.added_mode).or(index_mode);
        let old_mode = old_mode.filter(|_| !added);
        let new_mode = new_mode.filter(|_| !deleted);
        let kind = |mode: u32| mode >> 12;
        let status = match (added, deleted, self.transfer) {
            (true, ..) => PatchStatus::Added,
            (_, true, _) => PatchStatus::Deleted,
            (.., Some("copy")) => PatchStatus::Copied,
            (.., Some(_)) => PatchStatus::Renamed,
            _ if old_mode.map(kind) != new_mode.map(kind)
                && old_mode.is_some()
                && new_mode.is_some() =>
            {
                PatchStatus::TypeChanged
            }
            _ => PatchStatus::Modified,
        };
        Ok(FilePatch {
            old_path: (!added).then(|| names.old.without_prefix(names.prefixes.0)),
            new_path: (!deleted).then(|| names.new.without_prefix(names.prefixes.1)),
            old_mode,
            new_mode,
            old_oid: self.index.and_then(|(old, ..)| oid(old)),
            new_oid: self.index.and_then(|(_, new, _)| oid(new)),
            similarity: self.likeness.map(|(kind, value)| match kind {
                "similarity" => value,
                _ => 100 - value,
            }),
            ..empty_file(status, line)
        })
    }

    /// Tells whether the header states a change without any hunk.
    pub fn states_change(&self) -> bool {
        self.plus.is_none()
            && (self.old_mode.is_some()
                || self.added_mode.is_some()
                || self.deleted_mode.is_some()
                || self.transfer.is_some()
                || self.index.is_some())
    }
}

/// Returns a file with only its status and its line.
pub(super) fn empty_file<'a>(status: PatchStatus, line: u32) -> FilePatch<'a> {
    FilePatch {
        old_path: (status != PatchStatus::Added).then_some(Cow::Borrowed(b"")),
        new_path: (status != PatchStatus::Deleted).then_some(Cow::Borrowed(b"")),
        status,
        old_mode: None,
        new_mode: None,
        old_oid: None,
        new_oid: None,
        similarity: None,
        is_binary: false,
        binary_patch: None,
        hunks: Vec::new(),
        line,
    }
}
