//! `edit_explain(path, old_string)`: where a string stands in a file, and what resembles it.

use super::file_tools::PATH;
use crate::edit::{self, NearMiss};
use crate::error::{Error, Result, quoted};
use crate::ffi::{Batch, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::file_input;
use crate::functions::params::arguments::required_text;
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, Rows, col};
use crate::text::lines::Lines;
use crate::text::{CancelToken, is_binary};

/// The table function.
pub struct EditExplain;

impl Declared for EditExplain {
    const DECLARATION: Declaration = Declaration {
        family: Family::Files,
        grant: Grant::Tools(&["edit_file", "read_file"]),
        description: "Where a text occurs in a file, and which passages resemble it",
        example: "SELECT line, reason FROM edit_explain('workspace/app.py', 'x = 1')",
    };
}

/// A file and a string.
pub struct Wanted {
    path: String,
    old_string: String,
}

impl Row for NearMiss {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col("line", Type::BigInt, "The line where the passage starts, from 1", |near, out| {
            out.push_bigint(i64::try_from(near.line).ok());
        }),
        col(
            "similarity",
            Type::Double,
            "How similar it is, 0 to 1; 1 is the text itself",
            |near, out| {
                out.push_double(Some(near.similarity));
            },
        ),
        col("reason", Type::Varchar, "How it differs", |near, out| {
            out.push_text(Some(&near.reason()))
        }),
        col(
            "old_string",
            Type::Varchar,
            "What to give as old_string; NULL where the passage is too long",
            |near, out| {
                out.push_text(near.old_string.as_deref());
            },
        ),
    ];
}

impl TableFunction for EditExplain {
    const NAME: &'static str = "edit_explain";
    const PARAMETERS: &'static [Field] =
        &[PATH, Field::new("old_string", Type::Varchar, "The text that edit_file did not find")];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = NearMiss::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Wanted;
    type Scan = Rows<NearMiss>;

    fn bind(arguments: &[Value], _: &[Value]) -> Result<Wanted> {
        let old_string = required_text(&arguments[1], Self::NAME, "old_string")?;
        if old_string.is_empty() {
            return Err(Error::invalid_args("old_string is empty")
                .with_hint("Give the text that was looked for"));
        }
        if old_string.len() > edit::WANTED_BYTES {
            return Err(Error::too_large(format!("old_string has {} bytes", old_string.len()))
                .with_hint(format!("Give a passage of up to {} bytes", edit::WANTED_BYTES)));
        }
        Ok(Wanted { path: required_text(&arguments[0], Self::NAME, "path")?, old_string })
    }

    fn open(wanted: &Wanted, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let bytes = file_input::read_file_for(&wanted.path, &execution)?;
        if is_binary(&bytes) {
            return Err(Error::invalid_args(format!("{} is a binary file", quoted(&wanted.path)))
                .with_hint("Only text can be edited"));
        }
        let near = edit::explain(
            &Lines::split(&bytes, &CancelToken::of(&execution.budget))?,
            &wanted.old_string,
        );
        Ok(Rows::new(near, open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch);
        Ok(())
    }
}
