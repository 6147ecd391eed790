//! The work of SQL functions, tools and commands: from a request in Rust types to ordered rows.
//!
//! A request opens its repository in a [`Context`], which holds its access and budget as plain
//! values, and starts its threads through [`run::Run`]. Nothing here knows DuckDB or a
//! setting.

pub mod answers;
pub mod blame;
pub mod caller;
pub mod calls;
pub mod commit;
pub mod commit_changes;
pub mod commit_columns;
pub mod commits;
pub mod cutter;
pub mod data_changes;
pub mod diff_lines;
pub mod diff_page;
pub mod diff_rows;
pub mod file_changes;
pub mod file_content;
pub mod file_copies;
pub mod file_history;
pub mod file_outline;
pub mod file_status;
pub mod files;
pub mod found_files;
pub mod history_jobs;
pub mod hunk_ids;
pub mod line_history;
mod moment;
pub mod moved_lines;
pub mod params;
pub mod patches;
mod question;
pub mod range_diff;
pub mod read_ahead;
pub mod reflog;
pub mod refs;
pub mod review;
pub mod revisions;
pub mod rows;
pub mod run;
mod seen;
pub mod tree_files;
pub mod unchanged_lines;

pub use caller::Caller;
pub use moment::moment;
pub use question::Question;
pub use revisions::Revisions;
pub use rows::{Query, RowGroup, Rows};
pub use run::Context;
