//! The call of a file that a person may have to approve.

use super::commit::{GitCommitArguments, GitStageArguments};
use super::files::{EditFileArguments, EditLinesArguments, WriteFileArguments};
use super::patch::PatchArguments;
use super::read::ReadFileArguments;
use super::undo::UndoArguments;

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
