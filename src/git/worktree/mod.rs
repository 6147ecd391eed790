//! The index and the work tree: `index` (its entries), `files` (files on disk), `look_ahead` (which of many files are
//! unchanged), `untracked`, `submodule` (what one has checked out), `uncommitted` (comparisons with both), `status` (what
//! `git status` says), `checkout` (what the configuration says of it), and the content that git would store for a file on
//! disk: `clean`, `conversions`, `encoding`.

pub mod checkout;
pub mod clean;
pub mod conversions;
pub mod encoding;
pub mod files;
pub mod index;
pub mod look_ahead;
pub mod status;
pub mod submodule;
pub mod uncommitted;
pub mod untracked;
