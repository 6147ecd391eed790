//! The tools for agents: the name, the descriptions, the arguments and the answer of each
//! ([`Tool`]).
//!
//! Pure: arguments come in as JSON text and are checked here, answers go out as MCP's
//! `CallToolResult`; `functions` does the work in between. Schemas are generated from the Rust
//! types, so they cannot differ from the code.

mod answer;
mod arguments;
mod bounded;
mod capabilities;
mod commit;
mod declaration;
mod diff;
mod diff_result;
mod files;
mod find;
mod git;
mod history;
mod instructions;
mod listing;
mod log;
mod other_names;
mod paged_calls;
mod patch;
mod publish;
mod read;
mod readings;
mod revision;
mod room;
mod schema;
mod series;
mod tool;
mod undo;

pub use answer::{Answer, Reply};
pub use arguments::{Given, max_bytes, parse};
pub use bounded::Bounds;
pub use capabilities::{Abilities, Capabilities, SandboxAbilities};
pub use commit::{
    CommitResult, CommittedFile, GitCommit, GitCommitArguments, GitStage, GitStageArguments,
};
pub use declaration::Declaration;
pub use diff::{Diff, DiffMode};
pub use diff_result::{DiffResult, MAX_CONTEXT, Side};
pub use files::{
    EDIT_ARGUMENTS, EditArgument, EditCall, EditFile, EditFileArguments, EditLinesArguments,
    EditResult, FileCall, REPLACE_ALL, Replaced, WriteFile, WriteFileArguments, WriteResult,
    Written,
};
pub use find::{
    FileList, ListFiles, ListFilesArguments, ListedFile, MatchedLine, Matches, Search,
    SearchArguments,
};
pub use git::{
    CommitWords, Compared, ComparedHunks, FileChange, GitDiff, GitDiffArguments, GitDiffFile,
    GitDiffSummary, GitShow, HunkNames, ShownMerges, Totals,
};
pub use history::{
    GitRefs, GitRefsArguments, GitStatus, GitStatusArguments, ListedReference, ListedStatus,
    shown_id,
};
pub use instructions::INSTRUCTIONS;
pub use listing::Listing;
pub use log::{GitLog, GitLogArguments, ListedCommit, ListedLines, ListedVersion};
pub use other_names::{beside_the_same, is_shell, meant_by};
pub use paged_calls::PagedCalls;
pub use patch::{ApplyPatch, ChangedFiles, FileResult, PatchArguments, PatchResult};
pub use read::{LinePlace, LineRange, LineScan, Lines, ReadFile, ReadFileArguments, ReadResult};
pub use revision::{
    BlameHead, FileLines, GitBlame, GitBlameArguments, GitFile, GitFileArguments, ListedBlame,
};
pub use room::{ListedRow, Rest, Room};
pub use series::{GitRangeDiff, GitRangeDiffArguments, ListedPair};
pub use tool::{Output, Tool};
pub use undo::{Undo, UndoArguments, Undone, UndoneFile};
