//! The tools that open each function, in debug builds only: `make sql` writes the table of grants
//! from them.

use crate::ffi::Open;
use crate::functions::context::database::{Database, openers};
use crate::functions::params::Args;
use crate::functions::surface::{Declaration, Family, Grant, Rows, Table};
use redline_base::error::Result;
use redline_rows::{Col, Row, varchar};

/// `redline_debug_grants()`: a row for each tool of each function, in the order of a refusal.
pub struct DebugGrants;

/// A function and a tool that opens it.
pub struct GrantOf {
    function: &'static str,
    tool: &'static str,
}

impl Row for GrantOf {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("function", "The function", |row, out| out.text(row.function)),
        varchar("tool", "A tool that opens it", |row, out| out.text(row.tool)),
    ];
}

impl Table for DebugGrants {
    const DECLARATION: Declaration = Declaration {
        name: "redline_debug_grants",
        family: Family::Debug,
        grant: Grant::Everybody,
        description: "Lists the tools that open each function",
        example: "FROM redline_debug_grants()",
    };
    type Row = GrantOf;
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = ();
    type Scan = Rows<GrantOf>;

    fn bind(_: Args<'_>) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Self::Scan> {
        let database = Database::of(&open.settings)?;
        let mut rows = Vec::new();
        for function in database.functions.iter().map(|entry| &entry.declaration) {
            let Grant::Tools(own) = function.grant else { continue };
            let tools = openers(function.name, own, &database.tools);
            rows.extend(tools.into_iter().map(|tool| GrantOf { function: function.name, tool }));
        }
        Ok(Rows::new(rows))
    }
}
