//! `redline_help()`: every function of redline, from SQL. DuckDB's own list cannot tell: its C API takes no names of
//! parameters and no descriptions.

use crate::error::Result;
use crate::ffi::{Field, Open};
use crate::functions::context::database::Database;
use crate::functions::params::args::Args;
use crate::functions::surface::{
    Col, Declaration, Declared, Entry, Family, Grant, HasList, ListOf, Out, Row, Rows, Signature,
    Table, Written, structures, varchar,
};

/// The table function.
pub struct RedlineHelp;

impl Declared for RedlineHelp {
    const DECLARATION: Declaration = Declaration {
        name: "redline_help",
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
        varchar("name", "The name", |field, out| out.text(field.name)),
        varchar("type", "The type, as SQL writes it", |field, out| {
            out.text(field.kind.to_string())
        }),
        varchar(
            "default",
            "What it is when it is left out, as SQL; NULL for one that must be given",
            |field, out| out.text(field.default.map(|default| default.to_string())),
        ),
        varchar("description", "What it is", |field, out| out.text(field.doc)),
    ];
}

/// A function.
pub struct Function(&'static Entry);

impl Row for Function {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The name", |row, out| out.text(row.0.declaration.name)),
        varchar("kind", "`table` or `scalar`", |row, out| out.text(row.0.signature.kind())),
        varchar(
            "signature",
            "How it is called: one line per form, named parameters as `name := TYPE`",
            |row, out| out.text(row.0.signature.calls(row.0.declaration.name).join("\n")),
        ),
        structures::<_, Parameter>(
            "parameters",
            "Every parameter once, positional ones first; `default` is SQL, and NULL \
             for a required parameter or a default of NULL",
        ),
        varchar(
            "returns",
            "The type of the result; for a table `TABLE(column TYPE, …)`",
            |row, out| out.text(row.0.signature.returns()),
        ),
        varchar("description", "What it returns or does, in one line", |row, out| {
            out.text(row.0.declaration.description)
        }),
        varchar("example", "A query that shows it", |row, out| out.text(row.0.declaration.example)),
    ];
}

impl HasList<Parameter> for Function {
    fn list(row: &Self, out: Out<'_, ListOf<Parameter>>) -> Written {
        out.all(&row.0.signature.parameters())
    }
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

impl Table for RedlineHelp {
    type Row = Function;
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = ();
    type Scan = Rows<Function>;

    fn bind(_: Args<'_>) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Self::Scan> {
        let database = Database::of(&open.settings)?;
        Ok(Rows::new(
            database.functions.iter().filter(|entry| entry.is_public()).map(Function),
            open.projection,
        ))
    }
}
