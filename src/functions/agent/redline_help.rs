//! `redline_help()`: every function of redline in a line, and the details of one, in SQL. DuckDB's
//! own list has no names of parameters and no descriptions, as its C API takes none.

use super::macro_help::{Macro, MacroParameter, macros};
use crate::error::{Error, Result, quoted};
use crate::ffi::{Field, Open};
use crate::functions::context::database::Database;
use crate::functions::params::{Args, Maybe, Param, Text, optional};
use crate::functions::surface::{
    Col, Declaration, Entry, Family, Grant, HasList, ListOf, Out, Row, Rows, Signature, Table,
    Written, structures, varchar,
};
use crate::suggest;

/// The table function.
pub struct RedlineHelp;

/// A parameter with its description.
pub struct Parameter {
    name: &'static str,
    kind: Option<String>,
    default: Option<String>,
    doc: Option<&'static str>,
}

impl Row for Parameter {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The name", |row, out| out.text(row.name)),
        varchar(
            "type",
            "The type, as SQL writes it; NULL in a macro, where DuckDB asks for none",
            |row, out| out.text(row.kind.as_deref()),
        ),
        varchar("default", "Its default, as SQL; NULL if it is required", |row, out| {
            out.text(row.default.as_deref())
        }),
        varchar(
            "description",
            "Its description; NULL in a macro, whose function has it",
            |row, out| out.text(row.doc),
        ),
    ];
}

impl From<&Field> for Parameter {
    fn from(field: &Field) -> Self {
        Self {
            name: field.name,
            kind: Some(field.kind.to_string()),
            default: field.default.map(|default| default.to_string()),
            doc: Some(field.doc),
        }
    }
}

impl From<&MacroParameter> for Parameter {
    fn from(parameter: &MacroParameter) -> Self {
        let default = parameter.default.map(str::to_owned);
        Self { name: parameter.name, kind: None, default, doc: None }
    }
}

/// The subject of a row.
#[derive(Clone, Copy)]
enum Subject {
    Function(&'static Entry),
    Macro(&'static Macro),
}

/// A function or a macro.
pub struct Function {
    subject: Subject,
    /// Whether all details are shown.
    is_whole: bool,
}

impl Row for Function {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The name", |row, out| out.text(row.subject.name())),
        varchar("kind", "`table`, `scalar` or `macro`", |row, out| out.text(row.subject.kind())),
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
            "The type of the result; for a table `TABLE(column TYPE, …)`; NULL in the short list and for a macro",
            |row, out| out.text(row.subject.returns().filter(|_| row.is_whole)),
        ),
        varchar("description", "Its result or effect, in one line", |row, out| {
            out.text(row.subject.description())
        }),
        varchar(
            "example",
            "A query that shows it; NULL in the short list, and for a macro that needs arguments",
            |row, out| out.text(row.subject.example().filter(|_| row.is_whole)),
        ),
    ];
}

impl Function {
    fn calls(&self) -> Vec<String> {
        match (self.subject, self.is_whole) {
            (Subject::Function(entry), true) => entry.signature.calls(entry.declaration.name),
            (Subject::Function(entry), false) => entry.signature.names(entry.declaration.name),
            (Subject::Macro(one), true) => vec![one.call()],
            (Subject::Macro(one), false) => vec![one.short_call()],
        }
    }
}

impl Subject {
    fn name(self) -> &'static str {
        match self {
            Self::Function(entry) => entry.declaration.name,
            Self::Macro(one) => one.name,
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Function(entry) => entry.signature.kind(),
            Self::Macro(_) => "macro",
        }
    }

    fn returns(self) -> Option<String> {
        match self {
            Self::Function(entry) => Some(entry.signature.returns()),
            Self::Macro(_) => None,
        }
    }

    fn description(self) -> String {
        match self {
            Self::Function(entry) => entry.declaration.description.to_owned(),
            Self::Macro(one) => {
                format!("{}; a macro of redline_sql('{}')", one.description, one.script)
            }
        }
    }

    fn example(self) -> Option<String> {
        match self {
            Self::Function(entry) => Some(entry.declaration.example.to_owned()),
            Self::Macro(one) => one.example(),
        }
    }

    fn parameters(self) -> Vec<Parameter> {
        match self {
            Self::Function(entry) => {
                entry.signature.parameters().iter().map(Parameter::from).collect()
            }
            Self::Macro(one) => one.parameters.iter().map(Parameter::from).collect(),
        }
    }
}

impl HasList<Parameter> for Function {
    fn list(row: &Self, out: Out<'_, ListOf<Parameter>>) -> Written {
        if !row.is_whole {
            return out.null();
        }
        out.all(&row.subject.parameters())
    }
}

impl Signature {
    fn kind(&self) -> &'static str {
        match self {
            Self::Table { .. } => "table",
            Self::Scalar { .. } => "scalar",
        }
    }

    /// Returns the forms of a call.
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

    /// Returns the forms of a call without types; options are counted.
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

/// The argument for every function.
const ALL: &str = "ALL";

const FUNCTION: Param<Maybe<Text>> = optional(
    "function",
    "The function or macro to describe in full, or ALL functions; NULL: a line for each",
);

impl Table for RedlineHelp {
    const DECLARATION: Declaration = Declaration {
        name: "redline_help",
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Every function of redline in a line, and everything that is known of one",
        example: "SELECT * FROM redline_help(function := 'file_changes')",
    };
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
        let functions = database.functions.iter().filter(|entry| entry.is_public());
        let mut all: Vec<Subject> = functions.map(Subject::Function).collect();
        // The details of all functions are those of the extension only.
        let is_all = asked.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(ALL));
        if !is_all {
            let is_new = |one: &&Macro| !all.iter().any(|known| known.name() == one.name);
            let macros: Vec<Subject> = macros().iter().filter(is_new).map(Subject::Macro).collect();
            all.extend(macros);
        }
        let one = asked.as_deref().filter(|_| !is_all);
        let is_meant =
            |subject: &Subject| one.is_none_or(|one| one.eq_ignore_ascii_case(subject.name()));
        if let Some(one) = one
            && !all.iter().any(is_meant)
        {
            return Err(unknown(one, all.iter().map(|subject| subject.name())));
        }
        let is_whole = asked.is_some();
        let meant: Vec<Function> = all
            .into_iter()
            .filter(is_meant)
            .map(|subject| Function { subject, is_whole })
            .collect();
        Ok(Rows::new(meant))
    }
}

fn unknown(name: &str, names: impl Iterator<Item = &'static str>) -> Error {
    let error = Error::not_found(format!("redline has no function {}", quoted(name)));
    error.near(&suggest::nearest(name, names)).or_hint("FROM redline_help() lists them")
}
