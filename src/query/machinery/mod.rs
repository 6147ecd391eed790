//! What the questions share: the caller, a run with its threads and rows, the sides that are opened,
//! and walks of commits.

pub mod caller;
pub mod calls;
pub mod found_files;
pub mod history_jobs;
pub mod hunk_ids;
pub mod moment;
pub mod read_ahead;
pub mod revisions;
pub mod rows;
pub mod run;
