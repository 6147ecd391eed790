//! One version of a file in the index.

use bytes::Bytes;

use crate::model::changed_file::Entry;

/// A version of a file in the index.
#[derive(Debug, Clone)]
pub struct Staged {
    /// The path from the root of the work tree; of a directory in the file of a sparse index, it
    /// ends in a slash. Paths of a file share memory.
    pub path: Bytes,
    /// Mode and id.
    pub entry: Entry,
    /// 0, or in a conflict 1 for the common ancestor's version, 2 for ours and 3 for theirs.
    pub stage: u8,
    /// The state of the file on disk when it last had the entry's content.
    pub stat: Stat,
    /// git's flags.
    pub flags: Flags,
}

/// git's flags of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// The file on disk counts as unchanged without a check: `update-index --assume-unchanged`.
    pub assume_valid: bool,
    /// The file is absent from the work tree, as in a sparse checkout.
    pub skip_worktree: bool,
    /// Only the path was added, without content: `add --intent-to-add`.
    pub intent_to_add: bool,
}

/// The state of a file on disk when it had the entry's content; the low 32 bits of each field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stat {
    /// When content, name or permissions changed: seconds and nanoseconds.
    pub changed: (u32, u32),
    /// When the content was written: seconds and nanoseconds.
    pub modified: (u32, u32),
    /// The device.
    pub device: u32,
    /// The inode number.
    pub inode: u32,
    /// The owner.
    pub user: u32,
    /// The owning group.
    pub group: u32,
    /// The size in bytes.
    pub size: u32,
}
