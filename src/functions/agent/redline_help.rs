//! `redline_help()`: every function of redline in a line, and the details of one, in SQL. DuckDB's
//! own list has no names of parameters and no descriptions, as its C API takes none.

use super::macro_help::{Macro, MacroParameter, macros};
use crate::ffi::Open;
use crate::functions::context::database::Database;
use crate::functions::params::{Args, Maybe, Param, Text, optional};
use crate::functions::surface::{
    Declaration, Family, FunctionEntry, Grant, Rows, Signature, Table,
};
use redline_base::error::{Error, Result, quoted};
use redline_base::suggest;
use redline_rows::{Col, Field, HasList, ListOf, Out, Row, Written, structures, varchar};

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
            "What it means; in a macro as in its function, or as its script says",
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

impl Parameter {
    /// Returns a parameter of a macro: one of its function's of the same name, or what its script
    /// says of it, or the function's in the same place, which has another name there.
    fn of_macro(place: usize, parameter: &MacroParameter, fields: &[Field]) -> Self {
        let named = fields.iter().find(|field| field.name == parameter.name);
        let doc = named.map(|field| field.doc).or(parameter.doc);
        let doc = doc.or_else(|| fields.get(place).map(|field| field.doc));
        let default = parameter.default.map(str::to_owned);
        Self { name: parameter.name, kind: None, default, doc }
    }
}

/// A function or a macro.
pub struct Function {
    name: &'static str,
    kind: &'static str,
    /// The forms of a call.
    calls: Vec<String>,
    description: String,
    /// `None` in the short list.
    details: Option<Details>,
}

/// What the short list leaves out.
struct Details {
    parameters: Vec<Parameter>,
    returns: Option<String>,
    example: Option<String>,
}

impl Row for Function {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The name", |row, out| out.text(row.name)),
        varchar("kind", "`table`, `scalar` or `macro`", |row, out| out.text(row.kind)),
        varchar(
            "signature",
            "The forms of a call: one line per form, named parameters as `name := TYPE`; in the \
             short list without types, options counted",
            |row, out| out.text(row.calls.join("\n")),
        ),
        structures::<_, Parameter>(
            "parameters",
            "Every parameter once, positional ones first; `default` is SQL, and NULL \
             for a required parameter or a default of NULL; NULL in the short list",
        ),
        varchar(
            "returns",
            "The type of the result; for a table `TABLE(column TYPE, …)`; NULL in the short list and for a macro",
            |row, out| {
                out.text(row.details.as_ref().and_then(|details| details.returns.as_deref()))
            },
        ),
        varchar("description", "Its result or effect, in one line", |row, out| {
            out.text(row.description.as_str())
        }),
        varchar(
            "example",
            "A query that shows it; NULL in the short list, and for a macro that needs arguments",
            |row, out| {
                out.text(row.details.as_ref().and_then(|details| details.example.as_deref()))
            },
        ),
    ];
}

impl HasList<Parameter> for Function {
    fn list(row: &Self, out: Out<'_, ListOf<Parameter>>) -> Written {
        match &row.details {
            Some(details) => out.all(&details.parameters),
            None => out.null(),
        }
    }
}

impl Function {
    fn of_entry(entry: &FunctionEntry, is_whole: bool) -> Self {
        let FunctionEntry { signature, declaration, .. } = entry;
        let name = declaration.name;
        let details = || Details {
            parameters: signature.parameters().iter().map(Parameter::from).collect(),
            returns: Some(signature.returns()),
            example: Some(declaration.example.to_owned()),
        };
        Self {
            name,
            kind: signature.kind(),
            calls: if is_whole { signature.calls(name) } else { signature.names(name) },
            description: declaration.description.to_owned(),
            details: is_whole.then(details),
        }
    }

    fn of_macro(one: &Macro, entries: &[FunctionEntry], is_whole: bool) -> Self {
        let function = |name| entries.iter().find(|entry| entry.declaration.name == name);
        let fields = || one.function().and_then(function).map(|entry| entry.signature.parameters());
        let parameters = |fields: Vec<Field>| {
            let all = one.parameters.iter().enumerate();
            all.map(|(place, it)| Parameter::of_macro(place, it, &fields)).collect()
        };
        let details = || Details {
            parameters: parameters(fields().unwrap_or_default()),
            returns: None,
            example: one.example(),
        };
        Self {
            name: one.name,
            kind: "macro",
            calls: vec![if is_whole { one.call() } else { one.short_call() }],
            description: format!("{}; a macro of redline_sql('{}')", one.description, one.script),
            details: is_whole.then(details),
        }
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
        let options = |named: &[Field]| {
            named.iter().map(|field| format!("{} := {}", field.name, field.kind)).collect()
        };
        self.forms(name, |field| format!("{} {}", field.name, field.kind), options)
    }

    /// Returns the forms of a call without types; options are counted.
    fn names(&self, name: &str) -> Vec<String> {
        let options = |named: &[Field]| match named {
            [] => Vec::new(),
            [only] => vec![format!("{} := …", only.name)],
            several => vec![format!("{} options", several.len())],
        };
        self.forms(name, |field| field.name.to_owned(), options)
    }

    /// Returns the forms of a call: `shown` writes a positional parameter, and `options` those with
    /// names.
    fn forms(
        &self,
        name: &str,
        shown: impl Fn(&Field) -> String,
        options: impl Fn(&[Field]) -> Vec<String>,
    ) -> Vec<String> {
        let form = |fields: &[Field], options: Vec<String>| {
            let all: Vec<String> = fields.iter().map(&shown).chain(options).collect();
            format!("{name}({})", all.join(", "))
        };
        match self {
            Self::Table { parameters, named, .. } => vec![form(parameters, options(named))],
            Self::Scalar { overloads, .. } => {
                overloads.iter().map(|fields| form(fields, Vec::new())).collect()
            }
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
        description: "Lists the functions of redline, or all details of one",
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
        let is_whole = asked.is_some();
        let functions = database.functions.iter().filter(|entry| entry.is_public());
        let mut all: Vec<Function> =
            functions.map(|entry| Function::of_entry(entry, is_whole)).collect();
        // The details of all functions are those of the extension only.
        let is_all = asked.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(ALL));
        if !is_all {
            let is_new = |one: &&Macro| !all.iter().any(|known| known.name == one.name);
            let new = macros().iter().filter(is_new);
            let new: Vec<Function> =
                new.map(|one| Function::of_macro(one, database.functions, is_whole)).collect();
            all.extend(new);
        }
        if let Some(one) = asked.as_deref().filter(|_| !is_all) {
            let is_meant = |function: &Function| one.eq_ignore_ascii_case(function.name);
            if !all.iter().any(is_meant) {
                return Err(unknown(one, all.iter().map(|function| function.name)));
            }
            all.retain(is_meant);
        }
        Ok(Rows::new(all))
    }
}

fn unknown(name: &str, names: impl Iterator<Item = &'static str>) -> Error {
    let error = Error::not_found(format!("redline has no function {}", quoted(name)));
    error.near(&suggest::nearest(name, names)).or_hint("FROM redline_help() lists them")
}
