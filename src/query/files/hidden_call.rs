//! The part of a call that does not depend on the file: the record of a call on a file that must
//! not be read unseen.

use redline_base::budget::{lossy, owned};
use redline_base::error::{Error, Result};
use redline_edit::{FileTool, Operation, Request, Session};
use redline_sandbox::Place;
use redline_tools::{
    EDIT_ARGUMENTS, EditArgument, EditFileArguments, EditLinesArguments, FileCall, PatchArguments,
    REPLACE_ALL, ReadFileArguments, Replaced, UndoArguments, WriteFileArguments,
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
                Ok(EditArgument {
                    old_string: text(&edit[0])?,
                    new_string: text(&edit[1])?,
                    replace_all: Some(edit[2] == REPLACE_ALL),
                })
            });
            let edits = Some(edits.collect::<Result<_>>()?);
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
pub struct Hidden<'a> {
    pub tool: FileTool,
    pub sandbox: &'a [u8],
    pub path: String,
    /// The path with its sandbox.
    pub shown: String,
    pub arguments: Vec<&'a [u8]>,
    pub base_oid: Option<&'a str>,
}

impl<'a> Hidden<'a> {
    fn new(tool: FileTool, place: &Place<'a>, arguments: Vec<&'a [u8]>) -> Self {
        let (sandbox, path) = (&place.sandbox().identity, place.path().as_str().to_owned());
        Self { tool, sandbox, path, shown: place.to_string(), arguments, base_oid: None }
    }

    /// Returns the call that reads a file.
    pub fn read(place: &Place<'a>) -> Self {
        Self::new(FileTool::Read, place, Vec::new())
    }

    pub(super) fn write(place: &Place<'a>, content: &'a str) -> Self {
        Self::new(FileTool::Write, place, vec![content.as_bytes()])
    }

    pub(super) fn edit(
        place: &Place<'a>,
        replaced: &Replaced<'a>,
        base_oid: Option<&'a str>,
    ) -> Self {
        Self { base_oid, ..Self::new(replaced.tool(), place, replaced.arguments()) }
    }

    /// Returns the operation of a session.
    pub fn operation<'b>(&'b self, session: &'b Session) -> Operation<'b> {
        let (path, arguments) = (self.path.as_bytes(), &self.arguments[..]);
        Operation {
            session,
            tool: self.tool,
            sandbox: self.sandbox,
            path,
            arguments,
            base: None,
            result: None,
            mode: None,
        }
    }
}
