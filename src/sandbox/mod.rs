//! Which paths may be read, and reading beneath a root.

mod access;
mod beneath;
mod folders;
mod local;

pub use access::Access;
pub use beneath::Root;
pub use folders::{FileKind, FileState, Folders, Moment};
pub use local::{LocalKind, LocalPath};
