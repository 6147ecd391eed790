//! Files on disk: `files`, `look_ahead` (finds unchanged files), `untracked`, `submodule` (its
//! checked-out commit) and `clean` (the content that git would store for a file).

pub mod clean;
pub mod files;
pub mod look_ahead;
pub mod submodule;
pub mod untracked;
