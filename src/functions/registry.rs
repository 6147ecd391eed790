//! Every function, once: registration, grants and help read this list.

use super::surface::FunctionEntry;
use super::surface::scalar::scalar;
use super::surface::table::table;
#[cfg(debug_assertions)]
use crate::functions::debug;
use crate::functions::git::listed::List;
use crate::functions::{agent, approvals, files, git, text};
use redline_query::questions::{
    blame, commit_changes, commits, diff_lines, file_changes, file_history, file_outline,
    file_status, line_history, moved_lines, patches, range_diff, reflog, refs, tree_files,
};
use redline_query::review::pages;
use redline_rows::joined;

/// The questions about two sides.
const COMPARISONS: &[FunctionEntry] = &[
    table::<file_changes::FileChangesQuery>(),
    scalar::<List<file_changes::FileChangesQuery>>(),
    table::<commit_changes::CommitChangesQuery>(),
    scalar::<List<commit_changes::CommitChangesQuery>>(),
    table::<diff_lines::FileDiffQuery>(),
    scalar::<List<diff_lines::FileDiffQuery>>(),
    table::<diff_lines::LinesQuery>(),
    scalar::<List<diff_lines::LinesQuery>>(),
    table::<patches::HunksQuery>(),
    scalar::<List<patches::HunksQuery>>(),
    table::<moved_lines::MovedLinesQuery>(),
    table::<patches::PatchesQuery>(),
    scalar::<List<patches::PatchesQuery>>(),
    table::<pages::Request>(),
];

/// The questions about a range, and about the files of a revision.
const HISTORIES: &[FunctionEntry] = &[
    table::<commits::CommitsQuery>(),
    scalar::<List<commits::CommitsQuery>>(),
    table::<range_diff::RangeDiffQuery>(),
    table::<refs::RefsQuery>(),
    scalar::<List<refs::RefsQuery>>(),
    table::<refs::RefsContaining>(),
    table::<reflog::ReflogQuery>(),
    table::<file_status::StatusQuery>(),
    scalar::<List<file_status::StatusQuery>>(),
    table::<blame::FileBlameQuery>(),
    scalar::<List<blame::FileBlameQuery>>(),
    table::<file_history::FileHistoryQuery>(),
    scalar::<List<file_history::FileHistoryQuery>>(),
    table::<line_history::LineHistoryQuery>(),
    scalar::<List<line_history::LineHistoryQuery>>(),
    table::<blame::TreeBlameQuery>(),
    scalar::<List<blame::TreeBlameQuery>>(),
    table::<tree_files::TreeFilesQuery>(),
    scalar::<List<tree_files::TreeFilesQuery>>(),
    table::<file_outline::FileOutlineQuery>(),
    scalar::<List<file_outline::FileOutlineQuery>>(),
];

#[cfg(debug_assertions)]
const DEBUG: &[FunctionEntry] = debug::FUNCTIONS;
#[cfg(not(debug_assertions))]
const DEBUG: &[FunctionEntry] = &[];

/// Every function, in the order in which help lists them.
pub static FUNCTIONS: &[FunctionEntry] = joined!(
    FunctionEntry: COMPARISONS, git::REVISIONS, HISTORIES, git::CONTENTS, text::FUNCTIONS,
    files::FUNCTIONS, approvals::FUNCTIONS, agent::FUNCTIONS, DEBUG,
);
