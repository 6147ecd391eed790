//! The tools that read repositories and directories, one a file: the declaration, the arguments,
//! the answer and the work; and what they share.

mod call;
mod commits;
mod compared;
mod git_blame;
mod git_diff;
mod git_file;
mod git_log;
mod git_range_diff;
mod git_refs;
mod git_show;
mod git_status;
mod list_files;
mod missing_file;
mod pages;
mod read_file;
mod search;
mod shown;
mod unnamed;
mod view;

pub use call::{Answers, Call};
pub use compared::PageAnswer;
pub use git_blame::GitBlame;
pub use git_diff::{GitDiff, GitDiffFile, GitDiffSummary};
pub use git_file::GitFile;
pub use git_log::GitLog;
pub use git_range_diff::GitRangeDiff;
pub use git_refs::GitRefs;
pub use git_show::GitShow;
pub use git_status::GitStatus;
pub use list_files::ListFiles;
pub use missing_file::explained;
pub use pages::opened;
pub use read_file::read_file;
pub use search::Search;
