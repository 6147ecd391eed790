//! `redline_tools()`: the tools as agents see them.

use crate::ffi::Open;
use crate::functions::params::Args;
use crate::functions::surface::{Col, Declaration, Family, Grant, Row, Rows, Table, json, varchar};
use crate::functions::tools::TOOLS;
use redline_base::error::Result;
use redline_tools::Declaration as Tool;

/// The table function.
pub struct RedlineTools;

impl Row for Tool {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The name by which it is called and granted", |row, out| {
            out.text(row.name)
        }),
        varchar("title", "The name that people see", |row, out| out.text(row.title)),
        varchar("description", "Its purpose and use", |row, out| out.text(row.description)),
        json("input_schema", "JSON Schema of its arguments", |row, out| {
            out.json((row.input_schema)().to_string())
        }),
        json("output_schema", "JSON Schema of structuredContent", |row, out| {
            out.json((row.output_schema)().to_string())
        }),
        json(
            "annotations",
            "MCP's hints, where they differ from its defaults: `readOnlyHint`, \
             `idempotentHint`, `openWorldHint`",
            |row, out| out.json(row.annotations_json()),
        ),
        varchar(
            "sql_template",
            "A query with one parameter per argument (`$path_a`, …); NULL for an \
             omitted one",
            |row, out| out.text(row.sql_template()),
        ),
        varchar(
            "publish_sql",
            "The statement that publishes it on a server with the duckdb_mcp \
             extension",
            |row, out| out.text(row.publish_sql()),
        ),
    ];
}

impl Table for RedlineTools {
    const DECLARATION: Declaration = Declaration {
        name: "redline_tools",
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Lists the tools as agents see them, with schemas and the SQL that publishes each",
        example: "SELECT name, description FROM redline_tools()",
    };
    type Row = Tool;
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = ();
    type Scan = Rows<Tool>;

    fn bind(_: Args<'_>) -> Result<()> {
        Ok(())
    }

    fn open((): &(), _: Open<'_>) -> Result<Self::Scan> {
        Ok(Rows::new(TOOLS.iter().map(|tool| tool.declaration)))
    }
}
