//! `diff_text` and `diff_files`: the answers of the tool `Diff` as SQL values.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::host::{self, Host};
use crate::functions::context::reading;
use crate::functions::context::settings;
use crate::functions::params::arguments::row_text;
use crate::limits;
use crate::text::diff_result::{DiffResult, MAX_CONTEXT, Side};
use crate::text::{DiffOptions, Engine, Stop};

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
pub struct Differ {
    engine: Engine,
    host: Host,
}

/// How two contents are shown.
pub struct Shown<'a> {
    /// Lines of context as given; `None` is the default.
    pub context_lines: Option<i64>,
    /// The names of both sides; `None` is the path, or `a` and `b`.
    pub labels: [Option<&'a str>; 2],
}

impl Differ {
    /// Prepares a thread of an execution.
    pub fn new(host: Host) -> Self {
        Self { engine: Engine::default(), host }
    }

    /// Compares two texts.
    pub fn texts(&mut self, texts: [&[u8]; 2], shown: &Shown<'_>) -> Result<DiffResult> {
        for (name, text) in ["text_a", "text_b"].into_iter().zip(texts) {
            if text.len() > limits::DIFF_TEXT_BYTES {
                let most = limits::DIFF_TEXT_BYTES;
                return Err(Error::too_large(format!(
                    "{name} has {} bytes, and at most {most} are compared",
                    text.len()
                ))
                .with_hint("unified_diff(a, b) takes longer texts"));
            }
        }
        self.compare(texts, ["a", "b"], shown)
    }

    /// Reads and compares two files.
    pub fn files(&mut self, paths: [&str; 2], shown: &Shown<'_>) -> Result<DiffResult> {
        // A wrong argument is told before a file is read.
        context_lines(shown.context_lines)?;
        let a = reading::read_file_for(paths[0], &self.host)?;
        let b = reading::read_file_for(paths[1], &self.host)?;
        self.compare([&a, &b], paths, shown)
    }

    fn compare(&mut self, contents: [&[u8]; 2], names: [&str; 2], shown: &Shown<'_>) -> Result<DiffResult> {
        let context = context_lines(shown.context_lines)?;
        let side = |n: usize| Side { bytes: contents[n], label: shown.labels[n].unwrap_or(names[n]) };
        let limit = settings::max_diff_bytes(&self.host.settings);
        DiffResult::new(&mut self.engine, side(0), side(1), context, limit, &Stop::of(&self.host.budget))
    }
}

/// Returns the lines of context that were asked for; NULL is the default.
fn context_lines(given: Option<i64>) -> Result<u32> {
    let Some(given) = given else { return Ok(DiffOptions::CONTEXT) };
    u32::try_from(given).ok().filter(|lines| *lines <= MAX_CONTEXT).ok_or_else(|| {
        Error::invalid_args(format!("context_lines is {given}")).with_hint(format!("Give 0 to {MAX_CONTEXT} lines"))
    })
}

/// Answers a row, given what is compared; a NULL of either makes the answer NULL.
fn call(
    arguments: Arguments<'_>,
    out: &mut Column,
    compare: impl FnOnce(&Shown<'_>) -> Result<DiffResult>,
) -> Result<()> {
    if arguments.text(0).is_none() || arguments.text(1).is_none() {
        out.push_null();
        return Ok(());
    }
    let labels = [3, 4].map(|index| arguments.text(index).map(String::from_utf8_lossy));
    let labels = [labels[0].as_deref(), labels[1].as_deref()];
    push(out, &compare(&Shown { context_lines: arguments.bigint(2), labels })?);
    Ok(())
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
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Differ;

    fn budget(differ: &Differ) -> Option<&Arc<Budget>> {
        Some(&differ.host.budget)
    }

    fn open(settings: Settings) -> Result<Differ> {
        Ok(Differ::new(Host::open(Self::NAME, settings)?))
    }

    fn call(differ: &mut Differ, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        call(arguments, out, |shown| differ.texts([0, 1].map(|index| arguments.text(index).unwrap_or_default()), shown))
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
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Differ;

    fn budget(differ: &Differ) -> Option<&Arc<Budget>> {
        Some(&differ.host.budget)
    }

    fn open(settings: Settings) -> Result<Differ> {
        Ok(Differ::new(Host::open(Self::NAME, settings)?))
    }

    fn call(differ: &mut Differ, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        call(arguments, out, |shown| {
            let (a, b) = (row_text(arguments, 0, "path_a")?, row_text(arguments, 1, "path_b")?);
            differ.files([&a, &b], shown)
        })
    }
}
