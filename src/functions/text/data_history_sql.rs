//! `data_history_sql(answer, file, range, repo [, options])`: the query of the macros that follow
//! the rows of a file.

use super::table_changes_sql::KEY_COLUMNS;
use crate::ffi::{Nulls, Overload};
use crate::functions::params::{
    Args, Choice, Name, OneOf, Param, choice, fields, options, required, row_options,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Field, Out, Varchar, Written};
use redline_text::data_sql::history::DataHistory;

/// The scalar function.
pub struct DataHistorySql;

/// What the answer has a row for.
#[derive(Clone, Copy)]
enum Answer {
    Rows,
    Cells,
}

const ANSWER: Param<OneOf<Answers>> =
    choice("answer", "rows or cells: what the query has a row for");
const FILE: Param<Name> = required("file", "The file, as file_history takes it");
const RANGE: Param<Name> = required("range", "The commits, as file_history takes them");
const REPO: Param<Name> = required("repo", "The repository, or a directory in it");

const OPTIONS: &[Field] = fields![KEY_COLUMNS];
const PARAMETERS: [Field; 5] = [
    Field { default: None, ..ANSWER.field },
    FILE.field,
    RANGE.field,
    REPO.field,
    options(OPTIONS, "A STRUCT of key; NULL for none"),
];

/// Volatile: an argument that is wrong is an error.
impl Scalar for DataHistorySql {
    const DECLARATION: Declaration = Declaration {
        name: "data_history_sql",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Writes the query that follows the rows of a file, which data_history and data_history_cells run; it reads no file",
        example: "SELECT data_history_sql('rows', 'prices.csv', 'HEAD', '.', {'key': 'id'})",
    };
    const OVERLOADS: &'static [Overload] = &[PARAMETERS.split_at(4).0, &PARAMETERS];
    type Returns = Varchar;
    type State = ();
    const NULLS: Nulls = Nulls::Handle;

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let values = row_options(args.options(), OPTIONS, args.function())?;
        let given = args.with((OPTIONS, &values), (&[], &[]));
        let history = DataHistory {
            file: args.get(FILE)?,
            range: args.get(RANGE)?,
            repo: args.get(REPO)?,
            key: given.get(KEY_COLUMNS)?.unwrap_or_default(),
        };
        let of_cells = matches!(args.get(ANSWER)?, Answer::Cells);
        Ok(out.text(history.sql(of_cells)?.as_str()))
    }
}

/// The answers, by their names.
struct Answers;

impl Choice for Answers {
    type Of = Answer;
    const WORDS: &'static [(&'static str, Answer)] =
        &[("rows", Answer::Rows), ("cells", Answer::Cells)];
}
