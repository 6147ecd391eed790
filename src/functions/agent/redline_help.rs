//! `redline_help()`: every function of redline in a line, and everything of one, from SQL. DuckDB's own list cannot tell:
//! its C API takes no names of parameters and no descriptions.

use crate::error::{Error, Result, quoted};
use crate::ffi::{Field, Open};
use crate::functions::context::database::Database;
use crate::functions::params::args::Args;
use crate::functions::params::kinds::Text;
use crate::functions::params::param::{Maybe, Param, optional};
use crate::functions::surface::{
    Col, Declaration, Declared, Entry, Family, Grant, HasList, ListOf, Out, Row, Rows, Signature,
    Table, Written, structures, varchar,
};
use crate::suggest;

/// The table function.
pub struct RedlineHelp;

impl Declared for RedlineHelp {
    const DECLARATION: Declaration = Declaration {
        name: "redline_help",
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
pub struct Function {
    entry: &'static Entry,
    /// Whether everything is told.
    is_whole: bool,
}

impl Row for Function {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The name", |row, out| out.text(row.entry.declaration.name)),
        varchar("kind", "`table` or `scalar`", |row, out| out.text(row.entry.signature.kind())),
        varchar(
            "signature",
            "How it is called: one line per form, named parameters as `name := TYPE`; in the \
             short list without types, options counted",
            |row, out| out.text(row.calls().join("\n")),
        ),
        structures::<_, Parameter>(
            "parameters",
            "Every parameter once, positional ones first; `default` is SQL, and NULL \
             for a required parameter or a default of NULL; NULL in the short list",
        ),
        varchar(
            "returns",
            "The type of the result; for a table `TABLE(column TYPE, …)`; NULL in the short list",
            |row, out| out.text(row.is_whole.then(|| row.entry.signature.returns())),
        ),
        varchar("description", "What it returns or does, in one line", |row, out| {
            out.text(row.entry.declaration.description)
        }),
        varchar("example", "A query that shows it; NULL in the short list", |row, out| {
            out.text(row.is_whole.then_some(row.entry.declaration.example))
        }),
    ];
}

impl Function {
    fn calls(&self) -> Vec<String> {
        let Entry { declaration, signature, .. } = self.entry;
        if self.is_whole {
            signature.calls(declaration.name)
        } else {
            signature.names(declaration.name)
        }
    }
}

impl HasList<Parameter> for Function {
    fn list(row: &Self, out: Out<'_, ListOf<Parameter>>) -> Written {
        if !row.is_whole {
            return out.null();
        }
        out.all(&row.entry.signature.parameters())
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

const FUNCTION: Param<Maybe<Text>> = optional(
    "function",
    "The function of which everything is told, or ALL; NULL tells a line of each",
);

impl Table for RedlineHelp {
    const NAMED: &'static [Field] = &[FUNCTION.field];
    type Row = Function;
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = Option<String>;
    type Scan = Rows<Function>;

    fn bind(args: Args<'_>) -> Result<Option<String>> {
        Ok(args.get(FUNCTION)?.map(|name| name.to_owned()))
    }

    fn open(asked: &Option<String>, open: Open<'_>) -> Result<Self::Scan> {
        let database = Database::of(&open.settings)?;
        let all = || database.functions.iter().filter(|entry| entry.is_public());
        let one = asked.as_deref().filter(|name| !name.eq_ignore_ascii_case(ALL));
        let is_meant = |name: &str| one.is_none_or(|one| one.eq_ignore_ascii_case(name));
        if let Some(one) = one
            && !all().any(|entry| is_meant(entry.declaration.name))
        {
            return Err(unknown(one, all().map(|entry| entry.declaration.name)));
        }
        let is_whole = asked.is_some();
        let meant: Vec<Function> = all()
            .filter(|entry| is_meant(entry.declaration.name))
            .map(|entry| Function { entry, is_whole })
            .collect();
        Ok(Rows::new(meant, open.projection))
    }
}

fn unknown(name: &str, names: impl Iterator<Item = &'static str>) -> Error {
    let error = Error::not_found(format!("redline has no function {}", quoted(name)));
    error.with_hint(match suggest::nearest(name, names).as_slice() {
        [] => "FROM redline_help() lists them".to_owned(),
        near => format!("Did you mean {}?", near.join(" or ")),
    })
}
