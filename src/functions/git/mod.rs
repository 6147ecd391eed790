//! The scalar functions over repositories, one per file; most are a `RepositoryScalar`. The table
//! functions are the questions of `query`. Here are their twins that return lists (`listed`), and
//! ranges and files at revisions as table names (`range_scan`, `revision_scan`).

pub mod ahead_behind;
pub mod diff_html;
pub mod file_at;
pub mod file_content;
pub mod listed;
pub mod merge_base;
pub mod merge_bases;
pub mod range_scan;
pub mod repository_scalar;
pub mod resolve_revision;
pub mod revision_scan;

use crate::functions::surface::FunctionEntry;
use crate::functions::surface::scalar::scalar;

/// The functions of sides and revisions, in the order in which help lists them.
pub const REVISIONS: &[FunctionEntry] = &[
    scalar::<diff_html::DiffHtml>(),
    scalar::<resolve_revision::ResolveRevision>(),
    scalar::<merge_base::MergeBase>(),
    scalar::<merge_bases::MergeBases>(),
    scalar::<ahead_behind::AheadBehind>(),
];

/// The functions of the contents of files.
pub const CONTENTS: &[FunctionEntry] = &[
    scalar::<file_content::FileContent>(),
    scalar::<file_content::FileBytes>(),
    scalar::<file_at::FileAt>(),
    scalar::<file_at::FilesAt>(),
    scalar::<file_at::FileVersionsAt>(),
];
