//! Which paths may be read, and reading beneath a root.

mod access;
mod beneath;
mod folders;

pub use access::Access;
pub use beneath::Root;
pub use folders::{FileKind, FileState, Folders, Moment};
