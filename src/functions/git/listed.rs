//! The twin of a table function that returns its rows as a list, so that columns can be arguments.
//! It takes the named parameters as a struct; the same code binds both.

use std::marker::PhantomData;

use crate::ffi::{Nulls, Overload};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{Args, FROM, Value, fields, options, row_options};
use crate::functions::surface::{Declaration, Scalar, Table};
use redline_base::error::Result;
use redline_query::{Query, Question, RowGroup};
use redline_rows::{Col, Field, Has, ListOf, Out, Part, Row, Written, bigint};

/// The most positional parameters, with the options.
const MAX_PARAMETERS: usize = 8;
/// The most bytes of a twin's name or description.
const MAX_BYTES: usize = 128;

/// The scalar twin of `F`.
pub struct List<F>(PhantomData<F>);

impl<F: Question> List<F> {
    const NAME: Joined = joined(&[F::DECLARATION.name, "_list"]);
    const DESCRIPTION: Joined = joined(&[
        "Returns the rows of ",
        F::DECLARATION.name,
        " as a list, for arguments that are columns",
    ]);

    const PADDED: &'static [Field; MAX_PARAMETERS] = &{
        let mut fields = [Self::OPTIONS; MAX_PARAMETERS];
        let mut index = 0;
        while index < F::PARAMETERS.len() {
            fields[index] = F::PARAMETERS[index];
            index += 1;
        }
        fields
    };

    const OPTIONS: Field = options(
        F::NAMED,
        "A STRUCT of the table function's named parameters, which may differ per row; NULL for none",
    );

    const FORMS: &'static [Overload; 2] =
        &[F::PARAMETERS, Self::PADDED.split_at(F::PARAMETERS.len() + 1).0];
}

/// Volatile, as the meaning of a revision changes with the repository.
impl<F: Question> Scalar for List<F> {
    const DECLARATION: Declaration = Declaration {
        name: text(&Self::NAME),
        description: text(&Self::DESCRIPTION),
        example: F::LIST_EXAMPLE,
        ..F::DECLARATION
    };
    const OVERLOADS: &'static [Overload] =
        Self::FORMS.split_at(if F::NAMED.is_empty() { 1 } else { 2 }).0;
    type Returns = ListOf<Numbered<<F as Table>::Row>>;
    type State = ExecutionContext;
    const NULLS: Nulls = Nulls::Handle;

    fn call(
        execution: &mut ExecutionContext,
        args: Args<'_>,
        out: Out<'_, Self::Returns>,
    ) -> Result<Written> {
        // The parent of a root commit is NULL, which means an empty side.
        let is_wanted = |field: &&Field| **field != FROM.field;
        if F::PARAMETERS.iter().filter(is_wanted).any(|field| args.is_null(field.name)) {
            return Ok(out.null());
        }
        let values = row_options(args.options(), F::NAMED, args.function())?;
        let nothing = [Value::Text("EMPTY".to_owned())];
        let args = args.with((F::NAMED, &values), (fields![FROM], &nothing));
        execution.share_threads();
        let rows = F::query(args)?
            .start(&execution.caller.context, <F as Table>::Row::COLUMNS.all_needs())?;
        out.rows(|elements| {
            let mut seq = 0;
            rows.each(|group| {
                for row in 0..group.rows() {
                    seq += 1;
                    elements.push((seq, group.row(row)));
                }
            })
        })
    }
}

/// A row of a list: its number, unless the table has it, then the row of the table.
pub struct Numbered<T>(PhantomData<T>);

impl<T: Row> Row for Numbered<T> {
    type Of<'a> = (i64, T::Of<'a>);

    const OWN: &'static [Col<Self>] = if T::IS_NUMBERED {
        &[]
    } else {
        &[bigint("seq", "The row's number, from 1", |(seq, _)| seq.into())]
    };
    const PART: Option<Part<Self>> = Some(Part::of::<T>());
}

impl<T: Row> Has<T> for Numbered<T> {
    fn part<'a>(row: Self::Of<'a>) -> T::Of<'a> {
        row.1
    }
}

/// A text that is joined at compile time, and its length.
type Joined = ([u8; MAX_BYTES], usize);

const fn joined(parts: &[&str]) -> Joined {
    let (mut bytes, mut length, mut part) = ([0; MAX_BYTES], 0, 0);
    while part < parts.len() {
        let mut at = 0;
        while at < parts[part].len() {
            bytes[length] = parts[part].as_bytes()[at];
            (length, at) = (length + 1, at + 1);
        }
        part += 1;
    }
    (bytes, length)
}

const fn text(joined: &'static Joined) -> &'static str {
    match std::str::from_utf8(joined.0.split_at(joined.1).0) {
        Ok(text) => text,
        Err(_) => panic!("it is joined from texts"),
    }
}
