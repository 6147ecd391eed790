//! `redline_call(tool, args [, session])` and `redline_call_text(tool, args [, session])`: the
//! tools as agents call them.
//!
//! A call never raises an error; the answer contains it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use crate::ffi::{Nulls, Overload, Settings};
use crate::functions::context::database::{self, Database};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::settings;
use crate::functions::params::{
    Args, Asked, BigInt, Flag, Given, Kind, Maybe, Param, SESSION, fields, flag, optional,
    required, session,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar, State};
use crate::functions::tools;
use redline_base::budget::{Budget, Current};
use redline_base::error::Result;
use redline_base::form::Form;
use redline_rows::{Json, Out, Type, Varchar, Written};
use redline_tools::{Answer, Reply, max_bytes};

/// Answers calls under the settings of one execution.
pub struct ToolCalls {
    settings: Settings,
    database: Arc<Database>,
    /// The shared budget of all calls of the statement, if the host has set one.
    budget: Arc<Budget>,
}

impl State for ToolCalls {
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;

    fn open(settings: Settings) -> Result<Self> {
        let database = Database::of(&settings)?;
        let budget = settings::budget(&settings);
        Ok(Self { settings, database, budget })
    }
}

impl ToolCalls {
    /// Answers a call, also a wrong one. `form` is the part of the answer that is returned, which
    /// the budget of bytes limits.
    fn answer(&self, args: Args<'_>, form: Form) -> Answer {
        let mut reply = Reply::new(form);
        self.call(args, &mut reply).unwrap_or_else(|error| reply.error(&error))
    }

    /// Answers a call that may fail.
    fn call(&self, args: Args<'_>, reply: &mut Reply) -> Result<Answer> {
        let session = session(args, self.settings.connection())?;
        self.budget.check()?;
        reply.max_bytes = match max_bytes(MAX_BYTES.field.name, args.get(MAX_BYTES)?)? {
            Some(bytes) => bytes,
            None => settings::max_answer_bytes(&self.settings)?,
        };
        let (name, given) = (args.get(TOOL)?, args.get(ARGS)?);
        let offered = match args.get(OFFERED)? {
            Some(names) => names.split(',').map(str::to_owned).collect(),
            None => {
                let is_granted = |name: &&str| database::require_tool(name, &self.settings).is_ok();
                tools::names().filter(is_granted).map(str::to_owned).collect::<Vec<_>>()
            }
        };
        let Some(tool) = tools::find(&name) else {
            return Err(tools::unknown(&name, &given, &offered));
        };
        database::require_tool(tool.declaration.name, &self.settings)?;
        if let Some(most) = settings::max_calls(&self.settings) {
            let connection = self.settings.connection();
            self.database.rate_limit.count(&session, connection, most, Instant::now())?;
        }
        let given = self.database.paged_calls.completed(&session, &name, &given);
        let execution = ExecutionContext::for_tool(self.settings.clone(), session.clone())?;
        let _current = Current::enter(&Arc::clone(&execution.caller.context.budget));
        let answer = (tool.answer)(execution, reply, offered, &given)?;
        if let Some(cursor) = answer.next_cursor() {
            self.database.paged_calls.keep(&session, &name, &given, cursor);
        }
        Ok(answer)
    }
}

/// Text from a model: bytes that are not UTF-8 are replaced, and NULL is empty.
pub struct LossyText;

impl Kind for LossyText {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = Cow<'a, str>;

    fn read<'a>(given: Given<'a>, _: Asked<'_>) -> Result<Cow<'a, str>> {
        Ok(String::from_utf8_lossy(given.text().unwrap_or_default()))
    }

    fn read_null<'a>(_: Asked<'_>) -> Result<Cow<'a, str>> {
        Ok(Cow::Borrowed(""))
    }
}

const TOOL: Param<LossyText> = required("tool", "The tool, by its name in redline_tools()");
const ARGS: Param<LossyText> = required("args", "Its arguments, as a JSON object");
const MAX_BYTES: Param<Maybe<BigInt>> = optional(
    "max_bytes",
    "Bytes of the answer where args give no max_bytes; NULL: redline_max_answer_bytes",
);
const OFFERED: Param<Maybe<LossyText>> = optional(
    "offered",
    "The names of the tools that the client is offered, separated by commas, as answers name them; NULL: all that are granted",
);
const RAISES: Param<Flag> =
    flag("raises", false, "Whether an error is raised in SQL instead of being the answer");

/// The whole answer, MCP's `CallToolResult`.
pub struct RedlineCall;

impl Scalar for RedlineCall {
    const DECLARATION: Declaration = Declaration {
        name: "redline_call",
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Calls a tool and returns MCP's CallToolResult as JSON, also for a failed call",
        example: "SELECT redline_call('GitDiffSummary', '{\"from\": \"HEAD\"}')",
    };
    const OVERLOADS: &'static [Overload] = &[
        fields![TOOL, ARGS],
        fields![TOOL, ARGS, SESSION],
        fields![TOOL, ARGS, SESSION, MAX_BYTES],
        fields![TOOL, ARGS, SESSION, MAX_BYTES, OFFERED],
    ];
    type Returns = Json;
    type State = ToolCalls;
    const NULLS: Nulls = Nulls::Handle;

    fn call(calls: &mut ToolCalls, args: Args<'_>, out: Out<'_, Json>) -> Result<Written> {
        Ok(out.json(calls.answer(args, Form::Json).to_json()))
    }
}

/// Only the text of the answer, for servers whose tools return rows.
pub struct RedlineCallText;

impl Scalar for RedlineCallText {
    const DECLARATION: Declaration = Declaration {
        name: "redline_call_text",
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Calls a tool and returns the text of its answer alone",
        example: "SELECT redline_call_text('GitDiffSummary', '{\"from\": \"HEAD\"}')",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![TOOL, ARGS], fields![TOOL, ARGS, SESSION], fields![TOOL, ARGS, SESSION, RAISES]];
    type Returns = Varchar;
    type State = ToolCalls;
    const NULLS: Nulls = Nulls::Handle;

    fn call(calls: &mut ToolCalls, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let answer = if args.get(RAISES)? {
            calls.call(args, &mut Reply::new(Form::Text))?
        } else {
            calls.answer(args, Form::Text)
        };
        Ok(out.text(answer.as_text()))
    }
}
