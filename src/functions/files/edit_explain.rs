//! `edit_explain(path, old_string)`: where a string stands in a file, and what resembles it.

use std::vec;

use crate::edit::{self, NearMiss};
use crate::error::{Error, Result, quoted};
use crate::ffi::{Batch, Field, Open, TableFunction, Type, Value};
use crate::functions::context::host::{self, Host};
use crate::functions::context::reading;
use crate::functions::params::arguments::required_text;
use crate::text::lines::Lines;
use crate::text::{Stop, is_binary};

/// The table function.
pub struct EditExplain;

/// A file and a string.
pub struct Wanted {
    path: String,
    old_string: String,
}

/// A running scan: the rows that are left, and the projection.
pub struct Scan {
    left: vec::IntoIter<NearMiss>,
    projection: Vec<usize>,
}

impl TableFunction for EditExplain {
    const NAME: &'static str = "edit_explain";
    const PARAMETERS: &'static [Field] = &[Field::new("path", Type::Varchar), Field::new("old_string", Type::Varchar)];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = &[
        Field::new("line", Type::BigInt),
        Field::new("similarity", Type::Double),
        Field::new("reason", Type::Varchar),
        Field::new("old_string", Type::Varchar),
    ];
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = Wanted;
    type Scan = Scan;

    fn bind(arguments: &[Value], _: &[Value]) -> Result<Wanted> {
        let old_string = required_text(&arguments[1], Self::NAME, "old_string")?;
        if old_string.is_empty() {
            return Err(Error::invalid_args("old_string is empty").with_hint("Give the text that was looked for"));
        }
        if old_string.len() > edit::WANTED_BYTES {
            return Err(Error::too_large(format!("old_string has {} bytes", old_string.len()))
                .with_hint(format!("Give a passage of up to {} bytes", edit::WANTED_BYTES)));
        }
        Ok(Wanted { path: required_text(&arguments[0], Self::NAME, "path")?, old_string })
    }

    fn open(wanted: &Wanted, open: Open<'_>) -> Result<Scan> {
        let host = Host::open(Self::NAME, open.settings)?;
        let bytes = reading::read_file_for(&wanted.path, &host)?;
        if is_binary(&bytes) {
            return Err(Error::invalid_args(format!("{} is a binary file", quoted(&wanted.path)))
                .with_hint("Only text can be edited"));
        }
        let near = edit::explain(&Lines::split(&bytes, &Stop::of(&host.budget))?, &wanted.old_string);
        Ok(Scan { left: near.into_iter(), projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        for near in scan.left.by_ref() {
            for (column, &index) in batch.columns_mut().iter_mut().zip(&scan.projection) {
                match Self::COLUMNS[index].name {
                    "line" => column.push_bigint(i64::try_from(near.line).ok()),
                    "similarity" => column.push_double(Some(near.similarity)),
                    "reason" => column.push_text(Some(&near.reason())),
                    "old_string" => column.push_text(near.old_string.as_deref()),
                    other => unreachable!("no column {other}"),
                }
            }
        }
        Ok(())
    }
}
