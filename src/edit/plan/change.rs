//! The files that a call changes, each with its two sides. Digests, approvals, payloads, the
//! journal and the writer take this type alone, so that none of them can leave out a permission.

/// The permission bits that make a file executable.
const EXECUTE: u32 = 0o111;

/// The mode of a new file, as git names it: kind and permissions.
const PLAIN: u32 = 0o100_644;
/// The mode of a new program.
const PROGRAM: u32 = 0o100_755;

/// What a file holds, and how it may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side<'a> {
    /// Its content.
    pub content: &'a [u8],
    /// Its kind and its permissions.
    pub mode: u32,
    /// The git blob id of its content.
    pub oid: &'a str,
}

impl Side<'_> {
    /// Tells whether the file may be run by anybody.
    pub const fn is_executable(self) -> bool {
        is_executable(self.mode)
    }
}

/// Tells whether a mode lets anybody run the file.
pub const fn is_executable(mode: u32) -> bool {
    mode & EXECUTE != 0
}

/// Returns the mode of a file that had the mode `before`, if it is to be executable or not: its own
/// if that is so already, otherwise git's for a file of that kind.
pub fn mode_after(before: Option<u32>, executable: Option<bool>) -> u32 {
    let was = before.map(is_executable);
    match (before, executable.or(was).unwrap_or(false)) {
        (Some(mode), wanted) if was == Some(wanted) => mode,
        (_, true) => PROGRAM,
        (_, false) => PLAIN,
    }
}

/// A file before and after a call; a missing side is no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedFile<'a> {
    /// The path beneath the root, after the change where the file moves.
    pub path: &'a str,
    /// The path before, of a file that moves.
    pub old_path: Option<&'a str>,
    /// The file as it is.
    pub before: Option<Side<'a>>,
    /// The file as it is to be.
    pub after: Option<Side<'a>>,
}

impl<'a> ChangedFile<'a> {
    /// Tells whether the file stays as it is.
    pub fn is_unchanged(&self) -> bool {
        self.old_path.is_none() && self.before == self.after
    }

    /// Returns `create`, `update`, `delete` or `mode`: what becomes of the file at its place.
    pub fn kind(&self) -> &'static str {
        match (self.before, self.after) {
            (None, _) => "create",
            (_, None) => "delete",
            (Some(before), Some(after)) if before.oid == after.oid => "mode",
            _ => "update",
        }
    }

    /// Tells whether only the content of a file changes that exists, stays where it is, and cannot
    /// be run.
    fn is_of_content(&self) -> bool {
        matches!((self.old_path, self.before, self.after), (None, Some(before), Some(after))
            if before.mode == after.mode && !before.is_executable())
    }

    /// Returns the file at each path that it changes, before and after: a moved file leaves one
    /// path and appears at another.
    pub(crate) fn at_paths(&self) -> impl Iterator<Item = (&'a str, [Option<Side<'a>>; 2])> {
        let here = match self.old_path {
            Some(_) => [None, self.after],
            None => [self.before, self.after],
        };
        let left = self.old_path.map(|old| (old, [self.before, None]));
        left.into_iter().chain(std::iter::once((self.path, here)))
    }
}

/// The files that one call changes: all of them, or none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeSet<'a>(pub Vec<ChangedFile<'a>>);

impl ChangeSet<'_> {
    /// Tells whether all files stay as they are.
    pub fn is_unchanged(&self) -> bool {
        self.0.iter().all(ChangedFile::is_unchanged)
    }

    /// Tells whether an approval of a scope wider than `once` may cover it: only contents of
    /// existing files change. What creates, deletes or moves a file, changes a permission or writes
    /// a program is asked about each time.
    pub fn is_of_contents(&self) -> bool {
        self.0.iter().all(ChangedFile::is_of_content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn side(content: &[u8], mode: u32) -> Option<Side<'_>> {
        Some(Side { content, mode, oid: "" })
    }

    #[test]
    fn only_the_content_of_a_file_that_exists_is_covered_by_a_wide_scope() {
        let one = ChangedFile {
            path: "a",
            old_path: None,
            before: side(b"old", PLAIN),
            after: side(b"new", PLAIN),
        };
        assert!(ChangeSet(vec![one]).is_of_contents());
        for other in [
            ChangedFile { before: None, ..one },
            ChangedFile { after: None, ..one },
            ChangedFile { old_path: Some("b"), ..one },
            ChangedFile { after: side(b"new", PROGRAM), ..one },
            ChangedFile { before: side(b"old", PROGRAM), ..one },
            ChangedFile { before: side(b"old", PROGRAM), after: side(b"new", PROGRAM), ..one },
            ChangedFile { after: side(b"new", 0o100_600), ..one },
        ] {
            assert!(!ChangeSet(vec![one, other]).is_of_contents(), "{other:?}");
        }
    }

    #[test]
    fn a_mode_stays_unless_the_right_to_run_changes() {
        for (before, wanted, after) in [
            (Some(0o100_751), None, 0o100_751),
            (Some(0o100_751), Some(true), 0o100_751),
            (Some(0o100_751), Some(false), PLAIN),
            (Some(0o100_600), Some(false), 0o100_600),
            (Some(0o100_600), Some(true), PROGRAM),
            (None, None, PLAIN),
            (None, Some(true), PROGRAM),
        ] {
            assert_eq!(mode_after(before, wanted), after, "{before:?} {wanted:?}");
        }
    }
}
