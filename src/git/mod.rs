//! Git repositories, read through gix and never through a program.
//!
//! This module is the only user of gix, and gix is only the reader of references, objects and
//! attribute patterns: the tree walk, the meaning of attributes and the comparison are ours,
//! because gix's own were measured to differ from git or to run a repository's commands
//! (`docs/architecture.md`).

mod abbreviation;
mod attributes;
mod changes;
mod contents;
mod locate;
mod lookup;
mod objects;
mod pairing;
mod parts;
mod patch;
mod renames;
mod repository;
mod revision;
mod suggest;
mod tree;
mod walk;

pub use changes::{Change, Entry, LineCounts, Measure, Measured, Measurer, Mode, Origin, OriginKind, Status};
pub use contents::{Contents, Reader};
pub use lookup::Named;
pub use pairing::Changes;
pub use patch::{FilePatch, PatchHunk, binary_line};
pub use renames::RenameOptions;
pub use repository::Repository;
pub use revision::{Comparison, Revision};
pub use walk::TreeChanges;

/// An object id; SHA-1 or SHA-256, as the repository has it.
pub type Oid = gix::ObjectId;
