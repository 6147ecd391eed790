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

pub use call::{Answering, Answers, Call};
pub use compared::PageAnswer;
pub use missing_file::explained;
pub use pages::opened;
pub use read_file::read_file;

/// Every tool of this module, in the order in which they are listed.
pub const TOOLS: &[Answering] = &[
    Answering::of::<git_diff::GitDiffSummary>(),
    Answering::of::<git_diff::GitDiff>(),
    Answering::of::<git_diff::GitDiffFile>(),
    Answering::of::<git_log::GitLog>(),
    Answering::of::<git_show::GitShow>(),
    Answering::of::<git_file::GitFile>(),
    Answering::of::<git_blame::GitBlame>(),
    Answering::of::<git_status::GitStatus>(),
    Answering::of::<git_refs::GitRefs>(),
    Answering::of::<git_range_diff::GitRangeDiff>(),
    Answering::of::<list_files::ListFiles>(),
    Answering::of::<search::Search>(),
];
