//! What the tools for agents have in common: the declaration ([`Tool`]), arguments, schemas, pages
//! and answers; and the declarations of the tools that write files, of `read_file`, `Diff` and
//! `redline_capabilities`. Those that read repositories are in `query::answers`, with their work.
//!
//! Pure: arguments come in as JSON text and are checked here, answers go out as MCP's
//! `CallToolResult`. Schemas are generated from the Rust types, so they cannot differ from the code.

mod aliases;
mod answer;
mod arguments;
mod bounded;
mod capabilities;
mod commit;
mod declaration;
mod diff;
mod diff_result;
mod file_call;
mod files;
mod instructions;
mod listing;
mod other_names;
mod paged_calls;
mod patch;
mod publish;
mod read;
pub mod readings;
mod room;
mod schema;
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
pub use file_call::FileCall;
pub use files::{
    EDIT_ARGUMENTS, EditArgument, EditCall, EditFile, EditFileArguments, EditLinesArguments,
    EditResult, REPLACE_ALL, Replaced, WriteFile, WriteFileArguments, WriteResult, Written,
};
pub use instructions::INSTRUCTIONS;
pub use listing::Listing;
pub use other_names::{beside_the_same, is_shell, meant_by};
pub use paged_calls::PagedCalls;
pub use patch::{ApplyPatch, ChangedFiles, FileResult, PatchArguments, PatchResult};
pub use read::{
    LINES, LinePlace, LineRange, LineScan, Lines, ReadFile, ReadFileArguments, ReadResult,
};
pub use room::{ListedRow, Rest, Room};
pub use tool::{Alias, Annotations, Output, READS, Texts, Tool, WRITES};
pub use undo::{Undo, UndoArguments, Undone, UndoneFile};
