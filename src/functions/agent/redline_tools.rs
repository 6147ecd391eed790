//! `redline_tools()`: the tools as agents see them.

use crate::ffi::Open;
use crate::functions::context::settings;
use crate::functions::params::Args;
use crate::functions::surface::{self, Family, Grant, Rows, Table};
use crate::functions::tools::TOOLS;
use redline_base::error::Result;
use redline_base::limits::HOST_LIMITS;
use redline_rows::{Col, Row, json, varchar};
use redline_tools::Declaration;

/// The table function.
pub struct RedlineTools;

/// A tool, as it is listed.
pub struct Tool(Declaration);

impl Row for Tool {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The name by which it is called and granted", |row, out| {
            out.text(row.0.name)
        }),
        varchar("title", "The name that people see", |row, out| out.text(row.0.title)),
        varchar("description", "Its purpose and use", |row, out| out.text(row.0.description)),
        json("input_schema", "JSON Schema of its arguments", |row, out| {
            out.json(row.0.input_schema().to_string())
        }),
        json("output_schema", "JSON Schema of structuredContent", |row, out| {
            out.json((row.0.output_schema)().to_string())
        }),
        json(
            "annotations",
            "MCP's hints, where they differ from its defaults: `readOnlyHint`, \
             `idempotentHint`, `openWorldHint`",
            |row, out| out.json(row.0.annotations_json()),
        ),
        varchar(
            "sql_template",
            "A query with one parameter per argument (`$path_a`, …); NULL for an \
             omitted one",
            |row, out| out.text(row.0.sql_template()),
        ),
        varchar(
            "publish_sql",
            "The statement that publishes it on a server with the duckdb_mcp \
             extension",
            |row, out| out.text(row.0.publish_sql()),
        ),
    ];
}

impl Table for RedlineTools {
    const DECLARATION: surface::Declaration = surface::Declaration {
        name: "redline_tools",
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Lists the tools as agents see them, with schemas and the SQL that publishes each",
        example: "SELECT name, description FROM redline_tools()",
    };
    type Row = Tool;
    const SETTINGS: &'static [&'static str] = &[HOST_LIMITS.max_answer_bytes.name];
    type Bind = ();
    type Scan = Rows<Tool>;

    fn bind(_: Args<'_>) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Self::Scan> {
        let max_bytes = settings::max_answer_bytes(&open.settings)?;
        Ok(Rows::new(
            TOOLS.iter().map(move |tool| Tool(Declaration { max_bytes, ..tool.declaration })),
        ))
    }
}
