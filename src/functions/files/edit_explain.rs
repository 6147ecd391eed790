//! `edit_explain(path, old_string)`: the occurrences of a string in a file, and passages that
//! resemble it.

use crate::ffi::Open;
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::context::file_input;
use crate::functions::params::files::PATH;
use crate::functions::params::{Args, Asked, Given, Kind, Name, Param, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Rows, Table};
use redline_base::error::{Error, Result, quoted};
use redline_edit as edit;
use redline_edit::NearMiss;
use redline_rows::{Col, Field, Row, Type, bigint, double, varchar};
use redline_text::lines::Lines;
use redline_text::{CancelToken, is_binary};

/// The table function.
pub struct EditExplain;

/// A file and a string.
pub struct Wanted {
    path: String,
    old_string: String,
}

/// A passage that resembles the string.
pub struct Near(NearMiss);

impl Row for Near {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        bigint("line", "Where the passage starts, from 1", |near| near.0.line.into()),
        double(
            "similarity",
            "How similar it is, 0 to 1; for long texts, how similar their first words \
             are",
            |near| Some(near.0.similarity),
        ),
        varchar(
            "reason",
            "The differences, separated by `, `; `exact` for an occurrence",
            |near, out| out.text(near.0.reason()),
        ),
        varchar("old_string", "A text that matches the passage; NULL if none can", |near, out| {
            out.text(near.0.old_string.as_deref())
        }),
    ];
}

/// A passage that was found.
struct Passage;

impl Kind for Passage {
    const TYPE: Type = Type::Varchar;
    const WANTED: &'static str = Name::WANTED;
    type Of<'a> = &'a str;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<&'a str> {
        let passage = Name::read(given, asked)?;
        if passage.is_empty() {
            return Err(Error::invalid_args(format!("{} is empty", asked.name))
                .with_hint("Give the text that was looked for"));
        }
        if passage.len() > edit::WANTED_BYTES {
            let (name, bytes) = (asked.name, passage.len());
            return Err(Error::too_large(format!("{name} has {bytes} bytes"))
                .with_hint(format!("Give a passage of up to {} bytes", edit::WANTED_BYTES)));
        }
        Ok(passage)
    }
}

const OLD_STRING: Param<Passage> = required("old_string", "The text that edit_file did not find");

impl Table for EditExplain {
    const DECLARATION: Declaration = Declaration {
        name: "edit_explain",
        family: Family::Files,
        grant: Grant::Tools(&["edit_file", "read_file"]),
        description: "Finds a text in a file, and similar passages",
        example: "SELECT line, reason FROM edit_explain('workspace/app.py', 'x = 1')",
    };
    const PARAMETERS: &'static [Field] = fields![PATH, OLD_STRING];
    type Row = Near;
    type Bind = Wanted;
    type Scan = Rows<Near>;

    fn bind(args: Args<'_>) -> Result<Wanted> {
        let old_string = args.owned(OLD_STRING)?;
        Ok(Wanted { path: args.owned(PATH)?, old_string })
    }

    fn open(wanted: &Wanted, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::new(open.settings)?;
        let bytes = file_input::read_file_for(&wanted.path, &execution)?;
        if is_binary(&bytes) {
            return Err(Error::invalid_args(format!("{} is a binary file", quoted(&wanted.path)))
                .with_hint("Only text can be edited"));
        }
        let cancel = CancelToken::of(&execution.caller.context.budget);
        let near = edit::explain(&Lines::split(&bytes, &cancel)?, &wanted.old_string, &cancel)?;
        Ok(Rows::new(near.into_iter().map(Near)))
    }
}
