//! The part of a call that does not depend on the file: the record of a call on a file that must
//! not be read unseen.

use redline_base::budget::{Gather, Joined, TryGather, lossy, owned};
use redline_base::error::{Error, Result};
use redline_edit::{ChangeSet, FileTool, Operation, Request, Session};
use redline_sandbox::{Sandbox, SandboxPath};
use redline_tools::{
    EDIT_ARGUMENTS, EditArgument, EditFileArguments, EditLinesArguments, FileCall, PatchArguments,
    REPLACE_ALL, ReadFileArguments, UndoArguments, WriteFileArguments,
};

/// Returns the call of a session from its record.
pub(super) fn call_of(request: &Request) -> Result<FileCall> {
    let path = request.path.clone();
    let text = |argument: &Vec<u8>| Ok::<_, Error>(owned(&lossy(argument)?)?);
    Ok(match (request.tool, &request.arguments[..]) {
        (FileTool::Read, _) => {
            FileCall::Read(ReadFileArguments { path, ..ReadFileArguments::default() })
        }
        (FileTool::Write, arguments) => {
            let content = arguments.first().map(text).transpose()?.unwrap_or_default();
            FileCall::Write(WriteFileArguments { path, content })
        }
        (FileTool::Patch, [patch, matching, base_oids]) => FileCall::Patch(PatchArguments {
            sandbox: path,
            patch: text(patch)?,
            fuzz: matching.starts_with(b"fuzz"),
            unidiff_zero: matching.ends_with(b"unidiff_zero"),
            dry_run: false,
            base_oids: serde_json::from_slice(base_oids)
                .map_err(|_| Error::tool_failed("a patch lacks its base ids"))?,
            reason: None,
        }),
        (FileTool::Patch, _) => return Err(Error::tool_failed("a patch lacks its arguments")),
        // Of a repository whose files must not be read nothing is committed or restored.
        (
            FileTool::Restore
            | FileTool::Commit
            | FileTool::Stage
            | FileTool::Unstage
            | FileTool::UndoGit,
            _,
        ) => {
            return Err(Error::tool_failed("git is not written where reading is asked for"));
        }
        (FileTool::Undo, _) => FileCall::Undo(UndoArguments::default()),
        (FileTool::Lines, [place, new_text, base_oid]) => {
            let lines =
                EditLinesArguments::of(path, &text(place)?, text(new_text)?, text(base_oid)?);
            FileCall::Lines(lines.ok_or_else(|| Error::tool_failed("a change of no lines"))?)
        }
        (FileTool::Lines, _) => {
            return Err(Error::tool_failed("a change of lines lacks its arguments"));
        }
        (FileTool::Edit, arguments) => {
            let edits = arguments.chunks_exact(EDIT_ARGUMENTS).map(|edit| {
                Ok::<_, Error>(EditArgument {
                    old_string: text(&edit[0])?,
                    new_string: text(&edit[1])?,
                    replace_all: Some(edit[2] == REPLACE_ALL),
                })
            });
            let edits = Some(edits.try_gather()?);
            let base_oid = request.base_oid.clone();
            FileCall::Edit(EditFileArguments {
                path,
                edits,
                base_oid,
                ..EditFileArguments::default()
            })
        }
    })
}

/// The part of an operation that does not depend on the file.
#[derive(Debug)]
pub struct BlindCall<'a> {
    pub tool: FileTool,
    /// The identity of the sandbox.
    pub sandbox: &'a [u8],
    /// The name of the sandbox.
    pub sandbox_name: &'a str,
    /// The path beneath the root, or all of them.
    pub path: String,
    /// The path with its sandbox.
    pub shown: String,
    pub arguments: Vec<&'a [u8]>,
    pub base_oid: Option<&'a str>,
    /// What the planned result depends on beside the files; empty before the plan.
    pub basis: &'a [u8],
}

impl<'a> BlindCall<'a> {
    /// Returns a call of a tool on one file.
    pub fn new(tool: FileTool, place: &SandboxPath<'a>, arguments: Vec<&'a [u8]>) -> Self {
        let path = place.path().as_str().to_owned();
        let shown = place.to_string();
        Self { path, shown, ..Self::of_files(tool, place.sandbox(), arguments) }
    }

    /// Returns a call of a tool on files of a sandbox, without their paths.
    pub fn of_files(tool: FileTool, sandbox: &'a Sandbox, arguments: Vec<&'a [u8]>) -> Self {
        Self {
            tool,
            sandbox: &sandbox.identity,
            sandbox_name: &sandbox.name,
            path: String::new(),
            shown: sandbox.name.clone(),
            arguments,
            base_oid: None,
            basis: &[],
        }
    }

    /// Returns a call of a tool on no files.
    pub fn of_nothing(tool: FileTool, arguments: Vec<&'a [u8]>) -> Self {
        let (path, shown) = Default::default();
        let (sandbox, basis) = Default::default();
        Self { tool, sandbox, sandbox_name: "", path, shown, arguments, base_oid: None, basis }
    }

    /// Returns the call that reads a file.
    pub fn read(place: &SandboxPath<'a>) -> Self {
        Self::new(FileTool::Read, place, Vec::new())
    }

    /// Returns the operation of a session that makes these changes; none while the files must not
    /// be read.
    pub fn operation<'b>(
        &'b self,
        session: &'b Session,
        changes: &'b ChangeSet<'_>,
    ) -> Operation<'b> {
        let (path, arguments) = (self.path.as_bytes(), &self.arguments[..]);
        let (tool, sandbox, basis) = (self.tool, self.sandbox, self.basis);
        Operation { session, tool, sandbox, path, arguments, changes, basis }
    }
}

/// Returns paths as one text, in order, as they identify a call on several files.
pub(super) fn joined<'p>(paths: impl Iterator<Item = &'p str>) -> String {
    let mut paths: Vec<&str> = paths.gather();
    paths.sort_unstable();
    paths.joined("\0")
}
