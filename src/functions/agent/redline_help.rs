//! `redline_help()`: every function of redline in a line, and everything of one, from SQL. DuckDB's own list cannot tell:
//! its C API takes no names of parameters and no descriptions.

use std::convert::Infallible;

use crate::error::{Error, Result, quoted};
use crate::ffi::{Batch, Field, Open, TableFunction, Type, Value};
use crate::functions::context::database::Database;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Entry, Family, Grant, Row, Rows, Signature, col,
};
use crate::suggest;

/// The table function.
pub struct RedlineHelp;

impl Declared for RedlineHelp {
    const DECLARATION: Declaration = Declaration {
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Every function of redline in a line, and everything that is known of one",
        example: "SELECT * FROM redline_help(function := 'file_changes')",
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
pub struct Function {
    entry: &'static Entry,
    /// Whether everything is told.
    is_whole: bool,
}

impl Row for Function {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col("name", Type::Varchar, "The name", |row, out| out.push_text(Some(row.entry.name))),
        col("kind", Type::Varchar, "table or scalar", |row, out| {
            out.push_text(Some(row.entry.signature.kind()))
        }),
        col("signature", Type::Varchar, "How it is called, one line per form", |row, out| {
            let Entry { name, signature, .. } = row.entry;
            let calls = if row.is_whole { signature.calls(name) } else { signature.names(name) };
            out.push_text(Some(&calls.join("\n")));
        }),
        col("parameters", Parameter::LIST, "Its parameters, positional ones first", |row, out| {
            if !row.is_whole {
                return out.push_null();
            }
            let Ok(()) = out.push_list(|elements| {
                let parameters = row.entry.signature.parameters();
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
                out.push_text(row.is_whole.then(|| row.entry.signature.returns()).as_deref());
            },
        ),
        col("description", Type::Varchar, "What it returns or does", |row, out| {
            out.push_text(Some(row.entry.declaration.description));
        }),
        col("example", Type::Varchar, "A query that shows it", |row, out| {
            out.push_text(row.is_whole.then_some(row.entry.declaration.example));
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

    /// Returns the forms without types; options are counted.
    fn names(&self, name: &str) -> Vec<String> {
        let positional = |fields: &[Field]| -> Vec<String> {
            fields.iter().map(|field| field.name.to_owned()).collect()
        };
        match self {
            Self::Table { parameters, named, .. } => {
                let mut all = positional(parameters);
                match named {
                    [] => {}
                    [only] => all.push(format!("{} := …", only.name)),
                    several => all.push(format!("{} options", several.len())),
                }
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

/// What means every function.
const ALL: &str = "ALL";

impl TableFunction for RedlineHelp {
    const NAME: &'static str = "redline_help";
    const PARAMETERS: &'static [Field] = &[];
    const NAMED: &'static [Field] = &[Field::optional(
        "function",
        Type::Varchar,
        "NULL",
        "The function of which everything is told, or ALL; NULL tells a line of each",
    )];
    const COLUMNS: &'static [Field] = Function::FIELDS;
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = Option<String>;
    type Scan = Rows<Function>;

    fn bind(_: &[Value], named: &[Value]) -> Result<Option<String>> {
        Ok(NamedOptions::new(Self::NAMED, named).text("function").map(str::to_owned))
    }

    fn open(asked: &Option<String>, open: Open<'_>) -> Result<Self::Scan> {
        let database = Database::of(&open.settings)?;
        let all = || database.functions.iter().filter(|entry| entry.is_public());
        let one = asked.as_deref().filter(|name| !name.eq_ignore_ascii_case(ALL));
        let is_meant = |name: &str| one.is_none_or(|one| one.eq_ignore_ascii_case(name));
        if let Some(one) = one
            && !all().any(|entry| is_meant(entry.name))
        {
            return Err(unknown(one, all().map(|entry| entry.name)));
        }
        let is_whole = asked.is_some();
        let meant: Vec<Function> = all()
            .filter(|entry| is_meant(entry.name))
            .map(|entry| Function { entry, is_whole })
            .collect();
        Ok(Rows::new(meant.into_iter(), open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch);
        Ok(())
    }
}

fn unknown(name: &str, names: impl Iterator<Item = &'static str>) -> Error {
    let error = Error::not_found(format!("redline has no function {}", quoted(name)));
    error.with_hint(match suggest::nearest(name, names).as_slice() {
        [] => "FROM redline_help() lists them".to_owned(),
        near => format!("Did you mean {}?", near.join(" or ")),
    })
}
