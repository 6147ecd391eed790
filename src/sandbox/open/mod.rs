//! Opening beneath a root without following a link, and reading what was opened.

pub(crate) mod beneath;
pub(crate) mod directories;
pub(crate) mod directory;
pub(crate) mod file_walk;
pub(crate) mod guard;
pub(crate) mod handles;
pub(crate) mod local;
pub(crate) mod named;
pub(crate) mod pooled;
pub(crate) mod sandbox_path;
pub(crate) mod state;
pub(crate) mod walk;
