//! `redline_call(tool, args [, session])` and `redline_call_text(tool, args [, session])`: the tools as agents call them.
//!
//! A call never raises: what is wrong with it is its answer.

use std::sync::Arc;
use std::time::Instant;

use super::tools;
use crate::budget::{Budget, Current};
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::form::Form;
use crate::functions::context::database::Database;
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::grants;
use crate::functions::context::settings;
use crate::functions::params::arguments::session_argument;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::tools::{Answer, Reply};

/// Answers calls under the settings of one execution.
pub struct Caller {
    settings: Settings,
    database: Arc<Database>,
    /// What all calls of the statement may use together, where the host has set that.
    budget: Arc<Budget>,
    /// What of the answer is given back: a budget of bytes is for that.
    form: Form,
}

impl Caller {
    fn open(settings: Settings, form: Form) -> Result<Self> {
        let database = settings
            .extra_info()
            .ok_or_else(|| Error::tool_failed("the database has no state of redline"))?;
        let budget = settings::budget(&settings);
        Ok(Self { settings, database, budget, form })
    }

    /// Answers a call; what is wrong with it is its answer.
    fn answer(&self, arguments: Arguments<'_>) -> Answer {
        let mut reply = Reply::new(self.form);
        self.call(arguments, &mut reply).unwrap_or_else(|error| reply.error(&error))
    }

    /// Answers a call that may fail.
    fn called(&self, arguments: Arguments<'_>) -> Result<Answer> {
        self.call(arguments, &mut Reply::new(self.form))
    }

    /// NULL is no name, and no arguments.
    fn call(&self, arguments: Arguments<'_>, reply: &mut Reply) -> Result<Answer> {
        let text = |index| arguments.text(index).map(String::from_utf8_lossy).unwrap_or_default();
        let session = session_argument(arguments, 2, self.settings.connection())?;
        self.budget.check()?;
        let tool = tools::find(&text(0))?;
        grants::require_tool(tool.declaration.name, &self.settings)?;
        if let Some(most) = settings::max_calls(&self.settings) {
            let connection = self.settings.connection();
            self.database.calls.count(&session, connection, most, Instant::now())?;
        }
        let execution = ExecutionContext::for_tool(self.settings.clone(), session)?;
        let _current = Current::enter(&Arc::clone(&execution.budget));
        tool.answer(execution, reply, &text(1))
    }
}

const TOOL: Field = Field::new("tool", Type::Varchar, "The tool, by its name in redline_tools()");
const ARGS: Field = Field::new("args", Type::Varchar, "Its arguments, as a JSON object");
const SESSION: Field = Field::optional(
    "session",
    Type::Varchar,
    "NULL",
    "Whose call it is; NULL for the connection's own",
);
const OVERLOADS: &[Overload] = &[&[TOOL, ARGS], &[TOOL, ARGS, SESSION]];
const RAISES: Field = Field::optional(
    "raises",
    Type::Boolean,
    "false",
    "Whether what is wrong is an SQL error instead of an answer",
);
const TEXT_OVERLOADS: &[Overload] =
    &[&[TOOL, ARGS], &[TOOL, ARGS, SESSION], &[TOOL, ARGS, SESSION, RAISES]];

/// The whole answer, MCP's `CallToolResult`.
pub struct RedlineCall;

impl Declared for RedlineCall {
    const DECLARATION: Declaration = Declaration {
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Calls a tool and returns MCP's CallToolResult as JSON; what is wrong is its answer",
        example: "SELECT redline_call('GitDiffSummary', '{\"from\": \"HEAD\"}')",
    };
}

impl ScalarFunction for RedlineCall {
    const NAME: &'static str = "redline_call";
    const OVERLOADS: &'static [Overload] = OVERLOADS;
    const RETURNS: Type = Type::Json;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = Caller;

    fn open(settings: Settings) -> Result<Caller> {
        Caller::open(settings, Form::Json)
    }

    fn call(caller: &mut Caller, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        out.push_text(Some(&caller.answer(arguments).to_json()));
        Ok(())
    }
}

/// The text of the answer alone, for servers whose tools return rows.
pub struct RedlineCallText;

impl Declared for RedlineCallText {
    const DECLARATION: Declaration = Declaration {
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Calls a tool and returns the text of its answer alone",
        example: "SELECT redline_call_text('GitDiffSummary', '{\"from\": \"HEAD\"}')",
    };
}

impl ScalarFunction for RedlineCallText {
    const NAME: &'static str = "redline_call_text";
    const OVERLOADS: &'static [Overload] = TEXT_OVERLOADS;
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = Caller;

    fn open(settings: Settings) -> Result<Caller> {
        Caller::open(settings, Form::Text)
    }

    fn call(caller: &mut Caller, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        if arguments.boolean(3) == Some(true) {
            out.push_text(Some(&caller.called(arguments)?.as_text()));
            return Ok(());
        }
        out.push_text(Some(&caller.answer(arguments).as_text()));
        Ok(())
    }
}
