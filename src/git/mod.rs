//! Git repositories, read through gix and never through a program.
//!
//! This module is the only user of gix, and gix is only a library of formats: references, revisions, objects, the
//! index, the tree walk, the reading of the work
//! tree, the meaning of attributes and the comparison are ours, because gix's own were measured to differ from git or to run a repository's commands
//! (`docs/architecture.md`).

mod abbreviation;
mod attributes;
mod blob_id;
mod bytes;
mod cache;
mod changes;
mod checkout;
mod clean;
mod commit;
mod commit_changes;
mod commits;
mod comparison;
mod contents;
mod conversions;
mod delta;
mod diff_attribute;
mod differences;
mod encoding;
mod glob;
mod history;
mod ignore;
mod index;
mod lookup;
mod mailmap;
mod measure;
mod merge_base;
mod objects;
mod pairing;
mod patch;
mod path_patterns;
mod pathspec;
mod refs;
mod renames;
mod repository;
mod revision;
pub mod store;
mod submodule;
mod suggest;
mod tree;
mod uncommitted;
mod untracked;
mod walk;
mod work_tree;

pub use blob_id::blob_id;
pub use changes::{Change, Entry, Mode, Origin, OriginKind, Source, Status};
pub use commit::{CommitInfo, Person};
pub use commit_changes::{CommitChanges, CommitMeasure, CommitMeasurer};
pub use comparison::{Comparison, Untracked};
pub use contents::{Contents, Reader};
pub use diff_attribute::{DiffAttribute, PathAttributes};
pub use differences::{PathChange, Walk};
pub use history::{Comparable, Excluded, History, HistoryOptions, Merges, RevRange};
pub use mailmap::Mailmap;
pub use measure::{LineCounts, Measure, Measured, Measurer};
pub use pairing::Changes;
pub use patch::{FilePatch, PatchHunk, Patcher};
pub use pathspec::{PathFilter, Pathspec};
pub use renames::RenameOptions;
pub use repository::Repository;
pub use revision::{Revision, local_time_zone};
pub use store::Repositories;

/// An object id; SHA-1 or SHA-256, as the repository has it.
pub type Oid = gix::ObjectId;
