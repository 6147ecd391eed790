//! Git repositories, read without git: the only user of gix, as a library of formats.
//!
//! `store` opens every file of a repository; all other modules receive bytes, handles or values.
//! References, revisions, the index, the comparison of trees, the work tree and the meaning of
//! attributes are redline's own code, because gix's was measured to differ from git or to run a
//! repository's commands.

mod attributes;
mod change;
mod commit;
mod config;
mod encoding;
mod graph;
mod history;
pub mod index;
mod model;
mod objects;
mod pathspec;
mod refs;
mod repository;
mod revision;
pub mod store;
mod tree;
mod worktree;

pub use attributes::ContentSource;
pub use attributes::ignore::Ignores;
pub use change::combined_patch::{COMBINED_BINARY_LINE, merged_texts};
pub use change::comparison::{Comparison, Untracked};
pub use change::contents::{Contents, Reader};
pub use change::differences::{Changes, PathChange, changed_files};
pub use change::listed::untracked_paths;
pub use change::measure::{LineCounts, Measure, Measured, Measurer};
pub use change::patch::{PatchHunk, Patcher, WrittenPatch};
pub use change::patch_id::patch_id;
pub use change::renames::RenameOptions;
pub use change::search::{Search, Searcher};
pub use change::side_files::{ReadLimit, SideFiles, Stage, state_of_file};
pub use change::status::{FileStatus, StatusFound, StatusOptions, StatusPart, StatusWalk, join};
pub use change::suggest::nearest_paths;
pub use commit::{
    Action, CommitOptions, CommitTime, GitPlan, Ident, Moved, NewCommit, PlannedPath, Selection,
    StagedChange, StagedVersion, Undone, Version,
};
pub use graph::date_order::by_date;
pub use graph::walk::{Comparable, Excluded, History, HistoryOptions, Merges, RevRange, Visited};
pub use history::blame::{Blame, BlameCache, BlameOptions, BlamedRun, BlamedVersion};
pub use history::commit_changes::{CommitChanges, CommitMeasure, CommitMeasurer};
pub use history::commit_patch_id::CommitPatchIds;
pub use history::follow::{FileChange, Follow, FollowStep, FollowWalk};
pub use history::line_log::{LineLog, LineVersion, LinesAsked};
pub use history::mailmap::{Mailmaps, mailmap_of};
pub use history::notes::Notes;
pub use history::range_patch::{RangePatch, RangePatcher, WrittenFiles};
pub use history::words::CommitFilter;
pub use model::Oid;
pub use model::bytes::Bytes;
pub use model::changed_file::{Change, Entry, Mode, Origin, Status};
pub use model::commit::{CommitInfo, CommitParts, Person};
pub use model::diff_attribute::{DiffAttribute, PathAttributes};
pub use model::lfs_pointer::LfsPointer;
pub use model::mailmap::Mailmap;
pub use model::signature::Signature;
pub use model::trailers::Trailer;
pub use objects::Objects;
pub use objects::blob_id::{BlobHasher, blob_id};
pub use pathspec::glob::is_pattern;
pub use pathspec::{PathFilter, Pathspec};
pub use repository::Repository;
pub use revision::{
    Calendar, ListedNames, LogEntry, NamedReference, Reference, ReferenceDetails, ReferenceReader,
    Reflog, Revision, ahead_behind, checked_out, date_of, decorations, is_whole_date,
    local_time_zone, merge_bases, merge_bases_of, object_of, range_of, reference_names,
    references_containing, reflog, side_of,
};
pub use store::{LfsObject, Repositories};
