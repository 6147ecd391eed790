//! `needs_approval(tool, args [, session [, key]])`: what a person is shown before a call of a file tool.
//!
//! It records what was proposed, so it is volatile.

use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::agent::tools as tools_of_agents;
use crate::functions::context::execution_context;
use crate::functions::files::file_tools::FileTools;
use crate::functions::params::arguments::{change_text, session_argument};
use crate::functions::surface::{Declaration, Declared, Family, Grant};

/// The scalar function.
pub struct NeedsApproval;

impl Declared for NeedsApproval {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Tools(&["read_file", "write_file", "edit_file"]),
        description: "The payload that a person decides on before a call of a file tool; NULL when nobody has to be asked",
        example: "SELECT needs_approval('read_file', '{\"path\": \"workspace/a.txt\"}')",
    };
}

const TOOL: Field = Field::new("tool", Type::Varchar, "The tool");
const ARGS: Field = Field::new("args", Type::Varchar, "Its arguments, as a JSON object");
const SESSION: Field = Field::optional(
    "session",
    Type::Varchar,
    "NULL",
    "Whose call it is; NULL for the connection's own",
);
const KEY: Field = Field::optional(
    "key",
    Type::Varchar,
    "NULL",
    "The host's key: with it the payload shows what must not be read unseen",
);

impl ScalarFunction for NeedsApproval {
    const NAME: &'static str = "needs_approval";
    const OVERLOADS: &'static [Overload] =
        &[&[TOOL, ARGS], &[TOOL, ARGS, SESSION], &[TOOL, ARGS, SESSION, KEY]];
    const RETURNS: Type = Type::Json;
    const VOLATILE: bool = true;
    // NULL is an answer, which a NULL argument must not be given.
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = FileTools;

    fn open(settings: Settings) -> Result<FileTools> {
        FileTools::open::<Self>(settings)
    }

    fn call(tools: &mut FileTools, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let tool = change_text(arguments, 0, Self::NAME, "tool")?;
        let args = change_text(arguments, 1, Self::NAME, "args")?;
        let call = tools_of_agents::find(&tool)?.file_call(&args)?;
        let execution = tools.execution();
        let holds_key = match arguments.text(3) {
            None => false,
            key => execution.approver(key, Self::NAME).map(|_| true)?,
        };
        let session = session_argument(arguments, 2, execution.settings.connection())?;
        tools.for_session(session);
        let payload = match &call {
            Some(call) => tools.needs_approval(call, holds_key)?,
            None => None,
        };
        out.push_text(payload.as_deref());
        Ok(())
    }
}
