//! `diff_text` and `diff_files`: the answers of the tool `Diff` as SQL values.

use super::arguments::row_text;
use super::{grants, reading, settings};
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::limits;
use crate::text::diff_result::{DiffResult, MAX_CONTEXT, Side};
use crate::text::{DiffOptions, Engine};

const FIELDS: [Field; 8] = [
    Field::new("diff", Type::Varchar),
    Field::new("label_a", Type::Varchar),
    Field::new("label_b", Type::Varchar),
    Field::new("lines_a", Type::BigInt),
    Field::new("lines_b", Type::BigInt),
    Field::new("identical", Type::Boolean),
    Field::new("diff_lines", Type::BigInt),
    Field::new("truncated", Type::Boolean),
];

const OVERLOADS: &[Overload] = &[
    &[Type::Varchar, Type::Varchar],
    &[Type::Varchar, Type::Varchar, Type::BigInt],
    &[Type::Varchar, Type::Varchar, Type::BigInt, Type::Varchar, Type::Varchar],
];

/// What one thread keeps between rows.
pub struct State {
    engine: Engine,
    settings: Settings,
}

impl State {
    fn open(function: &str, settings: Settings) -> Result<Self> {
        grants::require_function(function, &settings)?;
        Ok(Self { engine: Engine::default(), settings })
    }

    /// Compares two contents with the optional arguments of a row; `names` are the labels where
    /// those are NULL or left out.
    fn compare(
        &mut self,
        arguments: Arguments<'_>,
        contents: [&[u8]; 2],
        names: [&str; 2],
        out: &mut Column,
    ) -> Result<()> {
        let context = context_lines(arguments.bigint(2))?;
        let label = |index| arguments.text(index).map(String::from_utf8_lossy);
        let labels = (label(3), label(4));
        let a = Side { bytes: contents[0], label: labels.0.as_deref().unwrap_or(names[0]) };
        let b = Side { bytes: contents[1], label: labels.1.as_deref().unwrap_or(names[1]) };
        let limit = settings::max_diff_bytes(&self.settings);
        push(out, &DiffResult::new(&mut self.engine, a, b, context, limit)?);
        Ok(())
    }
}

/// Returns the lines of context that were asked for; NULL is the default.
fn context_lines(given: Option<i64>) -> Result<u32> {
    let Some(given) = given else { return Ok(DiffOptions::CONTEXT) };
    u32::try_from(given).ok().filter(|lines| *lines <= MAX_CONTEXT).ok_or_else(|| {
        Error::invalid_args(format!("context_lines is {given}")).with_hint(format!("Give 0 to {MAX_CONTEXT} lines"))
    })
}

fn push(out: &mut Column, result: &DiffResult) {
    let lines = |count: u64| i64::try_from(count).ok();
    for (field, column) in FIELDS.iter().zip(out.fields_mut()) {
        match field.name {
            "diff" => column.push_text(Some(&result.diff)),
            "label_a" => column.push_text(Some(&result.label_a)),
            "label_b" => column.push_text(Some(&result.label_b)),
            "lines_a" => column.push_bigint(lines(result.lines_a)),
            "lines_b" => column.push_bigint(lines(result.lines_b)),
            "identical" => column.push_boolean(Some(result.identical)),
            "diff_lines" => column.push_bigint(lines(result.diff_lines)),
            "truncated" => column.push_boolean(Some(result.truncated)),
            other => unreachable!("no field {other}"),
        }
    }
}

/// `diff_text(text_a, text_b [, context_lines [, label_a, label_b]])`: two texts.
pub struct DiffText;

impl ScalarFunction for DiffText {
    const NAME: &'static str = "diff_text";
    const OVERLOADS: &'static [Overload] = OVERLOADS;
    const RETURNS: Type = Type::Struct(&FIELDS);
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = reading::SETTINGS;
    type State = State;

    fn open(settings: Settings) -> Result<State> {
        State::open(Self::NAME, settings)
    }

    fn call(state: &mut State, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let (Some(a), Some(b)) = (arguments.text(0), arguments.text(1)) else {
            out.push_null();
            return Ok(());
        };
        for (name, text) in [("text_a", a), ("text_b", b)] {
            if text.len() > limits::DIFF_TEXT_BYTES {
                let most = limits::DIFF_TEXT_BYTES;
                return Err(Error::too_large(format!(
                    "{name} has {} bytes, and at most {most} are compared",
                    text.len()
                ))
                .with_hint("unified_diff(a, b) takes longer texts"));
            }
        }
        state.compare(arguments, [a, b], ["a", "b"], out)
    }
}

/// `diff_files(path_a, path_b [, context_lines [, label_a, label_b]])`: two files.
pub struct DiffFiles;

impl ScalarFunction for DiffFiles {
    const NAME: &'static str = "diff_files";
    const OVERLOADS: &'static [Overload] = OVERLOADS;
    const RETURNS: Type = Type::Struct(&FIELDS);
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = reading::SETTINGS;
    type State = State;

    fn open(settings: Settings) -> Result<State> {
        State::open(Self::NAME, settings)
    }

    fn call(state: &mut State, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        if arguments.text(0).is_none() || arguments.text(1).is_none() {
            out.push_null();
            return Ok(());
        }
        // A wrong argument is told before a file is read.
        context_lines(arguments.bigint(2))?;
        let paths = [row_text(arguments, 0, "path_a")?, row_text(arguments, 1, "path_b")?];
        let a = reading::read_file_for(&paths[0], &state.settings)?;
        let b = reading::read_file_for(&paths[1], &state.settings)?;
        state.compare(arguments, [&a, &b], [&paths[0], &paths[1]], out)
    }
}
