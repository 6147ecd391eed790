//! Files on disk: `files`, `look_ahead` (finds unchanged files), `untracked`, `submodule` (its
//! checked-out commit), `sparse` (which files are to be there) and `clean` (the content that git
//! would store for a file).

pub mod clean;
pub mod files;
pub mod look_ahead;
pub mod sparse;
pub mod submodule;
pub mod untracked;
