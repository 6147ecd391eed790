//! A changed file: the data of a row.

use std::fmt;

use crate::Oid;

/// The mode of an entry in git's canonical form: 100644, 100755, 120000, 160000 or 040000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mode(u32);

impl Mode {
    const KIND: u32 = 0o170_000;
    const DIRECTORY: u32 = 0o040_000;
    const REGULAR: u32 = 0o100_000;
    const LINK: u32 = 0o120_000;
    const SUBMODULE: u32 = 0o160_000;
    const OWNER_EXECUTES: u32 = 0o100;

    /// Returns the mode of a regular file, executable by its owner or not.
    pub fn regular(executable: bool) -> Self {
        Self(Self::REGULAR | if executable { 0o755 } else { 0o644 })
    }

    /// Returns the mode of a symbolic link.
    pub fn link() -> Self {
        Self(Self::LINK)
    }

    /// Returns the mode of a submodule.
    pub fn submodule() -> Self {
        Self(Self::SUBMODULE)
    }

    /// Returns git's canonical form of a stored mode: two kinds of files, links and directories;
    /// anything else is a submodule.
    pub fn canonical(stored: u32) -> Self {
        Self(match stored & Self::KIND {
            Self::REGULAR => return Self::regular(stored & Self::OWNER_EXECUTES != 0),
            Self::LINK => Self::LINK,
            Self::DIRECTORY => Self::DIRECTORY,
            _ => Self::SUBMODULE,
        })
    }

    /// Returns the number that trees and the index store.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Tells whether the entry is a directory.
    pub fn is_directory(self) -> bool {
        self.0 == Self::DIRECTORY
    }

    /// Tells whether the entry is a regular file, executable or not.
    pub fn is_regular(self) -> bool {
        self.0 & Self::KIND == Self::REGULAR
    }

    /// Tells whether the entry is a symbolic link.
    pub fn is_link(self) -> bool {
        self.0 == Self::LINK
    }

    /// Tells whether the entry is a submodule.
    pub fn is_submodule(self) -> bool {
        self.0 == Self::SUBMODULE
    }

    /// Returns the name of the entry's kind in SQL.
    pub fn kind_name(self) -> &'static str {
        if self.is_regular() {
            if self == Self::regular(true) { "executable" } else { "file" }
        } else if self.is_link() {
            "symlink"
        } else {
            "submodule"
        }
    }

    /// Tells whether both are of one kind: files, links or submodules.
    pub(crate) fn is_kind_of(self, other: Self) -> bool {
        self.0 & Self::KIND == other.0 & Self::KIND
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06o}", self.0)
    }
}

/// One side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The file's mode.
    pub mode: Mode,
    /// The id of its blob, or of a submodule's commit; for a file of the work tree, the id that its
    /// content would have.
    pub oid: Oid,
    /// The location of its content.
    pub source: Source,
}

impl Entry {
    /// Returns an entry whose content is the object with its id.
    pub fn object(mode: Mode, oid: Oid) -> Self {
        Self { mode, oid, source: Source::Object }
    }

    /// Returns what a submodule has beside its commit; `None` for any other entry.
    pub fn dirt(&self) -> Option<Dirt> {
        match self.source {
            Source::Dirty(dirt) => Some(dirt),
            _ => None,
        }
    }
}

/// The location of an entry's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The object with the entry's id; a submodule has none.
    Object,
    /// The work tree.
    WorkTree {
        /// The size in bytes as git would store it.
        size: u64,
    },
    /// A submodule with more than its commit: git adds `-dirty` to the id.
    Dirty(Dirt),
}

/// What the work tree of a submodule has beside its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dirt {
    /// Changed files, in its index or in its work tree.
    Content,
    /// Untracked files alone, its own or those of a submodule in it.
    Untracked,
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Only the new side has the file.
    Added,
    /// Only the old side has the file.
    Deleted,
    /// Content or permissions differ.
    Modified,
    /// A file became a link or a submodule, or the reverse.
    TypeChanged,
    /// The file was made from one that is gone.
    Renamed,
    /// The file was made from one that still exists, or that another row shows as renamed.
    Copied,
    /// The file is in a conflict: the index holds several versions, and none is compared.
    Unmerged,
}

impl Status {
    /// Returns the name that SQL shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Modified => "modified",
            Self::TypeChanged => "type_changed",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::Unmerged => "unmerged",
        }
    }
}

/// The origin of an added file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The path of the old file.
    pub path: Vec<u8>,
    /// Whether the old file still exists, or another row shows its new path; else it is gone: it
    /// has no row of its own and is not the origin of a later row.
    pub is_copy: bool,
    /// The similarity of the contents in percent, as git prints it.
    pub similarity: u8,
}

/// A file that differs between two sides, in git's order of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path from the repository's root, with components separated by `/`; any bytes except NUL.
    pub path: Vec<u8>,
    /// The file before, unless it was added.
    pub old: Option<Entry>,
    /// The file after, unless it was deleted.
    pub new: Option<Entry>,
    /// The origin of the file, if renames were detected; `old` is then that file.
    pub origin: Option<Origin>,
    /// Whether the row is a conflict in the index; it then has no content on either side, unless it
    /// is combined.
    pub unmerged: bool,
    /// The versions of the other parents, if a merge is compared with all of them; `old` is the
    /// first parent's. A conflict is a merge of ours and theirs.
    pub others: Vec<Option<Entry>>,
}

impl Change {
    /// Returns a change of one path.
    pub fn new(path: Vec<u8>, old: Option<Entry>, new: Option<Entry>) -> Self {
        Self { path, old, new, origin: None, unmerged: false, others: Vec::new() }
    }

    /// Returns the row of a file in a conflict; its committed version can be the origin of a copy.
    pub(crate) fn unmerged(path: Vec<u8>, committed: Option<Entry>) -> Self {
        Self { unmerged: true, ..Self::new(path, committed, None) }
    }

    /// Returns the row as shown: a conflict has no versions unless it is combined.
    pub(crate) fn shown(self) -> Self {
        let is_bare = self.unmerged && !self.is_combined();
        if is_bare { Self { old: None, new: None, ..self } } else { self }
    }

    /// Tells whether the file is compared with several parents at once.
    pub fn is_combined(&self) -> bool {
        !self.others.is_empty()
    }

    /// Returns the version of each parent.
    pub fn parents(&self) -> impl Iterator<Item = Option<Entry>> {
        [self.old].into_iter().chain(self.others.iter().copied())
    }

    /// Returns the change as git shows it: a type change is a deleted and a created file.
    pub fn parts(&self) -> Vec<Self> {
        if self.status() == Status::TypeChanged {
            vec![Self { new: None, ..self.clone() }, Self { old: None, ..self.clone() }]
        } else {
            vec![self.clone()]
        }
    }

    /// Tells whether both sides have the same content, so that at most the mode differs.
    pub fn has_same_content(&self) -> bool {
        let is_dirty = |side: Option<Entry>| side.is_some_and(|entry| entry.dirt().is_some());
        self.has_same_ids() && is_dirty(self.old) == is_dirty(self.new)
    }

    /// Tells whether both sides are files, and no conflict is between them.
    pub fn is_of_files(&self) -> bool {
        let is_file = |side: Option<Entry>| side.is_some_and(|entry| entry.mode.is_regular());
        is_file(self.old) && is_file(self.new) && !self.unmerged
    }

    /// Tells whether a submodule at the same commit has this beside it, and nothing else changed.
    pub fn is_dirt(&self, dirt: Dirt) -> bool {
        let [old, new] = [self.old, self.new].map(|side| side.map(|entry| (entry.mode, entry.oid)));
        old == new && self.new.and_then(|entry| entry.dirt()) == Some(dirt)
    }

    /// Tells whether an empty file was added or deleted, so that binary or not, no content differs.
    pub fn is_empty_file(&self) -> bool {
        match (self.old, self.new) {
            (None, Some(only)) | (Some(only), None) => only.oid == Oid::empty_blob(only.oid.kind()),
            _ => false,
        }
    }

    /// Returns the ids of both sides, the old first.
    pub fn ids(&self) -> [Option<Oid>; 2] {
        [self.old, self.new].map(|side| side.map(|entry| entry.oid))
    }

    /// Tells whether both sides have the same id.
    pub fn has_same_ids(&self) -> bool {
        let [old, new] = self.ids();
        old == new
    }

    /// Returns the path before the change.
    pub fn old_path(&self) -> &[u8] {
        self.origin.as_ref().map_or(&self.path, |origin| &origin.path)
    }

    /// Returns the names of both sides in a patch: `/dev/null` for an absent one.
    pub fn labels(&self) -> (Vec<u8>, Vec<u8>) {
        let label = |side: &Option<Entry>, prefix: &[u8], path: &[u8]| match side {
            Some(_) => [prefix, path].concat(),
            None => b"/dev/null".to_vec(),
        };
        (label(&self.old, b"a/", self.old_path()), label(&self.new, b"b/", &self.path))
    }

    /// Returns how the file changed.
    pub fn status(&self) -> Status {
        if self.unmerged {
            return Status::Unmerged;
        }
        if let Some(origin) = &self.origin {
            return if origin.is_copy { Status::Copied } else { Status::Renamed };
        }
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if !old.mode.is_kind_of(new.mode) => Status::TypeChanged,
            (Some(_), Some(_)) => Status::Modified,
            (None, _) => Status::Added,
            (_, None) => Status::Deleted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_modes_are_shown_as_git_shows_them() {
        for (stored, shown) in [
            (0o100_644, "100644"),
            (0o100_664, "100644"),
            (0o100_775, "100755"),
            (0o100_600, "100644"),
            (0o040_755, "040000"),
            (0o040_000, "040000"),
            (0o120_777, "120000"),
            (0o160_000, "160000"),
            (0, "160000"),
        ] {
            assert_eq!(Mode::canonical(stored).to_string(), shown, "{stored:o}");
        }
    }

    #[test]
    fn a_permission_change_is_not_a_type_change() {
        let entry =
            |mode| Some(Entry::object(Mode::canonical(mode), Oid::null(gix::hash::Kind::Sha1)));
        let status = |old, new| Change::new(Vec::new(), old, new).status();
        assert_eq!(status(entry(0o100_644), entry(0o100_755)), Status::Modified);
        assert_eq!(status(entry(0o100_644), entry(0o120_000)), Status::TypeChanged);
        assert_eq!(status(entry(0o160_000), entry(0o100_644)), Status::TypeChanged);
        assert_eq!(status(None, entry(0o100_644)), Status::Added);
        assert_eq!(status(entry(0o100_644), None), Status::Deleted);
    }
}
