//! `redline_call(tool, args [, session])` and `redline_call_text(tool, args [, session])`: the tools as agents call them.
//!
//! A call never raises: what is wrong with it is its answer.

use std::sync::Arc;
use std::time::Instant;

use super::git_tools;
use crate::budget::{Budget, Current};
use crate::edit::Session;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::database::Database;
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::grants;
use crate::functions::context::settings;
use crate::functions::files::file_tools::FileTools;
use crate::functions::params::arguments::session_argument;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::functions::text::diff_tool::{Differ, Shown};
use crate::review::Form;
use crate::text::Engine;
use crate::tools::{
    self, Answer, DiffArguments, DiffMode, EditFileArguments, ReadFileArguments, WriteFileArguments,
};

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

    /// Answers a call; NULL is no name, and no arguments.
    fn answer(&self, arguments: Arguments<'_>) -> Answer {
        let text = |index| arguments.text(index).map(String::from_utf8_lossy).unwrap_or_default();
        let session = session_argument(arguments, 2, self.settings.connection());
        let answer = session.and_then(|session| self.call(&text(0), &text(1), session));
        answer.unwrap_or_else(|error| Answer::error(&error))
    }

    fn call(&self, name: &str, arguments: &str, session: Session) -> Result<Answer> {
        self.budget.check()?;
        let tool = tools::find(name)?;
        grants::require_tool(tool.name, &self.settings)?;
        if let Some(most) = settings::max_calls(&self.settings) {
            self.database.calls.count(&session, most, Instant::now())?;
        }
        let execution = ExecutionContext::for_tool(self.settings.clone())?;
        let _current = Current::enter(&execution.budget);
        match tool.name {
            "Diff" => diff(execution, &tools::parse(tool.name, arguments)?),
            "read_file" => read_file(execution, session, tools::parse(tool.name, arguments)?),
            "write_file" => write_file(execution, session, &tools::parse(tool.name, arguments)?),
            "edit_file" => edit_file(execution, session, &tools::parse(tool.name, arguments)?),
            "GitDiff" | "GitDiffSummary" | "GitDiffFile" => {
                git_tools::answer(tool.name, arguments, &execution, self.form)
            }
            other => unreachable!("{other} is in the registry and has no answer"),
        }
    }
}

fn diff(execution: ExecutionContext, arguments: &DiffArguments) -> Result<Answer> {
    let labels = [arguments.label_a.as_deref(), arguments.label_b.as_deref()];
    let shown = Shown { context_lines: arguments.context_lines, labels };
    let mut differ = Differ::new(execution);
    let result = match arguments.mode()? {
        DiffMode::Paths(a, b) => differ.files([a, b], &shown),
        DiffMode::Texts(a, b) => differ.texts([a.as_bytes(), b.as_bytes()], &shown),
    }?;
    Ok(Answer::new(result.to_text(), &result))
}

fn read_file(
    execution: ExecutionContext,
    session: Session,
    mut arguments: ReadFileArguments,
) -> Result<Answer> {
    arguments.max_chars.get_or_insert(ReadFileArguments::MAX_CHARS);
    let result = FileTools::new(execution, session).read(&arguments)?;
    Ok(Answer::new(result.to_text(arguments.offset.unwrap_or(0)), &result))
}

fn write_file(
    execution: ExecutionContext,
    session: Session,
    arguments: &WriteFileArguments,
) -> Result<Answer> {
    let result = FileTools::new(execution, session).write(arguments)?;
    Ok(Answer::new(result.message.clone(), &result))
}

fn edit_file(
    execution: ExecutionContext,
    session: Session,
    arguments: &EditFileArguments,
) -> Result<Answer> {
    let result = FileTools::new(execution, session).edit(&mut Engine::default(), arguments)?;
    Ok(Answer::new(result.to_text(), &result))
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

/// The whole answer, MCP's `CallToolResult`.
pub struct RedlineCall;

impl Declared for RedlineCall {
    const DECLARATION: Declaration = Declaration {
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Calls a tool and returns MCP's CallToolResult as JSON; what is wrong is its answer",
        example: "SELECT redline_call('GitDiffSummary', '{\"from_rev\": \"HEAD\"}')",
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
        example: "SELECT redline_call_text('GitDiffSummary', '{\"from_rev\": \"HEAD\"}')",
    };
}

impl ScalarFunction for RedlineCallText {
    const NAME: &'static str = "redline_call_text";
    const OVERLOADS: &'static [Overload] = OVERLOADS;
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = Caller;

    fn open(settings: Settings) -> Result<Caller> {
        Caller::open(settings, Form::Text)
    }

    fn call(caller: &mut Caller, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        out.push_text(Some(&caller.answer(arguments).into_text()));
        Ok(())
    }
}
