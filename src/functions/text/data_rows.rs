//! `data_rows(content, file)`: the rows of a file of data, as JSON.
//!
//! Total, so that one version of a file that cannot be read does not end a query over all of them:
//! what is wrong is a value. Only the time and memory of a query end it with an error.

use super::sides::Comparer;
use crate::ffi::Overload;
use crate::functions::params::{Args, Name, Param, Text, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Col, Out, Row, StructOf, Written, varchar, varchars};
use redline_text::CancelToken;
use redline_text::data_rows::data_rows;

/// The scalar function.
pub struct DataRows;

/// The rows, or what is wrong.
pub struct Read;

/// How many bytes of memory a byte of the content takes while its rows are made, at most: names of
/// columns are repeated in every row.
const BYTES_PER_BYTE: usize = 8;

impl Row for Read {
    type Of<'a> = &'a std::result::Result<Vec<String>, String>;

    const OWN: &'static [Col<Self>] = &[
        varchars(
            "rows",
            "Each row, a JSON object with its keys in order; NULL with an error",
            |read, out| match read {
                Ok(rows) => out.texts(rows.iter().map(String::as_str)),
                Err(_) => out.null(),
            },
        ),
        varchar(
            "error",
            "What is wrong with the content; NULL where its rows are read",
            |read, out| out.text(read.as_ref().err().map(String::as_str)),
        ),
    ];
}

const CONTENT: Param<Text> = required("content", "The content of the file");
pub(super) const FILE: Param<Name> =
    required("file", "Its name, which ends in .csv, .tsv, .json, .jsonl or .ndjson");

impl Scalar for DataRows {
    const DECLARATION: Declaration = Declaration {
        name: "data_rows",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Reads the rows of a CSV or JSON text, each as a JSON object of the values as they are written",
        example: r"SELECT unnest(data_rows(E'id,price\n1,9.50\n', 'prices.csv').rows)",
    };
    const OVERLOADS: &'static [Overload] = &[fields![CONTENT, FILE]];
    type Returns = StructOf<Read>;
    type State = Comparer;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let content = args.get(CONTENT)?;
        let cancel = CancelToken::of(&state.budget);
        let _charge = cancel.charge(content.len().saturating_mul(BYTES_PER_BYTE))?;
        let read = data_rows(content, args.get(FILE)?);
        state.budget.check()?;
        Ok(out.row(&read))
    }
}
