//! `redline_tools()`: the tools as agents see them.

use super::tools::TOOLS;
use crate::error::Result;
use crate::ffi::{Batch, Field, Open, TableFunction, Type, Value};
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, Rows, col};
use crate::tools::Declaration as Tool;

/// The table function.
pub struct RedlineTools;

impl Declared for RedlineTools {
    const DECLARATION: Declaration = Declaration {
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "The tools as agents see them, with schemas and the SQL that publishes each",
        example: "SELECT name, description FROM redline_tools()",
    };
}

/// A tool.
pub struct ToolRow(&'static Tool);

impl Row for ToolRow {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col("name", Type::Varchar, "The name by which it is called and granted", |row, out| {
            out.push_text(Some(row.0.name));
        }),
        col("title", Type::Varchar, "The name that people see", |row, out| {
            out.push_text(Some(row.0.title))
        }),
        col("description", Type::Varchar, "What it does and when to use it", |row, out| {
            out.push_text(Some(row.0.description));
        }),
        col("input_schema", Type::Json, "JSON Schema of its arguments", |row, out| {
            out.push_text(Some(&(row.0.input_schema)().to_string()));
        }),
        col("output_schema", Type::Json, "JSON Schema of structuredContent", |row, out| {
            out.push_text(Some(&(row.0.output_schema)().to_string()));
        }),
        col(
            "annotations",
            Type::Json,
            "MCP's annotations: whether it only reads, and more",
            |row, out| {
                out.push_text(Some(&row.0.annotations_json()));
            },
        ),
        col(
            "sql_template",
            Type::Varchar,
            "SQL that answers a call whose arguments are bound by name",
            |row, out| {
                out.push_text(Some(&row.0.sql_template()));
            },
        ),
        col(
            "publish_sql",
            Type::Varchar,
            "The statement that publishes it with duckdb_mcp",
            |row, out| {
                out.push_text(Some(&row.0.publish_sql()));
            },
        ),
    ];
}

impl TableFunction for RedlineTools {
    const NAME: &'static str = "redline_tools";
    const PARAMETERS: &'static [Field] = &[];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = ToolRow::FIELDS;
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = ();
    type Scan = Rows<ToolRow>;

    fn bind(_: &[Value], _: &[Value]) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Self::Scan> {
        Ok(Rows::new(TOOLS.iter().map(|tool| ToolRow(&tool.declaration)), open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch);
        Ok(())
    }
}
