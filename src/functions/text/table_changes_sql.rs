//! `table_changes_sql(answer, old, new [, options])`: the query of the macros that compare tables.

use crate::ffi::{Nulls, Overload};
use crate::functions::params::{
    Args, Asked, Choice, Flag, Given, Kind, Maybe, Name, OneOf, Param, Text, Value, choice, fields,
    flag, optional, options, required, row_options, text,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result, quoted};
use redline_rows::{Field, Out, Type, Varchar, Written};
use redline_text::data_sql::comparison::{Answer, Comparison};

/// The scalar function.
pub struct TableChangesSql;

const ANSWER: Param<OneOf<Answers>> =
    choice("answer", "rows, cells, summary, schema or keys: what the query has a row for");
const OLD: Param<Name> = required(
    "old",
    "The table before: a table, a view, a file such as HEAD~1:prices.csv, or a query in parentheses",
);
const NEW: Param<Name> = required("new", "The table after, in the same forms");
const IN_REPO: Param<Name> =
    text("repo", ".", "The repository of files that are named with a revision: HEAD~1:prices.csv");
const IGNORE: Param<Maybe<ColumnNames>> = optional("ignore", "Columns that are left out");
const TOLERANCE: Param<Tolerance> =
    text("tolerance", "0", "How far apart two equal numbers may be");
const RELATIVE_TOLERANCE: Param<Tolerance> =
    text("relative_tolerance", "0", "The same, as a part of the larger number");
const IGNORE_CASE: Param<Flag> = flag("ignore_case", false, "Whether case makes no difference");
const NULLS_EQUAL: Param<Flag> = flag("nulls_equal", true, "Whether two NULLs are equal");

/// The columns that name a row.
pub const KEY_COLUMNS: Param<Maybe<ColumnNames>> =
    optional("key", "The column that names a row, or a list of them");

const OPTIONS: &[Field] =
    fields![KEY_COLUMNS, IN_REPO, IGNORE, TOLERANCE, RELATIVE_TOLERANCE, IGNORE_CASE, NULLS_EQUAL];
const PARAMETERS: [Field; 4] = [
    Field { default: None, ..ANSWER.field },
    OLD.field,
    NEW.field,
    options(
        OPTIONS,
        "A STRUCT of key, repo, ignore, tolerance, relative_tolerance, ignore_case and nulls_equal; NULL for none",
    ),
];

/// Volatile: an argument that is wrong is an error.
impl Scalar for TableChangesSql {
    const DECLARATION: Declaration = Declaration {
        name: "table_changes_sql",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Writes the query that compares two tables, which table_changes and its like run; it reads no table",
        example: "SELECT table_changes_sql('rows', 'old.csv', 'new.csv', {'key': 'id'})",
    };
    const OVERLOADS: &'static [Overload] = &[PARAMETERS.split_at(3).0, &PARAMETERS];
    type Returns = Varchar;
    type State = ();
    const NULLS: Nulls = Nulls::Handle;

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let values = row_options(args.options(), OPTIONS, args.function())?;
        let given = args.with((OPTIONS, &values), (&[], &[]));
        let comparison = Comparison {
            old: args.get(OLD)?,
            new: args.get(NEW)?,
            repo: given.get(IN_REPO)?,
            key: given.get(KEY_COLUMNS)?.unwrap_or_default(),
            ignore: given.get(IGNORE)?.unwrap_or_default(),
            tolerance: given.get(TOLERANCE)?,
            relative_tolerance: given.get(RELATIVE_TOLERANCE)?,
            ignore_case: given.get(IGNORE_CASE)?,
            nulls_equal: given.get(NULLS_EQUAL)?,
        };
        Ok(out.text(comparison.sql(args.get(ANSWER)?)?.as_str()))
    }
}

/// The answers, by their names.
struct Answers;

impl Choice for Answers {
    type Of = Answer;
    const WORDS: &'static [(&'static str, Answer)] = &[
        ("rows", Answer::Rows),
        ("cells", Answer::Cells),
        ("summary", Answer::Summary),
        ("schema", Answer::Schema),
        ("keys", Answer::Keys),
    ];
}

/// A name of a column, or a list of names.
pub struct ColumnNames;

impl Kind for ColumnNames {
    const TYPE: Type = Type::TextOrTexts;
    type Of<'a> = Vec<&'a str>;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<Vec<&'a str>> {
        let names = match given.value() {
            Some(Value::List(names)) => names.as_slice(),
            Some(name) => std::slice::from_ref(name),
            None => &[],
        };
        let named = |name: &'a Value| match name.as_text() {
            Some(name) if !name.is_empty() => Ok(name),
            _ => Err(Error::invalid_args(format!("{} has no name in it", asked.name))
                .with_hint("Give the name of a column, or a list of names")),
        };
        names.iter().map(named).collect()
    }
}

/// A number, written as a text: a DECIMAL is no type of an option.
struct Tolerance;

impl Kind for Tolerance {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = f64;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<f64> {
        let given = Text::read(given, asked)?;
        given.trim().parse().map_err(|error| {
            Error::invalid_args(format!("{} is {}", asked.name, quoted(given)))
                .with_hint("Give a number that is 0 or more")
                .with_source(error)
        })
    }
}
