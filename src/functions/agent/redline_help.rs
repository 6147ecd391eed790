//! `redline_help()`: every function of redline, from SQL. DuckDB's own list cannot tell: its C API takes no names of
//! parameters and no descriptions.

use std::convert::Infallible;

use crate::error::Result;
use crate::ffi::{Batch, Field, Open, TableFunction, Type, Value};
use crate::functions::context::database::Database;
use crate::functions::surface::{
    Col, Declaration, Declared, Entry, Family, Grant, Row, Rows, Signature, col,
};

/// The table function.
pub struct RedlineHelp;

impl Declared for RedlineHelp {
    const DECLARATION: Declaration = Declaration {
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Every function of redline: how it is called, what it returns, an example",
        example: "SELECT name, signature, description FROM redline_help()",
    };
}

/// A parameter of a function.
pub struct Parameter;

impl Row for Parameter {
    type Of<'a> = &'a Field;

    const OWN: &'static [Col<Self>] = &[
        col("name", Type::Varchar, "The name", |field, out| out.push_text(Some(field.name))),
        col("type", Type::Varchar, "The type, as SQL writes it", |field, out| {
            out.push_text(Some(&field.kind.to_string()));
        }),
        col(
            "default",
            Type::Varchar,
            "What it is when it is left out, as SQL; NULL for one that must be given",
            |field, out| {
                out.push_text(field.default);
            },
        ),
        col("description", Type::Varchar, "What it is", |field, out| {
            out.push_text(Some(field.doc))
        }),
    ];
}

/// A function.
pub struct Function(&'static Entry);

impl Row for Function {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col("name", Type::Varchar, "The name", |row, out| out.push_text(Some(row.0.name))),
        col("kind", Type::Varchar, "table or scalar", |row, out| {
            out.push_text(Some(row.0.signature.kind()))
        }),
        col("signature", Type::Varchar, "How it is called, one line per form", |row, out| {
            out.push_text(Some(&row.0.signature.calls(row.0.name).join("\n")));
        }),
        col("parameters", Parameter::LIST, "Its parameters, positional ones first", |row, out| {
            let Ok(()) = out.push_list(|elements| {
                let parameters = row.0.signature.parameters();
                parameters
                    .iter()
                    .for_each(|field| Parameter::COLUMNS.write_struct(field, elements));
                Ok::<(), Infallible>(())
            });
        }),
        col(
            "returns",
            Type::Varchar,
            "The type of its result; of a table, its columns",
            |row, out| {
                out.push_text(Some(&row.0.signature.returns()));
            },
        ),
        col("description", Type::Varchar, "What it returns or does", |row, out| {
            out.push_text(Some(row.0.declaration.description));
        }),
        col("example", Type::Varchar, "A query that shows it", |row, out| {
            out.push_text(Some(row.0.declaration.example));
        }),
    ];
}

impl Signature {
    fn kind(&self) -> &'static str {
        match self {
            Self::Table { .. } => "table",
            Self::Scalar { .. } => "scalar",
        }
    }

    /// Returns the forms in which the function is called.
    fn calls(&self, name: &str) -> Vec<String> {
        let positional = |fields: &[Field]| -> Vec<String> {
            fields.iter().map(|field| format!("{} {}", field.name, field.kind)).collect()
        };
        match self {
            Self::Table { parameters, named, .. } => {
                let mut all = positional(parameters);
                all.extend(named.iter().map(|field| format!("{} := {}", field.name, field.kind)));
                vec![format!("{name}({})", all.join(", "))]
            }
            Self::Scalar { overloads, .. } => overloads
                .iter()
                .map(|fields| format!("{name}({})", positional(fields).join(", ")))
                .collect(),
        }
    }

    /// Returns every parameter once.
    fn parameters(&self) -> Vec<Field> {
        let all: Vec<Field> = match self {
            Self::Table { parameters, named, .. } => {
                parameters.iter().chain(*named).copied().collect()
            }
            Self::Scalar { overloads, .. } => {
                overloads.iter().copied().flatten().copied().collect()
            }
        };
        let mut once: Vec<Field> = Vec::new();
        for field in all {
            if !once.iter().any(|known| known.name == field.name) {
                once.push(field);
            }
        }
        once
    }

    fn returns(&self) -> String {
        match self {
            Self::Table { columns, .. } => {
                let columns: Vec<String> =
                    columns.iter().map(|field| format!("{} {}", field.name, field.kind)).collect();
                format!("TABLE({})", columns.join(", "))
            }
            Self::Scalar { returns, .. } => returns.to_string(),
        }
    }
}

impl TableFunction for RedlineHelp {
    const NAME: &'static str = "redline_help";
    const PARAMETERS: &'static [Field] = &[];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = Function::FIELDS;
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = ();
    type Scan = Rows<Function>;

    fn bind(_: &[Value], _: &[Value]) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Self::Scan> {
        let database = Database::of(&open.settings)?;
        Ok(Rows::new(
            database.functions.iter().filter(|entry| entry.is_public()).map(Function),
            open.projection,
        ))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch);
        Ok(())
    }
}
