//! `data_changes(old, new, file [, options])`: what changed in the rows of a file of data.
//!
//! Total, as `data_rows` is.

use super::data_rows::FILE;
use super::sides::Comparer;
use super::table_changes_sql::KEY_COLUMNS;
use crate::ffi::{Nulls, Overload};
use crate::functions::params::{Args, Param, Text, fields, options, required, row_options};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{
    Col, Field, HasList, ListOf, Out, Row, StructOf, Varchars, Written, bigint, structures,
    varchar, varchars,
};
use redline_text::CancelToken;
use redline_text::data_changes::{CellChange, DataChanges};
use redline_text::data_rows::Unreadable;

/// The scalar function.
pub struct DataChangesOfTexts;

/// The answer.
pub struct Changes;

/// A column in which cells changed.
pub struct ChangedColumn;

/// A changed cell, or a row that one side has.
pub struct ChangedCell;

type Compared<'a> = &'a std::result::Result<DataChanges<'a>, Unreadable>;

fn names(
    compared: Compared<'_>,
    columns: for<'c> fn(&'c DataChanges<'_>) -> &'c [usize],
    out: Out<'_, Varchars>,
) -> Written {
    match compared {
        Ok(changes) => out.texts(columns(changes).iter().map(|at| changes.names[*at].as_str())),
        Err(_) => out.null(),
    }
}

fn count(compared: Compared<'_>, kind: usize) -> Option<usize> {
    compared.as_ref().ok().map(|changes| changes.counts()[kind])
}

impl Row for Changes {
    type Of<'a> = Compared<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("text", "The change in one line; NULL with an error", |compared, out| {
            out.text(compared.as_ref().ok().map(DataChanges::words))
        }),
        varchars(
            "key",
            "The columns that name a row; empty where rows are compared whole",
            |compared, out| names(compared, |changes| &changes.key, out),
        ),
        bigint("rows_added", "Rows that only the new content has", |compared| {
            count(compared, 0).into()
        }),
        bigint("rows_removed", "Rows that only the old content has", |compared| {
            count(compared, 1).into()
        }),
        bigint("rows_changed", "Rows of both in which a cell differs", |compared| {
            count(compared, 2).into()
        }),
        bigint("rows_unchanged", "Rows that are equal", |compared| {
            compared.as_ref().ok().map(|changes| changes.unchanged).into()
        }),
        structures::<Self, ChangedColumn>(
            "columns",
            "The columns in which cells changed, in their order",
        ),
        varchars("columns_added", "The columns that only the new content has", |compared, out| {
            names(compared, |changes| &changes.columns_added, out)
        }),
        varchars(
            "columns_removed",
            "The columns that only the old content has",
            |compared, out| names(compared, |changes| &changes.columns_removed, out),
        ),
        structures::<Self, ChangedCell>(
            "cells",
            "Each changed cell, and each row that was added or removed, whole",
        ),
        varchar(
            "error",
            "What is wrong with a content or the key; NULL where rows are compared",
            |compared, out| out.text(compared.as_ref().err().map(String::as_str)),
        ),
    ];
}

impl Row for ChangedColumn {
    type Of<'a> = (&'a str, usize);

    const OWN: &'static [Col<Self>] = &[
        varchar("column_name", "The column", |(name, _), out| out.text(name)),
        bigint("cells_changed", "Its changed cells", |(_, count)| count.into()),
    ];
}

impl Row for ChangedCell {
    type Of<'a> = &'a CellChange<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("change", "`added`, `removed` or `changed`", |cell, out| out.text(cell.change)),
        varchar("key", "The values of the row's key; NULL without one", |cell, out| {
            out.text(cell.key.as_deref())
        }),
        varchar("column_name", "The column; NULL for a whole row", |cell, out| {
            out.text(cell.column)
        }),
        varchar(
            "old_value",
            "The text before, of a whole row as JSON; NULL for no value",
            |cell, out| out.text(cell.old.as_deref()),
        ),
        varchar("new_value", "The text after", |cell, out| out.text(cell.new.as_deref())),
    ];
}

impl HasList<ChangedColumn> for Changes {
    fn list(compared: Compared<'_>, out: Out<'_, ListOf<ChangedColumn>>) -> Written {
        match compared {
            Ok(changes) => out.all(
                changes.cells().into_iter().map(|(at, count)| (changes.names[at].as_str(), count)),
            ),
            Err(_) => out.null(),
        }
    }
}

impl HasList<ChangedCell> for Changes {
    fn list(compared: Compared<'_>, out: Out<'_, ListOf<ChangedCell>>) -> Written {
        match compared {
            Ok(changes) => out
                .rows(|rows| {
                    changes.changed_cells().for_each(|cell| rows.push(&cell));
                    Ok::<(), std::convert::Infallible>(())
                })
                .unwrap_or_else(|never| match never {}),
            Err(_) => out.null(),
        }
    }
}

const OLD: Param<Text> = required("old", "The content before");
const NEW: Param<Text> = required("new", "The content after");
const OPTIONS: &[Field] = fields![KEY_COLUMNS];
const PARAMETERS: [Field; 4] =
    [OLD.field, NEW.field, FILE.field, options(OPTIONS, "A STRUCT of key; NULL for none")];

impl Scalar for DataChangesOfTexts {
    const DECLARATION: Declaration = Declaration {
        name: "data_changes",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Compares the rows of two CSV or JSON texts by a key, which it finds: counts, columns and changed cells",
        example: r"SELECT data_changes(E'id,price\n1,9.50\n', E'id,price\n1,9.75\n', 'prices.csv').text",
    };
    const OVERLOADS: &'static [Overload] = &[PARAMETERS.split_at(3).0, &PARAMETERS];
    type Returns = StructOf<Changes>;
    type State = Comparer;
    const NULLS: Nulls = Nulls::Handle;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        if [OLD.field, NEW.field, FILE.field].iter().any(|field| args.is_null(field.name)) {
            return Ok(out.null());
        }
        let values = row_options(args.options(), OPTIONS, args.function())?;
        let key = args.with((OPTIONS, &values), (&[], &[])).get(KEY_COLUMNS)?.unwrap_or_default();
        let (old, new, file) = (args.get(OLD)?, args.get(NEW)?, args.get(FILE)?);
        let compared = DataChanges::of(old, new, file, &key, &CancelToken::of(&state.budget))?;
        Ok(out.row(&compared))
    }
}
