//! The columns of every function with their descriptions, in debug builds only: `make sql` writes
//! the tables of the pages from them.

use crate::ffi::Open;
use crate::functions::context::database::Database;
use crate::functions::params::Args;
use crate::functions::surface::{
    Declaration, Family, FunctionEntry, Grant, Rows, Signature, Table,
};
use redline_base::error::Result;
use redline_rows::{Col, Field, Row, Type, varchar};

/// `redline_debug_columns()`: the columns of tables, and the fields of results.
pub struct DebugColumns;

/// A column of a function.
pub struct ColumnOf {
    function: &'static str,
    field: Field,
}

impl Row for ColumnOf {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("function", "The function", |row, out| out.text(row.function)),
        varchar("column", "The name", |row, out| out.text(row.field.name)),
        varchar("type", "The type", |row, out| out.text(row.field.kind.to_string())),
        varchar("description", "What it holds", |row, out| out.text(row.field.doc)),
    ];
}

/// Returns the columns of a function; if it returns a STRUCT or a list of them, its fields.
fn columns(entry: &FunctionEntry) -> &'static [Field] {
    match entry.signature {
        Signature::Table { columns, .. } => columns,
        Signature::Scalar { returns: Type::Struct(fields), .. } => fields,
        Signature::Scalar { returns: Type::List(&Type::Struct(fields)), .. } => fields,
        Signature::Scalar { .. } => &[],
    }
}

impl Table for DebugColumns {
    const DECLARATION: Declaration = Declaration {
        name: "redline_debug_columns",
        family: Family::Debug,
        grant: Grant::Everybody,
        description: "Lists the columns of every function, with what each holds",
        example: "FROM redline_debug_columns()",
    };
    type Row = ColumnOf;
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = ();
    type Scan = Rows<ColumnOf>;

    fn bind(_: Args<'_>) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Self::Scan> {
        let database = Database::of(&open.settings)?;
        let of = |entry: &'static FunctionEntry| {
            let function = entry.declaration.name;
            columns(entry).iter().map(move |&field| ColumnOf { function, field })
        };
        Ok(Rows::new(database.functions.iter().flat_map(of)))
    }
}
