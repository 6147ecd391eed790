//! The registry of tools that agents call: what each is named, says of itself, takes and gives.
//!
//! Pure: arguments come in as JSON text and are checked here, answers go out as MCP's
//! `CallToolResult`; the work between the two is done by `functions`. Schemas are generated from
//! the Rust types (JSON Schema 2020-12), so that they cannot say something else than the code.

mod answer;
mod arguments;
mod bounded;
mod diff;
mod diff_result;
mod file_call;
mod files;
mod git;
pub mod record;
mod registry;

pub use answer::Answer;
pub use arguments::parse;
pub use diff::{DiffArguments, DiffMode};
pub use diff_result::{DiffResult, MAX_CONTEXT, Side};
pub use file_call::FileCall;
pub use files::{
    EditArgument, EditFileArguments, EditResult, ReadFileArguments, ReadResult, WriteFileArguments,
    WriteResult,
};
pub use git::{
    FileChange, GitDiffArguments, GitDiffFileArguments, GitDiffResult, GitDiffSummaryArguments,
    GitDiffSummaryResult,
};
pub use registry::{TOOLS, Tool, find};
