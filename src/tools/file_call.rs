//! The call of a file that a person may have to approve.

use super::commit::{GitCommit, GitCommitArguments, GitStage, GitStageArguments};
use super::files::{
    EditFile, EditFileArguments, EditLinesArguments, WriteFile, WriteFileArguments,
};
use super::patch::{ApplyPatch, PatchArguments};
use super::read::{ReadFile, ReadFileArguments};
use super::tool::Tool;
use super::undo::{Undo, UndoArguments};

/// A tool whose calls read or change files of a sandbox; other tools touch none.
pub trait CallsFiles: Tool {
    /// Makes the call of the arguments.
    const CALL: fn(Self::Arguments) -> FileCall;
}

/// A call of a file tool, which a person may have to approve.
#[derive(Debug)]
pub enum FileCall {
    /// `read_file`
    Read(ReadFileArguments),
    /// `write_file`
    Write(WriteFileArguments),
    /// `edit_file`
    Edit(EditFileArguments),
    /// `edit_lines`
    Lines(EditLinesArguments),
    /// `edit_files`
    Patch(PatchArguments),
    /// `undo`
    Undo(UndoArguments),
    /// `GitCommit`
    Commit(GitCommitArguments),
    /// `GitStage`
    Stage(GitStageArguments),
}

impl CallsFiles for ReadFile {
    const CALL: fn(Self::Arguments) -> FileCall = FileCall::Read;
}

impl CallsFiles for WriteFile {
    const CALL: fn(Self::Arguments) -> FileCall = FileCall::Write;
}

impl CallsFiles for EditFile {
    const CALL: fn(Self::Arguments) -> FileCall = FileCall::Edit;
}

impl CallsFiles for ApplyPatch {
    const CALL: fn(Self::Arguments) -> FileCall = |arguments| FileCall::Patch(arguments.into());
}

impl CallsFiles for Undo {
    const CALL: fn(Self::Arguments) -> FileCall = FileCall::Undo;
}

impl CallsFiles for GitCommit {
    const CALL: fn(Self::Arguments) -> FileCall = FileCall::Commit;
}

impl CallsFiles for GitStage {
    const CALL: fn(Self::Arguments) -> FileCall = FileCall::Stage;
}
