//! The state of a file as the file system tells it, without reading the file.

use crate::system::fs::{FileType, Stat};

/// The device and the inode of a file.
pub(crate) type FileId = (u64, u64);

/// Returns the device and the inode of a file.
// Their types differ between systems.
#[allow(clippy::unnecessary_cast)]
pub(crate) fn id_of(stat: &Stat) -> FileId {
    (stat.st_dev as u64, stat.st_ino as u64)
}

/// Returns the kind and the permissions of a file.
// Its type differs between systems.
#[allow(clippy::unnecessary_cast)]
pub(crate) fn mode_of(stat: &Stat) -> u32 {
    stat.st_mode as u32
}

/// The permission of its owner to execute a file.
const OWNER_EXECUTE: u32 = 0o100;

/// A time of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds of that second.
    pub nanoseconds: u32,
}

impl Moment {
    const NONE: Self = Self { seconds: 0, nanoseconds: 0 };
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Link,
    /// A FIFO, a socket or a device.
    Special,
}

impl EntryKind {
    pub(crate) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Link,
            _ => Self::Special,
        }
    }
}

/// The state of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileState {
    /// The kind of entry.
    pub kind: EntryKind,
    /// The device.
    pub device: u64,
    /// The inode number.
    pub inode: u64,
    /// The kind of the file, its permissions and its setuid bits.
    pub mode: u32,
    /// The size in bytes; of a link, that of its target.
    pub size: u64,
    /// The last modification of the content.
    pub modified: Moment,
    /// The last change of content, name or permissions.
    pub changed: Moment,
    /// The number of hard links.
    pub links: u64,
    /// The owner.
    pub user: u32,
    /// The owning group.
    pub group: u32,
}

impl FileState {
    // The types of these fields differ between systems.
    #[allow(clippy::unnecessary_cast)]
    pub(crate) fn new(stat: &Stat) -> Self {
        let moment = |seconds, nanoseconds| Moment {
            seconds: seconds as i64,
            nanoseconds: u32::try_from(nanoseconds).unwrap_or(0),
        };
        Self {
            kind: EntryKind::of(FileType::from_raw_mode(stat.st_mode)),
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            mode: mode_of(stat),
            size: stat.st_size as u64,
            modified: moment(stat.st_mtime, stat.st_mtime_nsec),
            changed: moment(stat.st_ctime, stat.st_ctime_nsec),
            links: stat.st_nlink as u64,
            user: stat.st_uid,
            group: stat.st_gid,
        }
    }

    /// Tells whether the owner may execute the file.
    pub fn is_executable(&self) -> bool {
        self.mode & OWNER_EXECUTE != 0
    }

    pub(crate) fn id(&self) -> FileId {
        (self.device, self.inode)
    }

    /// Tells whether the file is still the one that it was, with the same size, time, permissions
    /// and links. A rename that was taken back does not matter.
    pub(crate) fn is_same_file(&self, was: &Self) -> bool {
        let of = |state: &Self| (state.id(), state.size, state.modified, state.mode, state.links);
        of(self) == of(was)
    }
}

/// Identifies one state of a file, as the key of what is kept of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    id: FileId,
    size: u64,
    modified: Moment,
    changed: Moment,
}

impl Stamp {
    pub(crate) fn new(stat: &Stat) -> Self {
        let state = FileState::new(stat);
        let FileState { size, modified, changed, .. } = state;
        Self { id: state.id(), size, modified, changed }
    }

    /// Returns the size of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the last modification of the content.
    pub fn modified(&self) -> Moment {
        self.modified
    }

    /// Returns the device and the inode.
    pub fn identity(&self) -> (u64, u64) {
        self.id
    }

    /// Returns the stamp of a file that new links to it do not change, as those of a local clone.
    #[must_use]
    pub fn without_links(self) -> Self {
        Self { changed: Moment::NONE, ..self }
    }

    /// Returns the stamp of a file that is written once and whose times do not matter: git renews
    /// the time of a pack when an object is added that it contains.
    #[must_use]
    pub fn without_times(self) -> Self {
        Self { changed: Moment::NONE, modified: Moment::NONE, ..self }
    }
}
