//! Which paths may be read, and reading beneath a root.

mod access;
mod beneath;

pub use access::Access;
pub use beneath::Root;
