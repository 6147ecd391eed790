//! Git repositories, read without git: the only user of gix, which is a library of formats here.
//!
//! `store` opens every file of a repository; everything else receives bytes, handles or values. References, revisions,
//! the index, the comparison of trees, the work tree and the meaning of attributes are our own code, because gix's was
//! measured to differ from git or to run a repository's commands (`docs/architecture.md`).

mod attributes;
mod bytes;
mod change;
mod history;
mod id_tables;
mod objects;
mod refs;
mod repository;
mod revision;
pub mod store;
mod suggest;
mod tree;
mod worktree;

pub use attributes::diff_attribute::{DiffAttribute, PathAttributes};
pub use change::change_iter::Changes;
pub use change::changed_file::{Change, Entry, Mode, Origin, OriginKind, Source, Status};
pub use change::combined_patch::{COMBINED_BINARY_LINE, MergedTexts};
pub use change::comparison::{Comparison, Untracked};
pub use change::contents::{Contents, Reader};
pub use change::differences::{PathChange, Walk};
pub use change::measure::{LineCounts, Measure, Measured, Measurer};
pub use change::patch::{PatchHunk, Patcher, WrittenPatch};
pub use change::renames::RenameOptions;
pub use change::search::Search;
pub use change::side_files::{ReadLimit, SideFiles};
pub use history::blame::{Blame, BlameCache, BlameOptions, BlamedRun, BlamedVersion};
pub use history::commit::{CommitInfo, Person, TagInfo};
pub use history::commit_changes::{CommitChanges, CommitMeasure, CommitMeasurer};
pub use history::follow::{FileChange, Follow, FollowStep, FollowWalk};
pub use history::line_log::{LineLog, LineVersion, LinesAsked};
pub use history::mailmap::Mailmap;
pub use history::notes::Notes;
pub use history::walk::{Comparable, Excluded, History, HistoryOptions, Merges, RevRange, Visited};
pub use objects::Objects;
pub use objects::blob_id::{BlobHasher, blob_id};
pub use repository::Repository;
pub use revision::{
    CheckedOut, NamedReference, Reference, ReferenceDetails, ReferenceReader, Revision, date_of,
    local_time_zone,
};
pub use store::Repositories;
pub use tree::pathspec::{PathFilter, Pathspec};
pub use worktree::status::{FileStatus, StatusFound, StatusOptions, StatusPart, StatusWalk, join};

/// An object id; SHA-1 or SHA-256, as the repository has it.
pub type Oid = gix::ObjectId;
