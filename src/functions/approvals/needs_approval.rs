//! `needs_approval(tool, args [, session [, key]])`: the description of a call of a file tool that
//! a person must approve.
//!
//! It records proposals, so it is volatile.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::database::Database;
use crate::functions::context::opened::Opened;
use crate::functions::params::{
    Args, Bytes, Maybe, Param, SESSION, Text, fields, optional, required, session,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use crate::functions::tools as tools_of_agents;
use redline_base::error::Result;
use redline_rows::{Json, Out, Written};

/// The scalar function.
pub struct NeedsApproval;

const TOOL: Param<Text> = required("tool", "The tool");
const ARGS: Param<Text> = required("args", "Its arguments, as a JSON object");
const HOST_KEY: Param<Maybe<Bytes>> =
    optional("key", "The host's key: with it the payload shows what must not be read unseen");

impl Scalar for NeedsApproval {
    const DECLARATION: Declaration = Declaration {
        name: "needs_approval",
        family: Family::Approvals,
        grant: Grant::Tools(&[
            "read_file",
            "write_file",
            "edit_file",
            "apply_patch",
            "undo",
            "GitStage",
            "GitCommit",
        ]),
        description: "Returns the payload for a person's decision before a call of a file tool; NULL if none is needed",
        example: "SELECT needs_approval('read_file', '{\"path\": \"workspace/a.txt\"}')",
    };
    const OVERLOADS: &'static [Overload] = &[
        fields![TOOL, ARGS],
        fields![TOOL, ARGS, SESSION],
        fields![TOOL, ARGS, SESSION, HOST_KEY],
    ];
    type Returns = Json;
    type State = Opened;
    // NULL is an answer, which must not follow from a NULL argument.
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Json>) -> Result<Written> {
        let (tool, arguments) = (args.get(TOOL)?, args.get(ARGS)?);
        let call = tools_of_agents::find(tool).ok_or_else(|| {
            let all: Vec<String> = tools_of_agents::names().map(str::to_owned).collect();
            tools_of_agents::unknown(tool, arguments, &all)
        })?;
        let Opened { execution, tools, .. } = opened;
        let session = session(args, execution.settings.connection())?;
        let paged_calls = &Database::of(&execution.settings)?.paged_calls;
        let call = (call.file_call)(&paged_calls.completed(&session, tool, arguments))?;
        let key = args.get(HOST_KEY)?;
        let approver = key.map(|key| execution.approver(key, args.function())).transpose()?;
        tools.for_session(session);
        let payload = match &call {
            Some(call) => tools.needs_approval(call, approver.is_some())?,
            None => None,
        };
        Ok(out.json(payload))
    }
}
