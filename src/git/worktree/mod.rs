//! Files on disk: `files`, `look_ahead` (which of many files are unchanged), `untracked`, `submodule` (what one has checked
//! out) and `clean` (the content that git would store for a file).

pub mod clean;
pub mod files;
pub mod look_ahead;
pub mod submodule;
pub mod untracked;
