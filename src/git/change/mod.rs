//! The differences between two sides.
//!
//! | file | holds |
//! |---|---|
//! | `comparison` | the two sides |
//! | `differences`, `uncommitted` | the files that differ; those of the index and the work tree |
//! | `renames` | renames and copies |
//! | `contents`, `measure` | the contents of a file's sides; sizes and line counts |
//! | `search` | changes that add or remove a text |
//! | `patch` | git's headers around the hunks |
//! | `patch_id` | the id of a patch that stays the same when its lines move |
//! | `combined_patch` | the diff of a merge or a conflict, against all sides at once |
//! | `side_files` | single files of one side |
//! | `listed` | the files of a work tree that may be read if sandboxes are defined |
//! | `status` | the rows of `git status` |
//! | `suggest` | the nearest paths to a missing one |

pub mod combined_patch;
pub mod comparison;
pub mod contents;
pub mod differences;
pub mod listed;
pub mod measure;
pub mod patch;
pub mod patch_id;
pub mod renames;
pub mod search;
pub mod side_files;
mod side_sources;
pub mod status;
pub mod suggest;
mod uncommitted;
